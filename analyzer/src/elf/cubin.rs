//! NVIDIA's ELF: code, resources, toolchain, embedded PTX.

use std::collections::BTreeMap;

use super::{
    ElfError, ElfErrorKind, Machine, Toolkit, attributes,
    file::{File, Section},
    toolkit,
};

/// `STO_CUDA_ENTRY` in `st_other`.
const ENTRY: u8 = 0x10;
/// `EF_CUDA_ACCELERATORS` of the older flags: the target has the `a` suffix.
const ACCELERATORS_V1: u32 = 0x800;

/// Which of the two generations of header flags a cubin has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Abi {
    /// OS/ABI 0x33, ABI version 7: architecture in the low byte of the flags.
    V7,
    /// OS/ABI 0x41, ABI version 8: architecture in the second byte of the flags.
    V8,
}

/// One function's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function<'a> {
    /// Name of the symbol.
    pub name: String,
    /// Whether it is a kernel entry; helpers are not.
    pub kernel: bool,
    /// Offset of its first instruction in the section.
    pub offset: u64,
    /// Its code, up to the next function or the end of the section: padding belongs to the last one.
    pub bytes: &'a [u8],
}

/// One `.text.<kernel>` section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeSection<'a> {
    /// Name without `.text.`.
    pub name: String,
    /// `sh_addr`; 0 in every cubin that is not linked further.
    pub address: u64,
    /// All of its code.
    pub bytes: &'a [u8],
    /// Its functions by offset, without overlap; together they cover the section from the first one on.
    pub functions: Vec<Function<'a>>,
    /// Where each `BRX` can go, offsets in the section; without those that the file says nothing of.
    pub indirect: Indirect,
}

/// Targets by the offset of their branch.
pub type Indirect = BTreeMap<u64, Vec<u64>>;

/// What one kernel takes. `None`: the cubin does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelResources {
    /// Name.
    pub name: String,
    /// Registers per thread.
    pub registers: Option<u32>,
    /// Frame bytes per thread, callees left out.
    pub frame_bytes: Option<u32>,
    /// Least stack bytes per thread, callees included.
    pub stack_bytes: Option<u32>,
    /// Whether the cubin says that the stack has no bound, as for recursion and calls by address.
    pub unbounded_stack: bool,
    /// Static shared bytes per block, the system's reserve included.
    pub shared_bytes: Option<u64>,
    /// Named barriers.
    pub barriers: Option<u32>,
    /// Threads per block required.
    pub threads: Option<u64>,
    /// Bytes of machine code, padding and helpers of its section included.
    pub code_bytes: u64,
}

/// A checked cubin.
#[derive(Clone, Debug)]
pub struct Cubin<'a> {
    /// Generation.
    pub abi: Abi,
    /// Architecture number, 90 of `sm_90a`.
    pub sm: u32,
    /// Target with suffix where the file says one: `sm_90a`.
    pub target: String,
    /// Code in file order.
    pub code: Vec<CodeSection<'a>>,
    /// Kernels in symbol order.
    pub kernels: Vec<KernelResources>,
    /// Who made it; `None` in ABI version 7.
    pub toolkit: Option<Toolkit>,
    /// The PTX text embedded by `-lineinfo`, lines ended by NUL; `None` without debug information.
    pub ptx: Option<&'a [u8]>,
}

impl<'a> Cubin<'a> {
    /// Reads a cubin.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ElfError> {
        let file = File::parse(bytes, Machine::Nvidia)?;
        let flags = u32::from_le_bytes(bytes.get(48..52).and_then(|b| b.try_into().ok()).unwrap_or_default());
        let (abi, sm) = match (bytes.get(7), bytes.get(8)) {
            (Some(0x33), Some(0..=7)) => (Abi::V7, flags & 0xff),
            (Some(0x41), Some(8)) => (Abi::V8, flags >> 8 & 0xff),
            _ => return Err(ElfErrorKind::Header.at(7)),
        };
        let toolkit = file.section(".note.nv.tkinfo").map(toolkit::toolkit).transpose()?;
        let ptx = file.section(".nv_debug_ptx_txt").map(|section| section.data);
        let target = target(abi, sm, flags, ptx, toolkit.as_ref());
        let mut code = code(&file)?;
        let (kernels, mut indirect) = kernels(&file, abi, bytes.len())?;
        for section in &mut code {
            section.indirect = indirect.remove(&section.name).unwrap_or_default();
        }
        Ok(Self { abi, sm, target, code, kernels, toolkit, ptx })
    }
}

/// The suffix comes from the text that was assembled, else from the command line, else (ABI 7) from the flags.
fn target(abi: Abi, sm: u32, flags: u32, ptx: Option<&[u8]>, toolkit: Option<&Toolkit>) -> String {
    let plain = format!("sm_{sm}");
    let of_ptx = ptx.and_then(|text| {
        // The directive stands in the first lines; the bound keeps a hostile text from being searched twice.
        let head = text.get(..text.len().min(4_096))?;
        let at = memchr::memmem::find(head, b".target ")?;
        let word = head.get(at + 8..)?.split(|b| !b.is_ascii_alphanumeric() && *b != b'_').next()?;
        std::str::from_utf8(word).ok()
    });
    let said = of_ptx.or_else(|| toolkit.and_then(Toolkit::arch));
    match said {
        Some(said) if said.strip_prefix(&plain).is_some_and(|suffix| matches!(suffix, "" | "a" | "f")) => {
            said.to_owned()
        }
        _ if abi == Abi::V7 && flags & ACCELERATORS_V1 != 0 => format!("{plain}a"),
        _ => plain,
    }
}

