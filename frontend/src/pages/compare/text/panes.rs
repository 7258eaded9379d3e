//! Two texts beside each other, of any states and stages: a line on one side lights up its counterparts on the other.

use std::sync::Arc;

use leptos::{ev, html, prelude::*};
use lowerline_shared::{api::BuildComparison, needle, permalink::PaneRef, stage::Stage};

use super::{
    View, digest_of,
    doc::{self, Doc},
    find::{Find, Finder},
    lined_digest_of, rows,
    scroller::{Scroller, pixels, scroll_to},
    select::{Selected, Selection},
    sources::Sources,
};
use crate::{
    browser,
    fetch::use_answer,
    parts::{chips::ChoiceChip, states},
};

/// A pane with its text's digest.
type Chosen = (PaneRef, lowerline_shared::ids::Digest);

/// All texts the states have, as values and names of a choice.
fn choices(build: &BuildComparison, names: &[String]) -> Vec<(PaneRef, String)> {
    let mut all = Vec::new();
    for (n, (state, name)) in build.states.iter().zip(names).enumerate() {
        let Ok(n) = u8::try_from(n) else { continue };
        for stage in Stage::ALL {
            if stage != Stage::Hsaco && digest_of(state, stage).is_some() {
                all.push((PaneRef { state: n, stage }, format!("{name} · {}", stage.label())));
            }
        }
    }
    all
}

/// The panes of the address, or why there are none.
pub fn panel(view: View, build: &BuildComparison, names: &[String], panes: (PaneRef, PaneRef)) -> AnyView {
    let all = choices(build, names);
    let chosen = |pane: PaneRef| -> Option<Chosen> {
        Some((pane, lined_digest_of(build.states.get(usize::from(pane.state))?, pane.stage)?))
    };
    let by_state = all.iter().map(|(pane, _)| *pane).collect::<Vec<_>>();
    let options: Vec<(String, String)> = all.iter().map(|(pane, name)| (pane.to_string(), name.clone())).collect();
    let chip = |side: usize, present: PaneRef| {
        let options = options.clone();
        let choose = move |value: String| {
            if let Ok(pane) = value.parse::<PaneRef>() {
                change(view, side, pane);
            }
        };
        view! {
            <ChoiceChip
                key=if side == 0 { "left" } else { "right" }
                value=present.to_string()
                choices=options
                choose=Callback::new(choose)
            />
        }
    };
    let chips = view! { {chip(0, panes.0)} {chip(1, panes.1)} };
    let body = match (chosen(panes.0), chosen(panes.1)) {
        (Some(a), Some(b)) => view! { <Panes view all=by_state a b/> }.into_any(),
        _ => view! {
            <p class="body ink2" data-test="no-pane">"One of these states has no such stage as text. Choose another text above."</p>
        }
        .into_any(),
    };
    view! { <div class="lgrow acts wide">{chips}</div> {body} }.into_any()
}

/// Another text on one side. The selected line stays when its text does.
fn change(view: View, side: usize, pane: PaneRef) {
    view.replace(|_, query| {
        query.find = None;
        query.panes = query.panes.map(|(a, b)| if side == 0 { (pane, b) } else { (a, pane) });
        query.line = query.line.filter(|line| query.panes.is_some_and(|(a, b)| a == line.pane || b == line.pane));
    });
}

/// The next text of the same state, in lowering order.
fn next_stage(all: &[PaneRef], present: PaneRef, down: bool) -> Option<PaneRef> {
    let of_state: Vec<PaneRef> = all.iter().copied().filter(|pane| pane.state == present.state).collect();
    let here = of_state.iter().position(|pane| *pane == present)?;
    of_state.get(if down { here + 1 } else { here.checked_sub(1)? }).copied()
}

#[component]
fn Panes(view: View, all: Vec<PaneRef>, a: Chosen, b: Chosen) -> impl IntoView {
    let blobs = view.blobs();
    let fetched = use_answer(
        move || Some((a, b)),
        move |(a, b): (Chosen, Chosen)| async move {
            Ok((doc::read(blobs, a.0.stage, a.1).await?, doc::read(blobs, b.0.stage, b.1).await?))
        },
    );
    move || match (fetched.failure.get(), fetched.data.get()) {
        (Some(failure), _) => {
            let retry = Callback::new(move |()| fetched.retry());
            view! { <states::ErrorCard what="This text" failure retry/> }.into_any()
        }
        (None, Some(docs)) => {
            view! { <Both view all=all.clone() panes=[a.0, b.0] docs=[docs.0.clone(), docs.1.clone()]/> }.into_any()
        }
        (None, None) => view! { <div class="body loading"><span class="skel tall"></span></div> }.into_any(),
    }
}

/// The pane that has the keyboard.
fn focused(nodes: [NodeRef<html::Div>; 2]) -> Option<usize> {
    let active = document().active_element()?;
    nodes.iter().position(|node| node.get_untracked().is_some_and(|node| node.contains(Some(&active))))
}

