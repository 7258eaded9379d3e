//! Source lines of code bytes, from the `.debug_line` section that `-lineinfo` leaves in a cubin.
//!
//! Calls come from an extended operation of NVIDIA's, `0x90`: the number of the row in whose place the following rows are
//! inlined, counted from 1 in the program, 0 for none; then an offset of the callee's name. Source: `cuda-gdb`'s reader
//! of line tables (`DW_LNE_inlined_call`), held against `nvdisasm -gi`.
//!
//! A cubin's line programs start at address 0 and name their function by a relocation. The relocated addresses are
//! written into a copy of the section as (section index, offset), so that one pass reads all functions.

use std::collections::BTreeMap;

use gimli::{
    AttributeValue, ColumnType, DebugLine, DebugLineOffset, EndianSlice, IncompleteLineProgram, LineInstruction,
    LittleEndian as Little, Reader,
};
use object::{
    LittleEndian,
    elf::{FileHeader64, Rela64, SHT_SYMTAB, SectionHeader64, Sym64},
    pod::slice_from_all_bytes,
    read::elf::{FileHeader, SectionHeader},
};

/// The bits of a patched address that hold the offset in its section.
const OFFSET_BITS: u32 = 40;
/// Rows read of one file: bounds memory, since a row costs a byte of input and more than that here.
const MAX_ROWS: usize = 1 << 19;
/// `DW_LNE_inlined_call`.
const INLINED_CALL: u8 = 0x90;
/// Calls around one place that are followed.
const MAX_CALLS: usize = 64;

/// One place in source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourcePlace<'l> {
    /// Path as the compiler wrote it, without folder where the table keeps folders apart.
    pub file: &'l str,
    /// From 1.
    pub line: u32,
    /// 0 where the table has none, as those of `ptxas`.
    pub column: u32,
}

/// A row as it is kept.
#[derive(Clone, Copy, Debug)]
struct Row {
    file: usize,
    line: u64,
    column: u64,
    /// Index of the row that it was inlined at.
    caller: Option<usize>,
}

/// `file:line` by place in the code.
#[derive(Clone, Debug, Default)]
pub struct SourceLines {
    files: Vec<String>,
    /// (section, offset) to an index in `all`; `None` behind the end of a function's program.
    rows: BTreeMap<(u64, u64), Option<usize>>,
    all: Vec<Row>,
    sections: BTreeMap<String, u64>,
}

impl SourceLines {
    /// Reads them; empty when the file has none or they cannot be read.
    pub fn read(cubin: &[u8]) -> Self {
        let mut lines = Self::default();
        // Line information is a help, not a measure: a broken table costs the lines, never the report.
        let _ = lines.fill(cubin);
        lines
    }

