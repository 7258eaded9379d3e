//! What the compiler chose for the author, read off the TTGIR, each with the line that shows it.
//!
//! [`decide`] is the door. One file per question: `pipeline` (buffers that loops rotate through), `memory` (width of global
//! accesses), `matrix` (instruction and warps), `layouts` (kinds and conversions), `arguments` (alignment known). Nothing
//! here guesses: where the text does not tell, the number is missing.

mod arguments;
mod layouts;
mod matrix;
mod memory;
mod pipeline;
mod trace;

use lowerline_shared::decision::{Decision, DecisionKind};

use crate::{
    layout::{Aliases, ttgir::aliases},
    mlir::{Module, Operation},
};

/// Characters of an operation kept as evidence.
const EVIDENCE_CHARS: usize = 200;

/// Every decision that the TTGIR shows, in the order tables show them.
pub fn decide(module: &Module<'_>) -> Vec<Decision> {
    let text = Text { module, aliases: &aliases(module) };
    let widths = memory::widths(&text);
    let mut decisions = pipeline::decide(&text, &widths);
    decisions.extend(widths.into_iter().map(|width| width.decision));
    decisions.extend(matrix::decide(&text));
    decisions.extend(layouts::decide(&text));
    decisions.extend(arguments::decide(module));
    decisions.sort_by_key(|decision| decision.kind);
    decisions
}

/// The module with its aliases.
struct Text<'a, 'b> {
    module: &'b Module<'a>,
    aliases: &'b Aliases<'a>,
}

/// A decision that an operation shows.
fn shown_by(kind: DecisionKind, operation: &Operation<'_>, value: String, number: Option<i64>) -> Decision {
    let evidence = operation.head.chars().take(EVIDENCE_CHARS).collect();
    Decision { kind, subject: String::new(), value, number, line: operation.line, evidence, why: None }
}

/// A decision that the absence of an operation shows.
fn absent(kind: DecisionKind, value: &str, number: i64) -> Decision {
    let value = value.to_owned();
    Decision { kind, subject: String::new(), value, number: Some(number), line: 0, evidence: String::new(), why: None }
}

/// The author's name of a value: `%a_41` comes from a variable `a`. Empty for values without one (`%12`).
fn author_name(name: &str) -> &str {
    let stem = match name.rsplit_once('_') {
        Some((stem, digits)) if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => stem,
        _ => name,
    };
    if stem.bytes().all(|byte| byte.is_ascii_digit()) || stem.starts_with("arg") { "" } else { stem }
}

fn count(items: usize) -> i64 {
    i64::try_from(items).unwrap_or(i64::MAX)
}
