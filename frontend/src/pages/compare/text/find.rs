//! Search in the texts on the page: `/`, then Enter for the next and Shift+Enter for the one before.

use leptos::{ev, html, prelude::*};
use lowerline_shared::display;
use wasm_bindgen::{JsCast as _, closure::Closure};

use super::View;
use crate::browser;

/// Which rows match, and where the reader is among them.
#[derive(Clone, Copy)]
pub struct Finder {
    /// What is looked for.
    pub needle: RwSignal<String>,
    /// What the address asks for; empty for nothing.
    asked: Memo<String>,
    hits: Memo<Vec<usize>>,
    at: RwSignal<Option<usize>>,
    go: Callback<usize>,
}

impl Finder {
    /// `matches` tells the rows that hold a needle, which is not empty and in lower case; `go` brings one into sight.
    /// What the address asks for is looked for at once.
    pub fn new(view: View, matches: impl Fn(&str) -> Vec<usize> + Send + Sync + 'static, go: Callback<usize>) -> Self {
        let needle = RwSignal::new(String::new());
        let at = RwSignal::new(None);
        let hits = Memo::new(move |_| {
            let needle = needle.get().to_lowercase();
            if needle.is_empty() { Vec::new() } else { matches(&needle) }
        });
        let asked = Memo::new(move |_| view.state.with(|(_, query)| query.find.clone()).unwrap_or_default());
        let finder = Self { needle, asked, hits, at, go };
        Effect::new(move |_| {
            let text = asked.get();
            if !text.is_empty() {
                needle.set(text);
                at.set(None);
                finder.step(false);
            }
        });
        finder
    }

    fn step(self, back: bool) {
        self.hits.with_untracked(|hits| {
            if hits.is_empty() {
                return;
            }
            let next = match (self.at.get_untracked(), back) {
                (None, false) => 0,
                (None, true) => hits.len() - 1,
                (Some(at), false) => (at + 1) % hits.len(),
                (Some(at), true) => at.checked_sub(1).unwrap_or(hits.len() - 1),
            };
            self.at.set(Some(next));
            if let Some(row) = hits.get(next) {
                self.go.run(*row);
            }
        });
    }

    fn told(self) -> String {
        let count = self.hits.with(Vec::len);
        match (self.needle.with(String::is_empty), self.at.get()) {
            (true, _) => String::new(),
            (false, Some(at)) if at < count => format!("{} of {}", at + 1, count),
            _ => display::plural(count as u64, "line"),
        }
    }
}

/// The field.
#[component]
pub fn Find(finder: Finder) -> impl IntoView {
    let field: NodeRef<html::Input> = NodeRef::new();
    // On the way down, before the search of the project hears it.
    let listen = Closure::<dyn FnMut(ev::KeyboardEvent)>::new(move |event: ev::KeyboardEvent| {
        if event.key() == "/" && !browser::is_typing() && !event.ctrl_key() && !event.meta_key() {
            event.prevent_default();
            event.stop_propagation();
            if let Some(field) = field.get_untracked() {
                let _ = field.focus();
                field.select();
            }
        }
    });
    let listen = StoredValue::new_local(listen);
    listen.with_value(|listen| {
        let _ = window().add_event_listener_with_callback_and_bool("keydown", listen.as_ref().unchecked_ref(), true);
    });
    on_cleanup(move || {
        let _ = listen.try_with_value(|listen| {
            window().remove_event_listener_with_callback_and_bool("keydown", listen.as_ref().unchecked_ref(), true)
        });
    });
    // A link to lines leads to them, past the tables above.
    Effect::new(move |_| {
        let field = field.get();
        if let Some(field) = field.filter(|_| !finder.asked.with(String::is_empty)) {
            field.scroll_into_view();
        }
    });
    view! {
        <label class="find textfind">
            <span class="vh">"Search the text"</span>
            <input
                type="search"
                placeholder="Search the text"
                autocomplete="off"
                data-test="find"
                node_ref=field
                prop:value=move || finder.needle.get()
                on:input=move |event| {
                    finder.at.set(None);
                    finder.needle.set(event_target_value(&event));
                }
                on:keydown=move |event: ev::KeyboardEvent| match event.key().as_str() {
                    "Enter" => finder.step(event.shift_key()),
                    "Escape" => {
                        if let Some(field) = field.get_untracked() {
                            let _ = field.blur();
                        }
                    }
                    _ => {}
                }
            />
            <span class="small muted" data-test="found">{move || finder.told()}</span>
            <kbd>"/"</kbd>
        </label>
    }
}
