//! AMD's ELF: kernels as the metadata note describes them.

use super::{
    ElfError, ElfErrorKind, Machine,
    file::File,
    msgpack::{Reader, Value},
};

/// `NT_AMDGPU_METADATA` (LLVM, AMDGPU usage guide, code object V3 and later).
const METADATA: u32 = 32;

/// What one kernel takes. `None`: the note does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HsacoKernel {
    /// `.name`.
    pub name: String,
    /// `.vgpr_count`, accumulation registers included where the hardware has one file for both.
    pub vgprs: Option<i64>,
    /// `.agpr_count`.
    pub agprs: Option<i64>,
    /// `.sgpr_count`.
    pub sgprs: Option<i64>,
    /// `.vgpr_spill_count`.
    pub vgpr_spills: Option<i64>,
    /// `.sgpr_spill_count`.
    pub sgpr_spills: Option<i64>,
    /// `.group_segment_fixed_size`: static LDS bytes per block.
    pub lds_bytes: Option<i64>,
    /// `.private_segment_fixed_size`: stack bytes per thread.
    pub private_bytes: Option<i64>,
    /// `.max_flat_workgroup_size`.
    pub max_threads: Option<i64>,
    /// `.wavefront_size`.
    pub wavefront: Option<i64>,
}

/// A checked code object.
#[derive(Clone, Debug)]
pub struct Hsaco<'a> {
    /// `gfx942`; `None` when the note has none.
    pub target: Option<String>,
    /// `amdhsa.version`, `1.2`.
    pub version: Option<String>,
    /// `.comment`: the linker and compiler in their own words.
    pub comment: Option<String>,
    /// Kernels in the note's order.
    pub kernels: Vec<HsacoKernel>,
    /// `.text`.
    pub code: &'a [u8],
}

impl<'a> Hsaco<'a> {
    /// Reads a code object.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ElfError> {
        let file = File::parse(bytes, Machine::Amd)?;
        let mut hsaco = Self {
            target: None,
            version: None,
            comment: file.section(".comment").and_then(|section| comment(section.data)),
            kernels: Vec::new(),
            code: file.section(".text").map(|section| section.data).unwrap_or_default(),
        };
        if let Some(section) = file.section(".note") {
            let payload = metadata(section.data).map_err(|()| ElfErrorKind::Note.at(section.offset))?;
            if let Some(payload) = payload {
                hsaco.read(payload).ok_or(ElfErrorKind::Metadata.at(section.offset))?;
            }
        }
        Ok(hsaco)
    }

    fn read(&mut self, payload: &[u8]) -> Option<()> {
        let mut reader = Reader::new(payload);
        let Value::Map(entries) = reader.next()? else { return None };
        for _ in 0..entries {
            let Value::Text(key) = reader.next()? else { return None };
            match (key, reader.next()?) {
                (b"amdhsa.kernels", Value::Array(count)) => {
                    for _ in 0..count {
                        self.kernels.push(kernel(&mut reader)?);
                    }
                }
                (b"amdhsa.target", Value::Text(triple)) => self.target = target(triple),
                (b"amdhsa.version", Value::Array(2)) => {
                    if let (Value::Integer(major), Value::Integer(minor)) = (reader.next()?, reader.next()?) {
                        self.version = Some(format!("{major}.{minor}"));
                    }
                }
                (_, other) => reader.skip(other)?,
            }
        }
        Some(())
    }
}

/// `amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-` and `amdgpu9.42-amd-amdhsa-unknown-gfx942`: the processor without its
/// feature flags.
fn target(triple: &[u8]) -> Option<String> {
    let triple = std::str::from_utf8(triple).ok()?;
    let processor = triple.get(triple.rfind("-gfx")? + 1..)?;
    Some(processor.split(':').next()?.to_owned())
}

fn comment(data: &[u8]) -> Option<String> {
    let first = data.split(|byte| *byte == 0).find(|text| !text.is_empty())?;
    Some(String::from_utf8_lossy(first.get(..first.len().min(256))?).into_owned())
}

/// The metadata among a section's notes; `Err` when a note is cut.
fn metadata(mut notes: &[u8]) -> Result<Option<&[u8]>, ()> {
    while !notes.is_empty() {
        let (head, rest) = notes.split_first_chunk::<12>().ok_or(())?;
        let word = |at: usize| head.get(at..at + 4).and_then(|b| b.try_into().ok()).map_or(0, u32::from_le_bytes);
        let padded = |size: u32| usize::try_from(size).ok().and_then(|size| size.checked_next_multiple_of(4)).ok_or(());
        let (_, rest) = rest.split_at_checked(padded(word(0))?).ok_or(())?;
        let size = usize::try_from(word(4)).map_err(|_| ())?;
        let payload = rest.get(..size).ok_or(())?;
        if word(8) == METADATA {
            return Ok(Some(payload));
        }
        notes = rest.get(padded(word(4))?..).unwrap_or_default();
    }
    Ok(None)
}

fn kernel(reader: &mut Reader<'_>) -> Option<HsacoKernel> {
    let Value::Map(entries) = reader.next()? else { return None };
    let mut kernel = HsacoKernel::default();
    for _ in 0..entries {
        let Value::Text(key) = reader.next()? else { return None };
        let value = reader.next()?;
        if let (b".name", Value::Text(name)) = (key, value) {
            kernel.name = String::from_utf8_lossy(name).into_owned();
            continue;
        }
        let field = match key {
            b".vgpr_count" => &mut kernel.vgprs,
            b".agpr_count" => &mut kernel.agprs,
            b".sgpr_count" => &mut kernel.sgprs,
            b".vgpr_spill_count" => &mut kernel.vgpr_spills,
            b".sgpr_spill_count" => &mut kernel.sgpr_spills,
            b".group_segment_fixed_size" => &mut kernel.lds_bytes,
            b".private_segment_fixed_size" => &mut kernel.private_bytes,
            b".max_flat_workgroup_size" => &mut kernel.max_threads,
            b".wavefront_size" => &mut kernel.wavefront,
            _ => {
                reader.skip(value)?;
                continue;
            }
        };
        match value {
            Value::Integer(number) => *field = Some(number),
            other => reader.skip(other)?,
        }
    }
    Some(kernel)
}
