//! The layouts of one target's TTGIR, its conversions and its accesses to shared memory, each with the way to its picture.
//! The worker reads them off the text: a report holds only the beginning of a line.

use leptos::prelude::*;
use lowerline_shared::{
    decision::{Decision, DecisionKind},
    display,
    ids::{self, Digest},
    stage::Stage,
    worker::{Answer, LayoutNotes, LayoutUse, LayoutUseKind, Question},
};

use crate::{
    blobs::{self, Blobs},
    fetch::{Fetched, use_answer},
    parts::layout_link,
};

/// Lines listed; the others are counted, and the text has them all.
const LISTED: usize = 200;

/// What the worker finds in a TTGIR.
pub type Notes = Fetched<LayoutNotes>;

/// Asks the worker.
pub fn notes(digest: Digest) -> Notes {
    use_answer(
        move || Some(digest),
        |digest| async move {
            let question = Question::Read { digest, stage: Stage::Ttgir };
            match blobs::ask(Blobs::Server, &question, &[digest]).await?.answer {
                Answer::Text(notes) => Ok(notes.layouts),
                _ => Err(blobs::failed("This text could not be read.".to_owned())),
            }
        },
    )
}

/// The use of layouts that shows a decision; `None` for decisions about other things.
fn shown_by<'a>(notes: &'a LayoutNotes, kind: DecisionKind, subject: &str, line: u32) -> Option<&'a LayoutUse> {
    match kind {
        DecisionKind::LayoutKind => {
            notes.uses.iter().find(|found| found.kind == LayoutUseKind::Layout && found.says == subject)
        }
        _ => notes.of_line(line).find(|found| found.kind == LayoutUseKind::Conversion),
    }
}

/// The picture of the layouts that a decision is about, once the worker has read them.
pub fn of_decision(notes: Notes, decision: &Decision) -> Option<impl IntoView + use<>> {
    let kinds = [DecisionKind::LayoutKind, DecisionKind::Conversions, DecisionKind::ConversionsInLoop];
    let (kind, line, subject) = (decision.kind, decision.line, decision.subject.clone());
    let drawn = move || {
        let notes = notes.data.get()?;
        shown_by(&notes, kind, &subject, line).map(|found| layout_link::link(&notes, found))
    };
    kinds.contains(&kind).then_some(drawn)
}

/// All of them, by line.
pub fn list(notes: Notes) -> impl IntoView {
    move || match (notes.failure.get(), notes.data.get()) {
        (Some(failure), _) => {
            Some(view! { <p class="body muted" data-test="layouts-failed">{failure.message}</p> }.into_any())
        }
        (None, Some(notes)) => (!notes.uses.is_empty()).then(|| table(&notes)),
        (None, None) => None,
    }
}

fn table(notes: &LayoutNotes) -> AnyView {
    let rows = notes.uses.iter().take(LISTED).map(|found| {
        let what = match found.kind {
            LayoutUseKind::Layout => "layout",
            LayoutUseKind::Conversion if found.loops > 0 => "conversion in a loop",
            LayoutUseKind::Conversion => "conversion",
            LayoutUseKind::Access if found.loops > 0 => "shared memory in a loop",
            LayoutUseKind::Access => "shared memory",
        };
        view! {
            <tr data-test="layout-use">
                <td class="num">{found.line}</td>
                <td class="wrap">
                    <span class="mono brk">{notes.names(found)}</span>
                    <span class="muted small lk">{what} ", " {found.shape.clone()} " " {ids::shown(&found.element)}</span>
                    {layout_link::link(notes, found)}
                </td>
            </tr>
        }
    });
    let count = |kind| notes.uses.iter().filter(|found| found.kind == kind).count() as u64;
    let sums = [
        display::plural(count(LayoutUseKind::Layout), "layout"),
        display::plural(count(LayoutUseKind::Conversion), "conversion"),
        format!("{} to or from shared memory", display::plural(count(LayoutUseKind::Access), "transfer")),
    ];
    let more = notes.uses.len().saturating_sub(LISTED) as u64 + notes.left_out;
    let more = (more > 0).then(|| {
        view! { <p class="small muted body">{format!("{more} more are in the text and not listed.")}</p> }
    });
    view! {
        <details class="sources" data-test="layouts">
            <summary>{sums.join(", ")}</summary>
            <div class="scroll">
                <table class="low">
                    <thead>
                        <tr><th class="num" scope="col">"Line"</th><th scope="col">"Layouts, cost"</th></tr>
                    </thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
            {more}
        </details>
    }
    .into_any()
}
