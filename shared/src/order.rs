//! The order of a list of builds side by side, and what its columns hold.

use std::{cmp::Reverse, str::FromStr};

use crate::{api::BuildComparison, report::Resource};

/// What a list of changed builds is ordered by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BuildOrder {
    /// Instructions that moved, most first.
    #[default]
    Weight,
    /// Kernel, then config, by name.
    Kernel,
    /// Target, then weight.
    Target,
    /// Change of the number of instructions, largest first whether up or down.
    Instructions,
    /// Change of the number of registers, likewise.
    Registers,
}

/// Text that names no order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("one of weight, kernel, target, instructions, registers")]
pub struct InvalidOrder;

impl BuildOrder {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Weight, Self::Kernel, Self::Target, Self::Instructions, Self::Registers];

    /// In an address.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Weight => "weight",
            Self::Kernel => "kernel",
            Self::Target => "target",
            Self::Instructions => "instructions",
            Self::Registers => "registers",
        }
    }
}

impl FromStr for BuildOrder {
    type Err = InvalidOrder;

    fn from_str(text: &str) -> Result<Self, InvalidOrder> {
        Self::ALL.into_iter().find(|order| order.id() == text).ok_or(InvalidOrder)
    }
}

/// A value in the first and in the last state; `None` where the state does not say it.
pub type Ends = (Option<i64>, Option<i64>);

fn ends(counts: &[Option<i64>]) -> Ends {
    (counts.first().copied().flatten(), counts.last().copied().flatten())
}

/// Instructions at the lowest level.
pub fn instructions(build: &BuildComparison) -> Ends {
    ends(build.levels.last().map(|level| level.instructions.as_slice()).unwrap_or_default())
}

/// Registers of a thread.
pub fn registers(build: &BuildComparison) -> Ends {
    let row = build.resources.iter().find(|row| row.resource == Resource::Registers);
    ends(row.map(|row| row.values.as_slice()).unwrap_or_default())
}

/// How far a value moved; builds that do not tell come last.
fn distance(ends: Ends) -> Option<u64> {
    Some(ends.0?.abs_diff(ends.1?))
}

/// Builds in an order. What is equal by it stays as it was.
pub fn sorted(builds: &[BuildComparison], order: BuildOrder) -> Vec<&BuildComparison> {
    let mut out: Vec<&BuildComparison> = builds.iter().collect();
    match order {
        BuildOrder::Weight => out.sort_by_key(|build| Reverse(build.weight)),
        BuildOrder::Kernel => out.sort_by(|a, b| (&a.kernel.name, &a.config).cmp(&(&b.kernel.name, &b.config))),
        BuildOrder::Target => out.sort_by_cached_key(|build| crate::target::sort_key(&build.target)),
        BuildOrder::Instructions => out.sort_by_key(|build| Reverse(distance(instructions(build)))),
        BuildOrder::Registers => out.sort_by_key(|build| Reverse(distance(registers(build)))),
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{KernelSummary, ResourceRow};

    fn build(kernel: &str, target: &str, weight: u64, registers: [Option<i64>; 2]) -> BuildComparison {
        BuildComparison {
            kernel: KernelSummary {
                name: kernel.parse().expect("a kernel"),
                key: kernel.to_owned(),
                targets: Vec::new(),
                configs: Vec::new(),
            },
            target: target.parse().expect("a target"),
            config: String::new(),
            states: Vec::new(),
            levels: Vec::new(),
            resources: vec![ResourceRow { resource: Resource::Registers, values: registers.to_vec() }],
            decisions: Vec::new(),
            changed: true,
            weight,
            depth: None,
        }
    }

    #[test]
    fn every_order_puts_its_own_first() {
        let builds = [
            build("softmax", "sm_80", 3, [Some(32), Some(200)]),
            build("matmul", "gfx942", 9, [None, Some(255)]),
            build("dropout", "sm_100a", 1, [Some(255), Some(16)]),
            build("add", "sm_80", 5, [Some(16), Some(16)]),
        ];
        let names = |order| -> Vec<&str> {
            sorted(&builds, order).into_iter().map(|build| build.kernel.name.as_str()).collect()
        };
        assert_eq!(names(BuildOrder::Weight), ["matmul", "add", "softmax", "dropout"]);
        assert_eq!(names(BuildOrder::Kernel), ["add", "dropout", "matmul", "softmax"]);
        assert_eq!(names(BuildOrder::Target), ["softmax", "add", "dropout", "matmul"]);
        assert_eq!(names(BuildOrder::Registers), ["dropout", "softmax", "add", "matmul"]);
        for order in BuildOrder::ALL {
            assert_eq!(order.id().parse(), Ok(order));
        }
        assert_eq!("luck".parse::<BuildOrder>(), Err(InvalidOrder));
    }
}
