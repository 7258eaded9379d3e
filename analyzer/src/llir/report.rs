//! The report of LLVM IR.

use std::collections::{BTreeMap, HashMap, HashSet};

use lowerline_shared::{
    report::{FunctionReport, LoopReport, Report},
    stage::Stage,
};

use super::{
    line::{Callee, Kind, Parts, callee, instruction, label},
    metadata::{Metadata, debug_location},
};
use crate::{
    AnalyzeError, Budget, assemble,
    families::Isa,
    stream::{Keep, Stream, Target, Transfer},
};

/// Counters of one function while it is read.
#[derive(Default)]
struct Reading<'a> {
    /// Opcode and `!dbg` node of every instruction, in order.
    code: Vec<(u32, u32)>,
    names: Vec<&'a str>,
    by_name: HashMap<&'a str, u32>,
    intrinsics: HashMap<&'a str, u64>,
    assembly: HashMap<&'a str, u64>,
    not_understood: u64,
}

/// No `!dbg`.
const NO_NODE: u32 = u32::MAX;

/// Reads one file of LLVM IR.
pub fn report(text: &str, budget: &mut Budget) -> Result<Report, AnalyzeError> {
    let mut report = Report::new(crate::VERSION, Stage::Llir);
    let (stream, reading) = read(text, Keep::Places, budget)?;
    if reading.not_understood > 0 {
        report.warnings.push(format!("{} lines not understood", reading.not_understood));
    }
    finish(&mut report, &stream, &reading, budget)?;
    report.normal_digest = Some(crate::normal::llvm::digest(text, budget)?);
    Ok(report)
}

/// The instructions of a file with their places. LLVM's opcodes are no PTX, so families of the stream mean nothing.
pub(crate) fn scan<'a>(text: &'a str, keep: Keep, budget: &mut Budget) -> Result<Stream<'a>, AnalyzeError> {
    Ok(read(text, keep, budget)?.0)
}

fn read<'a>(text: &'a str, keep: Keep, budget: &mut Budget) -> Result<(Stream<'a>, Reading<'a>), AnalyzeError> {
    let mut metadata = Metadata::default();
    let mut stream = Stream::new(Isa::Ptx, keep);
    let mut reading = Reading::default();
    let mut in_body = false;
    let mut in_cases = false;
    let mut offset = 0;
    for raw in text.split_inclusive('\n') {
        budget.work(20 + raw.len() as u64 / 2)?;
        let here = offset;
        offset += raw.len();
        let line = raw.trim_ascii();
        if !in_body {
            if line.starts_with("define ") {
                in_body = true;
                let symbol =
                    Parts::new(line).find(|(kind, _, _)| *kind == Kind::Global).map_or("", |(_, _, name)| name);
                let kernel = line.contains("_kernel ") || !line.starts_with("define internal ");
                stream.function(symbol.trim_start_matches('@').trim_matches('"'), kernel, 0, budget)?;
            } else if line.starts_with('!') {
                budget.store(2 * usize::from(metadata.define(line)))?;
            } else if let Some(second) = other_stage(line) {
                return Err(AnalyzeError::TwoStages { first: Stage::Llir, second, offset: here });
            }
            continue;
        }
        match line.bytes().next() {
            None | Some(b';' | b'#' | b'{') => {}
            Some(b'}') => in_body = false,
            Some(b']') => in_cases = false,
            Some(_) if in_cases => jumps(line, &mut stream, budget)?,
            Some(_) => {
                if let Some(name) = label(line) {
                    stream.label(name, 0, budget)?;
                } else {
                    in_cases = reading.instruction(line, here, &mut stream, budget)?;
                }
            }
        }
    }
    if in_body {
        return Err(AnalyzeError::Truncated { stage: Stage::Llir, missing: "the end of a function" });
    }
    place(&reading, &metadata, &mut stream, budget)?;
    Ok((stream, reading))
}

/// Gives every instruction its place: the nodes that `!dbg` names stand behind the code.
fn place<'a>(
    reading: &Reading<'a>,
    metadata: &Metadata<'a>,
    stream: &mut Stream<'a>,
    budget: &mut Budget,
) -> Result<(), AnalyzeError> {
    let mut known: HashMap<u32, u32> = HashMap::new();
    let mut last = None;
    let firsts: HashSet<u32> = stream.functions.iter().map(|function| function.first).collect();
    for (at, (_, node)) in (0_u32..).zip(&reading.code) {
        // A place does not reach into the next function.
        if last == Some(*node) && !firsts.contains(&at) {
            continue;
        }
        last = Some(*node);
        let place = match known.get(node) {
            Some(place) => *place,
            None => {
                budget.store(1)?;
                let mut frames = Vec::new();
                for (file, line, column) in metadata.frames(*node) {
                    frames.push((stream.places.file(file, budget)?, line, column));
                }
                let place = stream.places.chain(&frames, budget)?;
                known.insert(*node, place);
                place
            }
        };
        stream.location_at(at, place, budget)?;
    }
    Ok(())
}

