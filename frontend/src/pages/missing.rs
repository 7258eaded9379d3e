//! No page has this address.

use leptos::prelude::*;
use lowerline_shared::permalink::Page;

/// Says so, and where to go.
#[component]
pub fn Missing() -> impl IntoView {
    view! {
        <div class="head" data-test="page-missing">
            <h1>"No such page"</h1>
        </div>
        <section class="panel">
            <div class="body">
                <div class="empty">
                    <p class="strong">"No page has this address"</p>
                    <p class="ink2">
                        "A link holds a project, full commit hashes or tags, and names. A character may have been lost when it was copied."
                    </p>
                    <p>
                        <a href=Page::Home.path()>"All projects"</a>
                    </p>
                </div>
            </div>
        </section>
    }
}
