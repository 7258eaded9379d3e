//! Equal kernels, and how to leave dead and duplicate configs out.

use leptos::prelude::*;
use lowerline_shared::{api::SpaceResponse, display, ids, space, table::Table};

use super::{View, table};
use crate::{browser, parts::toast::Toaster};

/// Groups drawn; the table of configs marks all.
const GROUPS: usize = 20;

/// Which knob changes nothing where.
pub fn same_panel(view: View, data: &SpaceResponse) -> impl IntoView + use<> {
    let groups = &data.summary.same;
    let rows = groups.iter().take(GROUPS).map(|group| {
        let inert =
            if group.inert.is_empty() { "no knob: the labels differ alone".to_owned() } else { group.inert.join(", ") };
        let first = group.configs.first().cloned().unwrap_or_default();
        let others = group.configs.iter().skip(1).map(|other| {
            let href = table::comparison(view, data, &first, other);
            view! { <a class="badge" href=href>{ids::shown(other)}</a> " " }
        });
        view! {
            <li data-test="same-kernel">
                <p class="t">
                    <b class="mono small brk">{ids::shown(&first)}</b>
                    <span class="badge">{display::plural(group.configs.len() as u64, "config")}</span>
                </p>
                <p>"inert: " <b>{inert}</b></p>
                <p>{others.collect_view()}</p>
            </li>
        }
    });
    let more = groups.len().saturating_sub(GROUPS);
    let none = groups.is_empty().then(|| view! { <p class="body muted">"Every config gives a kernel of its own."</p> });
    view! {
        <aside class="panel" data-test="same">
            <header><h2>"Identical kernels"</h2><span class="muted">"by the meaning of PTX or AMDGCN"</span></header>
            {none}
            <ul class="finds">{rows.collect_view()}</ul>
            {(more > 0).then(|| view! { <p class="body muted">{format!("{more} more are marked in the table.")}</p> })}
        </aside>
    }
}

/// The list to skip and the snippet.
pub fn panel(view: View, data: &SpaceResponse) -> impl IntoView + use<> {
    let toaster: Toaster = expect_context();
    let link = browser::absolute(&view.page(|_| {}).path());
    let skip = Table { link, ..space::skip_table(data) };
    let number = skip.rows.len() as u64;
    let python = space::python(data);
    let shown = python.clone();
    let skip = StoredValue::new(skip);
    view! {
        <aside class="panel" data-test="skip">
            <header><h2>"Leave out"</h2><span class="muted">{display::plural(number, "config")}</span></header>
            <div class="body stack">
                <p class="ink2">"For " <code>"triton.autotune(prune_configs_by=…)"</code></p>
                <pre class="copy" data-test="python">{shown}</pre>
                <span class="acts">
                    <button
                        class="btn"
                        type="button"
                        data-test="copy-python"
                        on:click=move |_| toaster.copy("Python", python.clone())
                    >
                        "Copy Python"
                    </button>
                    <button
                        class="btn quiet"
                        type="button"
                        on:click=move |_| toaster.copy("Markdown", skip.with_value(Table::markdown))
                    >
                        "Markdown"
                    </button>
                    <button
                        class="btn quiet"
                        type="button"
                        on:click=move |_| browser::download("skip.csv", "text/csv;charset=utf-8", &skip.with_value(Table::csv))
                    >
                        "CSV"
                    </button>
                    <button
                        class="btn quiet"
                        type="button"
                        on:click=move |_| browser::download("skip.json", "application/json", &skip.with_value(Table::json))
                    >
                        "JSON"
                    </button>
                </span>
            </div>
        </aside>
    }
}
