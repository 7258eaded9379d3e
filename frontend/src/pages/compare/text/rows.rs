//! One line as markup: loop band, family, source line, number, sign, code with the words that differ.

use std::sync::Arc;

use leptos::prelude::*;
use lowerline_analyzer::diff::{Row, RowKind, Span, words};
use lowerline_shared::display;

use super::{
    doc::{Doc, Pair},
    select::Selection,
};
use crate::parts::layout_link;

/// Characters of a line that are shown; a file may be one line of a megabyte.
const SHOWN: usize = 1_200;

/// A row of interest: a reader looking for changes stops there.
pub const fn is_change(kind: RowKind) -> bool {
    matches!(kind, RowKind::Changed | RowKind::Removed | RowKind::Added)
}

/// The part of a line that is shown.
fn shown(doc: &Doc, number: usize) -> &str {
    let text = doc.line(number);
    let end = text.char_indices().nth(SHOWN).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or(text)
}

/// Text in pieces, those inside `spans` marked.
fn marked(text: &str, spans: &[Span]) -> AnyView {
    if spans.is_empty() {
        return text.to_owned().into_any();
    }
    let mut pieces: Vec<AnyView> = Vec::new();
    let mut at = 0;
    for span in spans {
        let (Some(before), Some(inside)) = (text.get(at..span.start), text.get(span.clone())) else { continue };
        pieces.push(before.to_owned().into_any());
        let inside = inside.to_owned();
        pieces.push(view! { <mark>{inside}</mark> }.into_any());
        at = span.end;
    }
    pieces.push(text.get(at..).unwrap_or_default().to_owned().into_any());
    pieces.into_any()
}

/// Shade of a source line by how many instructions come from it.
const fn heat(count: u32) -> &'static str {
    match count {
        0 => "src",
        1..4 => "src h1",
        4..16 => "src h2",
        16..64 => "src h3",
        _ => "src h4",
    }
}

/// What the colours of a line say, in words.
pub fn title(doc: &Doc, number: usize) -> Option<String> {
    let note = doc.note(number);
    let mut parts = Vec::new();
    parts.extend(doc.chain(number));
    if let Some(count) = doc.source(number).and_then(|source| doc.count(&source)) {
        let stage = doc.stage.label();
        parts.push(format!("{} of {stage} from this source line, {} in a loop", count.count, count.in_loop));
    }
    parts.extend(note.family.map(|family| family.info().label.to_owned()));
    if note.depth > 0 {
        parts.push(format!("loop depth {}{}", note.depth, if note.hot { ", hot" } else { "" }));
    }
    parts.extend(doc.function(number).map(|function| format!("in {function}")));
    (!parts.is_empty()).then(|| parts.join(" · "))
}

const fn band(depth: u32, hot: bool) -> &'static str {
    match (depth, hot) {
        (0, _) => "lb",
        (_, true) => "lb hot",
        (1, false) => "lb l1",
        (_, false) => "lb l2",
    }
}

/// One side: a line of a text, or nothing.
pub fn side(
    doc: &Arc<Doc>,
    which: usize,
    number: Option<usize>,
    class: &'static str,
    sign: &'static str,
    spans: &[Span],
    selection: Selection,
) -> AnyView {
    let Some(number) = number else {
        return view! { <div class="ds"><span class="code void"></span></div> }.into_any();
    };
    let note = doc.note(number);
    let source = doc.source(number);
    let count = source.as_ref().and_then(|source| doc.count(source)).map_or(0, |count| count.count);
    let family = note.family.map(|family| format!("var(--f-{})", family.info().id));
    let text = shown(doc, number);
    let more = doc.line(number).get(text.len()..).map_or(0, |rest| rest.chars().count());
    let more = (more > 0).then(|| {
        let count = display::plural(more as u64, "character");
        view! { <i class="muted" data-test="cut">" … " {count} " more in the whole text"</i> }
    });
    let code = marked(text, spans);
    let mut layouts = doc.layout_uses(number).map(|found| layout_link::link(doc.layouts(), found)).peekable();
    let layouts = layouts.peek().is_some().then(|| view! { <span class="lays">{layouts.collect_view()}</span> });
    view! {
        <div
            class="ds"
            class:lit=move || selection.is_lit(which, number)
            class:picked=move || selection.is_picked(which, number)
            data-side=which
            data-line=number
        >
            <span class=band(note.depth, note.hot)></span>
            <span class="fc" style:background-color=family></span>
            <span class=heat(count)>{source.map(|source| source.line)}</span>
            <span class="no">{number + 1}</span>
            <span class="sg">{sign}</span>
            <span class=format!("code {class}")>{code} {more}</span>
            {layouts}
        </div>
    }
    .into_any()
}

/// Both sides of a row.
pub fn sides(pair: &Pair, row: Row, selection: Selection) -> AnyView {
    let number = |line: Option<u32>| line.map(|line| line as usize);
    let (a, b) = (number(row.a), number(row.b));
    let spans = match (row.kind, a, b) {
        (RowKind::Changed, Some(a), Some(b)) => words(shown(&pair.a, a), shown(&pair.b, b)),
        _ => (Vec::new(), Vec::new()),
    };
    let (left, right, minus, plus) = match row.kind {
        RowKind::Equal => ("", "", "", ""),
        RowKind::Renamed => ("quiet", "quiet", "", ""),
        RowKind::Changed => ("del", "ins", "~", "~"),
        RowKind::Removed => ("del", "", "−", ""),
        RowKind::Added => ("", "ins", "", "+"),
    };
    let left = side(&pair.a, 0, a, left, minus, &spans.0, selection);
    let right = side(&pair.b, 1, b, right, plus, &spans.1, selection);
    view! { {left} {right} }.into_any()
}
