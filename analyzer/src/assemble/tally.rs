//! Counts by opcode, family and scope.

use std::collections::BTreeMap;

use lowerline_shared::{
    family::Family,
    report::{OpcodeCount, ScopeCounts},
};

use super::shape::{Shape, shape};
use crate::{AnalyzeError, Budget, stream::Stream};

/// Counts by opcode, kept dense for plain ones and reset after each function.
pub(super) struct Tally {
    plain: Vec<ScopeCounts>,
    touched: Vec<u32>,
    /// Opcodes whose family an operand decided.
    decided: BTreeMap<(u32, Family), ScopeCounts>,
}

/// Canonical opcodes of all functions with counts by scope, in order of spelling.
pub(crate) fn histogram(stream: &Stream<'_>, budget: &mut Budget) -> Result<Vec<OpcodeCount>, AnalyzeError> {
    let mut tally = Tally::new(stream);
    for function in 0..stream.functions.len() {
        let shape = shape(stream, function, budget)?;
        count(stream, &shape, &mut tally);
    }
    let rows = tally.take(stream).into_iter();
    let rows = rows.map(|(opcode, family, counts)| OpcodeCount {
        opcode: stream.opcodes.class(opcode).canonical.clone(),
        family,
        counts,
    });
    Ok(sorted(rows.collect()))
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
            plain: vec![ScopeCounts::default(); stream.opcodes.len()],
            touched: Vec::with_capacity(stream.opcodes.len()),
            decided: BTreeMap::new(),
        }
    }

    /// Opcode, family and counts of what was counted since the last call.
    pub fn take(&mut self, stream: &Stream<'_>) -> Vec<(u32, Family, ScopeCounts)> {
        let mut rows = Vec::with_capacity(self.touched.len() + self.decided.len());
        for opcode in self.touched.drain(..) {
            let counts = std::mem::take(&mut self.plain[opcode as usize]);
            rows.push((opcode, stream.opcodes.class(opcode).family, counts));
        }
        rows.extend(std::mem::take(&mut self.decided).into_iter().map(|((op, family), counts)| (op, family, counts)));
        rows
    }
}

/// Adds the instructions of one function.
pub(super) fn count(stream: &Stream<'_>, shape: &Shape, tally: &mut Tally) {
    for block in 0..shape.blocks.len() {
        let one = shape.one(block);
        for (opcode, decided) in stream.code(shape.blocks.starts[block], shape.blocks.starts[block + 1]) {
            if let Some(family) = decided {
                tally.decided.entry((opcode, family)).or_default().add(one);
                continue;
            }
            let counts = &mut tally.plain[opcode as usize];
            if counts.function == 0 {
                tally.touched.push(opcode);
            }
            counts.add(one);
        }
    }
}
