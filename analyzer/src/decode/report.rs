//! From a cubin to a report, through the same stream that SASS text fills.

use std::{collections::BTreeMap, fmt::Write as _};

use lowerline_shared::report::Report;

use super::{Certainty, Decoder, Flow, Instruction, SourceLines, disassembly, instructions};
use crate::{
    AnalyzeError, Budget, assemble, elf,
    families::Isa,
    normal,
    operands::BRANCH_TARGETS,
    sass::control,
    stream::{Keep, Stream, Written},
};

/// Steps one word costs, its stream entry not counted.
const WORD_STEPS: u64 = 20;
/// Steps one line of disassembly costs.
const DISASSEMBLY_STEPS: u64 = 1_000;
/// Bytes of an instruction.
const WORD: usize = 16;
/// First architecture whose instructions take [`WORD`] bytes; those before have words of 8 bytes, some of them scheduling.
const FIRST_WIDE: u32 = 70;

/// A function with its code decoded.
struct Decoded {
    name: String,
    /// The section's name, which line information goes by.
    section: String,
    kernel: bool,
    base: u64,
    code: Vec<Instruction>,
    /// Those of its own branches.
    indirect: elf::Indirect,
}

/// A cubin's code decoded, with all that a stream borrows from.
pub(crate) struct Code {
    decoder: Decoder,
    functions: Vec<Decoded>,
    lines: SourceLines,
    /// One line for each opcode, and where it begins.
    pub examples: String,
    offsets: BTreeMap<super::OpcodeId, usize>,
    operands: Vec<(usize, String)>,
}

impl Code {
    /// Decodes all functions; what is in doubt is said in the report's warnings.
    pub fn read(bytes: &[u8], report: &mut Report, budget: &mut Budget) -> Result<Self, AnalyzeError> {
        let cubin = elf::Cubin::parse(bytes)?;
        let mut decoder = Decoder::new(cubin.sm);
        let functions = functions(&cubin, &mut decoder, budget, report)?;
        doubts(&decoder, &functions, cubin.sm, report);
        let (examples, offsets) = examples(&decoder, &functions);
        let operands = operands(&decoder, &functions);
        Ok(Self { decoder, functions, lines: SourceLines::read(bytes), examples, offsets, operands })
    }

    /// The stream that SASS text of the same code would fill.
    pub fn stream(&self, budget: &mut Budget) -> Result<Stream<'_>, AnalyzeError> {
        let mut stream = Stream::new(Isa::Sass, Keep::Places);
        let mut known = self.operands.iter().peekable();
        let mut at = 0_usize;
        for function in &self.functions {
            stream.function(&function.name, function.kernel, function.base, budget)?;
            let mut last = None;
            for instruction in &function.code {
                if !self.lines.is_empty() {
                    let row = self.lines.row(&function.section, function.base, instruction.address);
                    if row != last {
                        last = row;
                        let place = self.place(function, instruction.address, &mut stream, budget)?;
                        stream.location(place, budget)?;
                    }
                }
                let operands = known.next_if(|(index, _)| *index == at).map_or("", |(_, text)| text.as_str());
                let written = Written {
                    mnemonic: name(&self.decoder, instruction),
                    operands,
                    comment: "",
                    guarded: instruction.is_guarded(),
                    offset: self.offsets.get(&instruction.opcode).copied().unwrap_or(usize::MAX),
                };
                stream.instruction(&written, 0, budget)?;
                stream.control(control::from_encoding(instruction.word.bits(64, 64)));
                at += 1;
            }
        }
        Ok(stream)
    }

    fn place<'s>(
        &'s self,
        function: &Decoded,
        address: u64,
        stream: &mut Stream<'s>,
        budget: &mut Budget,
    ) -> Result<u32, AnalyzeError> {
        let mut frames = Vec::new();
        for frame in self.lines.frames(&function.section, function.base, address) {
            frames.push((stream.places.file(frame.file, budget)?, frame.line, frame.column));
        }
        stream.places.chain(&frames, budget)
    }

    /// By instruction, in the stream's order: its address in its section.
    pub fn addresses(&self) -> impl Iterator<Item = u64> {
        self.functions.iter().flat_map(|function| function.code.iter().map(|instruction| instruction.address))
    }
}

/// Everything the report takes from a cubin: resources from its tables, counts from its code.
pub fn report(bytes: &[u8], budget: &mut Budget) -> Result<Report, AnalyzeError> {
    let mut report = elf::cubin_report(bytes)?;
    report.source = Some("decoded".to_owned());
    let code = Code::read(bytes, &mut report, budget)?;
    let stream = code.stream(budget)?;
    assemble::functions(&stream, &code.examples, &mut report, budget)?;
    report.normal_digest = Some(normal::counts::digest(&report));
    Ok(report)
}

