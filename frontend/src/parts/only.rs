//! The chips that narrow a page to builds of some decision.

use leptos::prelude::*;
use lowerline_shared::{decision_filter::DecisionFilter, decision_measure::DecisionMeasure, permalink::Page};

/// One chip for every filter of decisions, and one to add another.
#[component]
pub fn Only(
    /// Filters of the address.
    #[prop(into)]
    present: Signal<Vec<DecisionFilter>>,
    /// Filters that leave something of the rest out, each with how many it keeps.
    #[prop(into)]
    offered: Signal<Vec<(DecisionFilter, u64)>>,
    /// The page with other filters.
    page: Callback<Vec<DecisionFilter>, Page>,
    /// Takes the filters with one more.
    choose: Callback<Vec<DecisionFilter>>,
) -> impl IntoView {
    let chips = move || {
        let present = present.get();
        let chips = present.iter().map(|filter| {
            let label = filter.label();
            let rest = present.iter().filter(|other| *other != filter).cloned().collect();
            let href = page.run(rest).path();
            let remove = format!("Remove the filter {label}");
            view! {
                <a class="chip" href=href title=remove.clone() aria-label=remove data-test="only">
                    <i>"only="</i>
                    <b>{label}</b>
                    <span class="x" aria-hidden="true">"✕"</span>
                </a>
            }
        });
        chips.collect_view()
    };
    let add = move |event| {
        let Ok(filter) = event_target_value(&event).parse() else { return };
        let mut filters = present.get_untracked();
        filters.push(filter);
        choose.run(filters);
    };
    // Made anew with every choice, so that it stands at its first option again.
    let select = move || {
        let (offered, present) = (offered.get(), present.get());
        let group = |measure: DecisionMeasure| {
            let of_measure =
                offered.iter().filter(|(filter, _)| filter.measure == measure && !present.contains(filter));
            let options = of_measure.map(|(filter, count)| {
                view! { <option value=filter.to_string()>{format!("{} ({count})", filter.wanted.label())}</option> }
            });
            let options: Vec<_> = options.collect();
            (!options.is_empty()).then(|| view! { <optgroup label=measure.label()>{options}</optgroup> })
        };
        let groups: Vec<_> = DecisionMeasure::ALL.into_iter().filter_map(group).collect();
        view! {
            <select aria-label="Filter by a decision" on:change=add>
                <option value="">"+ decision"</option>
                {groups}
            </select>
        }
    };
    view! {
        {chips}
        <label class="chip add" data-test="add-only">{select}</label>
    }
}
