//! Cubin and hsaco: what the two ELF containers say beside their code.
//!
//! [`Cubin`] and [`Hsaco`] borrow from the input. Nothing is inflated: a section that claims to be compressed is an
//! error, since its header may claim any size. Work is bounded by [`MAX_SECTIONS`], [`MAX_SYMBOLS`], [`MAX_NAME`] and a
//! share of the input's size, so sections that overlap cost no more than sections that do not.

mod attributes;
mod cubin;
mod error;
mod file;
mod hsaco;
mod msgpack;
mod report;
mod toolkit;

pub use cubin::{Abi, CodeSection, Cubin, Function, Indirect, KernelResources};
pub use error::{ElfError, ElfErrorKind};
pub use file::Machine;
pub use hsaco::{Hsaco, HsacoKernel};
pub(crate) use report::several;
pub use report::{cubin_report, hsaco_report};
pub use toolkit::Toolkit;

/// Sections of one file; `nvcc -G` builds of large programs stay in the hundreds.
pub const MAX_SECTIONS: usize = 4_096;
/// Symbols of one file.
pub const MAX_SYMBOLS: usize = 65_536;
/// Bytes of one name, the bound of [`lowerline_shared::limits::KERNEL_NAME_BYTES`].
pub const MAX_NAME: usize = lowerline_shared::limits::KERNEL_NAME_BYTES;

/// Whose ELF file this is, by its header alone; `None` when it is no 64-bit little-endian ELF file of a GPU.
pub fn machine(bytes: &[u8]) -> Option<Machine> {
    file::machine(bytes)
}
