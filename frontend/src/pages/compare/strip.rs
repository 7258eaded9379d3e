//! The stage strip: where a change began. The first line of any change is the first stage that differs.

use std::{collections::BTreeMap, sync::Arc};

use leptos::{prelude::*, task::spawn_local};
use lowerline_shared::{
    api::{ArtifactRef, BuildComparison, StateBuild},
    api_path,
    comparison::{self, OperationChange, ReportExcerpt},
    display,
    ids::Digest,
    stage::Stage,
    strip::{Relation, Strip, StripCell, StripColumn, strip},
};

use super::View;
use crate::fetch::get_json;

/// Operations named in the sentence.
const NAMED: usize = 4;

/// Reports by digest; `None` for a blob without one.
type Reports = BTreeMap<Digest, Option<Arc<ReportExcerpt>>>;

fn artifacts(build: &BuildComparison) -> Vec<Vec<ArtifactRef>> {
    let main = |state: &StateBuild| match state {
        StateBuild::Built { artifacts, .. } => {
            artifacts.iter().filter(|artifact| artifact.form.is_empty()).cloned().collect()
        }
        StateBuild::Failed { .. } | StateBuild::Missing => Vec::new(),
    };
    build.states.iter().map(main).collect()
}

/// The panel. Reports come one by one; the strip shows when all are there.
pub fn panel(view: View, build: &BuildComparison, names: &[String]) -> impl IntoView + use<> {
    let artifacts = StoredValue::new(artifacts(build));
    let mut digests: Vec<Digest> =
        artifacts.with_value(|all| all.iter().flatten().map(|artifact| artifact.digest).collect());
    digests.sort_unstable();
    digests.dedup();
    let expected = digests.len();
    let reports = RwSignal::new(Reports::new());
    for digest in digests {
        spawn_local(async move {
            let report = get_json::<ReportExcerpt>(&api_path::report(&digest)).await.ok().map(Arc::new);
            reports.try_update(|reports| reports.insert(digest, report));
        });
    }
    let names = names.to_vec();
    view! {
        <section class="panel" data-test="strip">
            {move || {
                // Links hold the whole state of the page.
                view.state.with(|_| ());
                reports
                    .with(|reports| {
                        if reports.len() < expected {
                            return view! { <div class="body loading"><span class="skel w2"></span><span class="skel tall"></span></div> }
                                .into_any();
                        }
                        artifacts.with_value(|artifacts| shown(view, artifacts, reports, &names))
                    })
            }}
        </section>
    }
}

fn shown(view: View, artifacts: &[Vec<ArtifactRef>], reports: &Reports, names: &[String]) -> AnyView {
    let mut known = Vec::new();
    let states: Vec<_> = artifacts
        .iter()
        .map(|artifacts| {
            let facts = artifacts.iter().map(|artifact| {
                let unread = ReportExcerpt::default();
                let report = reports.get(&artifact.digest).and_then(Option::as_deref).unwrap_or(&unread);
                (artifact.stage, comparison::stage_facts(artifact.digest, report, &mut known))
            });
            facts.collect::<BTreeMap<_, _>>()
        })
        .collect();
    let strip = strip(&states);
    let first = strip.first_difference;
    let heads = strip.columns.iter().map(|column| {
        let is_first = first == Some(column.stage);
        view! {
            <th scope="col" class:fdcol=is_first>
                {is_first.then(|| view! { <span class="fdmark">"first stage that differs ▼"</span> })}
                {column.stage.label()}
            </th>
        }
    });
    let rows = names.iter().enumerate().map(|(n, name)| {
        let cells = strip.columns.iter().map(|column| {
            let cell = column.cells.get(n).and_then(Option::as_ref);
            view! { <td class:fdcol=first == Some(column.stage)>{stage_cell(view, column, cell)}</td> }
        });
        view! { <tr><th scope="row">{name.clone()}</th>{cells.collect_view()}</tr> }
    });
    let sentence = sentence(&strip, artifacts, reports);
    let link = first.filter(|stage| lowerline_analyzer::diff::has_text(*stage)).map(|stage| {
        let href = view.page(|_, query| query.stage = Some(stage)).path();
        view! { " " <a href=href data-test="open-text">"Open aligned " {stage.label()}</a> }
    });
    view! {
        <div class="scroll">
            <table class="strip">
                <caption><b>"Stages"</b>"same letter and fill: equal but for names (machine code: same opcode histogram)"</caption>
                <thead><tr><th scope="col"><span class="vh">"State"</span></th>{heads.collect_view()}</tr></thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
        <p class="body ink2 brk" data-test="strip-sentence">{sentence} {link}</p>
    }
    .into_any()
}

fn stage_cell(view: View, column: &StripColumn, cell: Option<&StripCell>) -> AnyView {
    let Some(cell) = cell else { return view! { <span class="stg none">"–"</span> }.into_any() };
    let fill = match cell.letter {
        'A' => "stg a",
        'B' => "stg b",
        _ => "stg c",
    };
    let unit = if column.stage.has_families() || column.stage == Stage::Cubin { "instr." } else { "ops" };
    let amount =
        cell.amount.map(|amount| format!("{} {unit}", display::count(i64::try_from(amount).unwrap_or(i64::MAX))));
    let title = match cell.relation {
        Relation::Equal => "the same bytes as the first state",
        Relation::EqualButNames => "equal but for names, paths, locations or numbering",
        Relation::EqualHistogram => "other bytes, the same opcode histogram",
        Relation::Differs => "differs from the first state",
    };
    let title = format!("{title}; {}", cell.digest);
    let inner = view! { <em>{cell.letter.to_string()}</em> {amount} };
    if lowerline_analyzer::diff::has_text(column.stage) {
        let stage = column.stage;
        let href = view.page(|_, query| query.stage = Some(stage)).path();
        view! { <a class=fill href=href title=title>{inner}</a> }.into_any()
    } else {
        view! { <span class=fill title=title>{inner}</span> }.into_any()
    }
}

fn named(change: &OperationChange) -> String {
    let loops = change.in_loop.filter(|(before, now)| before != now);
    let loops = loops.map(|(before, now)| format!(" (in a loop {before} → {now})")).unwrap_or_default();
    format!("{} {} → {}{loops}", change.name, change.before, change.now)
}

/// What the strip says, in words.
fn sentence(strip: &Strip, artifacts: &[Vec<ArtifactRef>], reports: &Reports) -> String {
    let equal = strip.last_equal.map(|stage| format!("{} is equal", stage.label()));
    let Some(first) = strip.first_difference else {
        return equal.map_or_else(
            || "The states have no stage in common.".to_owned(),
            |_| "Equal in every stage that two states have.".to_owned(),
        );
    };
    let mut having = artifacts.iter().filter_map(|artifacts| {
        let artifact = artifacts.iter().find(|artifact| artifact.stage == first)?;
        reports.get(&artifact.digest)?.clone()
    });
    let changes = match (having.next(), having.next_back()) {
        (Some(a), Some(b)) => comparison::operation_changes(&a, &b),
        _ => Vec::new(),
    };
    let mut words: Vec<String> = changes.iter().take(NAMED).map(named).collect();
    if changes.len() > NAMED {
        words.push(format!("{} more", changes.len() - NAMED));
    }
    if words.is_empty() {
        words.push("the same operations, in another order or with other operands".to_owned());
    }
    let equal = equal.map(|equal| format!("{equal}; ")).unwrap_or_default();
    format!("{equal}{}: {}.", first.label(), words.join(", "))
}
