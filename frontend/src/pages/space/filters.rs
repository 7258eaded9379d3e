//! The permalink bar of the config space.

use std::sync::Arc;

use leptos::prelude::*;
use lowerline_shared::{
    api::{CommitRow, SpaceResponse},
    api_path,
    measure::Measure,
    permalink::{LoweringQuery, Page, SpaceQuery},
    space,
};

use super::{Axes, View, axes};
use crate::{
    fetch::use_fetch,
    parts::{
        chips::ChoiceChip,
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
    data: RwSignal<Option<Arc<SpaceResponse>>>,
    /// The same with the filters of the address.
    narrowed: Memo<Option<Arc<SpaceResponse>>>,
    #[prop(into)] takeaway: Signal<Takeaway>,
) -> impl IntoView {
    let commits = use_fetch::<Vec<CommitRow>>(move || {
        Some(view.project.with_value(|project| api_path::commits(project, None, COMMITS)))
    });
    let at = Signal::derive(move || {
        data.with(|data| data.as_ref().map(|data| data.commit.sha.to_string())).unwrap_or_default()
    });
    let ats = Signal::derive(move || {
        let rows = commits.data.get();
        let mut known: Vec<(String, String)> = rows
            .iter()
            .flat_map(|rows| rows.iter())
            .map(|row| (row.commit.sha.to_string(), row.commit.name().to_owned()))
            .collect();
        let present =
            data.with(|data| data.as_ref().map(|data| (data.commit.sha.to_string(), data.commit.name().to_owned())));
        known.extend(present.filter(|(sha, _)| !known.iter().any(|(other, _)| other == sha)));
        known
    });
    let target =
        Signal::derive(move || data.with(|data| data.as_ref().map(|data| data.target.to_string())).unwrap_or_default());
    let targets = Signal::derive(move || {
        data.with(|data| {
            let all = data.iter().flat_map(|data| &data.targets);
            all.map(|(target, configs)| (target.to_string(), format!("{target} ({configs})"))).collect::<Vec<_>>()
        })
    });
    let axis = move |read: fn(Axes) -> Measure| {
        Signal::derive(move || {
            let query = view.query.get();
            data.with(|data| data.as_ref().map(|data| read(axes(data, &query)).to_string())).unwrap_or_default()
        })
    };
    let measures = Signal::derive(move || {
        data.with(|data| {
            let all = data.as_ref().map(|data| space::measures(&data.configs)).unwrap_or_default();
            all.into_iter().map(|(measure, label)| (measure.to_string(), label)).collect::<Vec<_>>()
        })
    });
    let offered = Signal::derive(move || {
        narrowed.with(|data| data.as_ref().map(|data| data.sieved.offered.clone())).unwrap_or_default()
    });
    let path = move || Page::Space(view.project.get_value(), view.kernel.get(), SpaceQuery::default()).path();
    let lowering = move || {
        let query = LoweringQuery { at: at.get().parse().ok(), ..LoweringQuery::default() };
        Page::Lowering(view.project.get_value(), view.kernel.get(), query).path()
    };
    view! {
        <div class="plink" role="group" aria-label="Page state, as in the URL" data-test="filters">
            <span class="path">{path} "?"</span>
            <ChoiceChip
                key="at"
                value=at
                choices=ats
                choose=Callback::new(move |text: String| view.push(|query| query.at = text.parse().ok()))
            />
            <ChoiceChip
                key="target"
                value=target
                choices=targets
                choose=Callback::new(move |text: String| view.push(|query| query.target = text.parse().ok()))
            />
            <ChoiceChip
                key="x"
                value=axis(|axes| axes.x)
                choices=measures
                choose=Callback::new(move |text: String| view.push(|query| query.x = text.parse().ok()))
            />
            <ChoiceChip
                key="y"
                value=axis(|axes| axes.y)
                choices=measures
                choose=Callback::new(move |text: String| view.push(|query| query.y = text.parse().ok()))
            />
            <ChoiceChip
                key="sort"
                value=axis(|axes| axes.sort)
                choices=measures
                choose=Callback::new(move |text: String| view.push(|query| query.sort = text.parse().ok()))
            />
            <Only
                present=Signal::derive(move || view.query.with(|query| query.only.clone()))
                offered
                page=Callback::new(move |only| view.page(|query| query.only = only))
                choose=Callback::new(move |only| view.push(|query| query.only = only))
            />
            <span class="sep"></span>
            <a class="btn" href=lowering data-test="to-lowering">"Lowering"</a>
            <span class="grow"></span>
            <Export takeaway/>
        </div>
    }
}
