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

/// Writes and copies one takeaway.
#[derive(Clone, Copy)]
struct Writer {
    takeaway: Signal<Takeaway>,
    toaster: Toaster,
}

impl Writer {
    fn link(self) -> String {
        self.takeaway.with_untracked(|takeaway| browser::absolute(&takeaway.page.path()))
    }

    fn table(self) -> Option<Table> {
        let table = self.takeaway.with_untracked(|takeaway| takeaway.table.clone());
        table.map(|table| Table { link: self.link(), ..table })
    }

    fn copy_link(self) {
        self.toaster.copy("Link", self.link());
    }

    fn copy_markdown(self) {
        match self.table() {
            Some(table) => self.toaster.copy("Markdown", table.markdown()),
            None => self.toaster.say("There is no table yet"),
        }
    }

    fn save(self, ending: &'static str) {
        let Some(table) = self.table() else { return self.toaster.say("There is no table yet") };
        let name = self.takeaway.with_untracked(|takeaway| format!("{}.{ending}", takeaway.name));
        match ending {
            "csv" => browser::download(&name, "text/csv;charset=utf-8", &table.csv()),
            _ => browser::download(&name, "application/json", &table.json()),
        }
    }
}

/// The same for one table of a page that has several, without keys.
#[component]
pub fn CopyTable(
    /// Read when a button is pressed.
    #[prop(into)]
    takeaway: Signal<Takeaway>,
) -> impl IntoView {
    let writer = Writer { takeaway, toaster: expect_context() };
    view! {
        <span class="acts small">
            <button class="btn quiet" type="button" data-test="copy-table" on:click=move |_| writer.copy_markdown()>
                "Markdown"
            </button>
            <button class="btn quiet" type="button" on:click=move |_| writer.save("csv")>"CSV"</button>
            <button class="btn quiet" type="button" on:click=move |_| writer.save("json")>"JSON"</button>
        </span>
    }
}

/// The same for a table that is drawn anew with what it shows.
pub fn copy_table(page: Page, name: &'static str, table: Table) -> impl IntoView {
    let takeaway = Signal::stored(Takeaway { page, table: Some(table), name });
    view! { <CopyTable takeaway/> }
}

/// The buttons, and the keys `y` and `m`.
#[component]
pub fn Export(
    /// Read when a button is pressed.
    #[prop(into)]
    takeaway: Signal<Takeaway>,
) -> impl IntoView {
    let writer = Writer { takeaway, toaster: expect_context() };
    let keys = window_event_listener(leptos::ev::keydown, move |event| {
        if browser::is_typing() || event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        match event.key().as_str() {
            "y" => writer.copy_link(),
            "m" => writer.copy_markdown(),
            _ => {}
        }
    });
    on_cleanup(move || keys.remove());
    view! {
        <span class="acts">
            <button class="btn" type="button" data-test="copy-link" on:click=move |_| writer.copy_link()>
                "Copy link " <kbd>"y"</kbd>
            </button>
            <button class="btn" type="button" data-test="copy-markdown" on:click=move |_| writer.copy_markdown()>
                "Copy Markdown " <kbd>"m"</kbd>
            </button>
            <button class="btn quiet" type="button" data-test="save-csv" on:click=move |_| writer.save("csv")>
                "CSV"
            </button>
            <button class="btn quiet" type="button" data-test="save-json" on:click=move |_| writer.save("json")>
                "JSON"
            </button>
        </span>
    }
}
