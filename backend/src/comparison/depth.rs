//! One build in depth: where it begins to differ, what went into it and what was decided, and the nearest build of a
//! state that lacks it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use lowerline_shared::{
    api::{ArtifactRef, BuildComparison, Depth, StateBuild},
    comparison::{ReportExcerpt, stage_difference},
    explain::{Account, explain},
    ids::Digest,
    report::Report,
    stage::{Scope, Stage},
    strip::{Relation, StageFacts, Strip, strip},
};
use serde::de::DeserializeOwned;

use super::{State, nearest, rows::Row};
use crate::{
    counts::FamilyCounts,
    db::{self, compare::FactsRow},
    error::Result,
    state::AppState,
};

/// Main forms of the artifacts of every state, by stage.
type Artifacts = Vec<BTreeMap<Stage, Digest>>;

/// Compressed reports by blob.
type Bodies = HashMap<Digest, Vec<u8>>;

/// Fills in what only one build has.
pub async fn fill(state: &AppState, states: &[State], row: &Row, comparison: &mut BuildComparison) -> Result<()> {
    let artifacts: Artifacts = comparison.states.iter().map(main_forms).collect();
    let configs = configs(state, row).await?;
    let bodies = bodies(state, &artifacts, |stage| !matches!(stage, Stage::Cubin | Stage::Sass | Stage::Hsaco)).await?;
    let facts = facts(state, &artifacts).await?;
    let counted = counted(state, &facts).await?;
    let mut accounts: Vec<Option<Account>> = Vec::with_capacity(row.states.len());
    for (build, artifacts) in row.states.iter().zip(&artifacts) {
        let is_built = build.is_some() && !artifacts.is_empty();
        let options = build
            .as_ref()
            .and_then(|build| configs.get(&build.config_id))
            .map(|document| nearest::values(document, nearest::CHOSEN));
        accounts.push(is_built.then(|| Account { options: options.unwrap_or_default(), ..Account::default() }));
    }
    let one_commit = states.iter().all(|state| state.commit.id == states[0].commit.id);
    let one_kernel = states.iter().all(|state| state.asked.kernel.is_none());
    let work = move || -> anyhow::Result<(Strip, Vec<Option<Account>>)> {
        let mut excerpts: HashMap<Digest, ReportExcerpt> = HashMap::new();
        for (digest, body) in &bodies {
            excerpts.insert(*digest, read(body)?);
        }
        let of_state = |artifacts: &BTreeMap<Stage, Digest>| {
            let fact = |(stage, digest): (&Stage, &Digest)| {
                (*stage, stage_facts(*digest, facts.get(digest), &counted, excerpts.get(digest)))
            };
            artifacts.iter().map(fact).collect::<BTreeMap<Stage, StageFacts>>()
        };
        let strip = strip(&artifacts.iter().map(of_state).collect::<Vec<_>>());
        for (account, artifacts) in accounts.iter_mut().zip(&artifacts) {
            let Some(account) = account else { continue };
            for stage in [Stage::Ttir, Stage::Ttgir, Stage::Ptx] {
                if let Some(body) = artifacts.get(&stage).and_then(|digest| bodies.get(digest)) {
                    account.add(read::<Report>(body)?);
                }
            }
        }
        Ok((strip, accounts))
    };
    let (mut strip, accounts) = tokio::task::spawn_blocking(work).await.map_err(anyhow::Error::from)??;
    differ(state, &main_forms_of(comparison), &mut strip).await?;
    let equal_source = strip.columns.iter().find(|column| column.stage == Stage::Source).is_some_and(|column| {
        column.cells.iter().flatten().all(|cell| matches!(cell.relation, Relation::Equal | Relation::EqualButNames))
    });
    comparison.depth = Some(Box::new(Depth {
        strip,
        explanation: explain(&accounts),
        one_source: one_kernel && (one_commit || equal_source),
        nearest: nearest::find(state, states, row, &configs).await?,
    }));
    metrics(state, states, row, comparison).await
}

fn main_forms(build: &StateBuild) -> BTreeMap<Stage, Digest> {
    let artifacts: &[ArtifactRef] = match build {
        StateBuild::Built { artifacts, .. } => artifacts,
        StateBuild::Failed { .. } | StateBuild::Missing => &[],
    };
    artifacts.iter().filter(|artifact| artifact.form.is_empty()).map(|a| (a.stage, a.digest)).collect()
}

fn main_forms_of(comparison: &BuildComparison) -> Artifacts {
    comparison.states.iter().map(main_forms).collect()
}

fn column(digests: impl Iterator<Item = Digest>) -> Vec<Vec<u8>> {
    digests.collect::<BTreeSet<Digest>>().into_iter().map(|digest| digest.0.to_vec()).collect()
}

