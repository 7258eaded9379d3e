//! Immediate dominators by the iterative scheme of Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm"
//! (2001). Written here and not taken from `petgraph` because every step must be paid from the budget: the scheme is
//! quadratic on graphs made for it.

use super::blocks::Blocks;
use crate::{AnalyzeError, Budget};

/// Not reachable from the entry.
pub(super) const UNREACHED: u32 = u32::MAX;

pub(super) struct Dominators {
    /// Blocks in reverse postorder.
    pub order: Vec<u32>,
    /// Place of each block in `order`; [`UNREACHED`] when it has none.
    pub place: Vec<u32>,
    /// By place in `order`: place of the immediate dominator. The entry is its own.
    immediate: Vec<u32>,
    /// By place: depth in the dominator tree and last place below it would need a second walk; depth bounds queries.
    pub predecessors: Predecessors,
}

pub(super) struct Predecessors {
    offsets: Vec<u32>,
    blocks: Vec<u32>,
}

impl Predecessors {
    fn new(graph: &Blocks) -> Self {
        let count = graph.len();
        let mut offsets = vec![0_u32; count + 1];
        let all = || (0_u32..).take(count).flat_map(|from| graph.successors(from).iter().map(move |to| (from, *to)));
        for (_, to) in all() {
            offsets[to as usize + 1] += 1;
        }
        for block in 0..count {
            offsets[block + 1] += offsets[block];
        }
        let mut next = offsets.clone();
        let mut blocks = vec![0_u32; offsets[count] as usize];
        for (from, to) in all() {
            let slot = &mut next[to as usize];
            blocks[*slot as usize] = from;
            *slot += 1;
        }
        Self { offsets, blocks }
    }

    pub fn of(&self, block: u32) -> &[u32] {
        let at = |index: u32| self.offsets.get(index as usize).map_or(0, |offset| *offset as usize);
        self.blocks.get(at(block)..at(block + 1)).unwrap_or_default()
    }
}

impl Dominators {
    pub fn new(graph: &Blocks, budget: &mut Budget) -> Result<Self, AnalyzeError> {
        let count = graph.len();
        budget.store(count)?;
        budget.work(20 * count as u64)?;
        let order = reverse_postorder(graph, budget)?;
        let mut place = vec![UNREACHED; count];
        for (at, block) in (0_u32..).zip(&order) {
            place[*block as usize] = at;
        }
        let predecessors = Predecessors::new(graph);
        let mut immediate = vec![UNREACHED; order.len()];
        if let Some(entry) = immediate.first_mut() {
            *entry = 0;
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (at, block) in (0_u32..).zip(&order).skip(1) {
                let mut best = UNREACHED;
                for predecessor in predecessors.of(*block) {
                    let from = place[*predecessor as usize];
                    if from == UNREACHED || immediate[from as usize] == UNREACHED {
                        continue;
                    }
                    best = if best == UNREACHED { from } else { meet(&immediate, best, from, budget)? };
                }
                budget.work(4)?;
                if immediate[at as usize] != best {
                    immediate[at as usize] = best;
                    changed = true;
                }
            }
        }
        Ok(Self { order, place, immediate, predecessors })
    }

    /// Whether every way from the entry to `block` passes `dominator`.
    pub fn dominates(&self, dominator: u32, block: u32, budget: &mut Budget) -> Result<bool, AnalyzeError> {
        let (target, mut at) = (self.place[dominator as usize], self.place[block as usize]);
        if target == UNREACHED || at == UNREACHED {
            return Ok(false);
        }
        // Places shrink towards the entry.
        while at > target {
            budget.work(2)?;
            at = self.immediate[at as usize];
        }
        Ok(at == target)
    }
}

fn meet(immediate: &[u32], a: u32, b: u32, budget: &mut Budget) -> Result<u32, AnalyzeError> {
    let (mut a, mut b) = (a, b);
    while a != b {
        budget.work(2)?;
        if a > b {
            a = immediate[a as usize];
        } else {
            b = immediate[b as usize];
        }
    }
    Ok(a)
}

fn reverse_postorder(graph: &Blocks, budget: &mut Budget) -> Result<Vec<u32>, AnalyzeError> {
    let count = graph.len();
    let mut order = Vec::with_capacity(count);
    if count == 0 {
        return Ok(order);
    }
    let mut seen = vec![false; count];
    let mut stack: Vec<(u32, usize)> = vec![(0, 0)];
    seen[0] = true;
    while let Some((block, next)) = stack.last_mut() {
        budget.work(4)?;
        let successor = graph.successors(*block).get(*next).copied();
        *next += 1;
        match successor {
            Some(to) if !seen[to as usize] => {
                seen[to as usize] = true;
                stack.push((to, 0));
            }
            Some(_) => {}
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    Ok(order)
}
