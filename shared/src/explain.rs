//! Why one of two builds of one source is slower: what went into each and what the compiler decided, side by side.
//!
//! Rows stand in the order in which the compiler decides: what it was told of the arguments, options, width of accesses,
//! copies, buffers, matrix instructions, layouts. [`Explanation::chains`] is the same order read as a sentence: the first
//! input that differs, then every step below it that differs too. Each step is read off the artifacts of both builds;
//! nothing is inferred from a step that is not there.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{
    decision::{Decision, DecisionKind, Pipelining},
    report::{Argument, Report, ScopeCounts},
};

/// Names listed before "and n more".
const NAMED: usize = 3;

/// What went into one build and what became of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Arguments of the kernel that are left; one that was specialised to a constant is none any more. `None` when no
    /// IR was pushed.
    pub arguments: Option<Vec<Argument>>,
    /// Options and compile-time constants by name, as text.
    pub options: BTreeMap<String, String>,
    /// Decisions that the TTGIR shows; `None` without TTGIR.
    pub decisions: Option<Vec<Decision>>,
    /// What the PTX says of widths and copies (`cp.async bytes=16`), in the whole function; `None` without PTX.
    pub operands: Option<BTreeMap<String, u64>>,
}

impl Account {
    /// Takes what the report of one stage knows. TTIR goes before TTGIR, whose arguments the compiler may have changed.
    pub fn add(&mut self, report: Report) {
        use crate::stage::Stage;
        match report.stage {
            Stage::Ttir | Stage::Ttgir => {
                if report.stage == Stage::Ttir || self.arguments.is_none() {
                    self.arguments = Some(report.arguments);
                }
                if report.stage == Stage::Ttgir {
                    self.decisions = Some(report.decisions);
                }
            }
            Stage::Ptx => {
                let mut sums = BTreeMap::<String, ScopeCounts>::new();
                for (name, counts) in report.functions.into_iter().flat_map(|function| function.operands) {
                    sums.entry(name).or_default().add(counts);
                }
                self.operands = Some(sums.into_iter().map(|(name, counts)| (name, counts.function)).collect());
            }
            _ => {}
        }
    }
}

/// What a row is about, in the order in which the compiler decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aspect {
    /// An argument: its type and what is known of it, or that it became a constant.
    Argument,
    /// An option or a compile-time constant.
    Option,
    /// Widest access of a thread that the layout of a load or store allows.
    VectorWidth,
    /// Asynchronous copies in the PTX, by bytes a thread.
    AsyncCopies,
    /// Copies by the tensor memory accelerator.
    TensorCopies,
    /// Whether a loop rotates through buffers.
    Pipelining,
    /// Buffers of one operand.
    BufferDepth,
    /// The matrix instruction.
    MatrixInstruction,
    /// How warps share a tile.
    WarpsPerBlock,
    /// Whether warps do different work.
    WarpSpecialization,
    /// Layouts of one kind.
    LayoutKind,
    /// Conversions between layouts.
    Conversions,
    /// Conversions inside loops.
    ConversionsInLoop,
    /// Accesses of the PTX, by width.
    Accesses,
}

impl Aspect {
    /// Name on screen.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Argument => "Argument",
            Self::Option => "Option",
            Self::VectorWidth => DecisionKind::VectorWidth.label(),
            Self::AsyncCopies => "Asynchronous copies in PTX",
            Self::TensorCopies => DecisionKind::TensorCopies.label(),
            Self::Pipelining => DecisionKind::Pipelining.label(),
            Self::BufferDepth => DecisionKind::BufferDepth.label(),
            Self::MatrixInstruction => DecisionKind::MatrixInstruction.label(),
            Self::WarpsPerBlock => DecisionKind::WarpsPerBlock.label(),
            Self::WarpSpecialization => DecisionKind::WarpSpecialization.label(),
            Self::LayoutKind => DecisionKind::LayoutKind.label(),
            Self::Conversions => DecisionKind::Conversions.label(),
            Self::ConversionsInLoop => DecisionKind::ConversionsInLoop.label(),
            Self::Accesses => "PTX",
        }
    }

    /// Whether it is given to the compiler rather than decided by it.
    pub const fn is_input(self) -> bool {
        matches!(self, Self::Argument | Self::Option)
    }

    const fn of(kind: DecisionKind) -> Option<Self> {
        Some(match kind {
            DecisionKind::Pipelining => Self::Pipelining,
            DecisionKind::BufferDepth => Self::BufferDepth,
            DecisionKind::VectorWidth => Self::VectorWidth,
            DecisionKind::MatrixInstruction => Self::MatrixInstruction,
            DecisionKind::WarpsPerBlock => Self::WarpsPerBlock,
            DecisionKind::LayoutKind => Self::LayoutKind,
            DecisionKind::Conversions => Self::Conversions,
            DecisionKind::ConversionsInLoop => Self::ConversionsInLoop,
            DecisionKind::WarpSpecialization => Self::WarpSpecialization,
            DecisionKind::TensorCopies => Self::TensorCopies,
            // The arguments themselves say it.
            DecisionKind::Alignment => return None,
        })
    }
}

