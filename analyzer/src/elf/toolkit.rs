//! `.note.nv.tkinfo`: which tool made a cubin of ABI version 8.

use super::{ElfError, ElfErrorKind, file::Section};

/// The tool that made a cubin, in its own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolkit {
    /// `ptxas`, `ptxas-blackwell`.
    pub tool: String,
    /// `13.1.80`; `None` when the version string has another form.
    pub version: Option<String>,
    /// `-v -lineinfo -arch sm_100a`, blanks as written.
    pub command_line: String,
}

impl Toolkit {
    /// The value of `-arch`.
    pub fn arch(&self) -> Option<&str> {
        let mut words = self.command_line.split_ascii_whitespace();
        while let Some(word) = words.next() {
            match word {
                "-arch" | "--gpu-name" => return words.next(),
                _ => {
                    if let Some(arch) = word.strip_prefix("-arch=") {
                        return Some(arch);
                    }
                }
            }
        }
        None
    }
}

/// Reads the note: {version, reserved, three string offsets …} as six u32, then NUL-terminated strings.
pub(super) fn toolkit(section: &Section<'_>) -> Result<Toolkit, ElfError> {
    read(section.data).ok_or(ElfErrorKind::Note.at(section.offset))
}

fn read(data: &[u8]) -> Option<Toolkit> {
    let word = |at: usize| Some(u32::from_le_bytes(data.get(at..)?.get(..4)?.try_into().ok()?));
    let name_size = usize::try_from(word(0)?).ok()?;
    let size = usize::try_from(word(4)?).ok()?;
    let start = 12_usize.checked_add(name_size.checked_next_multiple_of(4)?)?;
    let payload = data.get(start..)?.get(..size)?;
    let strings = payload.get(24..)?;
    let string = |field: usize| {
        let at = payload.get(field * 4..)?.get(..4)?;
        let at = usize::try_from(u32::from_le_bytes(at.try_into().ok()?)).ok()?;
        let rest = strings.get(at..)?;
        let end = memchr::memchr(0, rest)?;
        Some(String::from_utf8_lossy(rest.get(..end)?).into_owned())
    };
    let release = string(3)?;
    let version = release.rsplit_once(", V").map(|(_, version)| version.trim().to_owned());
    Some(Toolkit { tool: string(2)?, version, command_line: string(5)? })
}
