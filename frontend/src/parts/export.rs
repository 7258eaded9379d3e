//! Copy link, copy Markdown, save as CSV or JSON: the same on every page.

use leptos::prelude::*;
use lowerline_shared::{permalink::Page, table::Table};

use super::toast::Toaster;
use crate::browser;

/// What a page offers to take away.
#[derive(Clone)]
pub struct Takeaway {
    /// The page as it should be opened again.
    pub page: Page,
    /// The table in view; `None` while there is none.
    pub table: Option<Table>,
    /// File name without ending.
    pub name: &'static str,
}

/// The buttons, and the keys `y` and `m`.
#[component]
pub fn Export(
    /// Read when a button is pressed.
    #[prop(into)]
    takeaway: Signal<Takeaway>,
) -> impl IntoView {
    let toaster: Toaster = expect_context();
    let link = move || takeaway.with_untracked(|takeaway| browser::absolute(&takeaway.page.path()));
    let table = move || {
        takeaway.with_untracked(|takeaway| {
            takeaway.table.clone().map(|table| Table { link: browser::absolute(&takeaway.page.path()), ..table })
        })
    };
    let copy_link = move || toaster.copy("Link", link());
    let copy_markdown = move || match table() {
        Some(table) => toaster.copy("Markdown", table.markdown()),
        None => toaster.say("There is no table yet"),
    };
    let save = move |ending: &'static str| {
        let Some(table) = table() else { return toaster.say("There is no table yet") };
        let name = takeaway.with_untracked(|takeaway| format!("{}.{ending}", takeaway.name));
        match ending {
            "csv" => browser::download(&name, "text/csv;charset=utf-8", &table.csv()),
            _ => browser::download(&name, "application/json", &table.json()),
        }
    };
    let keys = window_event_listener(leptos::ev::keydown, move |event| {
        if browser::is_typing() || event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        match event.key().as_str() {
            "y" => copy_link(),
            "m" => copy_markdown(),
            _ => {}
        }
    });
    on_cleanup(move || keys.remove());
    view! {
        <span class="acts">
            <button class="btn" type="button" data-test="copy-link" on:click=move |_| copy_link()>
                "Copy link " <kbd>"y"</kbd>
            </button>
            <button class="btn" type="button" data-test="copy-markdown" on:click=move |_| copy_markdown()>
                "Copy Markdown " <kbd>"m"</kbd>
            </button>
            <button class="btn quiet" type="button" data-test="save-csv" on:click=move |_| save("csv")>
                "CSV"
            </button>
            <button class="btn quiet" type="button" data-test="save-json" on:click=move |_| save("json")>
                "JSON"
            </button>
        </span>
    }
}
