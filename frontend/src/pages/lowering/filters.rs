//! The permalink bar of the lowering page.

use std::sync::Arc;

use leptos::prelude::*;
use lowerline_shared::{
    api::{CommitRow, LoweringResponse},
    api_path, ids,
    ids::Rev,
    permalink::{LoweringQuery, Page, SpaceQuery},
};

use super::View;
use crate::{
    fetch::use_fetch,
    parts::{
        chips::{ChoiceChip, ScopeSwitch},
        export::{Export, Takeaway},
        only::Only,
    },
};

/// Commits offered; others are reached by their address.
const COMMITS: u32 = 100;

/// The bar: each chip is one parameter of the address.
#[component]
pub fn Filters(
    view: View,
    data: RwSignal<Option<Arc<LoweringResponse>>>,
    #[prop(into)] takeaway: Signal<Takeaway>,
) -> impl IntoView {
    let commits = use_fetch::<Vec<CommitRow>>(move || {
        Some(view.project.with_value(|project| api_path::commits(project, None, COMMITS)))
    });
    let known = move || {
        let rows = commits.data.get();
        let rows = rows.iter().flat_map(|rows| rows.iter());
        rows.map(|row| (row.commit.sha.to_string(), row.commit.name().to_owned())).collect::<Vec<_>>()
    };
    let with = |mut choices: Vec<(String, String)>, present: &str, name: Option<String>| {
        if !present.is_empty() && !choices.iter().any(|(value, _)| value == present) {
            choices.push((present.to_owned(), name.unwrap_or_else(|| present.to_owned())));
        }
        choices
    };
    let at = Signal::derive(move || {
        data.with(|data| data.as_ref().map(|data| data.commit.sha.to_string())).unwrap_or_default()
    });
    let base = Signal::derive(move || {
        data.with(|data| data.as_ref().and_then(|data| Some(data.base.as_ref()?.sha.to_string()))).unwrap_or_default()
    });
    let ats = Signal::derive(move || {
        let name = data.with(|data| data.as_ref().map(|data| data.commit.name().to_owned()));
        with(known(), &at.get(), name)
    });
    let bases = Signal::derive(move || {
        let mut choices = vec![(String::new(), "none".to_owned())];
        choices.extend(known());
        with(choices, &base.get(), None)
    });
    let config =
        Signal::derive(move || data.with(|data| data.as_ref().map(|data| data.config.clone())).unwrap_or_default());
    let configs = Signal::derive(move || {
        data.with(|data| {
            let all = data.iter().flat_map(|data| &data.configs);
            all.map(|found| (found.config.clone(), format!("{} ({})", ids::shown(&found.config), found.targets)))
                .collect::<Vec<_>>()
        })
    });
    // A filter may leave out every build of the config in view.
    let configs = Signal::derive(move || with(configs.get(), &config.get(), None));
    let scope = Signal::derive(move || view.query.with(|query| query.scope));
    let path = move || Page::Lowering(view.project.get_value(), view.kernel.get(), LoweringQuery::default()).path();
    let space = move || {
        let query = SpaceQuery { at: at.get().parse().ok(), ..SpaceQuery::default() };
        Page::Space(view.project.get_value(), view.kernel.get(), query).path()
    };
    let choose_rev = move |text: &str| text.parse::<Rev>().ok();
    view! {
        <div class="plink" role="group" aria-label="Page state, as in the URL" data-test="filters">
            <span class="path">{path} "?"</span>
            <ChoiceChip
                key="at"
                value=at
                choices=ats
                choose=Callback::new(move |text: String| view.push(|query| query.at = choose_rev(&text)))
            />
            <ChoiceChip
                key="config"
                value=config
                choices=configs
                choose=Callback::new(move |config: String| view.push(|query| query.config = Some(config)))
            />
            <ChoiceChip
                key="base"
                value=base
                choices=bases
                choose=Callback::new(move |text: String| view.push(|query| query.base = choose_rev(&text)))
            />
            <Only
                present=Signal::derive(move || view.query.with(|query| query.only.clone()))
                offered=Signal::derive(move || {
                    data.with(|data| data.as_ref().map(|data| data.sieved.offered.clone())).unwrap_or_default()
                })
                page=Callback::new(move |only| view.page(|query| query.only = only))
                choose=Callback::new(move |only| view.push(|query| query.only = only))
            />
            <ScopeSwitch scope choose=Callback::new(move |scope| view.push(|query| query.scope = scope))/>
            <span class="sep"></span>
            <a class="btn" href=space data-test="to-space">"Config space"</a>
            <span class="grow"></span>
            <Export takeaway/>
        </div>
    }
}
