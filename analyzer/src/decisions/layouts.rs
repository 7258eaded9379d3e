//! Kinds of layouts, conversions between them, warp specialization and TMA.

use std::collections::{BTreeMap, HashSet};

use lowerline_shared::decision::{Decision, DecisionKind};

use super::{Text, absent, count, shown_by};
use crate::{
    layout::{
        Attribute,
        ttgir::{Conversion, conversions},
    },
    mlir::{Operation, types::shaped},
};

pub(super) fn decide(text: &Text<'_, '_>) -> Vec<Decision> {
    let mut decisions = kinds(text);
    let found = conversions(text.module);
    decisions.extend(by_class(text, &found, DecisionKind::Conversions, |_| true));
    decisions.extend(by_class(text, &found, DecisionKind::ConversionsInLoop, |conversion| conversion.loops > 0));
    decisions.push(specialization(text));
    decisions.push(tensor_copies(text));
    decisions
}

/// How many different layouts of each kind values and memory have.
fn kinds(text: &Text<'_, '_>) -> Vec<Decision> {
    let mut met = HashSet::new();
    let mut kinds: BTreeMap<String, Decision> = BTreeMap::new();
    for operation in &text.module.operations {
        for found in shaped(operation.types()) {
            if found.layout.is_empty() || !met.insert(found.layout) {
                continue;
            }
            let Ok(attribute) = Attribute::parse(found.layout, text.aliases) else { continue };
            let decision = kinds.entry(attribute.kind.to_owned()).or_insert_with(|| {
                let mut decision = shown_by(DecisionKind::LayoutKind, operation, String::new(), Some(0));
                attribute.kind.clone_into(&mut decision.subject);
                decision
            });
            decision.number = decision.number.map(|number| number + 1);
        }
    }
    let valued = kinds.into_values().map(|decision| Decision {
        value: decision.number.map_or_else(String::new, |number| number.to_string()),
        ..decision
    });
    valued.collect()
}

fn by_class(
    text: &Text<'_, '_>,
    conversions: &[Conversion<'_>],
    kind: DecisionKind,
    wanted: impl Fn(&Conversion<'_>) -> bool,
) -> Vec<Decision> {
    let mut classes: BTreeMap<&str, Decision> = BTreeMap::new();
    for conversion in conversions.iter().filter(|conversion| wanted(conversion)) {
        let (subject, why) = match &conversion.class {
            Ok(class) => (class.id(), None),
            Err(error) => ("unknown", Some(error.to_string())),
        };
        let decision = classes.entry(subject).or_insert_with(|| {
            let at = text.module.operations.iter().find(|operation| operation.line == conversion.line);
            let mut decision =
                at.map_or_else(|| absent(kind, "", 0), |operation| shown_by(kind, operation, String::new(), Some(0)));
            subject.clone_into(&mut decision.subject);
            decision.why = why;
            decision
        });
        decision.number = decision.number.map(|number| number + 1);
        decision.value = decision.number.map_or_else(String::new, |number| number.to_string());
    }
    classes.into_values().collect()
}

fn specialization(text: &Text<'_, '_>) -> Decision {
    let is_split = |operation: &&Operation<'_>| operation.name.ends_with(".warp_specialize");
    match text.module.operations.iter().find(is_split) {
        Some(operation) => {
            let partitions = i64::from(operation.regions);
            shown_by(DecisionKind::WarpSpecialization, operation, format!("{partitions} partitions"), Some(partitions))
        }
        None => absent(DecisionKind::WarpSpecialization, "no", 0),
    }
}

fn tensor_copies(text: &Text<'_, '_>) -> Decision {
    let is_copy = |operation: &&Operation<'_>| {
        let (_, name) = operation.name.split_once('.').unwrap_or_default();
        name.starts_with("async_tma_") && !name.ends_with("_wait")
    };
    let copies = text.module.operations.iter().filter(is_copy);
    let number = count(copies.clone().count());
    match copies.clone().next() {
        Some(operation) => shown_by(DecisionKind::TensorCopies, operation, number.to_string(), Some(number)),
        None => absent(DecisionKind::TensorCopies, "none", 0),
    }
}
