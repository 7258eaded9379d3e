//! Files of this machine: analyzed by the worker beside the page, compared with the views of every other comparison.
//! Nothing leaves the machine: the worker cannot connect anywhere, and this page asks the server nothing.

use std::{rc::Rc, sync::Arc};

use leptos::{ev::DragEvent, html, prelude::*, task::spawn_local};
use lowerline_shared::{
    api::BuildComparison,
    comparison, display, ids, limits,
    permalink::{CompareQuery, Page, StateRef},
    worker::{Answer, Found, FoundBuild, Question},
};
use wasm_bindgen::JsValue;

use super::compare::{View, shown_locally};
use crate::{
    app::{Current, Go},
    fetch::{Failure, use_answer},
    parts::{
        chips::ScopeSwitch,
        export::{Export, Takeaway},
        states,
    },
    worker,
};

mod builds;
mod gather;
mod publish;

/// Files in one message to the worker.
const BATCH: usize = 500;

/// What is known of the files.
#[derive(Clone, Copy)]
struct Files {
    found: RwSignal<Option<Arc<Found>>>,
    /// Paths as the worker knows them.
    paths: RwSignal<Vec<String>>,
    /// Paths that could not be read while gathering.
    unread: RwSignal<Vec<String>>,
    /// Files done and in all, while there is work.
    progress: RwSignal<Option<(u64, u64)>>,
    problem: RwSignal<Option<String>>,
    chosen: RwSignal<Vec<u32>>,
}

impl Files {
    fn take(self, files: Vec<gather::Found>, unread: Vec<String>) {
        let files = self.paths.with_untracked(|taken| gather::renamed(files, taken));
        self.unread.update(|all| all.extend(unread));
        self.problem.set(None);
        self.progress.set(Some((0, files.len() as u64)));
        spawn_local(async move {
            if let Err(problem) = self.find(files).await {
                self.problem.set(Some(problem));
            }
            self.progress.set(None);
        });
    }

    async fn find(self, files: Vec<gather::Found>) -> Result<(), String> {
        for batch in files.chunks(BATCH) {
            let paths: Vec<String> = batch.iter().map(|(path, _)| path.clone()).collect();
            let parts: Vec<JsValue> = batch.iter().map(|(_, file)| JsValue::from(file)).collect();
            worker::ask(&Question::Take { paths: paths.clone() }, &parts).await?;
            self.paths.update(|all| all.extend(paths));
        }
        let told: worker::Progress = Rc::new(move |done, total| self.progress.set(Some((done, total))));
        let reply = worker::ask_long(&Question::Find, &[], Some(told)).await?;
        let Answer::Found(found) = reply.answer else { return Err("The files could not be read.".to_owned()) };
        self.chosen.set(first_choice(&found.builds));
        self.found.set(Some(Arc::new(found)));
        Ok(())
    }

    fn forget(self) {
        spawn_local(async move {
            let _ = worker::ask(&Question::Forget, &[]).await;
        });
        self.found.set(None);
        self.paths.set(Vec::new());
        self.unread.set(Vec::new());
        self.problem.set(None);
        self.chosen.set(Vec::new());
    }
}

/// What is compared before the reader chooses: all when they are few, else the first build that is there twice, else the
/// first.
fn first_choice(builds: &[FoundBuild]) -> Vec<u32> {
    let place = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    if builds.len() <= limits::STATES_PER_COMPARISON {
        return (0..builds.len()).map(place).collect();
    }
    let same = |a: &FoundBuild, b: &FoundBuild| {
        (&a.kernel, &a.target, &a.config) == (&b.kernel, &b.target, &b.config) && a.root != b.root
    };
    let twin = builds.windows(2).position(|pair| matches!(pair, [a, b] if same(a, b)));
    twin.map_or_else(|| vec![0], |n| vec![place(n), place(n + 1)])
}

/// One part of a build's name.
type PartOf = fn(&FoundBuild) -> &str;

/// Names of the chosen builds: by what tells them apart.
fn names(found: &Found, chosen: &[u32]) -> Vec<String> {
    let builds: Vec<&FoundBuild> = chosen.iter().filter_map(|n| found.builds.get(*n as usize)).collect();
    let differ = |of: PartOf| builds.windows(2).any(|pair| matches!(pair, [a, b] if of(a) != of(b)));
    let parts: [(bool, PartOf); 4] = [
        (differ(|build| &build.root), |build| &build.root),
        (differ(|build| &build.kernel), |build| &build.kernel),
        (differ(|build| &build.target), |build| &build.target),
        (differ(|build| &build.config), |build| &build.config),
    ];
    let name = |build: &&FoundBuild| {
        let own: Vec<String> =
            parts.iter().filter(|(differs, _)| *differs).map(|(_, of)| ids::shown(of(build))).collect();
        let mut own: Vec<String> = own.into_iter().filter(|part| !part.is_empty()).collect();
        own.dedup();
        if own.is_empty() { ids::shown(&build.config) } else { own.join(" ") }
    };
    builds.iter().map(name).collect()
}