/// Our own disassembly of every function of a cubin.
pub fn cubin_disassembly(bytes: &[u8], budget: &mut Budget) -> Result<String, AnalyzeError> {
    let cubin = elf::Cubin::parse(bytes)?;
    let mut decoder = Decoder::new(cubin.sm);
    let mut scrap = elf::cubin_report(bytes)?;
    let functions = functions(&cubin, &mut decoder, budget, &mut scrap)?;
    let lines = SourceLines::read(bytes);
    let mut text = format!(".target {}\n", cubin.target);
    for function in &functions {
        budget.work(DISASSEMBLY_STEPS * function.code.len() as u64)?;
        // Writing to a String cannot fail.
        let _ = writeln!(text, "\n{}:", function.name);
        text.push_str(&disassembly(&decoder, &function.code, |at| lines.at(&function.section, function.base, at)));
    }
    Ok(text)
}

fn functions(
    cubin: &elf::Cubin<'_>,
    decoder: &mut Decoder,
    budget: &mut Budget,
    report: &mut Report,
) -> Result<Vec<Decoded>, AnalyzeError> {
    let mut out = Vec::new();
    let mut cut = 0;
    let wide = cubin.sm >= FIRST_WIDE;
    if !wide {
        let said = format!("instructions of sm_{} are not of 16 bytes: its code is not counted", cubin.sm);
        report.warnings.push(said);
    }
    let mut add = |name: &str, section: &elf::CodeSection<'_>, kernel, base: u64, code: &[u8]| {
        let code = if wide { code } else { &[] };
        let words = code.len() / WORD;
        let limit = budget.limits().instructions;
        if words > limit {
            return Err(AnalyzeError::TooMany { what: "instructions", limit });
        }
        budget.work(WORD_STEPS * words as u64)?;
        budget.store(1)?;
        cut += code.len() % WORD;
        let end = code.len() as u64 + base;
        out.push(Decoded {
            name: name.to_owned(),
            section: section.name.clone(),
            kernel,
            base,
            code: instructions(decoder, code, base),
            indirect: section.indirect.range(base..end).map(|(at, targets)| (*at, targets.clone())).collect(),
        });
        Ok(())
    };
    for section in &cubin.code {
        // Code that no symbol covers is counted under the section's name.
        let covered = section
            .functions
            .first()
            .map_or(section.bytes.len(), |first| usize::try_from(first.offset).unwrap_or(usize::MAX));
        let head = section.bytes.get(..covered).unwrap_or_default();
        if !head.is_empty() {
            add(&section.name, section, section.functions.is_empty(), 0, head)?;
        }
        for function in &section.functions {
            add(&function.name, section, function.kernel, function.offset, function.bytes)?;
        }
    }
    if cut > 0 {
        report.warnings.push(format!("{cut} bytes at ends of code are no whole instruction and are not counted"));
    }
    Ok(out)
}

/// Says how much is not known.
fn doubts(decoder: &Decoder, functions: &[Decoded], sm: u32, report: &mut Report) {
    if !decoder.has_table() && sm >= FIRST_WIDE {
        report.warnings.push(format!("the decoder has no table for sm_{sm}: every instruction is unknown"));
    }
    let count = |wanted: Certainty| {
        let all = functions.iter().flat_map(|function| &function.code);
        let of = |i: &&Instruction| decoder.opcode(i.opcode).is_some_and(|opcode| opcode.certainty == wanted);
        all.filter(of).count()
    };
    let (base, unknown) = (count(Certainty::Base), count(Certainty::Unknown));
    if unknown > 0 && decoder.has_table() {
        report.warnings.push(format!("{unknown} instructions are unknown to the decoder's tables"));
    }
    if base > 0 {
        report.warnings.push(format!("{base} instructions are decoded without their modifiers (`.?`)"));
    }
}

fn name<'d>(decoder: &'d Decoder, instruction: &Instruction) -> &'d str {
    decoder.opcode(instruction.opcode).map_or("", |opcode| opcode.name.as_str())
}

/// One line for each opcode, and where it begins: what the report shows for those no family claims.
fn examples(decoder: &Decoder, functions: &[Decoded]) -> (String, BTreeMap<super::OpcodeId, usize>) {
    let (mut text, mut offsets) = (String::new(), BTreeMap::new());
    for instruction in functions.iter().flat_map(|function| &function.code) {
        offsets.entry(instruction.opcode).or_insert_with(|| {
            let offset = text.len();
            let line = (instruction.address, instruction.word.0, name(decoder, instruction));
            let _ = writeln!(text, "/*{:04x}*/ {:032x} {}", line.0, line.1, line.2);
            offset
        });
    }
    (text, offsets)
}

/// Operands by position among all instructions, for the few that have known ones.
fn operands(decoder: &Decoder, functions: &[Decoded]) -> Vec<(usize, String)> {
    let all = functions.iter().flat_map(|function| function.code.iter().map(move |code| (function, code))).enumerate();
    all.filter_map(|(at, (function, instruction))| {
        let text = match function.indirect.get(&instruction.address) {
            Some(targets) if instruction.flow == Flow::Indirect => branch_targets(targets),
            _ => instruction.operands(name(decoder, instruction)),
        };
        (!text.is_empty()).then_some((at, text))
    })
    .collect()
}

/// As `nvdisasm` adds them, addresses in place of labels.
fn branch_targets(targets: &[u64]) -> String {
    let list: Vec<String> = targets.iter().map(|target| format!("{target:#x}")).collect();
    format!("{BRANCH_TARGETS}{}\"*)", list.join(","))
}
