//! MLIR: operations are rows, regions are blocks.

use std::collections::HashMap;

use lowerline_shared::stage::Stage;

use super::{Annotations, Block, Function, Loop, Row, table::some};
use crate::{
    AnalyzeError, Budget,
    mlir::{self, Nesting, nesting, places_of},
    stream::{NOWHERE, Places},
};

/// One file of MLIR.
pub(super) fn mlir(text: &str, stage: Stage, budget: &mut Budget) -> Result<Annotations, AnalyzeError> {
    let module = mlir::parse(text, stage, budget)?;
    let nesting = nesting(&module, budget)?;
    let mut places = Places::default();
    let place_of = places_of(&module, &mut places, budget)?;
    let mut out = Annotations::new(stage);
    out.reserve(module.operations.len(), budget)?;
    out.take_places(&places, budget)?;
    for function in &module.functions {
        budget.store(1)?;
        out.functions.push(Function { name: function.name.to_owned(), kernel: function.public });
    }
    for inside in &nesting.loops {
        let line = module.operations.get(inside.operation as usize).map_or(0, |operation| operation.line);
        let (function, parent, depth, hot) = (inside.function, some(inside.parent), inside.depth, inside.hot);
        out.loops.push(Loop { function, parent, depth, header: format!("line {line}"), hot });
    }
    let hot = hot_loops(&nesting);
    // A region is known by the operation that has it and by what it is in.
    let mut blocks: HashMap<(Option<u32>, u32), u32> = HashMap::new();
    for (index, operation) in module.operations.iter().enumerate() {
        let (function, inner) = (nesting.function[index], nesting.inner[index]);
        let next = u32::try_from(out.blocks.len()).unwrap_or(NOWHERE);
        let block = *blocks.entry((operation.parent, function)).or_insert(next);
        if block == next {
            budget.store(2)?;
            let hot = hot.get(inner as usize).copied().unwrap_or(false);
            out.blocks.push(Block { function: some(function), r#loop: some(inner), hot, label: String::new() });
        }
        out.push(Row { at: operation.line, place: some(place_of[index]), block, family: None });
    }
    Ok(out)
}

/// By loop: whether it is hot or lies in a hot one.
fn hot_loops(nesting: &Nesting) -> Vec<bool> {
    let mut hot: Vec<bool> = Vec::with_capacity(nesting.loops.len());
    for inside in &nesting.loops {
        let around = hot.get(inside.parent as usize).copied().unwrap_or(false);
        hot.push(inside.hot || around);
    }
    hot
}
