//! What the compiler decided on one target, each with the line that shows it.

use std::collections::BTreeMap;

use leptos::prelude::*;
use lowerline_shared::{
    api::{LoweringResponse, StateBuild, TargetLowering},
    api_path,
    decision::{Decision, DecisionKind},
    decision_measure::DecisionMeasure,
    display, ids,
    ids::Digest,
    lowering,
    permalink::{LoweringQuery, Page, TrendsQuery},
    stage::Stage,
};

use super::{View, layouts};
use crate::parts::{export::copy_table, marks};

/// The panel.
pub fn panel(view: View, data: &LoweringResponse, column: &TargetLowering) -> impl IntoView + use<> {
    let measures = DecisionMeasure::ALL.into_iter().filter_map(|measure| {
        let value = column.values.get(measure)?;
        let base = data.base_targets.iter().find(|base| base.target == column.target);
        let before = base.and_then(|base| base.values.get(measure)).filter(|before| *before != value);
        let before = before.map(|before| view! { <span class="why">"was " {before.to_string()}</span> });
        let trend = TrendsQuery {
            kernel: Some(data.kernel.key.clone()),
            targets: vec![column.target.clone()],
            config: Some(data.config.clone()),
            measures: vec![lowerline_shared::measure::Measure::Decision(measure)],
            ..TrendsQuery::default()
        };
        let href = Page::Trends(view.project.get_value(), trend).path();
        Some(view! {
            <li data-test=format!("decision-{}", measure.id())>
                <a class="k" href=href title="Its history">{measure.label()}</a>
                <span class="v brk"><b>{value.to_string()}</b></span>
                {before}
            </li>
        })
    });
    let digest = ttgir(column);
    let ttgir = digest.map(|digest| {
        view! { <a class="small" href=api_path::blob(&digest) download="kernel.ttgir">"TTGIR"</a> }
    });
    let notes = digest.map(layouts::notes);
    let evidence = DecisionKind::ALL.into_iter().filter_map(|kind| {
        let found: Vec<&Decision> = column.decisions.iter().filter(|decision| decision.kind == kind).collect();
        (!found.is_empty()).then(|| kind_rows(kind, &found, notes))
    });
    let metrics = match &column.build {
        StateBuild::Built { metrics, .. } => metrics.clone(),
        _ => BTreeMap::new(),
    };
    let has_metrics = !metrics.is_empty();
    let metrics = metrics.iter().map(|(name, value)| {
        view! {
            <li data-test=format!("metric-{name}")>
                <span class="k">{marks::foreign(name)}</span>
                <span class="v"><b>{display::number(*value)}</b></span>
            </li>
        }
    });
    let message = match &column.build {
        StateBuild::Failed { message, .. } => Some(view! { <p class="body brk">{ids::shown(message)}</p> }),
        _ => None,
    };
    let none = (column.decisions.is_empty() && message.is_none()).then(
        || view! { <p class="body muted">"No TTGIR was pushed: what follows is read from the instructions."</p> },
    );
    let target = column.target.clone();
    let page = match view.kept(Some(data)) {
        Page::Lowering(project, kernel, query) => {
            Page::Lowering(project, kernel, LoweringQuery { target: Some(target), ..query })
        }
        other => other,
    };
    let copy = copy_table(page, "decisions", lowering::tables::decisions(data, column));
    view! {
        <aside class="panel" data-test="decisions">
            <header>
                <h2>"Decisions"</h2>
                <span class="muted" data-test="decisions-target">{column.target.to_string()}", read from TTGIR and PTX"</span>
            </header>
            {message}
            {none}
            <ul class="dec">{measures.collect_view()}</ul>
            {has_metrics
                .then(|| {
                    view! {
                        <header class="bt"><h2>"Measured"</h2></header>
                        <ul class="dec">{metrics.collect_view()}</ul>
                    }
                })}
            <header class="bt"><h2>"Evidence"</h2><span class="muted">"line of the TTGIR"</span>{ttgir}</header>
            <ul class="dec">{evidence.collect_view()}</ul>
            <p class="body">{copy}</p>
            {notes.map(layouts::list)}
        </aside>
    }
}

fn ttgir(column: &TargetLowering) -> Option<Digest> {
    let StateBuild::Built { artifacts, .. } = &column.build else { return None };
    let found = artifacts.iter().find(|artifact| artifact.stage == Stage::Ttgir && artifact.form.is_empty())?;
    Some(found.digest)
}

fn kind_rows(kind: DecisionKind, found: &[&Decision], notes: Option<layouts::Notes>) -> impl IntoView + use<> {
    let lines = found.iter().map(|decision| {
        let subject =
            (!decision.subject.is_empty()).then(|| view! { <code>{ids::shown(&decision.subject)}</code> " " });
        let line = (decision.line > 0).then(|| format!(" · line {}", decision.line));
        let why = decision.why.clone().map(|why| view! { <span class="why">{ids::shown(&why)}</span> });
        let title = ids::shown(&decision.evidence);
        let drawn = notes.and_then(|notes| layouts::of_decision(notes, decision));
        view! {
            <span class="v brk" title=title>
                {subject}<b>{ids::shown(&decision.value)}</b><span class="muted small">{line}</span> {drawn}
            </span>
            {why}
        }
    });
    view! { <li class="ev"><span class="k">{kind.label()}</span><span class="evs">{lines.collect_view()}</span></li> }
}
