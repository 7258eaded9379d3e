//! Text and binaries whose instructions make a stream.

use lowerline_shared::{report::Report, stage::Stage};

use super::{Annotations, Block, Function, Loop, Row, table::some};
use crate::{
    AnalyzeError, Budget,
    assemble::{self, Shape, shape},
    decode,
    histogram::stream_of,
    llir,
    scopes::range,
    stream::{Keep, NOWHERE, Stream},
};

/// PTX, SASS or AMDGCN text.
pub(super) fn text(stage: Stage, text: &str, budget: &mut Budget) -> Result<Annotations, AnalyzeError> {
    let stream = stream_of(stage, text, Keep::Offsets, budget)?;
    let mut out = Annotations::new(stage);
    fill(&mut out, &stream, true, budget)?;
    out.offsets_to_lines(text);
    Ok(out)
}

/// LLVM IR, whose opcodes have no families.
pub(super) fn llir(text: &str, budget: &mut Budget) -> Result<Annotations, AnalyzeError> {
    let stream = llir::scan(text, Keep::Offsets, budget)?;
    let mut out = Annotations::new(Stage::Llir);
    fill(&mut out, &stream, false, budget)?;
    for inside in &mut out.loops {
        inside.header.insert(0, '%');
    }
    out.offsets_to_lines(text);
    Ok(out)
}

/// A cubin's code as the decoder reads it.
pub(super) fn cubin(bytes: &[u8], budget: &mut Budget) -> Result<Annotations, AnalyzeError> {
    // What the decoder is in doubt of is said by the report.
    let mut doubts = Report::new(crate::VERSION, Stage::Cubin);
    let code = decode::Code::read(bytes, &mut doubts, budget)?;
    let stream = code.stream(budget)?;
    let mut out = Annotations::new(Stage::Cubin);
    fill(&mut out, &stream, true, budget)?;
    for (row, address) in out.rows.iter_mut().zip(code.addresses()) {
        row.at = u32::try_from(address).unwrap_or(u32::MAX);
    }
    Ok(out)
}

fn fill(out: &mut Annotations, stream: &Stream<'_>, families: bool, budget: &mut Budget) -> Result<(), AnalyzeError> {
    out.reserve(stream.position() as usize, budget)?;
    out.take_places(&stream.places, budget)?;
    for index in 0..stream.functions.len() {
        let shape = shape(stream, index, budget)?;
        let (first, end) = (stream.functions[index].first, stream.end(index));
        let function = u32::try_from(out.functions.len()).unwrap_or(NOWHERE);
        let head = &stream.functions[index];
        out.functions.push(Function { name: head.name.to_owned(), kernel: head.kernel });
        let first_loop = u32::try_from(out.loops.len()).unwrap_or(NOWHERE);
        loops(out, stream, index, function, first_loop, &shape, budget)?;
        let mut runs = stream.runs(first, end).peekable();
        for block in 0..shape.blocks.len() {
            budget.store(1)?;
            let (from, to) = (shape.blocks.starts[block], shape.blocks.starts[block + 1]);
            let inner = some(shape.loops.of_block[block]).and_then(|inner| inner.checked_add(first_loop));
            let labels = range(&stream.labels, from, from.saturating_add(1), |label| label.at);
            let label = labels.first().map_or_else(String::new, |label| label.name.to_owned());
            let number = u32::try_from(out.blocks.len()).unwrap_or(NOWHERE);
            out.blocks.push(Block { function: Some(function), r#loop: inner, hot: shape.one(block).hot > 0, label });
            for (at, (opcode, decided)) in (from..to).zip(stream.code(from, to)) {
                while runs.next_if(|(_, until, _)| *until <= at).is_some() {}
                let place = runs.peek().filter(|(since, _, _)| *since <= at).and_then(|(_, _, place)| some(*place));
                let family = families.then(|| decided.unwrap_or(stream.opcodes.traits(opcode).family));
                let offset = stream.offsets.get(at as usize).copied().unwrap_or(0);
                out.push(Row { at: offset, place, block: number, family });
            }
        }
    }
    Ok(())
}

fn loops(
    out: &mut Annotations,
    stream: &Stream<'_>,
    index: usize,
    function: u32,
    first_loop: u32,
    shape: &Shape,
    budget: &mut Budget,
) -> Result<(), AnalyzeError> {
    let headers = assemble::loop_headers(stream, index, shape);
    for ((number, known), header) in (0_u32..).zip(&shape.loops.all).zip(headers) {
        budget.store(2)?;
        let parent = some(known.parent).and_then(|parent| parent.checked_add(first_loop));
        out.loops.push(Loop { function, parent, depth: known.depth, header, hot: number == shape.hot });
    }
    Ok(())
}
