//! From a filled [`Stream`] to the functions of a report.

mod lines;
mod notes;
mod shape;
mod tally;

use std::collections::BTreeMap;

pub(crate) use lines::{base_name, count_places, loop_headers, sources};
use lowerline_shared::{
    family::Family,
    report::{FunctionReport, OpcodeCount, Report, Unknown},
};
pub(crate) use shape::{Shape, shape};
pub(crate) use tally::histogram;
use tally::{Tally, count, sorted};

use crate::{AnalyzeError, Budget, stream::Stream};

/// Characters of an example line that are kept.
const EXAMPLE_CHARS: usize = 200;

/// Turns every function of the stream into a report and notes what no family claims.
pub(crate) fn functions(
    stream: &Stream<'_>,
    input: &str,
    report: &mut Report,
    budget: &mut Budget,
) -> Result<(), AnalyzeError> {
    let mut tally = Tally::new(stream);
    let (mut unresolved, mut inferred, mut irreducible) = (0, 0, 0);
    for function in 0..stream.functions.len() {
        let shape = shape(stream, function, budget)?;
        unresolved += shape.blocks.unresolved;
        inferred += shape.blocks.inferred;
        irreducible += shape.loops.irreducible;
        count(stream, &shape, &mut tally);
        report.functions.push(describe(stream, function, &shape, &mut tally, budget)?);
    }
    unknown(stream, input, report);
    if unresolved > 0 {
        report
            .warnings
            .push(format!("{unresolved} branch targets are not in the text; loops through them are not seen"));
    }
    if inferred > 0 {
        report.warnings.push(format!(
            "the text does not say where {inferred} indirect branches go; code that nothing else leads to is taken for their targets"
        ));
    }
    if irreducible > 0 {
        report.warnings.push(format!("{irreducible} cycles have two entries and are counted as no loop"));
    }
    Ok(())
}

fn describe(
    stream: &Stream<'_>,
    function: usize,
    shape: &Shape,
    tally: &mut Tally,
    budget: &mut Budget,
) -> Result<FunctionReport, AnalyzeError> {
    let (first, end) = (stream.functions[function].first, stream.end(function));
    let mut out = FunctionReport {
        name: stream.functions[function].name.to_owned(),
        kernel: stream.functions[function].kernel,
        instructions: u64::from(end - first),
        trailing_padding: u64::from(end - stream.padding_from(first, end)),
        ..FunctionReport::default()
    };
    let mut canonical: Vec<OpcodeCount> = Vec::new();
    for (opcode, family, counts) in tally.take(stream) {
        // A row is four strings and map entries.
        budget.store(4)?;
        *out.opcodes.entry(stream.opcodes.text(opcode).to_owned()).or_default() += counts.function;
        *out.families.entry(family).or_default() += counts.function;
        out.families_by_scope.entry(family).or_default().add(counts);
        canonical.push(OpcodeCount { opcode: stream.opcodes.class(opcode).canonical.clone(), family, counts });
    }
    out.canonical = sorted(canonical);
    sources(stream, first, end, &mut out, budget)?;
    out.loops = lines::loop_reports(stream, function, shape, budget)?;
    out.operands = notes::operand_notes(stream, function, shape, &out);
    out.control = notes::controls(stream, shape);
    Ok(out)
}

fn unknown(stream: &Stream<'_>, input: &str, report: &mut Report) {
    let mut example: BTreeMap<&str, usize> = BTreeMap::new();
    for opcode in (0_u32..).take(stream.opcodes.len()) {
        let class = stream.opcodes.class(opcode);
        if class.family == Family::Unknown {
            let offset = example.entry(&class.canonical).or_insert(usize::MAX);
            *offset = (*offset).min(stream.opcodes.offset(opcode));
        }
    }
    if example.is_empty() {
        return;
    }
    for row in report.functions.iter().flat_map(|function| &function.canonical) {
        if row.family == Family::Unknown {
            let offset = example.get(row.opcode.as_str()).copied().unwrap_or(usize::MAX);
            let known = report
                .unknown
                .entry(row.opcode.clone())
                .or_insert_with(|| Unknown { count: 0, example: line_at(input, offset) });
            known.count += row.counts.function;
        }
    }
}

/// The line around a byte offset, trimmed and cut.
fn line_at(input: &str, offset: usize) -> String {
    let bytes = input.as_bytes();
    let Some(behind) = bytes.get(offset..) else { return String::new() };
    let from = memchr::memrchr(b'\n', &bytes[..offset]).map_or(0, |at| at + 1);
    let to = memchr::memchr(b'\n', behind).map_or(bytes.len(), |at| offset + at);
    input.get(from..to).unwrap_or_default().trim().chars().take(EXAMPLE_CHARS).collect()
}
