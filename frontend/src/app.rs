//! Address → page. The router only holds the address; `lowerline_shared::permalink` reads and writes it.

use std::sync::Arc;

use leptos::{ev::MouseEvent, prelude::*};
use leptos_router::{
    NavigateOptions,
    components::{FlatRoutes, Route, Router},
    hooks::{use_location, use_navigate},
    path,
};
use lowerline_shared::{ids::ProjectSlug, permalink::Page};
use wasm_bindgen::JsCast as _;
use web_sys::Element;

use crate::{
    lazy, pages,
    parts::toast::Toaster,
    shell::{TopBar, provide_project},
    theme::Theme,
};

/// The page the address names; `None` when no page has it.
#[derive(Clone, Copy)]
pub struct Current(pub Memo<Option<Page>>);

type Navigate = Arc<dyn Fn(&str, NavigateOptions) + Send + Sync>;

/// Goes to another page or state.
#[derive(Clone, Copy)]
pub struct Go(StoredValue<Navigate>);

impl Go {
    fn to(self, path: &str, replace: bool, scroll: bool) {
        let options = NavigateOptions { resolve: false, replace, scroll, ..NavigateOptions::default() };
        self.0.with_value(|navigate| navigate(path, options));
    }

    /// Another thing to look at: a new entry in the history.
    pub fn push(self, page: &Page) {
        self.to(&page.path(), false, false);
    }

    /// The same thing seen differently: the history keeps its length.
    pub fn replace(self, page: &Page) {
        self.to(&page.path(), true, false);
    }
}

/// Pages that keep their view while their address changes share a key.
#[derive(Clone, PartialEq, Eq)]
enum Key {
    Home,
    Project(ProjectSlug),
    Trends(ProjectSlug),
    Commit(ProjectSlug),
    Compare(ProjectSlug),
    Lowering(ProjectSlug),
    Space(ProjectSlug),
    Layouts,
    Dossier(ProjectSlug),
    Local,
    Missing,
}

fn key(page: Option<&Page>) -> Key {
    match page {
        Some(Page::Home) => Key::Home,
        Some(Page::Project(project)) => Key::Project(project.clone()),
        Some(Page::Trends(project, _)) => Key::Trends(project.clone()),
        Some(Page::Commit(project, ..)) => Key::Commit(project.clone()),
        Some(Page::Compare(project, ..)) => Key::Compare(project.clone()),
        Some(Page::Lowering(project, ..)) => Key::Lowering(project.clone()),
        Some(Page::Space(project, ..)) => Key::Space(project.clone()),
        Some(Page::Layouts(_)) => Key::Layouts,
        Some(Page::Dossier(project)) => Key::Dossier(project.clone()),
        Some(Page::Local(_)) => Key::Local,
        None => Key::Missing,
    }
}

/// The whole application.
#[component]
pub fn App() -> impl IntoView {
    Theme::provide();
    Toaster::provide();
    view! {
        <Router>
            <Frame/>
        </Router>
    }
}

#[component]
fn Frame() -> impl IntoView {
    let location = use_location();
    let page = Memo::new(move |_| Page::parse(&location.pathname.get(), &location.search.get()));
    let navigate: Navigate = Arc::new(use_navigate());
    let go = Go(StoredValue::new(navigate));
    provide_context(Current(page));
    provide_context(go);
    provide_project(page);
    view! {
        <div on:click=move |event| follow_link(go, &event)>
            <TopBar/>
            <main id="main" tabindex="-1">
                <FlatRoutes fallback=pages::missing::Missing>
                    <Route path=path!("/") view=Pages/>
                    <Route path=path!("/*any") view=Pages/>
                </FlatRoutes>
            </main>
            <crate::parts::toast::Toast/>
        </div>
    }
}

#[component]
fn Pages() -> impl IntoView {
    let Current(page) = expect_context();
    let key = Memo::new(move |_| page.with(|page| key(page.as_ref())));
    move || match key.get() {
        Key::Home => view! { <pages::home::Home/> }.into_any(),
        Key::Project(project) => view! { <pages::project::Project project/> }.into_any(),
        Key::Trends(project) => lazy::trends(project),
        Key::Commit(project) => view! { <pages::commit::Commit project/> }.into_any(),
        Key::Compare(project) => lazy::compare(project),
        Key::Lowering(project) => lazy::lowering(project),
        Key::Space(project) => lazy::space(project),
        Key::Layouts => lazy::layouts(),
        Key::Dossier(project) => lazy::dossier(project),
        Key::Local => lazy::local(),
        Key::Missing => view! { <pages::missing::Missing/> }.into_any(),
    }
}

/// Follows a plain click on a link of ours with the address as written: the router's own handler decodes the path
/// first, which would change the name of a kernel that holds a percent sign.
///
/// A link with `data-keep` first replaces the present address by that one, so that Back returns to it.
fn follow_link(go: Go, event: &MouseEvent) {
    let modified = event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key();
    if event.default_prevented() || event.button() != 0 || modified {
        return;
    }
    let element = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let Some(link) = element.and_then(|element| element.closest("a[href]").ok().flatten()) else { return };
    let Some(href) = link.get_attribute("href").filter(|href| href.starts_with('/')) else { return };
    if link.has_attribute("target") || link.has_attribute("download") || href.starts_with("/api/") {
        return;
    }
    event.prevent_default();
    if let Some(keep) = link.get_attribute("data-keep") {
        go.to(&keep, true, false);
    }
    go.to(&href, false, true);
}
