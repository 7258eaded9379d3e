//! Blocks, loops and the hot loop of one function.

use lowerline_shared::{family::Family, report::ScopeCounts};

use crate::{
    AnalyzeError, Budget,
    scopes::{Blocks, Loops, NONE, blocks, loops},
    stream::Stream,
};

/// What one function's blocks and loops are.
pub(crate) struct Shape {
    pub blocks: Blocks,
    pub loops: Loops,
    /// The hot loop, or [`NONE`].
    pub hot: u32,
    /// By loop: whether it is the hot one or lies in it.
    within_hot: Vec<bool>,
    /// Instructions of each loop, those of inner loops included.
    pub sizes: Vec<u64>,
}

impl Shape {
    /// What one instruction of a block adds to each scope.
    pub fn one(&self, block: usize) -> ScopeCounts {
        let inner = self.loops.of_block.get(block).copied().unwrap_or(NONE);
        ScopeCounts {
            function: 1,
            r#loop: u64::from(inner != NONE),
            hot: u64::from(self.within_hot.get(inner as usize).copied().unwrap_or(false)),
        }
    }

    /// The block of an instruction.
    pub fn block_of(&self, at: u32) -> usize {
        self.blocks.starts.partition_point(|start| *start <= at).saturating_sub(1)
    }
}

/// Blocks, loops and the hot loop of one function.
pub(crate) fn shape(stream: &Stream<'_>, function: usize, budget: &mut Budget) -> Result<Shape, AnalyzeError> {
    let blocks = blocks(stream, function, budget)?;
    let loops = loops(&blocks, budget)?;
    let mut sizes = vec![0_u64; loops.all.len()];
    let mut tensor = vec![0_u64; loops.all.len()];
    for block in 0..blocks.len() {
        let index = loops.of_block[block];
        if index == NONE {
            continue;
        }
        let (from, to) = (blocks.starts[block], blocks.starts[block + 1]);
        sizes[index as usize] += u64::from(to - from);
        let is_tensor = |(opcode, decided): &(u32, Option<Family>)| {
            decided.unwrap_or(stream.opcodes.family(*opcode)) == Family::TensorCompute
        };
        tensor[index as usize] += stream.code(from, to).filter(is_tensor).count() as u64;
    }
    // Inner loops come first, so each is complete when it is added to the loop around it.
    let mut holds_tensor_loop = vec![false; loops.all.len()];
    for index in 0..loops.all.len() {
        let parent = loops.all[index].parent as usize;
        if parent < loops.all.len() {
            sizes[parent] += sizes[index];
            tensor[parent] += tensor[index];
            holds_tensor_loop[parent] |= tensor[index] > 0;
        }
    }
    let all = || 0..u32::try_from(loops.all.len()).unwrap_or(NONE);
    let first = |index: u32| std::cmp::Reverse(loops.all[index as usize].header);
    let hot = all()
        .filter(|index| tensor[*index as usize] > 0 && !holds_tensor_loop[*index as usize])
        .max_by_key(|index| (tensor[*index as usize], loops.all[*index as usize].depth, first(*index)))
        .or_else(|| {
            all().max_by_key(|index| (loops.all[*index as usize].depth, sizes[*index as usize], first(*index)))
        });
    let hot = hot.unwrap_or(NONE);
    let mut within_hot = vec![false; loops.all.len()];
    for index in all().rev() {
        let parent = loops.all[index as usize].parent as usize;
        within_hot[index as usize] = index == hot || within_hot.get(parent).copied().unwrap_or(false);
    }
    Ok(Shape { blocks, loops, hot, within_hot, sizes })
}
