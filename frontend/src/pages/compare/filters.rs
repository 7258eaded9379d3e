//! The permalink bar of the comparison.

use std::sync::Arc;

use leptos::prelude::*;
use lowerline_shared::{
    api::CompareResponse,
    ids::{self, TargetName},
    target,
};

use super::View;
use crate::{
    parts::{
        chips::{ChoiceChip, ScopeSwitch},
        export::{Export, Takeaway},
    },
    shell::InProject,
};

/// What stands for "no choice" in a list.
const ALL: &str = "";

fn with_all(mut choices: Vec<(String, String)>, present: &str) -> Vec<(String, String)> {
    if !present.is_empty() && !choices.iter().any(|(value, _)| value == present) {
        choices.push((present.to_owned(), ids::shown(present)));
    }
    choices.insert(0, (ALL.to_owned(), "all".to_owned()));
    choices
}

/// The bar.
#[component]
pub fn Filters(
    view: View,
    data: RwSignal<Option<Arc<CompareResponse>>>,
    #[prop(into)] takeaway: Signal<Takeaway>,
) -> impl IntoView {
    let InProject(project) = expect_context();
    let kernel = Signal::derive(move || view.state.with(|(_, query)| query.kernel.clone()).unwrap_or_default());
    let target = Signal::derive(move || {
        view.state.with(|(_, query)| query.target.as_ref().map(ToString::to_string)).unwrap_or_default()
    });
    let scope = Signal::derive(move || view.state.with(|(_, query)| query.scope));
    let kernels = Signal::derive(move || {
        let known = project.get();
        let known = known.iter().flat_map(|all| &all.kernels).map(|k| (k.key.clone(), ids::shown(k.name.as_str())));
        with_all(known.collect(), &kernel.get())
    });
    let targets = Signal::derive(move || {
        let known = project.get();
        let kernel = kernel.get();
        let of_kernel = known.iter().flat_map(|all| &all.kernels).find(|k| k.key == kernel).map(|k| k.targets.clone());
        let names = of_kernel.or_else(|| known.as_ref().map(|all| all.project.targets.clone())).unwrap_or_default();
        let names = target::sorted(names);
        with_all(names.iter().map(|name| (name.to_string(), name.to_string())).collect(), &target.get())
    });
    let config = Signal::derive(move || {
        let asked = view.state.with(|(_, query)| query.config.clone());
        let taken = || {
            data.with(|data| match data.as_ref().map(|data| data.builds.as_slice()) {
                Some([build]) => Some(build.config.clone()),
                _ => None,
            })
        };
        asked.or_else(taken).unwrap_or_default()
    });
    let configs = Signal::derive(move || {
        let known = project.get();
        let kernel = kernel.get();
        let of_kernel = known.iter().flat_map(|all| &all.kernels).find(|k| k.key == kernel);
        let labels = of_kernel.map(|k| k.configs.clone()).unwrap_or_default();
        with_all(labels.into_iter().map(|label| (label.clone(), ids::shown(&label))).collect(), &config.get())
    });
    view! {
        <div class="plink" role="group" aria-label="Page state, as in the URL" data-test="filters">
            <button
                class="btn quiet"
                type="button"
                data-test="swap"
                title="Turn the order of the states around"
                on:click=move |_| view.push(|states, _| states.reverse())
            >
                "⇄ swap " <kbd>"x"</kbd>
            </button>
            <ChoiceChip
                key="kernel"
                value=kernel
                choices=kernels
                choose=Callback::new(move |kernel: String| {
                    view.push(|_, query| {
                        query.kernel = Some(kernel).filter(|kernel| !kernel.is_empty());
                        query.config = None;
                    });
                })
            />
            <ChoiceChip
                key="target"
                value=target
                choices=targets
                choose=Callback::new(move |target: String| {
                    view.push(|_, query| query.target = target.parse::<TargetName>().ok());
                })
            />
            <ChoiceChip
                key="config"
                value=config
                choices=configs
                choose=Callback::new(move |config: String| {
                    view.push(|_, query| query.config = Some(config).filter(|config| !config.is_empty()));
                })
            />
            <ScopeSwitch scope choose=Callback::new(move |scope| view.push(|_, query| query.scope = scope))/>
            <span class="grow"></span>
            <Export takeaway/>
        </div>
    }
}
