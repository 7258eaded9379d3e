//! Why one of two builds of one source is slower: inputs and decisions side by side, the first difference on top.

use std::collections::BTreeSet;

use leptos::prelude::*;
use lowerline_shared::{
    api::{BuildComparison, StateBuild},
    display,
    explain::ExplainedRow,
    table::{Cell, Table},
};

use super::{View, strip::words};
use crate::parts::{
    export::{CopyTable, Takeaway},
    marks,
};

/// The panel; nothing where no stage shows a decision.
pub fn panel(view: View, build: &BuildComparison, names: &[String]) -> AnyView {
    let Some(depth) = build.depth.as_ref().filter(|depth| !depth.explanation.rows.is_empty()) else {
        return ().into_any();
    };
    let told = &depth.explanation;
    let title = if depth.one_source { "Why builds of one source differ" } else { "Inputs and decisions" };
    let (differing, equal): (Vec<&ExplainedRow>, Vec<&ExplainedRow>) = told.rows.iter().partition(|row| row.differs());
    let chains = told.chains.iter().enumerate().filter(|(_, chain)| !chain.is_empty()).map(|(n, chain)| {
        let several = names.len() > 2;
        let head = names.get(n).filter(|_| several).map(|name| view! { <b>{name.clone()}": "</b> });
        let steps = chain.iter().enumerate().map(|(place, step)| {
            let step = if place > 0 { format!("⇒ {step}") } else { step.clone() };
            view! { <span>{words(&step)}</span> " " }
        });
        view! { <p class="brk" data-test="chain">{head} {steps.collect_view()}</p> }
    });
    let chains: Vec<_> = chains.collect();
    let chains = (!chains.is_empty()).then(|| view! { <div class="body ink2">{chains}</div> });
    let heads =
        names.iter().map(|name| view! { <th scope="col">{marks::state_head(name)}</th> }.into_any()).collect_view();
    let width = names.len() + 1;
    let summary = format!("{} without a difference", display::plural(equal.len() as u64, "row"));
    let none = differing.is_empty().then(|| {
        view! { <tr class="quiet"><td colspan=width>"No input and no decision that two states show differs."</td></tr> }
    });
    let table = export(build, names);
    let takeaway =
        Signal::derive(move || Takeaway { page: view.page(|_, _| ()), table: Some(table.clone()), name: "decisions" });
    view! {
        <section class="panel" data-test="explanation">
            <header>
                <h2>{title}</h2>
                <span class="muted">"read off IR and PTX, in the order in which the compiler decides"</span>
                <span class="end"><CopyTable takeaway/></span>
            </header>
            {chains}
            <div class="scroll">
                <table>
                    <thead><tr><th scope="col">"Input or decision"</th>{heads}</tr></thead>
                    <tbody>
                        {metrics(build)}
                        {none}
                        {differing.into_iter().map(|told| row(told, &build.states)).collect_view()}
                    </tbody>
                </table>
            </div>
            <details class="body">
                <summary class="muted">{summary}</summary>
                <div class="scroll"><table><tbody>{equal.into_iter().map(|told| row(told, &build.states)).collect_view()}</tbody></table></div>
            </details>
        </section>
    }
    .into_any()
}

fn row(row: &ExplainedRow, states: &[StateBuild]) -> impl IntoView + use<> {
    let first = row.values.first().cloned().flatten();
    let cells = row.values.iter().enumerate().map(|(n, value)| {
        // A state without the build says nothing of it.
        let is_built = matches!(states.get(n), Some(StateBuild::Built { .. }));
        let class = if n > 0 && is_built && *value != first { "chg" } else { "" };
        let line = row.lines.get(n).copied().flatten().map(|line| format!("line {line} of the TTGIR"));
        view! { <td class="wrap" title=line><span class=class>{value.clone().map_or_else(|| "–".into_any(), |value| words(&value).into_any())}</span></td> }
    });
    let subject = row.subject();
    view! {
        <tr data-test="explained" class:quiet=!row.differs()>
            <th scope="row" title=row.subjects.join(", ")>
                <span class="muted">{row.aspect.label()}</span>
                " "
                {(!subject.is_empty()).then(|| view! { <code class="brk">{subject}</code> })}
            </th>
            {cells.collect_view()}
        </tr>
    }
}

/// Measured numbers of the builds, where any was pushed.
fn measured(build: &BuildComparison) -> Vec<(String, Vec<Option<f64>>)> {
    let of = |state: &StateBuild| match state {
        StateBuild::Built { metrics, .. } => metrics.clone(),
        StateBuild::Failed { .. } | StateBuild::Missing => std::collections::BTreeMap::new(),
    };
    let by_state: Vec<_> = build.states.iter().map(of).collect();
    let names: BTreeSet<&String> = by_state.iter().flat_map(|metrics| metrics.keys()).collect();
    let row = |name: &String| (name.clone(), by_state.iter().map(|metrics| metrics.get(name).copied()).collect());
    names.into_iter().map(row).collect()
}

fn metrics(build: &BuildComparison) -> impl IntoView + use<> {
    let rows = measured(build).into_iter().map(|(name, values)| {
        let cells = values.into_iter().map(|value| {
            view! { <td>{value.map_or_else(|| "–".to_owned(), display::number)}</td> }
        });
        view! {
            <tr data-test="measured">
                <th scope="row"><span class="muted">"Measured"</span> " " <code>{name.clone()}</code></th>
                {cells.collect_view()}
            </tr>
        }
    });
    rows.collect_view()
}

fn export(build: &BuildComparison, names: &[String]) -> Table {
    let told = build.depth.as_ref().map(|depth| depth.explanation.clone()).unwrap_or_default();
    let number = |value: Option<f64>| value.map_or(Cell::Nothing, Cell::Number);
    let measured = measured(build).into_iter().map(|(name, values)| {
        let head = [Cell::Text("Measured".to_owned()), Cell::Text(name)];
        head.into_iter().chain(values.into_iter().map(number)).collect::<Vec<_>>()
    });
    let text = |value: &Option<String>| value.clone().map_or(Cell::Nothing, Cell::Text);
    let rows = told.rows.iter().map(|row| {
        let head = [Cell::Text(row.aspect.label().to_owned()), Cell::Text(row.subjects.join(", "))];
        head.into_iter().chain(row.values.iter().map(text)).collect::<Vec<_>>()
    });
    let heads = ["Input or decision", "Of"].map(str::to_owned).into_iter();
    Table {
        title: format!("{}: inputs and decisions", names.join(" → ")),
        note: told
            .chains
            .iter()
            .filter(|chain| !chain.is_empty())
            .map(|chain| chain.join(" ⇒ "))
            .collect::<Vec<_>>()
            .join(" / "),
        columns: lowerline_shared::comparison::unique(heads.chain(names.iter().cloned()).collect()),
        rows: measured.chain(rows).collect(),
        ..Table::default()
    }
}
