//! Search for something to plot.

use std::collections::HashMap;

use lowerline_shared::{
    api::MeasureHit,
    decision_measure::DecisionMeasure,
    family::Family,
    measure::{Level, Measure},
    report::Resource,
    stage::Stage,
};

use crate::{config, db, error::Result, ingest::Project, state::AppState};

/// Measures whose name, id or meaning holds `text`: families, resources and metrics first, then opcodes.
pub async fn measures(
    state: &AppState,
    project: &Project,
    kernel: Option<&str>,
    text: &str,
) -> Result<Vec<MeasureHit>> {
    let mut hits = families(state, project, kernel, text).await?;
    hits.extend(resources(state, project, kernel, text).await?);
    hits.extend(decisions(state, project, kernel, text).await?);
    for (name, variants) in db::measure::list_metric_hits(&state.pool, project.id, kernel).await? {
        if holds(&name, text) {
            hits.extend(hit(&Measure::Metric(name.clone()), name, variants));
        }
    }
    hits.extend(opcodes(state, project, kernel, text).await?);
    hits.truncate(usize::try_from(config::MEASURES_PER_SEARCH).unwrap_or(usize::MAX));
    Ok(hits)
}

fn holds(name: &str, text: &str) -> bool {
    name.to_lowercase().contains(&text.to_lowercase())
}

/// `None` for a measure that its own text form cannot hold.
fn hit(measure: &Measure, label: String, variants: i64) -> Option<MeasureHit> {
    let measure = measure.to_string().parse().ok()?;
    Some(MeasureHit { measure, label, variants: u64::try_from(variants).unwrap_or(0) })
}

async fn families(state: &AppState, project: &Project, kernel: Option<&str>, text: &str) -> Result<Vec<MeasureHit>> {
    let mut machine: HashMap<Family, i64> = HashMap::new();
    let mut ptx: HashMap<Family, i64> = HashMap::new();
    for (stage, code, variants) in db::measure::list_family_hits(&state.pool, project.id, kernel).await? {
        let Some(family) = state.codes.family(code) else { continue };
        let level = if stage == Stage::Ptx.id() { &mut ptx } else { &mut machine };
        *level.entry(family).or_default() += variants;
    }
    let mut hits = Vec::new();
    for family in Family::ALL {
        let info = family.info();
        if !holds(info.label, text) && !holds(info.id, text) && !holds(info.short, text) {
            continue;
        }
        if let Some(&variants) = machine.get(&family) {
            hits.extend(hit(&Measure::Family(family, Level::Machine), info.label.to_owned(), variants));
        }
        if let Some(&variants) = ptx.get(&family) {
            let label = format!("{} in PTX", info.label);
            hits.extend(hit(&Measure::Family(family, Level::Stage(Stage::Ptx)), label, variants));
        }
    }
    if holds("instructions", text) {
        let variants = machine.values().copied().max().unwrap_or(0);
        hits.extend(hit(&Measure::Instructions(Level::Machine), "Instructions".to_owned(), variants));
    }
    Ok(hits)
}

async fn resources(state: &AppState, project: &Project, kernel: Option<&str>, text: &str) -> Result<Vec<MeasureHit>> {
    let mut known: HashMap<Resource, i64> = HashMap::new();
    for (code, variants) in db::measure::list_resource_hits(&state.pool, project.id, kernel).await? {
        for resource in state.codes.join(&[code], &[0]).into_keys() {
            known.insert(resource, variants);
        }
    }
    Ok(Resource::ALL
        .into_iter()
        .filter(|resource| holds(resource.label(), text) || holds(resource.id(), text))
        .filter_map(|resource| hit(&Measure::Resource(resource), resource.label().to_owned(), *known.get(&resource)?))
        .collect())
}

async fn decisions(state: &AppState, project: &Project, kernel: Option<&str>, text: &str) -> Result<Vec<MeasureHit>> {
    let known: HashMap<String, i64> =
        db::measure::list_decision_hits(&state.pool, project.id, kernel).await?.into_iter().collect();
    Ok(DecisionMeasure::ALL
        .into_iter()
        .filter(|measure| holds(measure.label(), text) || holds(measure.id(), text) || holds("decision", text))
        .filter_map(|measure| hit(&Measure::Decision(measure), measure.label().to_owned(), *known.get(measure.id())?))
        .collect())
}

/// Opcodes as written; in front of them the base mnemonic when it stands for several.
async fn opcodes(state: &AppState, project: &Project, kernel: Option<&str>, text: &str) -> Result<Vec<MeasureHit>> {
    let text = text.split_once(':').filter(|(stage, _)| Stage::from_id(stage).is_some()).map_or(text, |(_, rest)| rest);
    let limit = config::MEASURES_PER_SEARCH;
    let rows = db::measure::list_opcode_hits(&state.pool, project.id, kernel, text, limit).await?;
    let mut bases: Vec<(Stage, String, i64, usize)> = Vec::new();
    let mut hits = Vec::new();
    for row in rows {
        let Some(stage) = Stage::from_id(&row.stage) else { continue };
        let base = row.name.split('.').next().unwrap_or_default().to_owned();
        match bases.iter_mut().find(|(of, name, ..)| *of == stage && *name == base) {
            Some((_, _, variants, spellings)) => {
                *variants = row.variants.max(*variants);
                *spellings += 1;
            }
            None => bases.push((stage, base, row.variants, 1)),
        }
        let label = format!("{} {}", stage.label(), row.name);
        hits.extend(hit(&Measure::Opcode(stage, row.name), label, row.variants));
    }
    let mut out = Vec::new();
    for (stage, base, variants, spellings) in bases {
        let is_own = hits.iter().any(|found: &MeasureHit| found.measure == Measure::Opcode(stage, base.clone()));
        if spellings > 1 && !is_own && holds(&base, text) {
            let label = format!("{} {base} and all below", stage.label());
            out.extend(hit(&Measure::Opcode(stage, base), label, variants));
        }
    }
    out.extend(hits);
    Ok(out)
}
