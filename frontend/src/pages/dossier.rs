//! Stated figures, checked against the builds of the project: those of two articles for the demo's project, or a file of
//! the reader's own. The server judges and keeps nothing.

use std::sync::Arc;

use leptos::{ev::Event, prelude::*, task::spawn_local};
use lowerline_shared::{
    api_path,
    dossier::{Judged, Place, Status, Verdict},
    ids::{ProjectSlug, shown},
    permalink::{Page, TrendsQuery},
    table::{Cell, Table},
};
use wasm_bindgen::JsCast as _;
use wasm_bindgen_futures::JsFuture;
use web_sys::HtmlInputElement;

use crate::{
    fetch::{Failure, post_text},
    parts::{
        export::{Export, Takeaway},
        states::{Empty, ErrorCard, Skeleton},
    },
};

/// The dossiers of the demo, by the project they speak of.
const DEMO: [(&str, &str); 2] = [
    ("triton", include_str!("../../../demo/dossier/articles.toml")),
    ("matmul-h200", include_str!("../../../demo/dossier/h200.toml")),
];

type Outcome = Option<Result<Arc<Verdict>, Failure>>;

/// The page.
#[component]
pub fn DossierPage(project: ProjectSlug) -> impl IntoView {
    let initial = DEMO.iter().find(|(slug, _)| project.as_str() == *slug).map_or("", |(_, text)| text);
    let text = RwSignal::new(initial.to_owned());
    let outcome: RwSignal<Outcome> = RwSignal::new(None);
    let only = RwSignal::new(None::<Status>);
    let address = StoredValue::new(api_path::dossier(&project));
    let newest = StoredValue::new(0_u64);
    let judge = move || {
        let text = text.get_untracked();
        newest.update_value(|ticket| *ticket += 1);
        let ticket = newest.get_value();
        if text.trim().is_empty() {
            return;
        }
        outcome.set(None);
        spawn_local(async move {
            let answer = post_text::<Verdict>(&address.get_value(), text).await;
            if newest.try_get_value() == Some(ticket) {
                outcome.set(Some(answer.map(Arc::new)));
            }
        });
    };
    judge();
    let choose = move |event: Event| {
        let input = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok());
        let Some(file) = input.and_then(|input| input.files()).and_then(|files| files.get(0)) else { return };
        spawn_local(async move {
            if let Ok(read) = JsFuture::from(file.text()).await
                && let Some(read) = read.as_string()
            {
                text.set(read);
                judge();
            }
        });
    };
    let page = Page::Dossier(project.clone());
    let takeaway = Signal::derive(move || Takeaway {
        page: page.clone(),
        table: outcome.with(|outcome| match outcome {
            Some(Ok(verdict)) => Some(table(verdict)),
            _ => None,
        }),
        name: "dossier",
    });
    view! {
        <div data-test="page-dossier">
            <div class="head">
                <h1>"Dossier"</h1>
                <span class="sub">"stated figures, checked against the builds of this project"</span>
                <Export takeaway/>
            </div>
            <div class="plink">
                <label class="chip">
                    <i>"file="</i>
                    <input type="file" accept=".toml" aria-label="Check a dossier of your own" data-test="dossier-file" on:change=choose/>
                </label>
                <span class="small muted">"TOML, as `lowerline dossier` takes it; judged by the server, kept nowhere"</span>
            </div>
            {move || match outcome.get() {
                None if text.with(|text| text.trim().is_empty()) => view! {
                    <section class="panel">
                        <div class="body">
                            <Empty title="No dossier yet">
                                <p class="ink2">"Choose a file: its assertions say what is claimed, where it can be seen, and what it should be."</p>
                                <pre class="copy">{EXAMPLE}</pre>
                            </Empty>
                        </div>
                    </section>
                }
                    .into_any(),
                None => view! { <Skeleton rows=8/> }.into_any(),
                Some(Err(failure)) => view! { <ErrorCard what="The dossier" failure retry=Callback::new(move |()| judge())/> }.into_any(),
                Some(Ok(verdict)) => judged(&project, verdict, only).into_any(),
            }}
        </div>
    }
}

const EXAMPLE: &str = "\
title = \"Kernels of mine\"

[[assertion]]
id = \"matmul.registers\"
source = \"release notes 1.2\"
what = \"registers of the matmul\"
kernel = \"matmul\"
target = \"sm_90a\"
config = \"128x128x64_w8_s3\"
figure = \"resource:registers\"
expected = 128
";

