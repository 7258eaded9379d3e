//! The permalink bar of the trends page.

use std::sync::Arc;

use leptos::{prelude::*, task::spawn_local};
use lowerline_shared::{
    api::{KernelSummary, TrendResponse},
    api_path,
    ids::{self, TargetName},
    permalink::{Page, TrendsQuery},
    target,
};

use super::{View, picker};
use crate::{
    chart::png,
    parts::{
        chips::{ChoiceChip, ScopeSwitch, SetChip},
        export::{Export, Takeaway},
        toast::Toaster,
    },
    shell::InProject,
    theme::Theme,
};

/// The bar: each chip is one parameter of the address.
#[component]
pub fn Filters(
    view: View,
    trends: RwSignal<Option<Arc<TrendResponse>>>,
    #[prop(into)] takeaway: Signal<Takeaway>,
) -> impl IntoView {
    let InProject(project) = expect_context();
    let query = view.query;
    let kernel = Signal::derive(move || query.with(|query| query.kernel.clone()).unwrap_or_default());
    let kernels = Signal::derive(move || {
        let all = project.get();
        let known = all.iter().flat_map(|all| &all.kernels).map(|k| (k.key.clone(), ids::shown(k.name.as_str())));
        let mut kernels: Vec<(String, String)> = known.collect();
        let present = kernel.get();
        if !kernels.iter().any(|(key, _)| *key == present) {
            kernels.push((present.clone(), ids::shown(&present)));
        }
        kernels
    });
    let summary = move |read: fn(&KernelSummary) -> Vec<String>| {
        trends.with(|trends| trends.as_ref().map(|trends| read(&trends.kernel)).unwrap_or_default())
    };
    let targets = Signal::derive(move || summary(target_names));
    let chosen = Signal::derive(move || query.with(|query| query.targets.iter().map(ToString::to_string).collect()));
    let config = Signal::derive(move || {
        let asked = query.with(|query| query.config.clone());
        asked.or_else(|| trends.with(|trends| trends.as_ref().map(|t| t.config.clone()))).unwrap_or_default()
    });
    let configs = Signal::derive(move || {
        summary(|kernel| kernel.configs.clone())
            .into_iter()
            .map(|config| (config.clone(), ids::shown(&config)))
            .collect()
    });
    let scope = Signal::derive(move || query.with(|query| query.scope));
    let path = view.project.with_value(|project| Page::Trends(project.clone(), TrendsQuery::default()).path());
    let theme: Theme = expect_context();
    let picture = move || {
        let seen = theme.seen();
        query.with(|query| view.project.with_value(|project| api_path::trends_chart(project, query, seen)))
    };
    let toaster: Toaster = expect_context();
    let save_png = move |_| {
        let address = untrack(picture);
        spawn_local(async move {
            if !png::save(&address, "trends.png").await {
                toaster.say("The picture could not be made: reload the page, or save the SVG");
            }
        });
    };
    view! {
        <div class="plink" role="group" aria-label="Page state, as in the URL" data-test="filters">
            <span class="path">{path} "?"</span>
            <ChoiceChip
                key="kernel"
                value=kernel
                choices=kernels
                choose=Callback::new(move |kernel: String| {
                    // Config and selection belong to the kernel before.
                    view.push(|query| {
                        query.kernel = Some(kernel);
                        query.config = None;
                        query.targets = Vec::new();
                        query.at = None;
                    });
                })
            />
            <SetChip
                key="target"
                values=chosen
                choices=targets
                choose=Callback::new(move |targets: Vec<String>| {
                    view.push(|query| {
                        query.targets = targets.iter().filter_map(|target| target.parse::<TargetName>().ok()).collect();
                    });
                })
            />
            <ChoiceChip
                key="config"
                value=config
                choices=configs
                choose=Callback::new(move |config: String| view.push(|query| query.config = Some(config)))
            />
            <picker::Measures view trends/>
            <ScopeSwitch scope choose=Callback::new(move |scope| view.push(|query| query.scope = scope))/>
            {move || {
                query
                    .with(|query| query.at.clone())
                    .map(|at| {
                        view! {
                            <button
                                class="chip"
                                type="button"
                                data-test="chip-at"
                                title="Select no commit"
                                on:click=move |_| view.replace(|query| query.at = None)
                            >
                                <i>"at="</i>
                                <b>{at_name(trends, at.as_str())}</b>
                                <span class="x" aria-hidden="true">"×"</span>
                            </button>
                        }
                    })
            }}
            <span class="grow"></span>
            <Export takeaway/>
            <a
                class="btn quiet"
                href=picture
                rel="external"
                target="_blank"
                data-test="chart-svg"
                title="These charts as one picture at an address, to be shown in an issue"
            >
                "SVG"
            </a>
            <button class="btn quiet" type="button" data-test="chart-png" title="The same picture, saved" on:click=save_png>
                "PNG"
            </button>
        </div>
    }
}

fn target_names(kernel: &KernelSummary) -> Vec<String> {
    target::sorted(kernel.targets.clone()).iter().map(ToString::to_string).collect()
}

/// The tag of a hash, when the axis knows it.
fn at_name(trends: RwSignal<Option<Arc<TrendResponse>>>, at: &str) -> String {
    let known = trends.with(|trends| {
        let commits = trends.as_ref().map(|trends| trends.commits.as_slice()).unwrap_or_default();
        commits.iter().find(|commit| commit.sha.as_str() == at).map(|commit| commit.name().to_owned())
    });
    known.unwrap_or_else(|| at.get(..10).unwrap_or(at).to_owned())
}
