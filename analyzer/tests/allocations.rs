//! Scanning allocates per distinct opcode and per branch, not per instruction.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its fixtures has failed")]

#[path = "it/corpus.rs"]
#[expect(dead_code, reason = "the other tests use more of it")]
mod corpus;

use lowerline_analyzer::{Limits, histogram};

#[test]
fn a_histogram_allocates_next_to_nothing_per_instruction() {
    let limits = Limits::default();
    let mut largest: Vec<_> =
        corpus::files().iter().filter(|file| ["ptx", "sass", "amdgcn"].contains(&file.extension())).collect();
    largest.sort_by_key(|file| std::cmp::Reverse(file.bytes.len()));
    let (mut allocations, mut instructions) = (0, 0);
    for file in largest.into_iter().take(60) {
        // The first time, families of new opcodes are remembered for the process.
        let rows = histogram(&file.bytes, &limits).unwrap();
        instructions += rows.iter().map(|row| row.counts.function).sum::<u64>();
        allocations += allocation_counter::measure(|| drop(histogram(&file.bytes, &limits).unwrap())).count_total;
    }
    println!("{allocations} allocations, {instructions} instructions");
    // Those are the rows of the answer, some 90 a file, and the lists of blocks; the code itself costs none.
    assert!(allocations * 15 < instructions);
}
