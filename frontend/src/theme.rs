//! Light, dark, or as the system says. Charts read colours when they draw, so they are told of every change.

use leptos::prelude::*;
use lowerline_shared::chart;
use wasm_bindgen::{JsCast as _, prelude::Closure};

use crate::browser;

const SETTING: &str = "lowerline-theme";

/// What the reader chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// `prefers-color-scheme` decides.
    System,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

impl Choice {
    const fn id(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    const fn next(self) -> Self {
        match self {
            Self::System => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::System,
        }
    }
}

/// The theme of all pages.
#[derive(Clone, Copy)]
pub struct Theme {
    choice: RwSignal<Choice>,
    /// Moves whenever colours may have changed.
    pub drawn: RwSignal<u32>,
}

impl Theme {
    /// Reads the setting, applies it and follows the system.
    pub fn provide() -> Self {
        let choice = match browser::setting(SETTING).as_deref() {
            Some("light") => Choice::Light,
            Some("dark") => Choice::Dark,
            _ => Choice::System,
        };
        let theme = Self { choice: RwSignal::new(choice), drawn: RwSignal::new(0) };
        Effect::new(move |_| {
            let choice = theme.choice.get();
            if let Some(root) = document().document_element() {
                let _ = match choice {
                    Choice::System => root.remove_attribute("data-theme"),
                    Choice::Light | Choice::Dark => root.set_attribute("data-theme", choice.id()),
                };
            }
            browser::keep_setting(SETTING, choice.id());
            theme.drawn.update(|drawn| *drawn += 1);
        });
        if let Ok(Some(query)) = window().match_media("(prefers-color-scheme: dark)") {
            let redraw = Closure::<dyn Fn()>::new(move || theme.drawn.update(|drawn| *drawn += 1));
            let _ = query.add_event_listener_with_callback("change", redraw.as_ref().unchecked_ref());
            // Lives as long as the page, like the theme.
            redraw.forget();
        }
        provide_context(theme);
        theme
    }

    /// The next choice in the round system, light, dark.
    pub fn advance(self) {
        self.choice.update(|choice| *choice = choice.next());
    }

    /// As what is seen, the system's choice included.
    pub fn seen(self) -> chart::Theme {
        self.drawn.track();
        let asks_for_dark =
            || window().match_media("(prefers-color-scheme: dark)").ok().flatten().is_some_and(|q| q.matches());
        match self.choice.get() {
            Choice::Dark => chart::Theme::Dark,
            Choice::System if asks_for_dark() => chart::Theme::Dark,
            Choice::System | Choice::Light => chart::Theme::Light,
        }
    }

    /// For the label of the switch.
    pub fn name(self) -> &'static str {
        match self.choice.get() {
            Choice::System => "Theme: follow system",
            Choice::Light => "Theme: light",
            Choice::Dark => "Theme: dark",
        }
    }

    /// For the face of the switch.
    pub fn mark(self) -> &'static str {
        match self.choice.get() {
            Choice::System => "◐",
            Choice::Light => "○",
            Choice::Dark => "●",
        }
    }
}
