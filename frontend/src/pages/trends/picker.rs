//! The measures of the page: chips, and a field that finds families, opcodes and resources as one types.

use std::sync::Arc;

use leptos::{ev, prelude::*};
use lowerline_shared::{
    api::{MeasureHit, TrendResponse},
    api_path, display,
    measure::Measure,
};

use super::{View, grid, measure};
use crate::fetch::use_fetch;

/// Hits shown at once; the server sends the likeliest first.
const SHOWN: usize = 30;

/// Chips and field. The default set stays out of the address until it is changed.
#[component]
pub fn Measures(view: View, trends: RwSignal<Option<Arc<TrendResponse>>>) -> impl IntoView {
    let text = RwSignal::new(String::new());
    let open = RwSignal::new(false);
    let shown = Memo::new(move |_| {
        let asked = view.query.with(|query| query.measures.clone());
        if !asked.is_empty() {
            return asked;
        }
        trends.with(|trends| trends.as_ref().map(|trends| grid::measures(trends)).unwrap_or_default())
    });
    let hits = use_fetch::<Vec<MeasureHit>>(move || {
        open.get().then(|| {
            let kernel = view.query.with(|query| query.kernel.clone());
            view.project.with_value(|project| api_path::measures(project, kernel.as_deref(), text.get().trim()))
        })
    });
    let remove = move |measure: &Measure| {
        let left: Vec<Measure> = shown.get_untracked().into_iter().filter(|other| other != measure).collect();
        view.push(|query| query.measures = left);
    };
    let add = move |measure: Measure| {
        let mut measures = shown.get_untracked();
        if !measures.contains(&measure) {
            measures.push(measure);
        }
        text.set(String::new());
        open.set(false);
        view.push(|query| query.measures = measures);
    };
    let first_hit = move || hits.data.with_untracked(|hits| hits.as_ref().and_then(|hits| hits.first().cloned()));
    let on_key = move |event: ev::KeyboardEvent| match event.key().as_str() {
        "Escape" => open.set(false),
        "Enter" => {
            // A measure typed in full needs no search.
            let typed = text.with_untracked(|text| text.trim().parse::<Measure>().ok());
            if let Some(measure) = typed.or_else(|| first_hit().map(|hit| hit.measure)) {
                add(measure);
            }
        }
        "Backspace" if text.with_untracked(String::is_empty) => {
            if let Some(last) = shown.with_untracked(|shown| shown.last().cloned()) {
                remove(&last);
            }
        }
        _ => {}
    };
    view! {
        <span class="measures" data-test="chip-measure">
            <span class="chip lead"><i>"measure="</i></span>
            {move || {
                shown
                    .get()
                    .into_iter()
                    .map(|shown| {
                        let text = shown.to_string();
                        let label = format!("Remove {text}");
                        let value = text.clone();
                        view! {
                            <button
                                class="chip"
                                type="button"
                                data-test="measure"
                                data-measure=value
                                aria-label=label
                                title=measure::name(&shown)
                                on:click=move |_| remove(&shown)
                            >
                                <b class="first">{text}</b>
                                <span class="x" aria-hidden="true">"×"</span>
                            </button>
                        }
                    })
                    .collect_view()
            }}
            <span class="adder">
                <input
                    class="chip add"
                    type="text"
                    placeholder="+ measure"
                    aria-label="Add a measure: family, opcode, resource"
                    autocomplete="off"
                    spellcheck="false"
                    data-test="measure-search"
                    prop:value=move || text.get()
                    on:focus=move |_| open.set(true)
                    on:input=move |event| {
                        text.set(event_target_value(&event));
                        open.set(true);
                    }
                    on:blur=move |_| {
                        set_timeout(move || { open.try_set(false); }, std::time::Duration::from_millis(200));
                    }
                    on:keydown=on_key
                />
                <Show when=move || open.get()>
                    <ul class="menu found" data-test="measure-hits">
                        {move || match (hits.failure.get(), hits.data.get()) {
                            (Some(failure), _) => view! { <li class="muted">{failure.message}</li> }.into_any(),
                            (None, None) => view! { <li class="muted">"Searching"</li> }.into_any(),
                            (None, Some(hits)) if hits.is_empty() => {
                                view! { <li class="muted">"No measure of that name in this kernel"</li> }.into_any()
                            }
                            (None, Some(hits)) => list(&hits, Callback::new(add)).into_any(),
                        }}
                    </ul>
                </Show>
            </span>
        </span>
    }
}

fn list(hits: &[MeasureHit], add: Callback<Measure>) -> impl IntoView + use<> {
    let items = hits.iter().take(SHOWN).cloned().map(move |hit| {
        let id = hit.measure.to_string();
        let value = id.clone();
        view! {
            <li>
                <button
                    type="button"
                    data-test="measure-hit"
                    data-measure=value
                    // Before the field loses focus, which closes the list.
                    on:mousedown=move |event| {
                        event.prevent_default();
                        add.run(hit.measure.clone());
                    }
                >
                    <span class="brk">{hit.label.clone()}</span>
                    <code class="muted">{id}</code>
                    <span class="muted small">{display::plural(hit.variants, "variant")}</span>
                </button>
            </li>
        }
    });
    let more = hits.len().saturating_sub(SHOWN);
    view! {
        {items.collect_view()}
        {(more > 0).then(|| view! { <li class="muted">{format!("{more} more: type on")}</li> })}
    }
}