/// The stage that begins at a line outside functions, when it is not this one.
fn other_stage(line: &str) -> Option<Stage> {
    if line.starts_with("module ") || line.starts_with("tt.func ") {
        return Some(Stage::Ttir);
    }
    crate::detect::line_stage(line.as_bytes()).filter(|stage| *stage != Stage::Llir)
}

impl<'a> Reading<'a> {
    /// Counts one instruction; returns whether cases follow it on lines of their own.
    fn instruction(
        &mut self,
        line: &'a str,
        offset: usize,
        stream: &mut Stream<'a>,
        budget: &mut Budget,
    ) -> Result<bool, AnalyzeError> {
        let Some(read) = instruction(line) else {
            self.not_understood += 1;
            return Ok(false);
        };
        let next = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let opcode = if let Some(known) = self.by_name.get(read.opcode) {
            *known
        } else {
            budget.store(2)?;
            self.by_name.insert(read.opcode, next);
            self.names.push(read.opcode);
            next
        };
        stream.push(read.opcode, offset, budget)?;
        self.code.push((opcode, debug_location(read.rest).unwrap_or(NO_NODE)));
        match read.opcode {
            "call" | "invoke" => {
                let (map, key) = match callee(read.rest) {
                    Callee::Intrinsic(name) => (&mut self.intrinsics, name),
                    Callee::Assembly(text) => (&mut self.assembly, text),
                    Callee::Other => return Ok(false),
                };
                if let Some(count) = map.get_mut(key) {
                    *count += 1;
                } else {
                    budget.store(2)?;
                    map.insert(key, 1);
                }
            }
            "br" | "switch" | "indirectbr" => {
                jumps(line, stream, budget)?;
                return Ok(line.ends_with('['));
            }
            "ret" | "unreachable" | "resume" => {
                budget.store(1)?;
                let at = stream.position().saturating_sub(1);
                stream.transfers.push(Transfer { at, scope: 0, conditional: false, target: Target::Exit });
            }
            _ => {}
        }
        Ok(false)
    }
}

/// The blocks a line names: `label %165`.
fn jumps<'a>(line: &'a str, stream: &mut Stream<'a>, budget: &mut Budget) -> Result<(), AnalyzeError> {
    let at = stream.position().saturating_sub(1);
    for (kind, offset, name) in Parts::new(line) {
        if kind == Kind::Local && line.get(..offset).is_some_and(|before| before.ends_with("label ")) {
            budget.store(1)?;
            let target = Target::Name(name.trim_start_matches('%').trim_matches('"'));
            stream.transfers.push(Transfer { at, scope: 0, conditional: false, target });
        }
    }
    Ok(())
}

fn finish(
    report: &mut Report,
    stream: &Stream<'_>,
    reading: &Reading<'_>,
    budget: &mut Budget,
) -> Result<(), AnalyzeError> {
    let mut totals = vec![(0_u64, 0_u64); reading.names.len()];
    for (index, function) in stream.functions.iter().enumerate() {
        let (first, end) = (function.first, stream.end(index));
        let shape = assemble::shape(stream, index, budget)?;
        let mut found =
            FunctionReport { name: function.name.to_owned(), kernel: function.kernel, ..Default::default() };
        for (block, starts) in shape.blocks.starts.windows(2).enumerate() {
            let [from, to] = starts else { continue };
            let one = shape.one(block);
            for (opcode, _) in reading.code.get(*from as usize..*to as usize).unwrap_or_default() {
                if let Some(total) = totals.get_mut(*opcode as usize) {
                    total.0 += one.function;
                    total.1 += one.r#loop;
                }
            }
        }
        found.instructions = u64::from(end - first);
        assemble::sources(stream, first, end, &mut found, budget)?;
        let headers = assemble::loop_headers(stream, index, &shape);
        for ((number, inside), header) in (0_u32..).zip(&shape.loops.all).zip(headers) {
            let start = shape.blocks.starts.get(inside.header as usize).copied().unwrap_or(0);
            found.loops.push(LoopReport {
                header: format!("%{header}"),
                depth: inside.depth,
                instructions: shape.sizes[number as usize],
                source: stream
                    .place_at(start)
                    .map(|place| format!("{}:{}", assemble::base_name(stream.places.path(place.file)), place.line)),
                hot: number == shape.hot,
            });
        }
        report.functions.push(found);
    }
    let pick = |of: fn(&(u64, u64)) -> u64| -> BTreeMap<String, u64> {
        let named = reading.names.iter().zip(&totals).map(|(name, total)| ((*name).to_owned(), of(total)));
        named.filter(|(_, count)| *count > 0).collect()
    };
    report.ops = pick(|total| total.0);
    report.ops_in_loop = pick(|total| total.1);
    report.intrinsics = reading.intrinsics.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
    for (text, count) in &reading.assembly {
        *report.inline_asm.entry(lowerline_shared::ids::shown(text)).or_default() += count;
    }
    Ok(())
}
