//! Buffers that loops rotate through.

use lowerline_shared::decision::{Decision, DecisionKind, Pipelining};

use super::{Text, author_name, count, memory::Width, shown_by, trace::origin};
use crate::{
    layout::{
        Encoding, Shape,
        ttgir::{buffers_of, element_bits},
    },
    mlir::{Operation, is_loop, is_tensor_compute, types::shaped},
};

/// The narrowest asynchronous copy of a thread, in bytes (PTX ISA, `cp.async`: 4, 8 or 16).
const NARROWEST_COPY_BYTES: i64 = 4;

/// Buffers listed, and matrix operations searched for what a buffer feeds. The corpus has 6 and 24 at most; every buffer is
/// looked for in every operation.
const BUFFERS: usize = 64;
const COMPUTES: usize = 256;

/// The state of the kernel and each buffer. A buffer is an allocation of shared memory with one dimension more than its
/// layout; whether the pipeliner or the author made it, the text does not tell. Arrays of barriers are left out.
///
/// Depth 1 is AMD's form with two stages: the other copy is in registers.
pub(super) fn decide(text: &Text<'_, '_>, widths: &[Width]) -> Vec<Decision> {
    let operations = text.module.operations.iter();
    let mut buffers: Vec<Decision> = operations.filter_map(|operation| buffer(text, operation)).take(BUFFERS).collect();
    let deepest = buffers.iter().max_by_key(|buffer| buffer.number).cloned();
    let looped = text.module.operations.iter().find(|operation| is_loop(operation.name));
    let state = match (&deepest, looped) {
        (Some(buffer), _) => Decision {
            kind: DecisionKind::Pipelining,
            subject: String::new(),
            value: Pipelining::Pipelined.id().to_owned(),
            ..buffer.clone()
        },
        (None, Some(operation)) => {
            let id = Pipelining::NotPipelined.id().to_owned();
            let mut decision = shown_by(DecisionKind::Pipelining, operation, id, Some(0));
            decision.why = why_not(text, widths);
            decision
        }
        (None, None) => super::absent(DecisionKind::Pipelining, Pipelining::NoLoop.id(), 0),
    };
    buffers.insert(0, state);
    buffers
}

fn buffer(text: &Text<'_, '_>, operation: &Operation<'_>) -> Option<Decision> {
    let is_empty = text.module.operands_of(operation).is_empty();
    if !operation.name.ends_with(".local_alloc") || !is_empty {
        return None;
    }
    let types = shaped(operation.result_types());
    let found = types.iter().find(|found| found.kind.ends_with("memdesc") && found.element != "i64")?;
    let encoding = Encoding::parse(found.layout, text.aliases).ok()?;
    if found.shape.len() != encoding.rank() + 1 {
        return None;
    }
    let (depth, one) = buffers_of(found, &encoding).ok()?;
    let depth = i64::try_from(depth).ok()?;
    let value = match bytes(&one, found.element) {
        Some(bytes) => format!("{depth} of {bytes} bytes"),
        None => depth.to_string(),
    };
    let mut decision = shown_by(DecisionKind::BufferDepth, operation, value, Some(depth));
    let named = text.module.results_of(operation).first().map(|result| author_name(result.name)).unwrap_or_default();
    let operand = operand(text, operation);
    decision.subject = match (named, operand) {
        ("", None) => "buffer".to_owned(),
        ("", Some(operand)) => operand.to_owned(),
        (named, None) => named.to_owned(),
        (named, Some(operand)) => format!("{named} ({operand})"),
    };
    Some(decision)
}

fn bytes(one: &Shape, element: &str) -> Option<u64> {
    let elements: u64 = one.sizes().iter().product();
    Some(elements * u64::from(element_bits(element)?) / 8)
}

/// Which operand of a matrix operation the buffer feeds.
fn operand(text: &Text<'_, '_>, allocation: &Operation<'_>) -> Option<&'static str> {
    let module = text.module;
    let computes = module.operations.iter().filter(|operation| is_tensor_compute(operation.name)).take(COMPUTES);
    let feeds = |operation: &Operation<'_>, place: usize| {
        let used = module.operands_of(operation).get(place).and_then(|&used| origin(module, used));
        used.is_some_and(|origin| origin.line == allocation.line)
    };
    for operation in computes {
        if feeds(operation, 0) {
            return Some("operand A");
        }
        if feeds(operation, 1) {
            return Some("operand B");
        }
    }
    None
}

/// Why nothing runs ahead, where the text tells.
fn why_not(text: &Text<'_, '_>, widths: &[Width]) -> Option<String> {
    let loads = || widths.iter().filter(|width| width.is_load && width.loops > 0);
    if loads().count() == 0 {
        return Some("no load of a tensor is inside a loop".to_owned());
    }
    let is_nvidia =
        text.module.attributes.iter().any(|(name, value)| name.ends_with("target") && value.contains("cuda"));
    let narrow = loads().filter(|width| width.bytes < NARROWEST_COPY_BYTES).collect::<Vec<_>>();
    let first = narrow.first()?;
    let (subject, bytes, loads) = (&first.decision.subject, first.bytes, count(narrow.len()));
    let more = if loads > 1 { format!(" and {} more", loads - 1) } else { String::new() };
    is_nvidia.then(|| {
        format!(
            "`{subject}`{more} moves {bytes} bytes a thread; an asynchronous copy moves {NARROWEST_COPY_BYTES}, 8 or 16"
        )
    })
}
