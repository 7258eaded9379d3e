//! Which builds stand side by side: every state may have its own commit, config, target and kernel.

use leptos::prelude::*;
use lowerline_shared::{api::CommitRow, api_path, ids, limits::STATES_PER_COMPARISON, permalink::StateRef, target};

use super::View;
use crate::{
    fetch::{Fetched, use_fetch},
    parts::chips::ChoiceChip,
    shell::InProject,
};

/// Commits offered; any other can be written into the address.
const COMMITS: u32 = 100;

/// Value and text of choices, that of the page first and the present one always.
fn choices(page: &str, known: Vec<(String, String)>, present: &str) -> Vec<(String, String)> {
    let mut out = vec![(String::new(), page.to_owned())];
    out.extend(known);
    if !out.iter().any(|(value, _)| value == present) {
        out.push((present.to_owned(), ids::shown(present)));
    }
    out
}

/// The editor, closed at first: most comparisons are of two commits.
#[component]
pub fn Builds(view: View) -> impl IntoView {
    let is_open = RwSignal::new(false);
    let commits = use_fetch::<Vec<CommitRow>>(move || {
        let project = view.project.get_value().filter(|_| is_open.get())?;
        Some(api_path::commits(&project, None, COMMITS))
    });
    let number = Memo::new(move |_| view.state.with(|(states, _)| states.len()));
    let add = move |_| {
        view.push(|states, _| {
            if let Some(last) = states.last().cloned() {
                states.push(last);
            }
        });
    };
    view! {
        <details class="panel edit" data-test="edit-states" on:toggle=move |_| is_open.update(|open| *open = !*open)>
            <summary>"States: choose any builds"</summary>
            <div>
                {move || {
                    is_open
                        .get()
                        .then(|| (0..number.get()).map(|n| view! { <OneState view n commits number/> }).collect_view())
                }}
                <p class="acts">
                    <button class="btn" type="button" data-test="add-state" disabled=move || { number.get() >= STATES_PER_COMPARISON } on:click=add>
                        "Add a state"
                    </button>
                    <span class="small muted">
                        "A state is a build: its commit, and its own config, target or kernel where it is not the page's."
                    </span>
                </p>
            </div>
        </details>
    }
}

#[component]
fn OneState(view: View, n: usize, commits: Fetched<Vec<CommitRow>>, number: Memo<usize>) -> impl IntoView {
    let InProject(project) = expect_context();
    let state = Memo::new(move |_| view.state.with(|(states, _)| states.get(n).cloned()));
    let text = move |part: fn(StateRef) -> Option<String>| {
        Signal::derive(move || state.get().and_then(part).unwrap_or_default())
    };
    let edit = move |change: fn(&mut StateRef, String)| {
        Callback::new(move |value: String| {
            view.push(|states, _| {
                if let Some(state) = states.get_mut(n) {
                    change(state, value);
                }
            });
        })
    };
    let rev = text(|state| Some(state.rev.to_string()));
    let (config, target, kernel) = (
        text(|state| state.config),
        text(|state| state.target.map(|target| target.to_string())),
        text(|state| state.kernel),
    );
    let revs = Signal::derive(move || {
        let known = commits.data.get();
        let known = known.iter().flat_map(|rows| rows.iter());
        let known = known.map(|row| {
            let value = row.commit.tag.as_ref().map_or_else(|| row.commit.sha.to_string(), ToString::to_string);
            (value, row.commit.name().to_owned())
        });
        let mut known: Vec<(String, String)> = known.collect();
        let present = rev.get();
        if !known.iter().any(|(value, _)| *value == present) {
            known.insert(0, (present.clone(), present));
        }
        known
    });
    let own_kernel = move || {
        state.get().and_then(|state| state.kernel).or_else(|| view.state.with(|(_, query)| query.kernel.clone()))
    };
    let of_kernel = move |part: fn(&lowerline_shared::api::KernelSummary) -> Vec<String>| {
        let key = own_kernel();
        let known = project.get();
        let found =
            known.iter().flat_map(|all| &all.kernels).find(|kernel| Some(&kernel.key) == key.as_ref()).map(part);
        found.unwrap_or_default().into_iter().map(|text| (text.clone(), ids::shown(&text))).collect::<Vec<_>>()
    };
    let configs =
        Signal::derive(move || choices("the page's", of_kernel(|kernel| kernel.configs.clone()), &config.get()));
    let targets = Signal::derive(move || {
        let known =
            of_kernel(|kernel| target::sorted(kernel.targets.clone()).iter().map(ToString::to_string).collect());
        choices("the page's", known, &target.get())
    });
    let kernels = Signal::derive(move || {
        let known = project.get();
        let known = known.iter().flat_map(|all| &all.kernels).map(|k| (k.key.clone(), ids::shown(k.name.as_str())));
        choices("the page's", known.collect(), &kernel.get())
    });
    let letter = char::from(b'A' + u8::try_from(n).unwrap_or(25).min(25));
    view! {
        <div class="acts" data-test="state-row">
            <b class="muted">{letter.to_string()}</b>
            <ChoiceChip key="commit" value=rev choices=revs choose=edit(|state, value| {
                if let Ok(rev) = value.parse() {
                    state.rev = rev;
                }
            })/>
            <ChoiceChip key="config" value=config choices=configs choose=edit(|state, value| state.config = Some(value).filter(|text| !text.is_empty()))/>
            <ChoiceChip key="target" value=target choices=targets choose=edit(|state, value| state.target = value.parse().ok())/>
            <ChoiceChip key="kernel" value=kernel choices=kernels choose=edit(|state, value| {
                state.kernel = Some(value).filter(|text| !text.is_empty());
                state.config = None;
            })/>
            <button
                class="btn quiet"
                type="button"
                aria-label=format!("Remove state {letter}")
                disabled=move || number.get() <= 2
                on:click=move |_| {
                    view.push(|states, _| {
                        states.remove(n);
                    });
                }
            >
                "✕"
            </button>
        </div>
    }
}
