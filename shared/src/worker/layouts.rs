//! The layouts of one TTGIR and what is done with them, as the page about layouts takes them.

use serde::{Deserialize, Serialize};

use crate::permalink::LayoutsQuery;

/// One layout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayoutText {
    /// As types name it: `#blocked1`, or the whole attribute where it has no alias.
    pub name: String,
    /// The whole of it, every alias it names defined before it.
    pub text: String,
}

/// What a line does with layouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LayoutUseKind {
    /// Defines a layout, or is the first to have it.
    Layout,
    /// Moves a tensor from one layout of registers to another.
    Conversion,
    /// Moves a tensor between registers and shared memory.
    Access,
}

/// One line with a layout, or with two.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayoutUse {
    /// Line of the text, from 1.
    pub line: u32,
    /// What it does.
    pub kind: LayoutUseKind,
    /// Loops around it in its function.
    pub loops: u32,
    /// Extents, `?` for one that is known only at run time; of an array of buffers, those of one buffer.
    pub shape: String,
    /// Bits of an element in memory; `None` for types that are not known.
    pub bits: Option<u32>,
    /// Element as written.
    pub element: String,
    /// Place in [`LayoutNotes::layouts`]: the layout, or where the tensor comes from.
    pub a: u32,
    /// Place in [`LayoutNotes::layouts`]: where the tensor goes.
    pub b: Option<u32>,
    /// What it costs, in words: the class of a conversion, how banks serve an access; of a layout its kind.
    pub says: String,
    /// Why [`LayoutUse::says`] is not known.
    pub why: Option<String>,
}

/// All layouts of one TTGIR.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayoutNotes {
    /// Each layout once, in order of their uses.
    pub layouts: Vec<LayoutText>,
    /// In order of lines.
    pub uses: Vec<LayoutUse>,
    /// Times that a layout stood there which was one too many to be noted.
    #[serde(default)]
    pub left_out: u64,
}

impl LayoutNotes {
    /// A layout by its place.
    pub fn layout(&self, place: u32) -> Option<&LayoutText> {
        self.layouts.get(place as usize)
    }

    /// What the page about layouts is asked to draw it.
    pub fn query(&self, found: &LayoutUse) -> LayoutsQuery {
        let text = |place: u32| self.layout(place).map(|layout| layout.text.clone()).unwrap_or_default();
        LayoutsQuery {
            shape: found.shape.clone(),
            bits: found.bits,
            a: text(found.a),
            b: found.b.map(text).unwrap_or_default(),
            ..LayoutsQuery::default()
        }
    }

    /// Uses of one line, from 1.
    pub fn of_line(&self, line: u32) -> impl Iterator<Item = &LayoutUse> {
        let from = self.uses.partition_point(|found| found.line < line);
        self.uses.get(from..).unwrap_or_default().iter().take_while(move |found| found.line == line)
    }

    /// `#blocked → #mma`, or the name of the one layout.
    pub fn names(&self, found: &LayoutUse) -> String {
        let name = |place: u32| self.layout(place).map(|layout| crate::ids::shown(&layout.name)).unwrap_or_default();
        match found.b {
            Some(b) => format!("{} → {}", name(found.a), name(b)),
            None => name(found.a),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permalink::Page;

    fn notes() -> LayoutNotes {
        let layout = |name: &str, text: &str| LayoutText { name: name.to_owned(), text: text.to_owned() };
        let found = |line, kind, b| LayoutUse {
            line,
            kind,
            loops: 0,
            shape: "128x64".to_owned(),
            bits: Some(16),
            element: "f16".to_owned(),
            a: 0,
            b,
            says: "no-op".to_owned(),
            why: None,
        };
        LayoutNotes {
            layouts: vec![layout("#a", "#a = #ttg.x<{}>"), layout("#b", "#c = #ttg.y<{}>\n#b = #ttg.z<{parent = #c}>")],
            uses: vec![
                found(3, LayoutUseKind::Layout, None),
                found(7, LayoutUseKind::Conversion, Some(1)),
                found(7, LayoutUseKind::Layout, None),
                found(9, LayoutUseKind::Conversion, Some(9)),
            ],
            left_out: 0,
        }
    }

    #[test]
    fn a_line_has_its_own_uses() {
        let notes = notes();
        let of_line = |line| notes.of_line(line).count();
        assert_eq!([1, 3, 7, 8, 9, 10].map(of_line), [0, 1, 2, 0, 1, 0]);
        assert_eq!(notes.names(&notes.uses[0]), "#a");
        assert_eq!(notes.names(&notes.uses[1]), "#a → #b");
        assert_eq!(notes.names(&notes.uses[3]), "#a → ", "a place of no layout has no name");
    }

    #[test]
    fn the_address_of_a_conversion_holds_both_texts() {
        let notes = notes();
        let path = Page::Layouts(notes.query(&notes.uses[1])).path();
        let (_, query) = path.split_once('?').expect("a query");
        let read = LayoutsQuery::parse(query);
        assert_eq!((read.shape.as_str(), read.bits), ("128x64", Some(16)));
        assert_eq!(read.a, "#a = #ttg.x<{}>");
        assert_eq!(read.b, "#c = #ttg.y<{}>\n#b = #ttg.z<{parent = #c}>");
    }
}