/// One input or decision over the states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExplainedRow {
    /// What it is about.
    pub aspect: Aspect,
    /// Names: an argument, an option, a load; equal rows of several arguments are one. Empty for the whole kernel.
    pub subjects: Vec<String>,
    /// By state; `None` where the stage that shows it was not pushed, or nothing was built.
    pub values: Vec<Option<String>>,
    /// By state: line of the TTGIR that shows it, from 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<Option<u32>>,
}

impl ExplainedRow {
    /// Whether two states know different values.
    pub fn differs(&self) -> bool {
        let mut known = self.values.iter().flatten();
        known.next().is_some_and(|first| known.any(|value| value != first))
    }

    fn differs_at(&self, state: usize) -> Option<(&str, &str)> {
        let first = self.values.first()?.as_deref()?;
        let value = self.values.get(state)?.as_deref()?;
        (first != value).then_some((first, value))
    }

    /// The names, cut after a few.
    pub fn subject(&self) -> String {
        let mut text = self.subjects.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
        if self.subjects.len() > NAMED {
            text = format!("{text} and {} more", self.subjects.len() - NAMED);
        }
        text
    }
}

/// Inputs and decisions of builds, side by side.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explanation {
    /// Rows that differ first, each part in the order in which the compiler decides.
    pub rows: Vec<ExplainedRow>,
    /// By state: the steps from the first input that differs from the first state's down to what it led to. Empty for
    /// the first state and where nothing differs.
    pub chains: Vec<Vec<String>>,
}

/// Puts builds side by side; `None` stands for a build that is not there.
pub fn explain(states: &[Option<Account>]) -> Explanation {
    let states = &one_naming(states)[..];
    let mut rows = arguments(states);
    rows.extend(options(states));
    rows.extend(decisions(states));
    rows.extend(operands(states));
    rows.sort_by_key(|row| row.aspect);
    let chains = (0..states.len()).map(|state| chain(&rows, state)).collect();
    rows.sort_by_key(|row| (!row.differs(), row.aspect));
    Explanation { rows, chains }
}

