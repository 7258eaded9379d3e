//! Natural loops and their nesting, in the manner of LLVM's `LoopInfo`: inner loops first, so that a walk over an outer
//! one steps over each inner one once.

use super::{
    blocks::Blocks,
    dominators::{Dominators, UNREACHED},
};
use crate::{AnalyzeError, Budget};

/// No loop.
pub(crate) const NONE: u32 = u32::MAX;

/// One natural loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Loop {
    /// Block that dominates the body.
    pub header: u32,
    /// Index of the loop around it, or [`NONE`].
    pub parent: u32,
    /// 1 is outermost.
    pub depth: u32,
}

/// Loops of a function, inner ones before the ones around them.
pub(crate) struct Loops {
    pub all: Vec<Loop>,
    /// By block: innermost loop, or [`NONE`].
    pub of_block: Vec<u32>,
    /// Edges back to a block that does not dominate their source: cycles with two entries, which are no natural loops.
    pub irreducible: u64,
}

impl Loops {
    fn outermost(&self, of: u32, budget: &mut Budget) -> Result<u32, AnalyzeError> {
        let mut index = of;
        while let Some(parent) = self.all.get(index as usize).map(|known| known.parent)
            && parent != NONE
        {
            budget.work(2)?;
            index = parent;
        }
        Ok(index)
    }
}

/// Finds the loops.
pub(crate) fn loops(graph: &Blocks, budget: &mut Budget) -> Result<Loops, AnalyzeError> {
    let count = graph.len();
    let mut found = Loops { all: Vec::new(), of_block: vec![NONE; count], irreducible: 0 };
    // A block that only falls through or branches forward closes no loop.
    let backward = (0_u32..).take(count).any(|block| graph.successors(block).iter().any(|to| *to <= block));
    if !backward {
        return Ok(found);
    }
    let tree = Dominators::new(graph, budget)?;
    let mut latches: Vec<u32> = Vec::new();
    let mut work: Vec<u32> = Vec::new();
    // Blocks that a header dominates stand behind it in reverse postorder: going backwards, inner headers come first.
    for header in tree.order.iter().rev().copied() {
        latches.clear();
        for predecessor in tree.predecessors.of(header) {
            let retreats = tree.place[*predecessor as usize] != UNREACHED
                && tree.place[*predecessor as usize] >= tree.place[header as usize];
            if retreats {
                if tree.dominates(header, *predecessor, budget)? {
                    latches.push(*predecessor);
                } else {
                    found.irreducible += 1;
                }
            }
        }
        if latches.is_empty() {
            continue;
        }
        budget.store(1)?;
        let index = u32::try_from(found.all.len()).unwrap_or(NONE);
        found.all.push(Loop { header, parent: NONE, depth: 0 });
        work.clear();
        work.extend_from_slice(&latches);
        while let Some(block) = work.pop() {
            budget.work(6)?;
            let inner = found.of_block[block as usize];
            if inner == NONE {
                found.of_block[block as usize] = index;
                if block != header {
                    work.extend(reached(&tree, block));
                }
                continue;
            }
            let outermost = found.outermost(inner, budget)?;
            if outermost == index {
                continue;
            }
            found.all[outermost as usize].parent = index;
            let inner_header = found.all[outermost as usize].header;
            work.extend(reached(&tree, inner_header));
        }
    }
    for index in (0..found.all.len()).rev() {
        let parent = found.all[index].parent;
        found.all[index].depth = 1 + found.all.get(parent as usize).map_or(0, |outer| outer.depth);
    }
    Ok(found)
}

fn reached(tree: &Dominators, block: u32) -> impl Iterator<Item = u32> {
    tree.predecessors.of(block).iter().copied().filter(|from| tree.place[*from as usize] != UNREACHED)
}
