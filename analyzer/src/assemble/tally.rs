//! Counts by opcode, family and scope.

use std::{collections::BTreeMap, sync::Arc};

use lowerline_shared::{
    family::Family,
    report::{OpcodeCount, ScopeCounts},
};

use super::shape::{Shape, shape};
use crate::{AnalyzeError, Budget, histogram::Row, stream::Stream};

/// Instructions of one opcode in blocks outside loops, in loops and in the hot loop.
#[derive(Clone, Copy, Default)]
struct Plain {
    counts: [u32; 3],
    touched: bool,
}

/// Counts by opcode, kept dense for plain ones and reset after each function.
pub(super) struct Tally {
    plain: Vec<Plain>,
    touched: Vec<u32>,
    /// Opcodes whose family an operand decided.
    decided: BTreeMap<(u32, Family), ScopeCounts>,
}

/// Opcodes of all functions with counts by scope, one row for each canonical spelling and family, in no order that means
/// anything.
pub(crate) fn histogram(stream: &Stream<'_>, budget: &mut Budget) -> Result<Vec<Row>, AnalyzeError> {
    let mut tally = Tally::new(stream);
    for function in 0..stream.functions.len() {
        let shape = shape(stream, function, budget)?;
        count(stream, &shape, &mut tally);
    }
    let rows = tally.take(stream).into_iter();
    let mut rows: Vec<Row> = rows
        .map(|(opcode, family, counts)| Row { class: Arc::clone(stream.opcodes.class(opcode)), family, counts })
        .collect();
    rows.sort_unstable_by_key(|row| (row.class.key, row.family));
    rows.dedup_by(|next, kept| {
        let same = (next.class.key, next.family) == (kept.class.key, kept.family)
            && next.class.canonical == kept.class.canonical;
        if same {
            kept.counts.add(next.counts);
        }
        same
    });
    Ok(rows)
}

/// Rows in order; spellings that drifted within one text share one.
pub(super) fn sorted(mut rows: Vec<OpcodeCount>) -> Vec<OpcodeCount> {
    rows.sort_unstable_by(|a, b| (&a.opcode, a.family).cmp(&(&b.opcode, b.family)));
    rows.dedup_by(|next, kept| {
        let same = next.opcode == kept.opcode && next.family == kept.family;
        if same {
            kept.counts.add(next.counts);
        }
        same
    });
    rows
}

impl Tally {
    pub fn new(stream: &Stream<'_>) -> Self {
        Self {
            plain: vec![Plain::default(); stream.opcodes.len()],
            touched: Vec::with_capacity(stream.opcodes.len()),
            decided: BTreeMap::new(),
        }
    }

    /// Opcode, family and counts of what was counted since the last call.
    pub fn take(&mut self, stream: &Stream<'_>) -> Vec<(u32, Family, ScopeCounts)> {
        let mut rows = Vec::with_capacity(self.touched.len() + self.decided.len());
        for opcode in self.touched.drain(..) {
            let [outside, inside, hot] = std::mem::take(&mut self.plain[opcode as usize]).counts.map(u64::from);
            let counts = ScopeCounts { function: outside + inside + hot, r#loop: inside + hot, hot };
            rows.push((opcode, stream.opcodes.traits(opcode).family, counts));
        }
        rows.extend(std::mem::take(&mut self.decided).into_iter().map(|((op, family), counts)| (op, family, counts)));
        rows
    }
}

/// Adds the instructions of one function.
pub(super) fn count(stream: &Stream<'_>, shape: &Shape, tally: &mut Tally) {
    for block in 0..shape.blocks.len() {
        let one = shape.one(block);
        let scope = usize::from(one.r#loop > 0) + usize::from(one.hot > 0);
        for (opcode, decided) in stream.code(shape.blocks.starts[block], shape.blocks.starts[block + 1]) {
            if let Some(family) = decided {
                tally.decided.entry((opcode, family)).or_default().add(one);
                continue;
            }
            let plain = &mut tally.plain[opcode as usize];
            if !plain.touched {
                plain.touched = true;
                tally.touched.push(opcode);
            }
            // Fits: instructions are counted in 32 bits.
            plain.counts[scope] += 1;
        }
    }
}
