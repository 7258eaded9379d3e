//! The URL is the filter bar: each chip is one query parameter, spelled as in the address.

use leptos::prelude::*;
use lowerline_shared::stage::Scope;

/// A parameter with one value out of a list.
#[component]
pub fn ChoiceChip(
    /// As in the address.
    key: &'static str,
    /// Present value; empty shows `all`.
    #[prop(into)]
    value: Signal<String>,
    /// Value and text of every choice.
    #[prop(into)]
    choices: Signal<Vec<(String, String)>>,
    /// Takes the chosen value.
    choose: Callback<String>,
) -> impl IntoView {
    view! {
        <label class="chip" data-test=format!("chip-{key}")>
            <i>{key} "="</i>
            <select
                aria-label=format!("Edit {key}")
                on:change=move |event| choose.run(event_target_value(&event))
                prop:value=move || value.get()
            >
                {move || {
                    let present = value.get();
                    choices
                        .get()
                        .into_iter()
                        .map(|(choice, text)| {
                            let selected = choice == present;
                            view! { <option value=choice selected=selected>{text}</option> }
                        })
                        .collect_view()
                }}
            </select>
        </label>
    }
}

/// A parameter with several values out of a list; none chosen means all.
#[component]
pub fn SetChip(
    /// As in the address.
    key: &'static str,
    /// Present values.
    #[prop(into)]
    values: Signal<Vec<String>>,
    /// All values there are.
    #[prop(into)]
    choices: Signal<Vec<String>>,
    /// Takes the new values.
    choose: Callback<Vec<String>>,
) -> impl IntoView {
    let text = move || values.with(|values| if values.is_empty() { "all".to_owned() } else { values.join(",") });
    let toggle = move |choice: &str| {
        let mut chosen = values.get_untracked();
        match chosen.iter().position(|value| value == choice) {
            Some(n) => {
                chosen.remove(n);
            }
            None => chosen.push(choice.to_owned()),
        }
        // As listed, so that one choice has one address.
        let order = choices.get_untracked();
        chosen.sort_by_key(|value| order.iter().position(|other| other == value));
        choose.run(if chosen.len() == order.len() { Vec::new() } else { chosen });
    };
    view! {
        <details class="chipmenu" data-test=format!("chip-{key}")>
            <summary class="chip"><i>{key} "="</i><b>{text}</b><span class="x" aria-hidden="true">"▾"</span></summary>
            <div class="menu" role="group" aria-label=format!("Edit {key}")>
                {move || {
                    choices
                        .get()
                        .into_iter()
                        .map(|choice| {
                            let checked = values.with(|values| values.is_empty() || values.contains(&choice));
                            let name = choice.clone();
                            view! {
                                <button
                                    type="button"
                                    role="menuitemcheckbox"
                                    aria-checked=if checked { "true" } else { "false" }
                                    on:click=move |_| toggle(&choice)
                                >
                                    <span class="tick">{if checked { "✓" } else { "" }}</span>
                                    {name}
                                </button>
                            }
                        })
                        .collect_view()
                }}
                <button type="button" class="all" on:click=move |_| choose.run(Vec::new())>"all"</button>
            </div>
        </details>
    }
}

/// Whole function, any loop, hot loop.
#[component]
pub fn ScopeSwitch(
    /// Present scope.
    #[prop(into)]
    scope: Signal<Scope>,
    /// Takes the chosen scope.
    choose: Callback<Scope>,
) -> impl IntoView {
    view! {
        <span class="seg" role="group" aria-label="Scope of the counts" data-test="scope">
            {Scope::ALL
                .map(|choice| {
                    view! {
                        <button
                            type="button"
                            data-test=format!("scope-{}", choice.id())
                            aria-pressed=move || if scope.get() == choice { "true" } else { "false" }
                            on:click=move |_| choose.run(choice)
                        >
                            {match choice {
                                Scope::Function => "function",
                                Scope::Loop => "in a loop",
                                Scope::Hot => "hot loop",
                            }}
                        </button>
                    }
                })
                .into_iter()
                .collect_view()}
        </span>
    }
}
