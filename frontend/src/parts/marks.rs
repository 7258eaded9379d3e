//! Small marks: a family's shape and colour, a difference, a foreign name.

use leptos::prelude::*;
use lowerline_shared::{
    display,
    family::{Family, Palette},
    ids,
    report::Resource,
};

/// Shape says the group, lightness the family.
pub fn family_mark(family: Family) -> impl IntoView + use<> {
    let info = family.info();
    view! {
        <svg class=format!("fm i fl-{}", info.id) aria-hidden="true">
            <use href=format!("#m-{}", info.palette.id())></use>
        </svg>
    }
}

/// The mark of a group.
pub fn palette_mark(palette: Palette) -> impl IntoView + use<> {
    view! {
        <svg class=format!("fm i gl-{}", palette.id()) aria-hidden="true">
            <use href=format!("#m-{}", palette.id())></use>
        </svg>
    }
}

/// A family's mark and short name, its description on hover.
pub fn family_name(family: Family) -> impl IntoView + use<> {
    view! { {family_mark(family)} <span title=family.info().description>{family.info().short}</span> }
}

/// `▲ +20`, `▼ −453`, `=`, or `–` when a side is not known.
pub fn delta(before: Option<i64>, now: Option<i64>) -> AnyView {
    match (before, now) {
        (Some(before), Some(now)) if before == now => view! { <span class="same">"="</span> }.into_any(),
        (Some(before), Some(now)) => view! { <span class="dl">{display::delta(before, now)}</span> }.into_any(),
        _ => view! { <span class="same">"–"</span> }.into_any(),
    }
}

/// A count, or `–`.
pub fn count(value: Option<i64>) -> String {
    value.map_or_else(|| "–".to_owned(), display::count)
}

/// What a build takes, in the unit of the resource's label, or `–`.
pub fn resource(resource: Resource, value: Option<i64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| resource.text(value))
}

/// Its difference, as [`delta`].
pub fn resource_delta(resource: Resource, before: Option<i64>, now: Option<i64>) -> AnyView {
    match (before, now) {
        (Some(before), Some(now)) if before != now => {
            view! { <span class="dl">{resource.delta(before, now)}</span> }.into_any()
        }
        _ => delta(before, now),
    }
}

/// The name of a state at the head of a column: it may break behind the signs that part a config, so that long names do not
/// push columns out of the window.
pub fn state_head(name: &str) -> impl IntoView + use<> {
    let pieces = name.split_inclusive(['_', ':', '-']).map(|piece| view! { {piece.to_owned()} <wbr/> });
    view! { <span class="statehead">{pieces.collect_view()}</span> }
}

/// The head of a difference to the first state: the letter of the state's card, where there are several.
pub fn difference_head(state: usize, names: &[String]) -> impl IntoView + use<> {
    let letter = char::from(b'A' + u8::try_from(state).unwrap_or(25).min(25));
    let text = if names.len() > 2 { format!("Δ {letter}") } else { "Δ".to_owned() };
    let title = names.get(state).zip(names.first()).map(|(name, first)| format!("{name} against {first}"));
    view! { <span title=title>{text}</span> }
}

/// A foreign name: escaped, cut, never markup. The whole name is its tooltip when it was cut.
pub fn foreign(name: &str) -> impl IntoView + use<> {
    let shown = ids::shown(name);
    let title = (shown != name).then(|| name.to_owned());
    view! { <span class="foreign" title=title>{shown}</span> }
}
