//! Indirect branches of a text that does not say where they go (`cuobjdump -sass`, Triton's own): what nothing else leads to
//! is taken for their targets.

use crate::{AnalyzeError, Budget};

/// Adds edges from each of `branches`, blocks that end in such a branch, to the blocks behind it and before the next one that
/// are not reached otherwise: `ptxas` lays the cases of a switch out behind its `BRX`. Both lists are in text order. A
/// block that only leads to itself is the end mark of the code.
pub(super) fn infer(
    edges: &mut Vec<(u32, u32)>,
    branches: &[u32],
    count: usize,
    budget: &mut Budget,
) -> Result<(), AnalyzeError> {
    let Some(&head) = branches.first() else { return Ok(()) };
    budget.store(2 * count + edges.len())?;
    budget.work(20 * (count + edges.len()) as u64)?;
    let known = edges.clone();
    let successors = |block: u32| {
        let from = known.partition_point(|(at, _)| *at < block);
        known[from..].iter().take_while(move |(at, _)| *at == block).map(|(_, to)| *to)
    };
    let mut reached = vec![false; count];
    let mut open = Vec::new();
    let mut reach = |block: u32, reached: &mut Vec<bool>| {
        open.push(block);
        while let Some(block) = open.pop() {
            if !std::mem::replace(&mut reached[block as usize], true) {
                open.extend(successors(block).filter(|to| !reached[*to as usize]));
            }
        }
    };
    reach(0, &mut reached);
    for block in (0_u32..).take(count).skip(head as usize + 1) {
        let branch = branches[branches.partition_point(|at| *at < block) - 1];
        let ends = successors(block).next().is_some() && successors(block).all(|to| to == block);
        if !reached[block as usize] && reached[branch as usize] && !ends {
            edges.push((branch, block));
            reach(block, &mut reached);
        }
    }
    edges.sort_by_key(|(from, _)| *from);
    Ok(())
}
