//! Sections and symbols of an ELF file, every range checked against the file before it is handed out.

use std::borrow::Cow;

use object::{
    LittleEndian,
    elf::{self, FileHeader64, SectionHeader64, Sym64},
    read::elf::{FileHeader, SectionHeader},
};

use super::{ElfError, ElfErrorKind, MAX_NAME, MAX_SECTIONS, MAX_SYMBOLS};

type Header = FileHeader64<LittleEndian>;

/// Whose code an ELF file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    /// `EM_CUDA`, 190.
    Nvidia,
    /// `EM_AMDGPU`, 224.
    Amd,
}

/// The machine of a header, `None` for everything else.
pub fn machine(bytes: &[u8]) -> Option<Machine> {
    if bytes.get(..6)? != b"\x7fELF\x02\x01" {
        return None;
    }
    match u16::from_le_bytes([*bytes.get(18)?, *bytes.get(19)?]) {
        190 => Some(Machine::Nvidia),
        224 => Some(Machine::Amd),
        _ => None,
    }
}

/// One section.
#[derive(Clone, Debug)]
pub struct Section<'a> {
    /// Name, from the section names table.
    pub name: Cow<'a, str>,
    /// `sh_flags`.
    pub flags: u64,
    /// `sh_addr`.
    pub address: u64,
    /// `sh_size`, also of sections that take no space in the file.
    pub size: u64,
    /// Where its bytes stand in the file.
    pub offset: u64,
    /// Its bytes; empty for `SHT_NOBITS`.
    pub data: &'a [u8],
}

/// One function symbol.
#[derive(Clone, Debug)]
pub struct FunctionSymbol<'a> {
    /// Position in the symbol table, which `.nv.info` refers to.
    pub index: u32,
    /// Name.
    pub name: Cow<'a, str>,
    /// Section that holds it.
    pub section: usize,
    /// Offset of its first byte in the section.
    pub value: u64,
    /// `st_other`: NVIDIA marks kernel entries here.
    pub other: u8,
}

/// A checked file.
#[derive(Debug)]
pub struct File<'a> {
    /// All sections in table order.
    pub sections: Vec<Section<'a>>,
    /// Symbols of type `STT_FUNC` in table order.
    pub functions: Vec<FunctionSymbol<'a>>,
}

impl<'a> File<'a> {
    /// Reads and checks the tables.
    pub fn parse(bytes: &'a [u8], expected: Machine) -> Result<Self, ElfError> {
        if machine(bytes) != Some(expected) {
            return Err(ElfErrorKind::Header.at(0));
        }
        let header = Header::parse(bytes).map_err(|_| ElfErrorKind::Header.at(0))?;
        let table_at = header.e_shoff.get(LittleEndian);
        let broken = |_| ElfErrorKind::SectionTable.at(table_at);
        let raw = header.section_headers(LittleEndian, bytes).map_err(broken)?;
        if raw.len() > MAX_SECTIONS {
            return Err(ElfErrorKind::TooManySections.at(table_at));
        }
        let names_index = header.section_strings_index(LittleEndian, bytes).map_err(broken)?;
        let names = match raw.get(names_index.0) {
            Some(names) if names_index.0 != 0 => section_data(names, bytes)?,
            _ => &[],
        };
        let mut sections = Vec::with_capacity(raw.len());
        for section in raw {
            let offset = section.sh_offset.get(LittleEndian);
            sections.push(Section {
                name: name_at(names, section.sh_name.get(LittleEndian)).ok_or(ElfErrorKind::Name.at(offset))?,
                flags: section.sh_flags(LittleEndian).0,
                address: section.sh_addr.get(LittleEndian),
                size: section.sh_size.get(LittleEndian),
                offset,
                data: section_data(section, bytes)?,
            });
        }
        let functions = function_symbols(raw, &sections)?;
        Ok(Self { sections, functions })
    }

    /// The first section of a name.
    pub fn section(&self, name: &str) -> Option<&Section<'a>> {
        self.sections.iter().find(|section| section.name == name)
    }
}

/// The bytes of a section, refused when they leave the file or claim to be compressed.
fn section_data<'a>(section: &SectionHeader64<LittleEndian>, bytes: &'a [u8]) -> Result<&'a [u8], ElfError> {
    let offset = section.sh_offset.get(LittleEndian);
    if section.sh_flags(LittleEndian).0 & elf::SHF_COMPRESSED.0 != 0 {
        return Err(ElfErrorKind::Compressed.at(offset));
    }
    section.data(LittleEndian, bytes).map_err(|_| ElfErrorKind::SectionRange.at(offset))
}

/// The NUL-terminated name at an offset of a table.
fn name_at(table: &[u8], offset: u32) -> Option<Cow<'_, str>> {
    if table.is_empty() && offset == 0 {
        return Some(Cow::Borrowed(""));
    }
    let rest = table.get(usize::try_from(offset).ok()?..)?;
    let window = rest.get(..rest.len().min(MAX_NAME + 1))?;
    let end = memchr::memchr(0, window)?;
    window.get(..end).map(String::from_utf8_lossy)
}

/// Function symbols of the first symbol table.
fn function_symbols<'a>(
    raw: &[SectionHeader64<LittleEndian>],
    sections: &[Section<'a>],
) -> Result<Vec<FunctionSymbol<'a>>, ElfError> {
    let Some((header, table)) =
        raw.iter().zip(sections).find(|(header, _)| header.sh_type(LittleEndian) == elf::SHT_SYMTAB)
    else {
        return Ok(Vec::new());
    };
    let names = usize::try_from(header.sh_link(LittleEndian)).ok().and_then(|link| sections.get(link));
    let names = names.map_or(&[][..], |names| names.data);
    let symbols: &[Sym64<LittleEndian>] =
        object::pod::slice_from_all_bytes(table.data).map_err(|()| ElfErrorKind::SectionRange.at(table.offset))?;
    if symbols.len() > MAX_SYMBOLS {
        return Err(ElfErrorKind::TooManySymbols.at(table.offset));
    }
    let mut functions = Vec::new();
    for (index, symbol) in (0_u32..).zip(symbols) {
        if symbol.st_info.st_type() != elf::STT_FUNC {
            continue;
        }
        functions.push(FunctionSymbol {
            index,
            name: name_at(names, symbol.st_name.get(LittleEndian)).ok_or(ElfErrorKind::Name.at(table.offset))?,
            section: usize::from(symbol.st_shndx.get(LittleEndian).0),
            value: symbol.st_value.get(LittleEndian),
            other: symbol.st_other.0,
        });
    }
    Ok(functions)
}
