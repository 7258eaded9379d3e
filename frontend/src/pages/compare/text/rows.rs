//! One line of the diff as markup: numbers, sign, code with the words that differ.

use leptos::prelude::*;
use lowerline_analyzer::diff::{Row, RowKind, Span, words};

use super::Pair;

/// Characters of a line that are shown; a file may be one line of a megabyte.
const SHOWN: usize = 1_200;

/// A row of interest: a reader looking for changes stops there.
pub const fn is_change(kind: RowKind) -> bool {
    matches!(kind, RowKind::Changed | RowKind::Removed | RowKind::Added)
}

fn line(lines: &[String], number: Option<u32>) -> Option<(u32, &str)> {
    let number = number?;
    let text = lines.get(number as usize)?;
    let end = text.char_indices().nth(SHOWN).map_or(text.len(), |(at, _)| at);
    Some((number + 1, text.get(..end).unwrap_or(text)))
}

/// Text in pieces, those inside `spans` marked.
fn marked(text: &str, spans: &[Span]) -> impl IntoView + use<> {
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
    pieces
}

fn side(line: Option<(u32, &str)>, class: &'static str, sign: &'static str, spans: &[Span]) -> AnyView {
    match line {
        Some((number, text)) => {
            let code = marked(text, spans);
            view! {
                <span class="no">{number}</span>
                <span class="sg">{sign}</span>
                <span class=format!("code {class}")>{code}</span>
            }
            .into_any()
        }
        None => view! { <span class="no"></span><span class="sg"></span><span class="code void"></span> }.into_any(),
    }
}

/// The cells of one row.
pub fn cells(pair: &Pair, row: Row) -> AnyView {
    let (a, b) = (line(&pair.a, row.a), line(&pair.b, row.b));
    let spans = match (row.kind, a, b) {
        (RowKind::Changed, Some((_, a)), Some((_, b))) => words(a, b),
        _ => (Vec::new(), Vec::new()),
    };
    let (left, right, minus, plus) = match row.kind {
        RowKind::Equal => ("", "", "", ""),
        RowKind::Renamed => ("quiet", "quiet", "", ""),
        RowKind::Changed => ("del", "ins", "~", "~"),
        RowKind::Removed => ("del", "", "−", ""),
        RowKind::Added => ("", "ins", "", "+"),
    };
    view! { {side(a, left, minus, &spans.0)} {side(b, right, plus, &spans.1)} }.into_any()
}
