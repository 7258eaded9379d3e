//! How a measure looks: mark, name, colour, kind of line.

use leptos::prelude::*;
use lowerline_shared::{
    api::Series,
    measure::{Level, Measure},
    stage::Stage,
};

use crate::{chart::figure::Kind, parts::marks};

/// Name on screen.
pub fn name(measure: &Measure) -> String {
    match measure {
        Measure::Family(family, _) => family.info().short.to_owned(),
        Measure::Instructions(_) => "All instructions".to_owned(),
        Measure::Opcode(_, opcode) => opcode.clone(),
        Measure::Resource(resource) => resource.label().to_owned(),
        Measure::Decision(decision) => decision.label().to_owned(),
        Measure::Metric(name) => name.clone(),
    }
}

/// What the name leaves open.
pub fn detail(measure: &Measure) -> String {
    match measure {
        Measure::Family(family, level) if family.info().equal_across_builds => {
            format!("{} · control: should not move", level_name(*level))
        }
        Measure::Family(_, level) | Measure::Instructions(level) => level_name(*level).to_owned(),
        Measure::Opcode(stage, _) => format!("{} opcode", stage.label()),
        Measure::Resource(_) => "resource".to_owned(),
        Measure::Decision(_) => "decision".to_owned(),
        Measure::Metric(_) => "measured".to_owned(),
    }
}

const fn level_name(level: Level) -> &'static str {
    match level {
        Level::Machine => "machine code",
        Level::Stage(stage) => stage.label(),
    }
}

/// Mark and name.
pub fn head(measure: &Measure) -> AnyView {
    match measure {
        Measure::Family(family, _) => view! { <b>{marks::family_name(*family)}</b> }.into_any(),
        Measure::Opcode(..) => view! { <b class="mono brk">{name(measure)}</b> }.into_any(),
        _ => view! { <b class="brk">{name(measure)}</b> }.into_any(),
    }
}

/// Custom property with the colour of its line.
pub fn colour(measure: &Measure) -> String {
    match measure {
        Measure::Family(family, _) => format!("--f-{}", family.id()),
        _ => "--ink-2".to_owned(),
    }
}

/// How its values are drawn.
pub fn kind(measure: &Measure) -> Kind {
    match measure {
        Measure::Metric(_) => Kind::Points,
        Measure::Resource(_) | Measure::Decision(_) | Measure::Instructions(_) => Kind::Line,
        Measure::Family(family, _) if family.info().equal_across_builds => Kind::Line,
        Measure::Family(..) | Measure::Opcode(..) => Kind::Steps,
    }
}

/// Where a series is counted: `SASS`, `SASS, decoded`, nothing for resources.
pub fn origin(series: &Series) -> String {
    let stage = series.stage.map(Stage::label).unwrap_or_default();
    match series.source.as_deref() {
        Some("decoded") => format!("{stage}, decoded from the cubin"),
        _ => stage.to_owned(),
    }
}
