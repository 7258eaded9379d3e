//! The selected line and its counterparts: whatever comes from the same source line, on both sides.

use std::{collections::HashSet, sync::Arc};

use leptos::{ev::MouseEvent, prelude::*};
use lowerline_shared::{
    display,
    permalink::{LineRef, PaneRef},
};
use wasm_bindgen::JsCast as _;
use web_sys::Element;

use super::{
    View,
    doc::{Doc, Source},
    rows,
};
use crate::browser;

/// What is selected in two texts. The address holds the line.
#[derive(Clone, Copy)]
pub struct Selection {
    view: View,
    panes: [PaneRef; 2],
    docs: StoredValue<[Arc<Doc>; 2]>,
    line: Memo<Option<LineRef>>,
    lit: Memo<[Arc<HashSet<usize>>; 2]>,
}

impl Selection {
    /// Follows the line of the address.
    pub fn new(view: View, panes: [PaneRef; 2], docs: [Arc<Doc>; 2]) -> Self {
        let docs = StoredValue::new(docs);
        let line = Memo::new(move |_| view.state.with(|(_, query)| query.line));
        let source = Memo::new(move |_| {
            let line = line.get()?;
            let side = panes.iter().position(|pane| *pane == line.pane)?;
            docs.with_value(|docs| docs.get(side)?.source((line.line as usize).checked_sub(1)?))
        });
        let lit = Memo::new(move |_| {
            let source = source.get();
            docs.with_value(|docs| {
                docs.each_ref().map(|doc| {
                    let lines = source.as_ref().map(|source| doc.lines_from(source)).unwrap_or_default();
                    Arc::new(lines.into_iter().collect::<HashSet<usize>>())
                })
            })
        });
        Self { view, panes, docs, line, lit }
    }

    /// Lines that are lit, of both sides.
    pub fn all(self) -> [Arc<HashSet<usize>>; 2] {
        self.lit.get()
    }

    /// Whether a line, from 0, comes from the same place as the selected one.
    pub fn is_lit(self, side: usize, number: usize) -> bool {
        self.lit.with(|lit| lit.get(side).is_some_and(|lines| lines.contains(&number)))
    }

    /// Whether it is the selected one.
    pub fn is_picked(self, side: usize, number: usize) -> bool {
        self.line.with(|line| {
            line.is_some_and(|line| self.panes.get(side) == Some(&line.pane) && line.line as usize == number + 1)
        })
    }

    /// The selected line as side and number, from 0.
    pub fn picked(self) -> Option<(usize, usize)> {
        let line = self.line.get()?;
        let side = self.panes.iter().position(|pane| *pane == line.pane)?;
        Some((side, (line.line as usize).checked_sub(1)?))
    }

    /// Lines that are lit on a side, in order.
    pub fn lines(self, side: usize) -> Vec<usize> {
        let mut lines: Vec<usize> =
            self.lit.with(|lit| lit.get(side).map(|lines| lines.iter().copied().collect()).unwrap_or_default());
        lines.sort_unstable();
        lines
    }

    /// Selects a line, from 0; the selected one again lets go of it.
    pub fn pick(self, side: usize, number: usize) {
        let Some(pane) = self.panes.get(side).copied() else { return };
        let line = u32::try_from(number + 1).ok().map(|line| LineRef { pane, line });
        let again = self.line.get_untracked() == line;
        self.view.replace(|_, query| query.line = line.filter(|_| !again));
    }

    /// Selects the first line that comes from a place, on whichever side has one.
    pub fn pick_source(self, source: &Source) {
        let first = self.docs.with_value(|docs| {
            docs.iter().enumerate().find_map(|(side, doc)| Some((side, *doc.lines_from(source).first()?)))
        });
        if let Some((side, number)) = first
            && self.line.get_untracked().is_none_or(|_| self.picked() != Some((side, number)))
        {
            self.pick(side, number);
        }
    }

    /// Names what is under the pointer, once it is there: most rows are only scrolled past.
    pub fn describe(self, event: &MouseEvent) {
        if let Some((side, which, line)) = Self::under(event)
            && !side.has_attribute("title")
            && let Some(title) = self.docs.with_value(|docs| rows::title(docs.get(which)?, line))
        {
            let _ = side.set_attribute("title", &title);
        }
    }

    /// The side of a row that an event happened on, and which line it shows.
    fn under(event: &MouseEvent) -> Option<(Element, usize, usize)> {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok())?;
        let side = target.closest("[data-line]").ok().flatten()?;
        let number = |name: &str| side.get_attribute(name)?.parse::<usize>().ok();
        let (which, line) = (number("data-side")?, number("data-line")?);
        Some((side, which, line))
    }

    /// Selects the line that was clicked.
    pub fn click(self, event: &MouseEvent) {
        let element = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        if element.is_some_and(|element| element.closest("a").ok().flatten().is_some()) {
            return;
        }
        // Marking text to copy it is no click.
        if let Some((_, which, line)) = Self::under(event).filter(|_| !browser::has_marked_text()) {
            self.pick(which, line);
        }
    }

    /// What is selected, in words.
    pub fn told(self) -> Option<String> {
        let (side, number) = self.picked()?;
        let chain = self.docs.with_value(|docs| docs.get(side).and_then(|doc| doc.chain(number)));
        let line = self.line.get()?;
        let Some(chain) = chain else { return Some(format!("{line}: this line names no place in source")) };
        let counts: Vec<String> = self
            .panes
            .iter()
            .enumerate()
            .map(|(side, pane)| format!("{} in {pane}", display::plural(self.lines(side).len() as u64, "line")))
            .collect();
        Some(format!("{line}: {chain} · {}", counts.join(", ")))
    }
}

/// The bar that says what is selected.
#[component]
pub fn Selected(selection: Selection) -> impl IntoView {
    view! {
        <p class="picked small brk" data-test="selected" role="status">
            {move || selection.told().unwrap_or_else(|| "Click a line: what comes from the same source line lights up on both sides.".to_owned())}
        </p>
    }
}
