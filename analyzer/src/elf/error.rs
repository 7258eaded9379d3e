//! Why an ELF file was refused.

/// What was wrong, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at byte {offset}")]
pub struct ElfError {
    /// What was expected.
    pub kind: ElfErrorKind,
    /// Byte of the file; 0 when the whole file is meant.
    pub offset: u64,
}

/// Closed list of reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ElfErrorKind {
    /// Not an ELF file of this machine.
    #[error("expected a 64-bit little-endian ELF file for this GPU")]
    Header,
    /// The section table leaves the file or names a broken string table.
    #[error("expected a section table inside the file")]
    SectionTable,
    /// More than [`super::MAX_SECTIONS`].
    #[error("expected at most 4096 sections")]
    TooManySections,
    /// A section leaves the file.
    #[error("expected the section inside the file")]
    SectionRange,
    /// A section says it is compressed; its claimed size is never believed.
    #[error("expected no compressed section")]
    Compressed,
    /// A name without an end, longer than [`super::MAX_NAME`] or outside its table.
    #[error("expected a name of at most 20480 bytes")]
    Name,
    /// More than [`super::MAX_SYMBOLS`].
    #[error("expected at most 65536 symbols")]
    TooManySymbols,
    /// A symbol leaves its section.
    #[error("expected the function inside its section")]
    SymbolRange,
    /// `.nv.info` ends within an entry.
    #[error("expected a whole .nv.info entry")]
    Attribute,
    /// A note ends within its header or payload.
    #[error("expected a whole note")]
    Note,
    /// The AMD metadata is no MessagePack map of the code object's form.
    #[error("expected AMDGPU metadata as a MessagePack map")]
    Metadata,
    /// Sections overlap so often that reading them costs more than the file's size allows.
    #[error("expected sections that do not overlap")]
    Overlap,
}

impl ElfErrorKind {
    /// This, at a byte of the file.
    pub(super) const fn at(self, offset: u64) -> ElfError {
        ElfError { kind: self, offset }
    }
}
