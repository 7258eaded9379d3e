//! Where each element of a tile lives: one layout or two side by side, with what a conversion between them costs.
//!
//! Nothing is asked of the server: layouts are text in the address, and the algebra runs here. Modules in reading order:
//! [`model`] (text to tiles), [`form`], [`canvas`] (the drawn tile), [`colour`], [`card`] (the element under the pointer),
//! [`bases`] and [`conversion`].

mod bases;
mod canvas;
mod card;
mod colour;
mod conversion;
mod form;
mod model;

use leptos::prelude::*;
use lowerline_shared::permalink::{LayoutsQuery, Page};

use self::model::Side;
use crate::app::{Current, Go};

/// The address, and how to change it.
#[derive(Clone, Copy)]
struct State {
    query: Memo<LayoutsQuery>,
    go: Go,
}

impl State {
    /// The same page with something changed; the history keeps its length.
    fn change(self, change: impl FnOnce(&mut LayoutsQuery)) {
        let mut query = self.query.get_untracked();
        change(&mut query);
        self.go.replace(&Page::Layouts(query));
    }
}

/// The page.
#[component]
pub fn Layouts() -> impl IntoView {
    let Current(page) = expect_context();
    let query = Memo::new(move |previous: Option<&LayoutsQuery>| match page.get() {
        Some(Page::Layouts(query)) => query,
        // On the way to another page.
        _ => previous.cloned().unwrap_or_default(),
    });
    let state = State { query, go: expect_context() };
    let drawn = Memo::new(move |_| query.with(model::drawn));
    let hovered = RwSignal::new(None::<(u32, u32)>);
    let shown = Signal::derive(move || hovered.get().or_else(|| query.with(|query| query.at)));
    view! {
        <div data-test="page-layouts">
            <div class="head">
                <h1>"Layouts"</h1>
                <span class="sub">"where each element of a tile lives, and what moving it costs"</span>
            </div>
            <form::Form state/>
            {move || {
                drawn
                    .with(|drawn| match drawn {
                        Err(problem) => refused("The shape cannot be drawn", problem),
                        Ok(sides) => {
                            let side = |side: &Option<Side>, name| {
                                side.clone().map(|side| view! { <SidePanel state side name hovered shown/> })
                            };
                            view! {
                                <div class="sides">{side(&sides.a, "A")} {side(&sides.b, "B")}</div>
                                {conversion::panel(state, sides)}
                            }
                                .into_any()
                        }
                    })
            }}
        </div>
    }
}

/// One layout: its tile, the element under the pointer, its basis vectors; or why it cannot be drawn.
#[component]
fn SidePanel(
    state: State,
    side: Side,
    name: &'static str,
    hovered: RwSignal<Option<(u32, u32)>>,
    shown: Signal<Option<(u32, u32)>>,
) -> impl IntoView {
    let (text, tile) = (side.text, side.tile);
    let body = match tile {
        Err(problem) => refused("This layout cannot be drawn", &problem),
        Ok(tile) => {
            let by = Memo::new(move |_| state.query.with(|query| query.by.clone()));
            let (for_canvas, for_card) = (tile.clone(), tile.clone());
            let bases = bases::table(&tile, Page::Layouts(state.query.get_untracked()), &text);
            view! {
                <div class="tilerow">
                    <canvas::TileCanvas state tile=for_canvas name by hovered shown/>
                    <div class="facts">{card::card(state, for_card, text.clone(), shown)} {bases}</div>
                </div>
            }
            .into_any()
        }
    };
    view! {
        <section class="panel side" data-test=format!("side-{}", name.to_lowercase())>
            <header>
                <h2>{name}</h2>
                <span class="muted mono clip" title=text.clone()>{text.clone()}</span>
            </header>
            <div class="body">{body}</div>
        </section>
    }
}

fn refused(title: &'static str, problem: &str) -> AnyView {
    view! {
        <div class="err" role="alert" data-test="refused">
            <b>{title}</b>
            <p class="brk">{problem.to_owned()}</p>
        </div>
    }
    .into_any()
}
