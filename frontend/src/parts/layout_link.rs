//! The way from a line of TTGIR to the page that draws its layouts.

use leptos::prelude::*;
use lowerline_shared::{
    ids,
    permalink::Page,
    worker::{LayoutNotes, LayoutUse, LayoutUseKind},
};

const fn kind(kind: LayoutUseKind) -> &'static str {
    match kind {
        LayoutUseKind::Layout => "layout",
        LayoutUseKind::Conversion => "conversion",
        LayoutUseKind::Access => "access",
    }
}

/// What is moved, and why a cost is not known.
fn title(notes: &LayoutNotes, found: &LayoutUse) -> String {
    let tensor = format!("{} of {} {}", notes.names(found), found.shape, ids::shown(&found.element));
    let why = found.why.as_ref().map(|why| format!(": {}", ids::shown(why))).unwrap_or_default();
    let drawn = if found.b.is_some() { "both layouts side by side" } else { "the layout, drawn" };
    format!("{tensor}{why} · {drawn}")
}

/// A link that says what a use of layouts costs and leads to its picture.
pub fn link(notes: &LayoutNotes, found: &LayoutUse) -> impl IntoView + use<> {
    view! {
        <a
            class="lay"
            href=Page::Layouts(notes.query(found)).path()
            title=title(notes, found)
            data-test="layout-link"
            data-kind=kind(found.kind)
            data-at=found.line
        >
            {ids::shown(&found.says)}
        </a>
    }
}