fn digest(bytes: Vec<u8>) -> anyhow::Result<Digest> {
    Ok(Digest(bytes.try_into().map_err(|_| anyhow::anyhow!("a digest of another length"))?))
}

fn read<T: DeserializeOwned>(body: &[u8]) -> anyhow::Result<T> {
    Ok(serde_json::from_slice(&zstd::decode_all(body)?)?)
}

async fn configs(state: &AppState, row: &Row) -> Result<HashMap<i32, serde_json::Value>> {
    let ids = super::distinct(row.builds().map(|build| build.config_id));
    Ok(db::compare::list_configs(&state.pool, &ids).await?.into_iter().collect())
}

async fn bodies(state: &AppState, artifacts: &Artifacts, wanted: fn(Stage) -> bool) -> Result<Bodies> {
    let digests = artifacts.iter().flatten().filter(|(stage, _)| wanted(**stage)).map(|(_, digest)| *digest);
    let mut bodies = Bodies::new();
    for (name, body) in db::compare::list_report_bodies(&state.pool, &column(digests)).await? {
        bodies.insert(digest(name)?, body);
    }
    Ok(bodies)
}

async fn facts(state: &AppState, artifacts: &Artifacts) -> Result<HashMap<Digest, FactsRow>> {
    let digests = artifacts.iter().flatten().map(|(_, digest)| *digest);
    let mut facts = HashMap::new();
    for row in db::compare::list_facts(&state.pool, &column(digests)).await? {
        facts.insert(digest(row.digest.clone())?, row);
    }
    Ok(facts)
}

async fn counted(state: &AppState, facts: &HashMap<Digest, FactsRow>) -> Result<FamilyCounts> {
    let ids = super::distinct(facts.values().filter_map(|row| row.histogram_id));
    Ok(FamilyCounts::load(&state.pool, &state.codes, &ids, Scope::Function).await?)
}

fn stage_facts(
    raw: Digest,
    row: Option<&FactsRow>,
    counted: &FamilyCounts,
    excerpt: Option<&ReportExcerpt>,
) -> StageFacts {
    let identity = |bytes: Option<&Vec<u8>>| Some(Digest(bytes?.as_slice().try_into().ok()?));
    let instructions = counted.instructions(row.and_then(|row| row.histogram_id));
    let operations = || excerpt.map(|report| report.ops.values().sum::<u64>()).filter(|sum| *sum > 0);
    StageFacts {
        raw,
        normal: identity(row.and_then(|row| row.normal_digest.as_ref())),
        histogram: identity(row.and_then(|row| row.histogram_digest.as_ref())),
        amount: instructions.and_then(|count| u64::try_from(count).ok()).or_else(operations),
    }
}

/// Says what differs at the first stage that does.
async fn differ(state: &AppState, artifacts: &Artifacts, strip: &mut Strip) -> Result<()> {
    let Some((stage, first, last)) = strip.pair() else { return Ok(()) };
    let digests = [first, last].map(|n| artifacts.get(n).and_then(|artifacts| artifacts.get(&stage)).copied());
    let [Some(a), Some(b)] = digests else { return Ok(()) };
    let only = vec![BTreeMap::from([(stage, a)]), BTreeMap::from([(stage, b)])];
    let bodies = bodies(state, &only, |_| true).await?;
    let work = move || -> anyhow::Result<Option<_>> {
        let (Some(a), Some(b)) = (bodies.get(&a), bodies.get(&b)) else { return Ok(None) };
        Ok(Some(stage_difference((first, last), &read(a)?, &read(b)?)))
    };
    strip.difference = tokio::task::spawn_blocking(work).await.map_err(anyhow::Error::from)??;
    Ok(())
}

async fn metrics(state: &AppState, states: &[State], row: &Row, comparison: &mut BuildComparison) -> Result<()> {
    let keys: Vec<Option<(i32, i32)>> = states
        .iter()
        .zip(&row.states)
        .map(|(state, build)| Some((state.commit.id, build.as_ref()?.variant_id)))
        .collect();
    let (commits, variants): (Vec<i32>, Vec<i32>) = keys.iter().flatten().copied().unzip();
    let rows = db::compare::list_build_metrics(&state.pool, &commits, &variants).await?;
    for (key, build) in keys.iter().zip(&mut comparison.states) {
        if let StateBuild::Built { metrics, .. } = build {
            let own = rows.iter().filter(|row| Some((row.commit_id, row.variant_id)) == *key);
            *metrics = own.map(|row| (row.name.clone(), row.value)).collect();
        }
    }
    Ok(())
}