/// The page.
#[component]
pub fn Local() -> impl IntoView {
    // Everything this page will ever load is loaded with it.
    worker::warm_up();
    let Current(page) = expect_context();
    let state = Memo::new(move |before: Option<&(Vec<StateRef>, CompareQuery)>| match page.get() {
        Some(Page::Local(query)) => (Vec::new(), query),
        _ => before.cloned().unwrap_or_default(),
    });
    let view = View::local(state, expect_context::<Go>());
    let files = Files {
        found: RwSignal::new(None),
        paths: RwSignal::new(Vec::new()),
        unread: RwSignal::new(Vec::new()),
        progress: RwSignal::new(None),
        problem: RwSignal::new(None),
        chosen: RwSignal::new(Vec::new()),
    };
    let scope = Memo::new(move |_| state.with(|(_, query)| query.scope));
    let compared = use_answer(
        move || Some((files.chosen.get(), scope.get())).filter(|(chosen, _)| !chosen.is_empty()),
        |(builds, scope)| async move {
            let reply = worker::ask(&Question::Compare { builds, scope }, &[]).await;
            match reply.map(|reply| reply.answer) {
                Ok(Answer::Compared(answer)) => Ok(*answer),
                Ok(_) => Err(Failure::new(None, "The builds could not be compared.")),
                Err(why) => Err(Failure::new(None, why)),
            }
        },
    );
    let named = move || {
        files.found.with(|found| found.as_ref().map(|found| names(found, &files.chosen.get())).unwrap_or_default())
    };
    let takeaway = Signal::derive(move || {
        let table = compared.data.with(|build: &Option<Arc<BuildComparison>>| {
            let build = build.as_ref()?;
            Some(comparison::export(
                build,
                &named(),
                format!("Local files: {}", named().join(" → ")),
                &state.with(|(_, query)| query.clone()),
            ))
        });
        Takeaway { page: Page::Local(state.with(|(_, query)| query.clone())), table, name: "local" }
    });
    view! {
        <div data-test="page-local">
            <div class="head">
                <h1>"Local"</h1>
                <span class="sub">"everything is analyzed in this browser; nothing is uploaded"</span>
            </div>
            <DropZone files/>
            {move || files.problem.get().map(|problem| view! { <p class="note" role="alert" data-test="problem">{problem}</p> })}
            {move || {
                files.found.get().map(|found| view! { <builds::Builds found chosen=files.chosen unread=files.unread forget=Callback::new(move |()| files.forget())/> })
            }}
            <Show when=move || files.found.with(Option::is_some) && files.chosen.with(|chosen| !chosen.is_empty())>
                <div class="plink mt" role="group" aria-label="How the builds are compared">
                    <ScopeSwitch
                        scope=Signal::derive(move || scope.get())
                        choose=Callback::new(move |scope| view.replace(|_, query| query.scope = scope))
                    />
                    <span class="grow"></span>
                    <Export takeaway/>
                </div>
                {states::fetched("This comparison", compared, 4, move |build: Arc<BuildComparison>| {
                    shown_locally(view, build, untrack(named))
                })}
            </Show>
            <Show when=move || files.found.with(|found| found.as_ref().is_some_and(|found| !found.builds.is_empty()))>
                <publish::Publish/>
            </Show>
        </div>
    }
}

/// Where files are dropped or chosen.
#[component]
fn DropZone(files: Files) -> impl IntoView {
    let over = RwSignal::new(false);
    let one: NodeRef<html::Input> = NodeRef::new();
    let folder: NodeRef<html::Input> = NodeRef::new();
    // The attribute has no name in HTML that the view macro knows.
    Effect::new(move |_| {
        if let Some(folder) = folder.get() {
            let _ = folder.set_attribute("webkitdirectory", "");
        }
    });
    let pick = move |node: NodeRef<html::Input>| {
        if let Some(input) = node.get_untracked() {
            let list = input.files().map(|list| gather::chosen(&list)).unwrap_or_default();
            if !list.is_empty() {
                files.take(list, Vec::new());
            }
            // The same file can be chosen again.
            input.set_value("");
        }
    };
    let click = move |node: NodeRef<html::Input>| {
        if let Some(input) = node.get_untracked() {
            input.click();
        }
    };
    let drop = move |event: DragEvent| {
        event.prevent_default();
        over.set(false);
        let entries = event.data_transfer().map(|transfer| gather::entries(&transfer)).unwrap_or_default();
        spawn_local(async move {
            let (found, unread) = gather::walk(entries).await;
            files.take(found, unread);
        });
    };
    view! {
        <div
            class="drop"
            class:over=move || over.get()
            data-test="drop"
            on:dragover=move |event: DragEvent| {
                event.prevent_default();
                over.set(true);
            }
            on:dragleave=move |_| over.set(false)
            on:drop=drop
        >
            <p class="strong">"Drop artifacts, a cache folder or two to compare"</p>
            <p class="muted mono small">".ttir .ttgir .llir .ptx .cubin .sass .amdgcn .hsaco"</p>
            <p class="acts">
                <button class="btn primary" type="button" on:click=move |_| click(one)>"Choose files"</button>
                <button class="btn" type="button" on:click=move |_| click(folder)>"Choose folder"</button>
            </p>
            <input class="vh" type="file" multiple aria-label="Files" tabindex="-1" data-test="files" node_ref=one on:change=move |_| pick(one)/>
            <input class="vh" type="file" aria-label="Folder" tabindex="-1" data-test="folder" node_ref=folder on:change=move |_| pick(folder)/>
            <p class="small muted">
                "One build: its counts. Two: a comparison. Up to six: side by side. A stage is told by content, not by name."
            </p>
            {move || {
                files.progress.get().map(|(done, total)| {
                    let text = format!("{} of {}", display::count(i64::try_from(done).unwrap_or(i64::MAX)), display::plural(total, "file"));
                    view! { <p class="small" role="status" data-test="progress"><progress max=total value=done></progress> " " {text}</p> }
                })
            }}
        </div>
    }
}
