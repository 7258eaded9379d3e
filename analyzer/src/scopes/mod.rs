//! Where instructions sit: basic blocks, dominators, natural loops and the hot loop of one function.

mod blocks;
mod dominators;
mod inferred;
mod loops;

pub(crate) use blocks::{Blocks, blocks, range};
pub(crate) use loops::{Loops, NONE, loops};
