//! The card under the pointer: commit, value, what it was before.

use leptos::prelude::*;
use lowerline_shared::{
    api::{Coverage, Series, TrendResponse},
    ids, plot,
};

use super::{axis, measure};

/// The card of one series at one commit. It leans to the side that has room.
pub fn card(data: &TrendResponse, series: &Series, at: u32) -> impl IntoView + use<> {
    let (first, last) = data.positions;
    let name = axis::name_at(data, at);
    let before = at.checked_sub(1).filter(|before| *before >= first);
    let parent = before.map(|before| format!("before {}", axis::name_at(data, before)));
    let body = match plot::coverage_at(&series.coverage, at) {
        Coverage::NotBuilt => view! { <p class="ink2">"not built at this commit"</p> }.into_any(),
        Coverage::Failed => {
            let message = series.failures.range(..=at).next_back().map(|(_, message)| ids::shown(message));
            view! { <p class="big">"✕ failed"</p><p class="ink2 brk clip">{message}</p> }.into_any()
        }
        Coverage::Built => value(series, before, at).into_any(),
    };
    let right = plot::fraction_of(at, first, last) > 0.5;
    view! {
        <div class="hover h-trend" class:left=right role="status" data-test="hover">
            <h3><span>{name} " · " {series.target.to_string()}</span><span class="muted">{parent}</span></h3>
            {body}
        </div>
    }
}

fn value(series: &Series, before: Option<u32>, at: u32) -> impl IntoView + use<> {
    let now = plot::value_at(series, at);
    let before = before.and_then(|before| plot::value_at(series, before));
    let delta = before.zip(now).map(|(before, now)| series.delta_text(before, now)).filter(|delta| delta != "=");
    let text = match (before, now) {
        (Some(before), Some(now)) if delta.is_some() => {
            format!("{} → {}", series.value_text(before), series.value_text(now))
        }
        (_, Some(now)) => series.value_text(now),
        (_, None) => "–".to_owned(),
    };
    let origin = measure::origin(series);
    view! {
        <p class="big">{text} " " <span class="dl">{delta}</span></p>
        <p class="ink2">{measure::name(&series.measure)} {(!origin.is_empty()).then(|| format!(" · {origin}"))}</p>
    }
}
