//! One line that says what was just done, read aloud by screen readers.

use leptos::{prelude::*, task::spawn_local};

use crate::browser;

/// Says things.
#[derive(Clone, Copy)]
pub struct Toaster(RwSignal<Option<String>>);

impl Toaster {
    /// For all pages.
    pub fn provide() {
        provide_context(Self(RwSignal::new(None)));
    }

    /// Shows a line for a few seconds.
    pub fn say(self, text: impl Into<String>) {
        self.0.set(Some(text.into()));
        set_timeout(move || self.0.set(None), std::time::Duration::from_secs(4));
    }

    /// Copies and says so.
    pub fn copy(self, what: &'static str, text: String) {
        spawn_local(async move {
            if browser::copy(&text).await {
                self.say(format!("{what} copied"));
            } else {
                self.say("The browser did not allow copying");
            }
        });
    }
}

/// Where the line shows.
#[component]
pub fn Toast() -> impl IntoView {
    let Toaster(text) = expect_context();
    view! {
        <div class="toast" role="status" data-test="toast" class:vh=move || text.with(Option::is_none)>
            {move || text.get()}
        </div>
    }
}