fn judged(project: &ProjectSlug, verdict: Arc<Verdict>, only: RwSignal<Option<Status>>) -> impl IntoView + use<> {
    let total = verdict.assertions.len();
    let counts = Status::ALL.map(|status| (status, verdict.count(status)));
    let filter = move |status: Option<Status>, text: String| {
        view! {
            <button
                type="button"
                data-test=format!("only-{}", status.map_or("all", Status::id))
                aria-pressed=move || if only.get() == status { "true" } else { "false" }
                on:click=move |_| only.set(status)
            >
                {text}
            </button>
        }
    };
    let filters = counts
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(status, count)| filter(Some(status), format!("{count} {}", status.label())))
        .collect_view();
    let project = project.clone();
    let title = verdict.title.clone();
    view! {
        <section class="panel">
            <header>
                <h2>{shown(&title)}</h2>
                <span class="end seg" role="group" aria-label="Which assertions">{filter(None, format!("all {total}"))} {filters}</span>
            </header>
            <div class="scroll">
                <table class="dossier" data-test="verdict">
                    <thead>
                        <tr>
                            <th scope="col">"Standing"</th>
                            <th scope="col">"What is stated"</th>
                            <th scope="col">"Stated"</th>
                            <th scope="col">"Found"</th>
                            <th scope="col">"Why, and where"</th>
                        </tr>
                    </thead>
                    {move || bodies(&project, &verdict, only.get())}
                </table>
            </div>
        </section>
    }
}

/// One body a source, in order.
fn bodies(project: &ProjectSlug, verdict: &Verdict, only: Option<Status>) -> impl IntoView + use<> {
    let shown_ones: Vec<&Judged> =
        verdict.assertions.iter().filter(|judged| only.is_none_or(|only| judged.status == only)).collect();
    shown_ones
        .chunk_by(|a, b| a.source == b.source)
        .map(|group| {
            let source = group.first().map(|judged| shown(&judged.source)).unwrap_or_default();
            let rows = group.iter().map(|judged| row(project, judged)).collect_view();
            view! {
                <tbody>
                    <tr class="group"><th colspan="5" scope="colgroup">{source}</th></tr>
                    {rows}
                </tbody>
            }
        })
        .collect_view()
}

fn row(project: &ProjectSlug, judged: &Judged) -> impl IntoView + use<> {
    let got = judged.got.as_ref().map_or_else(|| "–".to_owned(), ToString::to_string);
    let class = match judged.status {
        Status::Reproduced | Status::NotCheckable => "badge",
        Status::Differs => "badge warn",
        Status::Broken | Status::Missing => "badge hit",
    };
    let mut places: Vec<(String, String)> =
        judged.at.iter().filter_map(|place| Some((place.to_string(), trend(project, place)?.path()))).collect();
    let more = places.len().saturating_sub(4);
    places.truncate(4);
    let links =
        places.into_iter().map(|(name, href)| view! { <a class="small" href=href>{shown(&name)}</a> }).collect_view();
    let figures = judged.figures.join(", ");
    view! {
        <tr data-test="assertion" data-status=judged.status.id() id=judged.id.clone()>
            <td><span class=class>{judged.status.label()}</span></td>
            <td>{shown(&judged.what)}<div class="small muted mono">{shown(&judged.id)}</div></td>
            <td class="mono brk">{judged.expected.to_string()}</td>
            <td class="mono brk">{got}</td>
            <td>
                {(!judged.why.is_empty()).then(|| view! { <div>{judged.why.clone()}</div> })}
                {(!figures.is_empty()).then(|| view! { <div class="small muted mono brk">{figures}</div> })}
                <div class="places">{links} {(more > 0).then(|| view! { <span class="small muted">{format!("and {more} more")}</span> })}</div>
            </td>
        </tr>
    }
}

/// The history of a build, at its commit.
fn trend(project: &ProjectSlug, place: &Place) -> Option<Page> {
    let query = TrendsQuery {
        kernel: Some(place.kernel.to_string()),
        targets: vec![place.target.clone()],
        config: Some(place.config.to_string()),
        at: Some(place.commit.clone()?),
        ..TrendsQuery::default()
    };
    Some(Page::Trends(project.clone(), query))
}

fn table(verdict: &Verdict) -> Table {
    let rows = verdict.assertions.iter().map(|judged| {
        let text = |text: &str| Cell::Text(text.to_owned());
        vec![
            text(judged.status.label()),
            text(&judged.id),
            text(&judged.source),
            text(&judged.what),
            text(&judged.expected.to_string()),
            judged.got.as_ref().map_or(Cell::Nothing, |got| text(&got.to_string())),
            text(&judged.why),
        ]
    });
    Table {
        title: verdict.title.clone(),
        columns: ["Standing", "Id", "Source", "What", "Stated", "Found", "Why"].map(str::to_owned).to_vec(),
        rows: rows.collect(),
        ..Table::default()
    }
}
