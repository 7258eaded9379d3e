//! Two texts of one stage, aligned: unchanged runs collapse, changes are walked, a map shows where they are.

use std::{
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::Arc,
};

use leptos::{ev, html, prelude::*};
use lowerline_shared::{
    display,
    fold::{self, Entry},
    needle,
    stage::Stage,
};

use super::{
    View,
    doc::Pair,
    find::{Find, Finder},
    rows,
    scroller::{Scroller, pixels, scroll_to},
    select::{Selected, Selection},
};
use crate::browser;

/// Unchanged rows kept beside a change.
const CONTEXT: usize = 4;
/// Lines of the minimap.
const MAP: usize = 300;

/// The scrolling window, its search and its keys.
#[component]
pub fn Window(view: View, stage: Stage, stages: Vec<Stage>, pair: Arc<Pair>, selection: Selection) -> impl IntoView {
    let changed: Arc<Vec<bool>> = Arc::new(pair.rows.iter().map(|row| rows::is_change(row.kind)).collect());
    let opened: RwSignal<Vec<usize>> = RwSignal::new(Vec::new());
    let entries = Memo::new({
        let changed = changed.clone();
        move |_| Arc::new(fold::fold(&changed, CONTEXT, &opened.get()))
    });
    let node: NodeRef<html::Div> = NodeRef::new();
    let current = RwSignal::new(None::<usize>);
    let stops = fold::stops(&changed);
    let go_to = move |row: usize| {
        current.set(Some(row));
        let folded = entries.with_untracked(|entries| {
            entries.iter().find_map(|entry| match entry {
                Entry::Fold(from, to) if (*from..*to).contains(&row) => Some(*from),
                _ => None,
            })
        });
        if let Some(from) = folded {
            opened.update(|opened| opened.push(from));
        }
        let place = entries.with_untracked(|entries| entries.iter().position(|entry| *entry == Entry::Row(row)));
        if let Some(place) = place {
            scroll_to(node, place);
        }
    };
    let finder = Finder::new(
        view,
        {
            let pair = pair.clone();
            move |needle| {
                let holds = |row: &lowerline_analyzer::diff::Row| {
                    let a = row.a.is_some_and(|line| needle::holds(&pair.a.line(line as usize).to_lowercase(), needle));
                    a || row.b.is_some_and(|line| needle::holds(&pair.b.line(line as usize).to_lowercase(), needle))
                };
                pair.rows.iter().enumerate().filter(|(_, row)| holds(row)).map(|(n, _)| n).collect()
            }
        },
        Callback::new(go_to),
    );
    let keys = window_event_listener(ev::keydown, {
        let stops = stops.clone();
        move |event| {
            if browser::is_typing() || event.ctrl_key() || event.meta_key() || event.alt_key() {
                return;
            }
            let here = current.get_untracked();
            match event.key().as_str() {
                "j" | "n" => {
                    let next = stops.iter().copied().find(|stop| here.is_none_or(|here| *stop > here));
                    next.into_iter().for_each(go_to);
                }
                "k" | "p" => {
                    let before = stops.iter().rev().copied().find(|stop| here.is_some_and(|here| *stop < here));
                    before.into_iter().for_each(go_to);
                }
                "e" => opened.set(entries.with_untracked(|entries| {
                    entries
                        .iter()
                        .filter_map(|e| if let Entry::Fold(from, _) = e { Some(*from) } else { None })
                        .collect()
                })),
                "[" | "]" => step_stage(view, stage, &stages, event.key() == "]"),
                _ => {}
            }
        }
    });
    on_cleanup(move || keys.remove());
    // A link to a line opens at it.
    let linked = untrack(|| selection.picked()).and_then(|(side, number)| {
        let number = u32::try_from(number).ok();
        pair.rows.iter().position(|row| number.is_some() && (if side == 0 { row.a } else { row.b }) == number)
    });
    Effect::new(move |done: Option<bool>| {
        let there = node.get().is_some();
        if there && done != Some(true) {
            linked.into_iter().for_each(go_to);
        }
        there
    });
    let row = {
        let pair = pair.clone();
        move |place: usize| {
            let entry = entries.with_untracked(|entries| entries.get(place).copied());
            entry.map(|entry| line(&pair, place, entry, current, opened, selection)).into_any()
        }
    };
    let key = move |place: usize| {
        let mut hasher = DefaultHasher::new();
        let entry = entries.with_untracked(|entries| entries.get(place).copied());
        let (from, to) = match entry {
            Some(Entry::Row(row)) => (row, None),
            Some(Entry::Fold(from, to)) => (from, Some(to)),
            None => (usize::MAX, None),
        };
        (place, from, to).hash(&mut hasher);
        hasher.finish()
    };
    view! {
        <div class="lgrow acts wide">
            <Selected selection/>
            <span class="grow"></span>
            <Find finder/>
        </div>
        <div class="diffwrap">
            <Scroller count=Signal::derive(move || entries.with(|entries| entries.len())) key row selection node label="Aligned text".to_owned() test="diff"/>
            <Map pair changed stops go=Callback::new(go_to) selection/>
        </div>
        <p class="keys">
            <span><kbd>"j"</kbd><kbd>"k"</kbd>"changes"</span>
            <span><kbd>"["</kbd><kbd>"]"</kbd>"stages"</span>
            <span><kbd>"/"</kbd>"search"</span>
            <span><kbd>"e"</kbd>"expand"</span>
            <span class="bands"><i class="lb l1"></i>"loop"<i class="lb l2"></i>"inner loop"<i class="lb hot"></i>"hot loop"</span>
            <span class="bands"><i class="src h1">"1"</i><i class="src h2">"4"</i><i class="src h3">"16"</i><i class="src h4">"64"</i>"source line, shaded by how many come from it"</span>
        </p>
    }
}

