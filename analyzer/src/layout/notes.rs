//! The layouts of one TTGIR as [`LayoutNotes`]: each with all it takes to be drawn elsewhere.

use std::collections::{HashMap, HashSet};

use lowerline_shared::worker::{LayoutNotes, LayoutText, LayoutUse, LayoutUseKind};

use super::{
    attribute::{Aliases, Attribute},
    encoding::Encoding,
    error::LayoutError,
    ttgir::{accesses, aliases, buffers_of, conversions, element_bits, shape_of},
};
use crate::mlir::{
    Module,
    types::{Shaped, shaped},
};

/// Definitions put before a layout. Triton's layouts name three others at most; aliases of a hostile text may name each
/// other without end.
const DEFINITIONS: usize = 32;
/// Bytes of all of them.
const DEFINED_BYTES: usize = 16 << 10;
/// Layouts of one text, each of which repeats what it names. The corpus has two dozen at most.
const LAYOUTS: usize = 1_024;

/// Layouts, conversions and shared accesses of a module; `text` is what it was read from.
pub fn notes(text: &str, module: &Module<'_>) -> LayoutNotes {
    let mut writer = Writer {
        aliases: &aliases(module),
        defined: definition_lines(text),
        places: HashMap::new(),
        notes: LayoutNotes::default(),
    };
    for operation in &module.operations {
        for found in shaped(operation.types()) {
            // A descriptor of a tensor in global memory has no elements of its own.
            if !found.layout.is_empty() && !found.kind.ends_with("tensordesc") {
                writer.layout(&found, operation.line);
            }
        }
    }
    for conversion in conversions(module) {
        let says = conversion.class.map(|class| class.label().to_owned());
        let pair = (&conversion.from, &conversion.to);
        writer.pair(LayoutUseKind::Conversion, (conversion.line, conversion.loops), &conversion.from, pair, says);
    }
    for access in accesses(module) {
        let says = access.access.map(super::SharedAccess::verdict);
        let is_store = access.operation.ends_with("local_store") || access.operation.ends_with("local_alloc");
        let pair = if is_store { (&access.register, &access.shared) } else { (&access.shared, &access.register) };
        writer.pair(LayoutUseKind::Access, (access.line, access.loops), &access.register, pair, says);
    }
    let mut notes = writer.notes;
    notes.uses.sort_by_key(|found| found.line);
    notes
}

/// Lines that define aliases, from 1, by name without `#`.
fn definition_lines(text: &str) -> HashMap<&str, u32> {
    let lines = text.lines().zip(1..);
    lines.filter_map(|(line, number)| Some((line.strip_prefix('#')?.split_once(" = ")?.0, number))).collect()
}

struct Writer<'a, 'b> {
    aliases: &'b Aliases<'a>,
    defined: HashMap<&'b str, u32>,
    places: HashMap<&'a str, u32>,
    notes: LayoutNotes,
}

