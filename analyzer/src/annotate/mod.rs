//! What each instruction of one artifact is: its place in source with the calls around it, block, loop and family.
//!
//! Made for views that light up counterparts in another stage: two stages are joined by [`Place`], an instruction by
//! [`Row::at`]. Everything is an index into a table, so an answer is a few words per instruction.

mod ir;
mod machine;
mod table;

use lowerline_shared::{family::Family, stage::Stage};
use serde::{Deserialize, Serialize};

use crate::{AnalyzeError, Budget, Limits, detect};

/// Calls around one place that [`Annotations::chain`] follows.
const MAX_CALLS: usize = 64;

/// One place in source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Place {
    /// Index in [`Annotations::files`].
    pub file: u32,
    /// From 1.
    pub line: u32,
    /// As written, 0 where the artifact has none (SASS text, cubins). Triton counts columns from 0 until 3.7 and from 1
    /// after it.
    pub column: u32,
    /// The place of the call it was inlined at: an index in [`Annotations::places`], below its own. `None` outside
    /// inlined code and where the artifact does not say.
    pub caller: Option<u32>,
}

/// One function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// Name as written.
    pub name: String,
    /// Whether it is a kernel entry.
    pub kernel: bool,
}

/// One loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loop {
    /// Index in [`Annotations::functions`].
    pub function: u32,
    /// The loop around it, an index in [`Annotations::loops`]; `None` when it is outermost.
    pub parent: Option<u32>,
    /// 1 is outermost.
    pub depth: u32,
    /// Label or address of its header, `line 12` in MLIR: as in [`lowerline_shared::report::LoopReport::header`].
    pub header: String,
    /// Whether it is the function's hot loop.
    pub hot: bool,
}

/// A basic block; in MLIR a region.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Index in [`Annotations::functions`]; `None` outside functions (the module's own operations).
    pub function: Option<u32>,
    /// The innermost loop around it, an index in [`Annotations::loops`].
    pub r#loop: Option<u32>,
    /// Whether it lies in the hot loop of its function.
    pub hot: bool,
    /// Its label; empty when nothing jumps to it, and in MLIR.
    pub label: String,
}

/// One instruction; in MLIR an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Line of the text it begins on, from 1; of a cubin the byte in its section.
    pub at: u32,
    /// Where it comes from: an index in [`Annotations::places`]; `None` where the artifact does not say.
    pub place: Option<u32>,
    /// Index in [`Annotations::blocks`].
    pub block: u32,
    /// Its family; `None` in IR, whose operations have none.
    pub family: Option<Family>,
}

/// All instructions of one artifact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Annotations {
    /// What was read.
    pub stage: Stage,
    /// Paths as written. A path of one artifact may be a bare name in another (comments of PTX and AMDGCN hold no
    /// folders), so stages are joined by [`file_name`].
    pub files: Vec<String>,
    /// Each place once; callers before what is inlined at them.
    pub places: Vec<Place>,
    /// In file order.
    pub functions: Vec<Function>,
    /// In no particular order.
    pub loops: Vec<Loop>,
    /// In file order within a function.
    pub blocks: Vec<Block>,
    /// In file order. Several may stand on one line of PTX, none on labels, directives and comments.
    pub rows: Vec<Row>,
}

/// A path without its folder.
pub fn file_name(path: &str) -> &str {
    crate::assemble::base_name(path)
}

impl Annotations {
    /// The instructions that begin on a line of text.
    pub fn on_line(&self, line: u32) -> &[Row] {
        let from = self.rows.partition_point(|row| row.at < line);
        let rows = self.rows.get(from..).unwrap_or_default();
        rows.get(..rows.partition_point(|row| row.at == line)).unwrap_or_default()
    }

    /// The block of an instruction.
    pub fn block(&self, row: &Row) -> Option<&Block> {
        self.blocks.get(row.block as usize)
    }

    /// The innermost loop around an instruction.
    pub fn innermost(&self, row: &Row) -> Option<&Loop> {
        self.loops.get(self.block(row)?.r#loop? as usize)
    }

    /// The place of an instruction and the calls around it, the innermost first.
    pub fn chain(&self, row: &Row) -> impl Iterator<Item = &Place> {
        let mut at = row.place;
        let next = move || {
            let place = self.places.get(at? as usize)?;
            at = place.caller;
            Some(place)
        };
        std::iter::from_fn(next).take(MAX_CALLS)
    }

    /// The file name of a place, without folder.
    pub fn file(&self, place: &Place) -> &str {
        self.files.get(place.file as usize).map_or("?", |path| file_name(path))
    }

    /// For a cubin: the same rows by line of its disassembly ([`crate::decode::cubin_disassembly`]), which prints one
    /// instruction a line, in order, each behind its address.
    #[must_use]
    pub fn by_line(mut self, disassembly: &str) -> Self {
        let lines = (1_u32..).zip(disassembly.lines()).filter(|(_, line)| line.starts_with("/*"));
        let mut lines = lines.map(|(number, _)| number);
        self.rows.retain_mut(|row| match lines.next() {
            Some(line) => {
                row.at = line;
                true
            }
            None => false,
        });
        self
    }
}

/// Reads one artifact that was sent as `stage`, which its content must be, as in [`crate::analyze_as`].
///
/// An hsaco has no rows: its code is not decoded.
pub fn annotate(stage: Stage, bytes: &[u8], limits: &Limits) -> Result<Annotations, AnalyzeError> {
    let found = detect::detect(bytes)?;
    if !detect::same_format(stage, found) {
        return Err(AnalyzeError::WrongStage { declared: stage, found });
    }
    if bytes.len() > limits.bytes {
        return Err(AnalyzeError::TooLarge { bytes: bytes.len(), limit: limits.bytes });
    }
    let budget = &mut Budget::new(limits);
    match stage {
        Stage::Ptx | Stage::Sass | Stage::Amdgcn => machine::text(stage, detect::text(bytes, stage)?, budget),
        Stage::Cubin => machine::cubin(bytes, budget),
        Stage::Llir => machine::llir(detect::text(bytes, stage)?, budget),
        Stage::Source | Stage::Ttir | Stage::Glir | Stage::Ttgir => {
            ir::mlir(detect::text(bytes, stage)?, stage, budget)
        }
        Stage::Hsaco => {
            crate::elf::Hsaco::parse(bytes)?;
            Ok(Annotations::new(stage))
        }
    }
}