fn line(
    pair: &Pair,
    place: usize,
    entry: Entry,
    current: RwSignal<Option<usize>>,
    opened: RwSignal<Vec<usize>>,
    selection: Selection,
) -> AnyView {
    let top = pixels(place);
    match entry {
        Entry::Row(n) => {
            let Some(row) = pair.rows.get(n) else { return ().into_any() };
            let sides = rows::sides(pair, *row, selection);
            let kind = if rows::is_change(row.kind) { "change" } else { "same" };
            view! {
                <div
                    class="dr"
                    class:cur=move || current.get() == Some(n)
                    data-test=kind
                    style:top=top
                >
                    {sides}
                </div>
            }
            .into_any()
        }
        Entry::Fold(from, to) => {
            let text = format!("{} unchanged lines", display::count(i64::try_from(to - from).unwrap_or(i64::MAX)));
            view! {
                <div class="dr fold" style:top=top>
                    <button type="button" data-test="fold" on:click=move |_| opened.update(|opened| opened.push(from))>
                        "⋯ " {text}
                    </button>
                </div>
            }
            .into_any()
        }
    }
}

/// Changes, loops and counterparts over the whole text.
#[component]
fn Map(
    pair: Arc<Pair>,
    changed: Arc<Vec<bool>>,
    stops: Vec<usize>,
    go: Callback<usize>,
    selection: Selection,
) -> impl IntoView {
    let total = changed.len();
    let bars = |spans: Vec<(usize, usize)>, class: &'static str, x: &'static str, width: &'static str| {
        let bar = move |(top, length): (usize, usize)| view! { <rect class=class x=x y=top width=width height=length.max(1)></rect> };
        spans.into_iter().map(bar).collect_view()
    };
    let number = |line: Option<u32>| line.map(|line| line as usize);
    let looped = |hot: bool| -> Vec<bool> {
        let in_loop = |row: &lowerline_analyzer::diff::Row| {
            let note = number(row.a).map(|line| pair.a.note(line)).or(number(row.b).map(|line| pair.b.note(line)));
            note.is_some_and(|note| if hot { note.hot } else { note.depth > 0 })
        };
        pair.rows.iter().map(in_loop).collect()
    };
    let loops = bars(fold::minimap(&looped(false), MAP), "loop1", "2", "5");
    let hot = bars(fold::minimap(&looped(true), MAP), "loop2", "2", "5");
    let changes = bars(fold::minimap(&changed, MAP), "m-ins", "9", "20");
    let lit = move || {
        let [in_a, in_b] = selection.all();
        if in_a.is_empty() && in_b.is_empty() {
            return ().into_any();
        }
        let is_lit = |row: &lowerline_analyzer::diff::Row| {
            number(row.a).is_some_and(|line| in_a.contains(&line))
                || number(row.b).is_some_and(|line| in_b.contains(&line))
        };
        let rows: Vec<bool> = pair.rows.iter().map(is_lit).collect();
        bars(fold::minimap(&rows, MAP), "m-lit", "31", "8").into_any()
    };
    let to_row = move |event: ev::MouseEvent| {
        use wasm_bindgen::JsCast as _;
        let map = event.current_target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        let Some(bounds) = map.map(|map| map.get_bounding_client_rect()) else { return };
        let part = (f64::from(event.client_y()) - bounds.top()) / bounds.height().max(1.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the rows")]
        let row = (part * total as f64).clamp(0.0, total as f64) as usize;
        let nearest = stops.iter().copied().min_by_key(|stop| stop.abs_diff(row));
        go.run(nearest.unwrap_or(row));
    };
    view! {
        <div class="mini" on:click=to_row title="Loops, changes and what is lit over the whole text">
            <svg viewBox=format!("0 0 40 {MAP}") preserveAspectRatio="none" width="100%" height="100%" aria-hidden="true">
                {loops} {hot} {changes} {lit}
            </svg>
        </div>
    }
}

/// The next stage in lowering order, of those the build has.
fn step_stage(view: View, stage: Stage, stages: &[Stage], down: bool) {
    let Some(here) = stages.iter().position(|other| *other == stage) else { return };
    let next = if down { here + 1 } else { here.wrapping_sub(1) };
    if let Some(next) = stages.get(next).copied() {
        view.replace(|_, query| {
            query.stage = Some(next);
            query.find = None;
            query.line = None;
        });
    }
}