#[component]
fn Both(view: View, all: Vec<PaneRef>, panes: [PaneRef; 2], docs: [Arc<Doc>; 2]) -> impl IntoView {
    let selection = Selection::new(view, panes, docs.clone());
    let nodes: [NodeRef<html::Div>; 2] = [NodeRef::new(), NodeRef::new()];
    // The pane that was clicked stays; the other goes to the first counterpart.
    Effect::new(move |before: Option<Option<(usize, usize)>>| {
        let picked = selection.picked();
        let Some((side, number)) = picked else { return picked };
        let other = 1 - side;
        let (Some(_), Some(_)) = (nodes[0].get(), nodes[1].get()) else { return before.flatten() };
        if before.is_none_or(|before| before != picked) {
            if before.is_none_or(|before| before.is_none()) {
                scroll_to(nodes[side], number);
            }
            if let Some(first) = selection.lines(other).first() {
                scroll_to(nodes[other], *first);
            }
        }
        picked
    });
    Effect::new(move |_| {
        let (Some(left), Some(right)) = (nodes[0].get(), nodes[1].get()) else { return };
        match view.keyboard.try_update_untracked(Option::take).flatten() {
            Some(0) => drop(left.focus()),
            Some(_) => drop(right.focus()),
            None => {}
        }
    });
    // `j` and `k` walk the counterparts of the other side.
    let walked = RwSignal::new(0_usize);
    let keys = window_event_listener(ev::keydown, move |event| {
        if browser::is_typing() || event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let down = match event.key().as_str() {
            "j" | "n" => true,
            "k" | "p" => false,
            key @ ("[" | "]") => {
                let side = focused(nodes).or_else(|| untrack(|| selection.picked()).map(|(side, _)| side)).unwrap_or(0);
                if let Some(pane) = next_stage(&all, panes[side], key == "]") {
                    view.keyboard.set(Some(side));
                    change(view, side, pane);
                }
                return;
            }
            _ => return,
        };
        let Some((side, _)) = untrack(|| selection.picked()) else { return };
        let lines = untrack(|| selection.lines(1 - side));
        if lines.is_empty() {
            return;
        }
        let at = walked.get_untracked().min(lines.len() - 1);
        // Neighbouring lines are one stop.
        let next = if down {
            (at + 1..lines.len()).find(|n| lines[*n] > lines[*n - 1] + 1)
        } else {
            (0..at).rev().find(|n| *n == 0 || lines[*n] > lines[*n - 1] + 1)
        };
        if let Some(next) = next {
            walked.set(next);
            scroll_to(nodes[1 - side], lines[next]);
        }
    });
    on_cleanup(move || keys.remove());
    let first_lines = docs[0].len();
    let finder = Finder::new(
        view,
        {
            let docs = docs.clone();
            move |needle| {
                let in_doc = |doc: &Doc| -> Vec<usize> {
                    (0..doc.len()).filter(|line| needle::holds(&doc.line(*line).to_lowercase(), needle)).collect()
                };
                let second = in_doc(&docs[1]).into_iter().map(|line| line + first_lines);
                in_doc(&docs[0]).into_iter().chain(second).collect()
            }
        },
        Callback::new(move |row: usize| match row.checked_sub(first_lines) {
            Some(row) => scroll_to(nodes[1], row),
            None => scroll_to(nodes[0], row),
        }),
    );
    let warnings: Vec<String> = panes
        .iter()
        .zip(&docs)
        .filter_map(|(pane, doc)| match doc.warning() {
            Some(warning) => Some(format!("{pane}: nothing is known of its lines ({warning}).")),
            None if doc.sources().next().is_none() => Some(format!(
                "{pane} names no place in source, so none of its lines can light up. A cubin's line table may."
            )),
            None => None,
        })
        .collect();
    let lists = [0, 1].map(|side| {
        let (doc, count) = (docs[side].clone(), docs[side].len());
        let row = move |number: usize| {
            let inner = rows::side(&doc, side, Some(number), "", "", &[], selection);
            view! { <div class="dr one" style:top=pixels(number)>{inner}</div> }.into_any()
        };
        let test = if side == 0 { "pane-left" } else { "pane-right" };
        view! { <Scroller count=Signal::stored(count) key=|place| place as u64 row selection node=nodes[side] label=panes[side].to_string() test/> }
    });
    view! {
        <div class="lgrow acts wide">
            <Selected selection/>
            <span class="grow"></span>
            <Find finder/>
        </div>
        {warnings.into_iter().map(|warning| view! { <p class="note plain">{warning}</p> }).collect_view()}
        <div class="panes">{lists.into_iter().collect_view()}</div>
        <p class="keys">
            <span><kbd>"j"</kbd><kbd>"k"</kbd>"counterparts"</span>
            <span><kbd>"["</kbd><kbd>"]"</kbd>"stages of the pane with the keyboard"</span>
            <span><kbd>"/"</kbd>"search"</span>
            <span class="bands"><i class="lb l1"></i>"loop"<i class="lb l2"></i>"inner loop"<i class="lb hot"></i>"hot loop"</span>
            <span class="bands"><i class="src h1">"1"</i><i class="src h2">"4"</i><i class="src h3">"16"</i><i class="src h4">"64"</i>"source line, shaded by how many come from it"</span>
        </p>
        <Sources view panes docs selection/>
    }
}
