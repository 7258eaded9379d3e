//! Matrix instructions and the warps that share a tile.

use std::collections::BTreeMap;

use lowerline_shared::decision::{Decision, DecisionKind};

use super::{Text, shown_by};
use crate::{
    layout::{Attribute, attribute::Value},
    mlir::{Operation, is_tensor_compute, types::shaped},
};

/// One decision for each instruction in use, and one for each way warps share a matrix tile.
pub(super) fn decide(text: &Text<'_, '_>) -> Vec<Decision> {
    let mut found: BTreeMap<(DecisionKind, String), Decision> = BTreeMap::new();
    for operation in text.module.operations.iter().filter(|operation| is_tensor_compute(operation.name)) {
        let Some(choice) = choice(text, operation) else { continue };
        let entry = found.entry((DecisionKind::MatrixInstruction, choice.instruction.clone())).or_insert_with(|| {
            let mut decision = shown_by(DecisionKind::MatrixInstruction, operation, choice.instruction, Some(0));
            decision.why = choice.why;
            decision
        });
        entry.number = entry.number.map(|number| number + 1);
        if let Some(warps) = choice.warps {
            let value = joined(&warps);
            let number = warps.iter().try_fold(1_i64, |all, &warps| all.checked_mul(i64::try_from(warps).ok()?));
            found
                .entry((DecisionKind::WarpsPerBlock, value.clone()))
                .or_insert_with(|| shown_by(DecisionKind::WarpsPerBlock, operation, value, number));
        }
    }
    found.into_values().collect()
}

struct Choice {
    instruction: String,
    warps: Option<Vec<u64>>,
    why: Option<String>,
}

fn choice(text: &Text<'_, '_>, operation: &Operation<'_>) -> Option<Choice> {
    let types = shaped(operation.types());
    if operation.name.contains("tc_gen5_mma") {
        let mut memory = types.iter().filter_map(|found| Attribute::parse(found.layout, text.aliases).ok());
        let tile = memory.rfind(|attribute| attribute.kind == "tensor_memory_encoding");
        let side = |name| tile.as_ref().and_then(|tile| number(tile, name));
        let instruction = match (side("blockM"), side("blockN")) {
            (Some(rows), Some(columns)) => format!("tcgen05.mma m{rows}n{columns}"),
            _ => "tcgen05.mma".to_owned(),
        };
        return Some(Choice { instruction, warps: None, why: None });
    }
    let result = Attribute::parse(types.last()?.layout, text.aliases).ok()?;
    let shape = numbers(&result, "instrShape").unwrap_or_default();
    let warps = numbers(&result, "warpsPerCTA");
    let (instruction, why) = match (result.kind, number(&result, "versionMajor"), shape.as_slice()) {
        ("nvidia_mma", Some(3), [_, columns, k]) => (format!("wgmma m64n{columns}k{k}"), None),
        ("nvidia_mma", _, [.., rows, columns]) => (format!("mma.sync m{rows}n{columns}"), None),
        ("amd_mfma", _, shape) => (format!("v_mfma {}", joined(shape)), None),
        ("amd_wmma", _, []) => ("v_wmma 16x16x16".to_owned(), None),
        ("amd_wmma", _, shape) => (format!("v_wmma {}", joined(shape)), None),
        _ => (
            "fma".to_owned(),
            Some(format!("the result has the layout {}, which no matrix instruction writes", result.kind)),
        ),
    };
    let is_matrix = why.is_none();
    Some(Choice { instruction, warps: warps.filter(|_| is_matrix), why })
}

fn joined(sizes: &[u64]) -> String {
    sizes.iter().map(u64::to_string).collect::<Vec<_>>().join("x")
}

fn number(attribute: &Attribute<'_>, name: &str) -> Option<u64> {
    match attribute.fields.get(name)? {
        Value::Number(number) => Some(*number),
        _ => None,
    }
}

fn numbers(attribute: &Attribute<'_>, name: &str) -> Option<Vec<u64>> {
    let Value::List(values) = attribute.fields.get(name)? else { return None };
    values.iter().map(|value| if let Value::Number(number) = value { Some(*number) } else { None }).collect()
}
