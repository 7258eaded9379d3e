//! A dossier against stored reports: the same evaluation as the command line's, other facts.

use std::collections::{BTreeMap, HashMap};

use lowerline_shared::{
    dossier::{ArtifactFacts, Dossier, Facts, Needs, Place, Verdict, evaluate, position},
    ids::Digest,
    limits,
    report::Report,
    stage::Stage,
};

use crate::{
    db::{self, dossier::PlaceRow},
    error::{Refusal, Result},
    ingest::Project,
    state::AppState,
    view,
};

/// What is known of a build so far.
type Known = std::result::Result<Facts, String>;

/// Judges a dossier. Nothing is kept.
pub async fn judge(state: &AppState, project: &Project, text: &str) -> Result<Verdict> {
    let dossier: Dossier = toml::from_str(text).map_err(|error| {
        let (line, column) = error.span().map_or((1, 1), |span| position(text, span.start));
        Refusal::field("dossier", format!("line {line}, column {column}: {}", error.message()))
            .hint("`lowerline dossier` says the same of a file")
    })?;
    let invalid = |error: lowerline_shared::dossier::InvalidAssertion| Refusal::field("dossier", error.to_string());
    let needs = dossier.needs().map_err(invalid)?;
    if needs.len() > limits::BUILDS_PER_DOSSIER {
        let message = format!("it speaks of {} builds, {} are allowed", needs.len(), limits::BUILDS_PER_DOSSIER);
        return Err(Refusal::field("dossier", message).into());
    }
    let facts = collect(state, project, needs).await?;
    Ok(evaluate(&dossier, &facts).map_err(invalid)?)
}

async fn collect(state: &AppState, project: &Project, needs: Needs) -> Result<BTreeMap<Place, Known>> {
    let newest = match db::commit::find_main_branch(&state.pool, project.id).await? {
        Some(branch) => db::commit::find_newest(&state.pool, project.id, &branch).await?,
        None => None,
    };
    let newest = newest.map(|row| row.sha).unwrap_or_default();
    let places: Vec<Place> = needs.keys().cloned().collect();
    let rows = db::dossier::list_places(&state.pool, project.id, &places, &newest).await?;
    let lowerings: Vec<i32> = rows.iter().map(|row| row.lowering_id).collect();
    let mut artifacts: HashMap<i32, Vec<db::dossier::ArtifactRow>> = HashMap::new();
    for row in db::dossier::list_artifacts(&state.pool, &lowerings).await? {
        artifacts.entry(row.lowering_id).or_default().push(row);
    }
    let mut metrics: HashMap<(i32, i32), BTreeMap<String, f64>> = HashMap::new();
    let (commits, variants): (Vec<i32>, Vec<i32>) = rows.iter().map(|row| (row.commit_id, row.variant_id)).unzip();
    for row in db::dossier::list_metrics(&state.pool, &commits, &variants).await? {
        metrics.entry((row.commit_id, row.variant_id)).or_default().insert(row.name, row.value);
    }
    let state = state.clone();
    let read = move || -> Result<BTreeMap<Place, Known>> {
        let mut facts: BTreeMap<Place, Known> =
            needs.keys().map(|place| (place.clone(), Err("no such build".to_owned()))).collect();
        for row in rows {
            let Some(place) = usize::try_from(row.place - 1).ok().and_then(|n| places.get(n)) else { continue };
            let stages = needs.get(place).cloned().unwrap_or_default();
            let mut known = facts_of(&state, &row)?;
            known.metrics = metrics.remove(&(row.commit_id, row.variant_id)).unwrap_or_default();
            for artifact in artifacts.get(&row.lowering_id).into_iter().flatten() {
                let Some((stage, lines)) = wanted(artifact, &stages) else { continue };
                if let Some(artifact) = artifact_facts(&state, artifact, lines)? {
                    known.artifacts.insert(stage, artifact);
                }
            }
            facts.insert(place.clone(), Ok(known));
        }
        Ok(facts)
    };
    tokio::task::spawn_blocking(read).await.map_err(anyhow::Error::from)?
}

fn facts_of(state: &AppState, row: &PlaceRow) -> Result<Facts> {
    Ok(Facts {
        status: view::status(&row.status),
        resources: state.codes.join(&row.resource, &row.resource_value),
        toolchain: serde_json::from_value(row.toolchain.clone()).map_err(anyhow::Error::from)?,
        metrics: BTreeMap::new(),
        artifacts: BTreeMap::new(),
    })
}

/// The stage of an artifact that is asked for, and whether its lines are.
fn wanted(artifact: &db::dossier::ArtifactRow, stages: &BTreeMap<Stage, bool>) -> Option<(Stage, bool)> {
    let stage = Stage::from_id(&artifact.stage)?;
    stages.get(&stage).map(|lines| (stage, *lines))
}

/// `None` when the analyzer recognised nothing in it.
fn artifact_facts(
    state: &AppState,
    row: &db::dossier::ArtifactRow,
    count_lines: bool,
) -> Result<Option<ArtifactFacts>> {
    let Some(body) = &row.body else { return Ok(None) };
    let digest = <[u8; 32]>::try_from(row.digest.as_slice()).map(Digest).map_err(anyhow::Error::from)?;
    let json = zstd::decode_all(&body[..])?;
    let report: Report = serde_json::from_slice(&json).map_err(anyhow::Error::from)?;
    let is_binary = matches!(report.stage, Stage::Cubin | Stage::Hsaco);
    let lines = if count_lines && !is_binary {
        let bytes = state.blobs.read(digest, u64::try_from(row.size_bytes).unwrap_or(0))?;
        Some(ArtifactFacts::lines_of(&bytes))
    } else {
        None
    };
    Ok(Some(ArtifactFacts { digest, lines, report }))
}
