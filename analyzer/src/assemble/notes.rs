//! Operand notes and scheduling fields, counted by scope.

use std::collections::BTreeMap;

use lowerline_shared::report::{FunctionReport, ScopeCounts};

use super::shape::Shape;
use crate::{operands, sass::control, scopes::range, stream::Stream};

/// Notes of a function: of single instructions, of directives, of mnemonics.
pub(super) fn operand_notes(
    stream: &Stream<'_>,
    function: usize,
    shape: &Shape,
    out: &FunctionReport,
) -> BTreeMap<String, ScopeCounts> {
    let (first, end) = (stream.functions[function].first, stream.end(function));
    let mut counts: BTreeMap<u32, ScopeCounts> = BTreeMap::new();
    for (at, note) in range(&stream.notes, first, end, |(at, _)| *at) {
        counts.entry(*note).or_default().add(shape.one(shape.block_of(*at)));
    }
    let mut notes: BTreeMap<String, ScopeCounts> =
        counts.into_iter().map(|(note, counts)| (stream.note_names.text(note), counts)).collect();
    for (head, value) in &stream.functions[function].facts {
        notes.entry(format!("{head}{value}")).or_default().function += 1;
    }
    for row in &out.canonical {
        if let Some(note) = operands::mnemonic_note(stream.isa, &row.opcode, row.family) {
            notes.entry(note).or_default().add(row.counts);
        }
    }
    notes
}

/// Sums of the scheduling fields.
pub(super) fn controls(stream: &Stream<'_>, shape: &Shape) -> BTreeMap<String, ScopeCounts> {
    let mut sums = [ScopeCounts::default(); 4];
    let mut names = [""; 4];
    for block in 0..shape.blocks.len() {
        let one = shape.one(block);
        let (from, to) = (shape.blocks.starts[block] as usize, shape.blocks.starts[block + 1] as usize);
        let words = stream.controls.get(from.min(stream.controls.len())..to.min(stream.controls.len()));
        for fields in words.unwrap_or_default().iter().filter_map(|word| control::fields(*word)) {
            for (index, (name, value)) in fields.into_iter().enumerate() {
                names[index] = name;
                sums[index].add(one.times(value));
            }
        }
    }
    let known = names.into_iter().zip(sums).filter(|(name, _)| !name.is_empty());
    known.map(|(name, counts)| (name.to_owned(), counts)).collect()
}