impl<'a> Writer<'a, '_> {
    /// The place of a layout, and whether it is new; `None` for one too many.
    fn place(&mut self, layout: &'a str) -> Option<(u32, bool)> {
        if let Some(place) = self.places.get(layout) {
            return Some((*place, false));
        }
        if self.notes.layouts.len() == LAYOUTS {
            self.notes.left_out += 1;
            return None;
        }
        let place = u32::try_from(self.notes.layouts.len()).unwrap_or(u32::MAX);
        self.places.insert(layout, place);
        let text = whole(layout, self.aliases);
        self.notes.layouts.push(LayoutText { name: layout.to_owned(), text });
        Some((place, true))
    }

    /// Notes a layout that was not met before.
    fn layout(&mut self, found: &Shaped<'a>, line: u32) {
        let Some((place, true)) = self.place(found.layout) else { return };
        let line = found.layout.strip_prefix('#').and_then(|name| self.defined.get(name)).copied().unwrap_or(line);
        let encoding = Encoding::parse(found.layout, self.aliases);
        let shape = match &encoding {
            Ok(encoding) => buffers_of(found, encoding).map(|(_, shape)| shape),
            Err(_) => shape_of(found),
        };
        let drawn = encoding.and_then(|encoding| {
            let bits = element_bits(found.element).ok_or(LayoutError::Field("element type"))?;
            encoding.to_linear(shape.as_ref().map_err(Clone::clone)?, bits)
        });
        let extents = shape.map_or_else(|_| extents(found), |shape| sizes(shape.sizes().iter()));
        let says = Attribute::parse(found.layout, self.aliases).map_or("", |attribute| attribute.kind).to_owned();
        let why = drawn.err().map(|error| error.to_string());
        self.push(LayoutUseKind::Layout, (line, 0), found, extents, (place, None), (says, why));
    }

    fn pair(
        &mut self,
        kind: LayoutUseKind,
        at: (u32, u32),
        shown: &Shaped<'a>,
        (from, to): (&Shaped<'a>, &Shaped<'a>),
        says: Result<String, LayoutError>,
    ) {
        let (Some((a, _)), Some((b, _))) = (self.place(from.layout), self.place(to.layout)) else { return };
        let told = match says {
            Ok(says) => (says, None),
            Err(error) => ("not known".to_owned(), Some(error.to_string())),
        };
        self.push(kind, at, shown, extents(shown), (a, Some(b)), told);
    }

    fn push(
        &mut self,
        kind: LayoutUseKind,
        (line, loops): (u32, u32),
        shown: &Shaped<'a>,
        shape: String,
        (a, b): (u32, Option<u32>),
        (says, why): (String, Option<String>),
    ) {
        let bits = element_bits(shown.element);
        let element = shown.element.to_owned();
        self.notes.uses.push(LayoutUse { line, kind, loops, shape, bits, element, a, b, says, why });
    }
}

fn sizes<T: ToString>(sizes: impl Iterator<Item = T>) -> String {
    sizes.map(|size| size.to_string()).collect::<Vec<_>>().join("x")
}

fn extents(found: &Shaped<'_>) -> String {
    sizes(found.shape.iter().map(|extent| extent.map_or_else(|| "?".to_owned(), |extent| extent.to_string())))
}

/// A layout with the definitions of all aliases it names before it, as [`super::definitions`] reads it.
fn whole(layout: &str, aliases: &Aliases<'_>) -> String {
    let mut lines = Vec::new();
    let mut met = HashSet::new();
    define(layout, aliases, &mut met, &mut lines);
    if !is_alias(layout, aliases) {
        lines.push(layout.replace('\n', " "));
    }
    lines.join("\n")
}

fn is_alias(layout: &str, aliases: &Aliases<'_>) -> bool {
    layout.strip_prefix('#').is_some_and(|name| aliases.contains_key(name))
}

/// Writes the definitions of all aliases a text names, those they name before them.
fn define<'a>(text: &'a str, aliases: &Aliases<'a>, met: &mut HashSet<&'a str>, lines: &mut Vec<String>) {
    // Depth first without recursion: a name is written when it is met the second time, behind what it names.
    let mut open: Vec<(&str, bool)> = names(text).rev().map(|name| (name, false)).collect();
    while let Some((name, is_done)) = open.pop() {
        let Some(body) = aliases.get(name).copied() else { continue };
        let bytes: usize = lines.iter().map(String::len).sum();
        if is_done && bytes + body.len() <= DEFINED_BYTES {
            lines.push(format!("#{name} = {}", body.replace('\n', " ")));
        } else if !is_done && met.len() < DEFINITIONS && met.insert(name) {
            open.push((name, true));
            open.extend(names(body).rev().map(|name| (name, false)));
        }
    }
}

/// Names behind `#` in order, dialects and all.
fn names(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    let word = |rest: &str| rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    text.match_indices('#').filter_map(move |(at, _)| {
        let rest = text.get(at + 1..)?;
        rest.get(..word(rest))
    })
}
