//! What is known about the alignment of arguments.

use lowerline_shared::decision::{Decision, DecisionKind};

use super::shown_by;
use crate::mlir::Module;

/// Pointers and integers of the kernel. An argument specialised to a constant is no argument and is not listed.
pub(super) fn decide(module: &Module<'_>) -> Vec<Decision> {
    let Some(kernel) = module.functions.iter().find(|function| function.public).or(module.functions.first()) else {
        return Vec::new();
    };
    let Some(operation) = module.operations.get(kernel.operation as usize) else { return Vec::new() };
    let is_aligned = |kind: &str| kind.starts_with("!tt.ptr") || matches!(kind, "i16" | "i32" | "i64");
    let arguments = kernel.arguments.iter().filter(|argument| is_aligned(&argument.r#type));
    arguments
        .map(|argument| {
            let known = argument.attributes.get("tt.divisibility");
            let number = known.map_or(Some(1), |text| text.split(':').next()?.trim().parse().ok());
            let value = if known.is_some() {
                number.map_or_else(String::new, |by: i64| by.to_string())
            } else {
                "unknown".into()
            };
            let mut decision = shown_by(DecisionKind::Alignment, operation, value, number);
            decision.evidence = known.map_or_else(
                || format!("%{}: {}", argument.name, argument.r#type),
                |by| format!("%{}: {} {{tt.divisibility = {by}}}", argument.name, argument.r#type),
            );
            decision.subject.clone_from(&argument.name);
            decision
        })
        .collect()
}