fn code<'a>(file: &File<'a>) -> Result<Vec<CodeSection<'a>>, ElfError> {
    let mut code = Vec::new();
    for (index, section) in file.sections.iter().enumerate() {
        let Some(name) = section.name.strip_prefix(".text.") else { continue };
        let mut starts: Vec<_> = file.functions.iter().filter(|function| function.section == index).collect();
        // A kernel spans its whole section; at one offset the entry wins over its aliases.
        starts.sort_by_key(|function| (function.value, function.other & ENTRY == 0));
        starts.dedup_by_key(|function| function.value);
        let mut functions = Vec::with_capacity(starts.len());
        for (n, start) in starts.iter().enumerate() {
            let out_of_range = ElfErrorKind::SymbolRange.at(section.offset);
            let from = usize::try_from(start.value).map_err(|_| out_of_range)?;
            let to = match starts.get(n + 1) {
                Some(next) => usize::try_from(next.value).map_err(|_| out_of_range)?,
                None => section.data.len(),
            };
            functions.push(Function {
                name: start.name.clone().into_owned(),
                kernel: start.other & ENTRY != 0,
                offset: start.value,
                bytes: section.data.get(from..to).ok_or(out_of_range)?,
            });
        }
        let (name, address, bytes) = (name.to_owned(), section.address, section.data);
        code.push(CodeSection { name, address, bytes, functions, indirect: Indirect::new() });
    }
    Ok(code)
}

/// What kernels take, and the indirect branches of each code section by its name.
fn kernels(
    file: &File<'_>,
    abi: Abi,
    file_bytes: usize,
) -> Result<(Vec<KernelResources>, BTreeMap<String, Indirect>), ElfError> {
    // Overlapping sections share bytes of the file: honest files read each byte once.
    let mut left = file_bytes;
    let mut pay = |section: &Section<'_>| {
        left = left.checked_sub(section.data.len()).ok_or(ElfErrorKind::Overlap.at(section.offset))?;
        Ok::<_, ElfError>(())
    };
    let mut indirect: BTreeMap<String, Indirect> = BTreeMap::new();
    let mut kernels: Vec<(u32, KernelResources)> = Vec::new();
    for function in file.functions.iter().filter(|function| function.other & ENTRY != 0) {
        let name = function.name.clone().into_owned();
        kernels.push((function.index, KernelResources { name, ..KernelResources::default() }));
    }
    let position: BTreeMap<u32, usize> = kernels.iter().enumerate().map(|(at, (index, _))| (*index, at)).collect();
    let by_name: BTreeMap<String, usize> =
        kernels.iter().enumerate().map(|(at, (_, kernel))| (kernel.name.clone(), at)).collect();
    for section in &file.sections {
        if section.name == ".nv.info" {
            pay(section)?;
            for attribute in attributes::attributes(section.data, section.offset) {
                let attribute = attribute?;
                let at = attribute.word(0).and_then(|index| position.get(&index));
                let (Some(at), Some(value)) = (at, attribute.word(1)) else { continue };
                let Some((_, kernel)) = kernels.get_mut(*at) else { continue };
                match attribute.id {
                    attributes::REGISTERS => kernel.registers = Some(value),
                    attributes::FRAME_SIZE => kernel.frame_bytes = Some(value),
                    attributes::MIN_STACK_SIZE if value == attributes::NO_BOUND => kernel.unbounded_stack = true,
                    attributes::MIN_STACK_SIZE => kernel.stack_bytes = Some(value),
                    _ => {}
                }
            }
            continue;
        }
        let Some((kind, name)) = [".nv.info.", ".text.", ".nv.shared."]
            .into_iter()
            .find_map(|kind| section.name.strip_prefix(kind).map(|name| (kind, name)))
        else {
            continue;
        };
        let mut kernel = by_name.get(name).and_then(|at| kernels.get_mut(*at)).map(|(_, kernel)| kernel);
        match (kind, &mut kernel) {
            (".nv.info.", kernel) => {
                pay(section)?;
                for attribute in attributes::attributes(section.data, section.offset) {
                    let attribute = attribute?;
                    match (attribute.id, kernel.as_mut()) {
                        (attributes::INDIRECT_BRANCH_TARGETS, _) => {
                            let branches = attributes::indirect_branches(attribute.payload);
                            indirect.entry(name.to_owned()).or_default().extend(branches);
                        }
                        (attributes::BARRIERS, Some(kernel)) => kernel.barriers = Some(u32::from(attribute.small)),
                        (attributes::REQUIRED_THREADS, Some(kernel)) => {
                            let sides = [0, 1, 2].map(|n| attribute.word(n).map(u64::from));
                            kernel.threads =
                                sides.into_iter().try_fold(1_u64, |product, side| product.checked_mul(side?));
                        }
                        _ => {}
                    }
                }
            }
            (".text.", Some(kernel)) => {
                kernel.code_bytes = section.data.len() as u64;
                // ABI 8 writes the attribute only for a kernel that has some.
                match abi {
                    Abi::V7 => kernel.barriers = Some((section.flags >> 20 & 0x7f) as u32),
                    Abi::V8 => drop(kernel.barriers.get_or_insert(0)),
                }
            }
            (".nv.shared.", Some(kernel)) => kernel.shared_bytes = Some(section.size),
            _ => {}
        }
    }
    Ok((kernels.into_iter().map(|(_, kernel)| kernel).collect(), indirect))
}
