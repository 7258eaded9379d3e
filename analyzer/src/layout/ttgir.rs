//! The layouts of one TTGIR: its conversions and its accesses to shared memory.

use std::collections::HashMap;

use super::{
    attribute::Aliases,
    banks::{SharedAccess, shared_access},
    conversion::{ConversionClass, classify},
    encoding::Encoding,
    error::LayoutError,
    linear::LinearLayout,
    shape::Shape,
};
use crate::mlir::{
    Module, Operation,
    types::{Shaped, shaped},
};

/// One `convert_layout`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversion<'a> {
    /// Line of the file, from 1.
    pub line: u32,
    /// Loops around it in its function.
    pub loops: u32,
    /// Type before, as written.
    pub from: Shaped<'a>,
    /// Type after, as written.
    pub to: Shaped<'a>,
    /// What it costs, or why that is not known.
    pub class: Result<ConversionClass, LayoutError>,
}

/// One load or store of shared memory from or to registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access<'a> {
    /// Line of the file, from 1.
    pub line: u32,
    /// Loops around it in its function.
    pub loops: u32,
    /// Operation with dialect: `ttg.local_load`.
    pub operation: &'a str,
    /// The tensor in registers.
    pub register: Shaped<'a>,
    /// The buffer in shared memory.
    pub shared: Shaped<'a>,
    /// How the banks serve it, or why that is not known. Matrix loads, which some of these become, are not modelled.
    pub access: Result<SharedAccess, LayoutError>,
}

/// Layout aliases of a module.
pub fn aliases<'a>(module: &Module<'a>) -> Aliases<'a> {
    module.aliases.iter().map(|alias| (alias.name, alias.body)).collect()
}

/// Every conversion of a module in file order.
pub fn conversions<'a>(module: &Module<'a>) -> Vec<Conversion<'a>> {
    let aliases = aliases(module);
    let mut layouts = Layouts { aliases: &aliases, known: HashMap::new(), classes: HashMap::new() };
    let is_conversion = |operation: &&Operation<'a>| operation.name.ends_with(".convert_layout");
    module
        .operations
        .iter()
        .filter(is_conversion)
        .filter_map(|operation| {
            let [from, to] = <[Shaped<'a>; 2]>::try_from(shaped(operation.types())).ok()?;
            let class = layouts.class(&from, &to);
            Some(Conversion { line: operation.line, loops: operation.loops, from, to, class })
        })
        .collect()
}

/// Every `local_load`, `local_store` and initialised `local_alloc` of a module in file order.
pub fn accesses<'a>(module: &Module<'a>) -> Vec<Access<'a>> {
    let aliases = aliases(module);
    module
        .operations
        .iter()
        .filter(|operation| {
            let (_, name) = operation.name.split_once('.').unwrap_or_default();
            matches!(name, "local_load" | "local_store" | "local_alloc")
        })
        .filter_map(|operation| {
            let types = shaped(operation.types());
            let is_shared = |found: &&Shaped<'a>| found.kind.ends_with("memdesc");
            let register = types.iter().find(|found| found.kind == "tensor")?.clone();
            let shared = types.iter().find(is_shared)?.clone();
            let access = access(&register, &shared, &aliases);
            Some(Access {
                line: operation.line,
                loops: operation.loops,
                operation: operation.name,
                register,
                shared,
                access,
            })
        })
        .collect()
}

/// Shape of a type, checked.
pub fn shape_of(found: &Shaped<'_>) -> Result<Shape, LayoutError> {
    let sizes = found.shape.iter().copied().collect::<Option<Vec<_>>>();
    Shape::new(&sizes.ok_or(LayoutError::Invalid("the shape is not known before the kernel runs"))?)
}

/// How many buffers a type holds, and the shape of one: a memory descriptor with one dimension more than its layout is an
/// array of buffers, as pipelined loops use. The number of buffers need not be a power of two.
pub fn buffers_of(found: &Shaped<'_>, encoding: &Encoding) -> Result<(u64, Shape), LayoutError> {
    match found.shape.split_first() {
        Some((Some(buffers), one)) if found.kind.ends_with("memdesc") && one.len() == encoding.rank() => {
            Ok((*buffers, shape_of(&Shaped { shape: one.to_vec(), ..found.clone() })?))
        }
        _ => Ok((1, shape_of(found)?)),
    }
}

/// Bits of an element in memory: a truth value takes a byte, a pointer eight. `None` for types that are not known.
pub fn element_bits(element: &str) -> Option<u32> {
    if element.starts_with("!tt.ptr") {
        return Some(64);
    }
    let digits = element.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    let digits = digits.split(|letter: char| !letter.is_ascii_digit()).next()?;
    let bits: u32 = digits.parse().ok()?;
    matches!(bits, 1..=64).then_some(bits.max(8))
}

fn access(register: &Shaped<'_>, shared: &Shaped<'_>, aliases: &Aliases<'_>) -> Result<SharedAccess, LayoutError> {
    let bits = element_bits(register.element).ok_or(LayoutError::Field("element type"))?;
    let shape = shape_of(register)?;
    shared_access(&Encoding::parse(register.layout, aliases)?, &Encoding::parse(shared.layout, aliases)?, &shape, bits)
}

type Extents = Vec<Option<u64>>;

/// Layouts and classes met so far: the same few repeat throughout a file.
struct Layouts<'a, 'b> {
    aliases: &'b Aliases<'a>,
    /// By layout, shape and element.
    known: HashMap<(&'a str, Extents, &'a str), Result<LinearLayout, LayoutError>>,
    /// By layout before, layout after and shape.
    classes: HashMap<(&'a str, &'a str, Extents), Result<ConversionClass, LayoutError>>,
}

impl<'a> Layouts<'a, '_> {
    fn class(&mut self, from: &Shaped<'a>, to: &Shaped<'a>) -> Result<ConversionClass, LayoutError> {
        if from.shape != to.shape {
            return Err(LayoutError::Mismatch);
        }
        let key = (from.layout, to.layout, from.shape.clone());
        if let Some(class) = self.classes.get(&key) {
            return class.clone();
        }
        let class = self.linear(from).and_then(|before| classify(&before, &self.linear(to)?));
        self.classes.insert(key, class.clone());
        class
    }

    fn linear(&mut self, found: &Shaped<'a>) -> Result<LinearLayout, LayoutError> {
        let aliases = self.aliases;
        let make = || {
            let bits = element_bits(found.element).ok_or(LayoutError::Field("element type"))?;
            Encoding::parse(found.layout, aliases)?.to_linear(&shape_of(found)?, bits)
        };
        self.known.entry((found.layout, found.shape.clone(), found.element)).or_insert_with(make).clone()
    }
}
