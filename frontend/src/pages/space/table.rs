//! Every config in one row.

use leptos::prelude::*;
use lowerline_shared::{
    api::{SpaceConfig, SpaceResponse},
    decision_measure::DecisionMeasure,
    display, ids,
    measure::Measure,
    permalink::{CompareQuery, Page, StateRef},
    space,
};

use super::{Axes, View, name};
use crate::parts::marks;

/// Rows drawn; exports have all.
const ROWS: usize = 500;

/// The panel.
pub fn panel(view: View, data: &SpaceResponse, axes: &Axes) -> impl IntoView + use<> {
    let knobs: Vec<String> = space::varied(&data.configs).into_iter().map(|(name, _)| name).collect();
    let metrics: Vec<Measure> = space::measures(&data.configs)
        .into_iter()
        .map(|(measure, _)| measure)
        .filter(|measure| matches!(measure, Measure::Metric(_)))
        .collect();
    let resources: Vec<Measure> = space::RESOURCES
        .into_iter()
        .map(Measure::Resource)
        .filter(|measure| {
            data.configs.iter().any(|config| space::value(config, measure).is_some_and(|value| value != 0.0))
        })
        .collect();
    let numbers: Vec<Measure> = metrics.into_iter().chain(resources).collect();
    let heads = knobs.iter().map(|knob| view! { <th class="num" scope="col">{marks::foreign(knob)}</th> }.into_any());
    let measured = numbers.iter().map(|measure| {
        let chosen = measure.clone();
        let href = view.page(|query| query.sort = Some(chosen)).path();
        let sorted = (*measure == axes.sort).then_some("descending");
        let arrow = sorted.map(|_| " ▾");
        view! { <th class="num" scope="col" aria-sort=sorted><a href=href>{name(measure)}</a>{arrow}</th> }.into_any()
    });
    let heads = heads.chain(measured).collect_view();
    let best = data.configs.iter().filter_map(|config| space::value(config, &axes.sort)).fold(0.0_f64, f64::max);
    let order = space::order(&data.configs, Some(&axes.sort));
    let rows = order.iter().take(ROWS).map(|&n| row(view, data, &data.configs[n], &knobs, &numbers, &axes.sort, best));
    let rows = rows.collect_view();
    let more = data.configs.len().saturating_sub(ROWS);
    let sorted =
        format!("sorted by {}; what a launch takes is known after compiling, before any launch", name(&axes.sort));
    view! {
        <section class="panel" data-test="configs">
            <div class="scroll">
                <table class="spacelist">
                    <caption><b>"Configs"</b>{sorted}</caption>
                    <thead>
                        <tr>
                            <th scope="col">"Config"</th>
                            <th scope="col">"Marks"</th>
                            {heads}
                            <th scope="col">"Pipelining"</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            {(more > 0).then(|| view! { <p class="body muted">{format!("{more} more are in the exports.")}</p> })}
        </section>
    }
}

fn row(
    view: View,
    data: &SpaceResponse,
    config: &SpaceConfig,
    knobs: &[String],
    numbers: &[Measure],
    sort: &Measure,
    best: f64,
) -> impl IntoView + use<> {
    let known = space::knobs(config);
    let cells = knobs.iter().map(|knob| {
        let text = known.get(knob).map_or_else(|| "–".to_owned(), |value| ids::shown(value));
        view! { <td class="num">{text}</td> }.into_any()
    });
    let values = numbers.iter().map(|measure| {
        let value = space::value(config, measure);
        let text = value.map_or_else(|| "–".to_owned(), display::number);
        let is_sorted = measure == sort;
        let bar = value.filter(|_| is_sorted && best > 0.0).map(|value| {
            let width = format!("{:.1}", value / best * 60.0);
            view! {
                <svg class="i" viewBox="0 0 60 8" width="60" height="8" aria-hidden="true">
                    <rect class="h1" width="60" height="8"></rect>
                    <rect class="fillink" width=width height="8"></rect>
                </svg>
                " "
            }
        });
        view! { <td class="num">{bar}<span class:strong=is_sorted>{text}</span></td> }.into_any()
    });
    let pipelining = config.values.get(DecisionMeasure::Pipelining).map(ToString::to_string);
    view! {
        <tr data-test="config" data-config=config.config.clone()>
            <th scope="row" class="mono small brk">{marks::foreign(&config.config)}</th>
            <td class="wrap">{badges(view, data, config)}</td>
            {cells.chain(values).collect_view()}
            <td>{pipelining.unwrap_or_else(|| "–".to_owned())}</td>
        </tr>
    }
}

fn badges(view: View, data: &SpaceResponse, config: &SpaceConfig) -> impl IntoView + use<> {
    let failed = config.message.clone().map(|message| {
        view! { <span class="badge warn" title=ids::shown(&message)>"✕ failed"</span> " " }
    });
    let dead = config.unlaunchable.clone().map(|why| {
        view! { <span class="badge hit" title=why.clone()>"does not launch"</span> <span class="small muted">{why}</span> " " }
    });
    let same = config.same_as.clone().map(|first| {
        let href = comparison(view, data, &first, &config.config);
        let from = config.same_from.map(|stage| {
            view! { <span class="small muted" data-test="same-from">{format!("from {} on", stage.label())}</span> " " }
        });
        view! { <a class="badge" href=href data-test="same-as">"same as " {ids::shown(&first)}</a> " " {from} }
    });
    let spills = config.spills.then(|| view! { <span class="badge warn">"! spills"</span> " " });
    let ceiling = config.at_ceiling.then(|| {
        let limit = data.register_limit.unwrap_or_default();
        view! { <span class="badge">{format!("at {limit} registers")}</span> " " }
    });
    let reconstruction = config.reconstruction.clone().map(|text| {
        view! { <span class="badge dash" title=ids::shown(&text)>"reconstructed"</span> }
    });
    view! { {failed}{dead}{same}{spills}{ceiling}{reconstruction} }
}

/// Two configs of one commit side by side.
pub fn comparison(view: View, data: &SpaceResponse, first: &str, other: &str) -> Option<String> {
    let rev: ids::Rev = data.commit.sha.as_str().parse().ok()?;
    let state = |config: &str| StateRef { config: Some(config.to_owned()), ..StateRef::new(rev.clone()) };
    let query = CompareQuery {
        kernel: Some(data.kernel.key.clone()),
        target: Some(data.target.clone()),
        config: Some(first.to_owned()),
        ..CompareQuery::default()
    };
    Some(Page::Compare(view.project.get_value(), vec![state(first), state(other)], query).path())
}