/// Whether the IR kept no names: `%arg0`, `%arg1`, … (Triton before 3.5).
fn is_unnamed(arguments: &[Argument]) -> bool {
    let is_number = |name: &str| {
        name.strip_prefix("arg").is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    !arguments.is_empty() && arguments.iter().all(|argument| is_number(&argument.name))
}

/// What a decision is about without the author's names: `load k` is a `load`, `k (operand B)` is `operand B`.
fn without_name(decision: &mut Decision) {
    let subject = decision.subject.as_str();
    decision.subject = match decision.kind {
        DecisionKind::VectorWidth => subject.split(' ').next().unwrap_or_default().to_owned(),
        DecisionKind::BufferDepth => match subject.split_once('(') {
            Some((_, operand)) => operand.trim_end_matches(')').to_owned(),
            None if subject.starts_with("operand ") => subject.to_owned(),
            None => "buffer".to_owned(),
        },
        _ => subject.to_owned(),
    };
}

/// Makes names comparable where one state's IR has none: arguments get the other's by their place when there are as many,
/// else nothing is said of them; loads and buffers lose theirs in every state.
fn one_naming(states: &[Option<Account>]) -> Vec<Option<Account>> {
    let mut states = states.to_vec();
    let of = |account: &Account| account.arguments.clone().filter(|arguments| !arguments.is_empty());
    let known: Vec<Vec<Argument>> = states.iter().flatten().filter_map(of).collect();
    let named = known.iter().find(|arguments| !is_unnamed(arguments));
    let (Some(named), true) = (named, known.iter().any(|arguments| is_unnamed(arguments))) else { return states };
    for account in states.iter_mut().flatten() {
        account.decisions.iter_mut().flatten().for_each(without_name);
        let Some(arguments) = account.arguments.as_mut().filter(|arguments| is_unnamed(arguments)) else { continue };
        if arguments.len() == named.len() {
            for (argument, named) in arguments.iter_mut().zip(named) {
                argument.name.clone_from(&named.name);
            }
        } else {
            account.arguments = None;
        }
    }
    states
}

/// The value of every name in every state, made rows by `value`.
fn by_name<'a, T>(
    states: &'a [Option<Account>],
    all: impl Fn(&'a Account) -> Option<&'a T>,
    names: impl Fn(&'a T) -> Vec<&'a str>,
    value: impl Fn(&'a T, &str) -> Option<String>,
    aspect: Aspect,
) -> Vec<ExplainedRow>
where
    T: 'a,
{
    let held: Vec<Option<&T>> = states.iter().map(|state| all(state.as_ref()?)).collect();
    let mut seen = BTreeSet::new();
    // In the order of the first state that has it.
    let ordered: Vec<&str> =
        held.iter().flatten().flat_map(|held| names(held)).filter(|name| seen.insert(*name)).collect();
    let row = |name: &str| ExplainedRow {
        aspect,
        subjects: vec![name.to_owned()],
        values: held.iter().map(|held| held.and_then(|held| value(held, name))).collect(),
        lines: Vec::new(),
    };
    ordered.into_iter().map(row).collect()
}

/// `16 : i32` is written `16`.
fn attribute(name: &str, value: &str) -> String {
    let value = value.split(" : ").next().unwrap_or(value);
    if value.is_empty() { name.to_owned() } else { format!("{name} = {value}") }
}

fn arguments(states: &[Option<Account>]) -> Vec<ExplainedRow> {
    let rows = by_name(
        states,
        |account| account.arguments.as_ref(),
        |arguments| arguments.iter().map(|argument| argument.name.as_str()).collect(),
        |arguments, name| {
            let Some(found) = arguments.iter().find(|argument| argument.name == name) else {
                return Some("a constant, no argument".to_owned());
            };
            let known: Vec<String> = found.attributes.iter().map(|(name, value)| attribute(name, value)).collect();
            let known = if known.is_empty() { "nothing known".to_owned() } else { known.join(", ") };
            Some(format!("{}: {known}", found.r#type))
        },
        Aspect::Argument,
    );
    // What is said of many arguments alike is one row: `a_ptr` and `M` differ in type, not in what became of them.
    let fate = |row: &ExplainedRow| -> Vec<Option<String>> {
        let types: BTreeSet<&str> =
            row.values.iter().flatten().filter_map(|value| Some(value.split_once(": ")?.0)).collect();
        let bare = |value: &String| match value.split_once(": ") {
            Some((_, known)) if types.len() == 1 => known.to_owned(),
            _ => value.clone(),
        };
        row.values.iter().map(|value| value.as_ref().map(bare)).collect()
    };
    let mut merged: Vec<ExplainedRow> = Vec::new();
    for row in rows {
        let values = fate(&row);
        match merged.iter_mut().find(|other| other.values == values) {
            Some(other) => other.subjects.extend(row.subjects),
            None => merged.push(ExplainedRow { values, ..row }),
        }
    }
    merged
}

fn options(states: &[Option<Account>]) -> Vec<ExplainedRow> {
    by_name(
        states,
        |account| Some(&account.options),
        |options| options.keys().map(String::as_str).collect(),
        |options, name| Some(options.get(name).cloned().unwrap_or_else(|| "not given".to_owned())),
        Aspect::Option,
    )
}

/// Pipelining with the stages that were asked for, which the IR does not say.
fn pipelining(decision: &Decision, account: &Account) -> String {
    let asked = account.options.get("num_stages").and_then(|text| text.parse().ok()).unwrap_or(0);
    match Pipelining::from_id(&decision.value).map(|state| state.with_stages(asked)) {
        Some(Pipelining::Pipelined) => {
            format!("pipelined, {} buffers", decision.number.map_or_else(String::new, |depth| depth.to_string()))
        }
        Some(Pipelining::Inert) => format!("not pipelined: `num_stages` = {asked} is inert"),
        Some(Pipelining::NotPipelined) => "not pipelined".to_owned(),
        Some(Pipelining::NoLoop) => "no loop".to_owned(),
        None => decision.value.clone(),
    }
}

fn decisions(states: &[Option<Account>]) -> Vec<ExplainedRow> {
    let mut keys: BTreeSet<(Aspect, &str)> = BTreeSet::new();
    let decided = states.iter().flatten().filter_map(|account| account.decisions.as_deref());
    for decision in decided.flatten() {
        keys.extend(Aspect::of(decision.kind).map(|aspect| (aspect, decision.subject.as_str())));
    }
    let row = |(aspect, subject): (Aspect, &str)| {
        let found = |state: &Option<Account>| -> Option<(String, Option<u32>)> {
            let account = state.as_ref()?;
            let own: Vec<&Decision> = account
                .decisions
                .as_ref()?
                .iter()
                .filter(|decision| Aspect::of(decision.kind) == Some(aspect) && decision.subject == subject)
                .collect();
            let mut values: Vec<String> = own
                .iter()
                .map(|decision| match aspect {
                    Aspect::Pipelining => pipelining(decision, account),
                    _ => decision.value.clone(),
                })
                .collect();
            let mut seen = BTreeSet::new();
            values.retain(|value| seen.insert(value.clone()));
            let line = own.first().map(|decision| decision.line).filter(|line| *line > 0);
            Some((if values.is_empty() { "none".to_owned() } else { values.join("; ") }, line))
        };
        let (values, lines) = states.iter().map(|state| found(state).unzip()).map(|(v, l)| (v, l.flatten())).unzip();
        let subjects = if subject.is_empty() { Vec::new() } else { vec![subject.to_owned()] };
        ExplainedRow { aspect, subjects, values, lines }
    };
    keys.into_iter().map(row).collect()
}

fn operands(states: &[Option<Account>]) -> Vec<ExplainedRow> {
    let of = |aspect, is_own: fn(&str) -> bool| {
        by_name(
            states,
            |account| account.operands.as_ref(),
            move |operands| operands.keys().map(String::as_str).filter(|name| is_own(name)).collect(),
            |operands, name| Some(operands.get(name).copied().unwrap_or(0).to_string()),
            aspect,
        )
    };
    let mut rows = of(Aspect::AsyncCopies, |name| name.starts_with("cp.async bytes="));
    rows.extend(of(Aspect::Accesses, |name| !name.starts_with("cp.async bytes=")));
    rows
}

fn step(row: &ExplainedRow, before: &str, now: &str) -> String {
    let name = match row.aspect {
        Aspect::Pipelining => return format!("{before} → {now}"),
        Aspect::Argument | Aspect::Option | Aspect::BufferDepth => row.subject(),
        _ if row.subjects.is_empty() => row.aspect.label().to_owned(),
        Aspect::VectorWidth | Aspect::AsyncCopies => row.subject(),
        _ => format!("{} {}", row.aspect.label().to_owned(), row.subject()),
    };
    let name = if row.aspect == Aspect::BufferDepth { format!("buffer of {name}") } else { name };
    format!("{name}: {before} → {now}")
}

/// Asynchronous copies of all widths as one step: a narrower copy is both fewer of one and more of another.
fn copies(rows: &[ExplainedRow], state: usize) -> Option<String> {
    let own = || rows.iter().filter(|row| row.aspect == Aspect::AsyncCopies);
    own().find_map(|row| row.differs_at(state))?;
    let text = |at: usize| {
        let widths: Vec<String> = own()
            .filter_map(|row| {
                let count = row.values.get(at)?.as_deref().filter(|count| *count != "0")?;
                let bytes = row.subjects.first()?.rsplit('=').next()?.to_owned();
                Some(format!("{count} of {bytes} bytes"))
            })
            .collect();
        if widths.is_empty() { "none".to_owned() } else { widths.join(" and ") }
    };
    Some(format!("asynchronous copies: {} → {}", text(0), text(state)))
}

/// The steps of one state against the first. Inputs that differ together are one step: which of them led to what, the
/// artifacts do not tell.
fn chain(rows: &[ExplainedRow], state: usize) -> Vec<String> {
    let differing = |wanted: fn(Aspect) -> bool| {
        rows.iter()
            .filter(move |row| wanted(row.aspect))
            .filter_map(move |row| row.differs_at(state).map(|(before, now)| step(row, before, now)))
            .collect::<Vec<String>>()
    };
    let mut steps = Vec::new();
    let inputs = differing(Aspect::is_input);
    if !inputs.is_empty() {
        steps.push(inputs.join("; "));
    }
    let widths = differing(|aspect| aspect == Aspect::VectorWidth);
    if !widths.is_empty() {
        steps.push(widths.join("; "));
    }
    steps.extend(copies(rows, state));
    for aspect in [
        Aspect::TensorCopies,
        Aspect::Pipelining,
        Aspect::BufferDepth,
        Aspect::MatrixInstruction,
        Aspect::WarpsPerBlock,
        Aspect::WarpSpecialization,
        Aspect::ConversionsInLoop,
    ] {
        let own = rows.iter().filter(|row| row.aspect == aspect);
        let found: Vec<String> =
            own.filter_map(|row| row.differs_at(state).map(|(before, now)| step(row, before, now))).collect();
        if !found.is_empty() {
            steps.push(found.join("; "));
        }
    }
    steps
}

#[cfg(test)]
mod tests;