    /// The places of the instruction at `offset` of the code section `.text.{section}`, in the function that begins at
    /// `base`: its own first, then the calls around it. Empty when the table does not say.
    pub fn frames(&self, section: &str, base: u64, offset: u64) -> impl Iterator<Item = SourcePlace<'_>> {
        let mut at = self.row(section, base, offset);
        let next = move || {
            let row = self.all.get(at?)?;
            at = row.caller;
            let number = |value: u64| u32::try_from(value).ok();
            Some(SourcePlace { file: self.files.get(row.file)?, line: number(row.line)?, column: number(row.column)? })
        };
        std::iter::from_fn(next).take(MAX_CALLS)
    }

    /// What tells places apart: instructions with one row have one place. `None` when the table does not say.
    /// A row does not reach into the next function: helpers that `ptxas` adds have none.
    pub fn row(&self, section: &str, base: u64, offset: u64) -> Option<usize> {
        let section = *self.sections.get(section)?;
        let (_, row) = self.rows.range((section, base)..=(section, offset.max(base))).next_back()?;
        *row
    }

    /// File and line of that instruction as text: `attention.py:64`.
    pub fn at(&self, section: &str, base: u64, offset: u64) -> Option<String> {
        self.frames(section, base, offset).next().map(|place| format!("{}:{}", place.file, place.line))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn fill(&mut self, cubin: &[u8]) -> Option<()> {
        let header = FileHeader64::<LittleEndian>::parse(cubin).ok()?;
        let sections = header.sections(LittleEndian, cubin).ok()?;
        let named = |wanted: &[u8]| {
            let found = sections.iter().find(|s| sections.section_name(LittleEndian, s) == Ok(wanted));
            found.and_then(|s: &SectionHeader64<LittleEndian>| s.data(LittleEndian, cubin).ok())
        };
        for (index, section) in (0_u64..).zip(sections.iter()) {
            let name = sections.section_name(LittleEndian, section).ok()?;
            if let Some(name) = name.strip_prefix(b".text.") {
                self.sections.insert(String::from_utf8_lossy(name).into_owned(), index);
            }
        }
        let mut program = named(b".debug_line")?.to_vec();
        let symbols = sections.iter().find(|s| s.sh_type(LittleEndian) == SHT_SYMTAB)?;
        let symbols: &[Sym64<LittleEndian>] = slice_from_all_bytes(symbols.data(LittleEndian, cubin).ok()?).ok()?;
        // Without an addend (`.rel`) the patched place holds 0.
        let mut moved: Vec<(u64, u32, i64)> = Vec::new();
        if let Some(data) = named(b".rela.debug_line") {
            let entries: &[Rela64<LittleEndian>] = slice_from_all_bytes(data).ok()?;
            let symbol = |entry: &Rela64<LittleEndian>| (entry.r_info.get(LittleEndian) >> 32) as u32;
            moved.extend(
                entries.iter().map(|e| (e.r_offset.get(LittleEndian), symbol(e), e.r_addend.get(LittleEndian))),
            );
        }
        if let Some(data) = named(b".rel.debug_line") {
            let (entries, _) = data.as_chunks::<16>();
            for entry in entries {
                let (at, symbol) = (entry.first_chunk::<8>()?, entry.get(12..16)?);
                moved.push((u64::from_le_bytes(*at), u32::from_le_bytes(symbol.try_into().ok()?), 0));
            }
        }
        for (at, symbol, addend) in moved {
            let symbol = symbols.get(usize::try_from(symbol).ok()?)?;
            let section = u64::from(symbol.st_shndx.get(LittleEndian).0);
            let value = symbol.st_value.get(LittleEndian).wrapping_add_signed(addend);
            let at = usize::try_from(at).ok()?;
            let place = program.get_mut(at..at.checked_add(8)?)?;
            place.copy_from_slice(&((section << OFFSET_BITS) | value).to_le_bytes());
        }
        self.run(&program)
    }

    fn run(&mut self, program: &[u8]) -> Option<()> {
        let lines = DebugLine::new(program, Little);
        let mut start = 0_usize;
        while start < program.len() {
            let unit = lines.program(DebugLineOffset(start), 8, None, None).ok()?;
            // The length field itself takes four bytes: cubins use 32-bit DWARF.
            start = start.checked_add(unit.header().unit_length())?.checked_add(4)?;
            let calls = calls(&unit);
            let mut calls = calls.iter().copied().peekable();
            let mut known: BTreeMap<u64, usize> = BTreeMap::new();
            // By number of the row in this program: its index in `all`.
            let mut numbered: Vec<Option<usize>> = Vec::new();
            let mut caller = None;
            let mut rows = unit.rows();
            while let Some((header, row)) = rows.next_row().ok()? {
                if self.rows.len() >= MAX_ROWS || numbered.len() >= MAX_ROWS {
                    return None;
                }
                while let Some((_, context)) = calls.next_if(|(before, _)| *before <= numbered.len()) {
                    let place = usize::try_from(context).ok().and_then(|context| context.checked_sub(1));
                    caller = place.and_then(|place| numbered.get(place).copied().flatten());
                }
                let key = (row.address() >> OFFSET_BITS, row.address() & ((1 << OFFSET_BITS) - 1));
                if row.end_sequence() {
                    self.rows.insert(key, None);
                    numbered.push(None);
                    caller = None;
                    continue;
                }
                let file = if let Some(&file) = known.get(&row.file_index()) {
                    file
                } else {
                    let Some(AttributeValue::String(name)) = row.file(header).map(gimli::FileEntry::path_name) else {
                        numbered.push(None);
                        continue;
                    };
                    self.files.push(String::from_utf8_lossy(name.slice()).into_owned());
                    known.insert(row.file_index(), self.files.len() - 1);
                    self.files.len() - 1
                };
                let column = match row.column() {
                    ColumnType::LeftEdge => 0,
                    ColumnType::Column(column) => column.get(),
                };
                let kept = row.line().map(|line| Row { file, line: line.get(), column, caller });
                let index = kept.map(|_| self.all.len());
                self.all.extend(kept);
                self.rows.insert(key, index);
                numbered.push(index);
            }
        }
        Some(())
    }
}

/// Where inlining begins and ends: how many rows stand before, and the row number of the call (0: none).
fn calls(unit: &IncompleteLineProgram<EndianSlice<'_, Little>>) -> Vec<(usize, u64)> {
    let mut calls = Vec::new();
    let mut row = 0;
    let mut instructions = unit.header().instructions();
    while let Ok(Some(instruction)) = instructions.next_instruction(unit.header()) {
        match instruction {
            LineInstruction::Special(_) | LineInstruction::Copy | LineInstruction::EndSequence => row += 1,
            LineInstruction::UnknownExtended(gimli::DwLne(INLINED_CALL), mut data) => {
                if let Ok(context) = data.read_uleb128() {
                    calls.push((row, context));
                }
            }
            _ => {}
        }
        if row >= MAX_ROWS || calls.len() >= MAX_ROWS {
            break;
        }
    }
    calls
}
