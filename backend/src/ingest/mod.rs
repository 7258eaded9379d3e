//! A manifest becomes rows, in one transaction: all of it or nothing.
//!
//! [`check`] looks at the manifest alone, `names` gives its words their ids, `lowerings` finds or makes what the compiles
//! gave, `place` puts the commit on its line, and what is derived along the line is made anew where it may have changed.

pub mod check;
mod conflict;
mod lowerings;
mod names;
mod place;
mod profile;

use std::collections::HashMap;

use lowerline_shared::{
    agreement,
    api::{BuildManifest, BuildStatus, Config, PushRequest, PushResponse, Toolchain},
    ids::{ProjectSlug, Rev, shown},
    permalink::{CommitQuery, Page},
};
use sha2::{Digest as _, Sha256};

use crate::{
    counts,
    db::{
        self, Connection,
        build::{NewBuilds, NewMetrics},
    },
    error::Result,
    state::AppState,
};

pub use profile::rebuild as rebuild_profiles;

/// Warnings of one answer.
const WARNINGS: usize = 20;

/// A project as the request names it.
#[derive(Clone, Debug)]
pub struct Project {
    /// Row.
    pub id: i32,
    /// Slug.
    pub slug: ProjectSlug,
}

/// Records a checked manifest. `manifest_digest` is the SHA-256 of its bytes: the same bytes get the same answer.
pub async fn record(
    state: &AppState,
    project: &Project,
    manifest_digest: [u8; 32],
    push: &PushRequest,
) -> Result<PushResponse> {
    if let Some(answer) = db::push::find_answer(&state.pool, project.id, &manifest_digest).await? {
        return Ok(serde_json::from_value(answer).map_err(anyhow::Error::from)?);
    }
    let mut tx = state.pool.begin().await?;
    db::project::lock_project(&mut tx, project.id).await?;
    if let Some(answer) = db::push::find_answer_locked(&mut tx, project.id, &manifest_digest).await? {
        return Ok(serde_json::from_value(answer).map_err(anyhow::Error::from)?);
    }
    let toolchains = toolchains(&mut tx, push).await?;
    let (commit_id, moved) = place::place(&mut tx, project.id, push, toolchains.of_push).await?;
    let lowerings = lowerings::resolve(&mut tx, &state.codes, &push.builds).await?;
    let warnings = warnings(&mut tx, push, &lowerings).await?;
    let builds = builds(&mut tx, project.id, push, &toolchains, lowerings.ids).await?;
    conflict::refuse(&mut tx, commit_id, push, &builds).await?;
    db::build::insert_builds(&mut tx, commit_id, &builds).await?;
    let metrics = metrics(push, &builds);
    if !metrics.name.is_empty() {
        db::build::insert_metrics(&mut tx, commit_id, &metrics).await?;
        db::push::delete_answers(&mut tx, commit_id).await?;
    }
    derive(&mut tx, commit_id, moved).await?;

    let changed = db::build::count_changed(&mut tx, commit_id, &builds.variant_id).await?;
    let answer = PushResponse {
        commit: push.commit.sha.clone(),
        builds: push.builds.len() as u64,
        failed: push.builds.iter().filter(|build| build.status != BuildStatus::Ok).count() as u64,
        changed: u64::try_from(changed).unwrap_or(0),
        permalink: Page::Commit(project.slug.clone(), rev(push), CommitQuery::default()).path(),
        warnings,
    };
    let value = serde_json::to_value(&answer).map_err(anyhow::Error::from)?;
    db::push::insert_answer(&mut tx, project.id, &manifest_digest, commit_id, &value).await?;
    tx.commit().await?;
    Ok(answer)
}

fn rev(push: &PushRequest) -> Rev {
    push.commit.sha.as_str().parse().expect("every full hash is a revision")
}

/// Ids of the toolchains of a push.
struct Toolchains {
    of_push: i32,
    of_build: Vec<i32>,
}

fn json_digest(value: &serde_json::Value) -> Vec<u8> {
    // Maps are ordered by key in `serde_json::Value`, so equal documents have equal bytes.
    Sha256::digest(value.to_string()).to_vec()
}

async fn toolchains(conn: &mut Connection, push: &PushRequest) -> Result<Toolchains> {
    let json = |toolchain: &Toolchain| serde_json::to_value(toolchain).map_err(anyhow::Error::from);
    let of_push = json(&push.toolchain)?;
    let mut documents: HashMap<Vec<u8>, serde_json::Value> = HashMap::new();
    let push_digest = json_digest(&of_push);
    documents.insert(push_digest.clone(), of_push);
    let mut digests = Vec::with_capacity(push.builds.len());
    for build in &push.builds {
        if build.toolchain.is_empty() {
            digests.push(push_digest.clone());
            continue;
        }
        let mut merged = push.toolchain.clone();
        merged.extend(build.toolchain.clone());
        let value = json(&merged)?;
        let digest = json_digest(&value);
        documents.insert(digest.clone(), value);
        digests.push(digest);
    }
    let (keys, values): (Vec<_>, Vec<_>) = documents.into_iter().unzip();
    let ids = db::config::insert_toolchains(conn, &keys, &values).await?;
    let id = |digest: &Vec<u8>| ids.get(digest).copied().ok_or_else(|| anyhow::anyhow!("a toolchain vanished"));
    Ok(Toolchains { of_push: id(&push_digest)?, of_build: digests.iter().map(id).collect::<anyhow::Result<_>>()? })
}

async fn configs(conn: &mut Connection, builds: &[BuildManifest]) -> Result<Vec<i32>> {
    let mut documents = HashMap::new();
    let mut digests = Vec::with_capacity(builds.len());
    for build in builds {
        let value = config_document(build);
        let digest = json_digest(&value);
        documents.insert(digest.clone(), value);
        digests.push(digest);
    }
    let (keys, values): (Vec<_>, Vec<_>) = documents.into_iter().unzip();
    let ids = db::config::insert_configs(conn, &keys, &values).await?;
    let id = |digest: &Vec<u8>| ids.get(digest).copied().ok_or_else(|| anyhow::anyhow!("a config vanished"));
    Ok(digests.iter().map(id).collect::<anyhow::Result<_>>()?)
}

/// What is kept of a config beside its label, which the variant has.
fn config_document(build: &BuildManifest) -> serde_json::Value {
    let Config { label: _, options, constexprs, attributes, reconstruction } = &build.config;
    serde_json::json!({
        "function": build.function,
        "options": options,
        "constexprs": constexprs,
        "attributes": attributes,
        "reconstruction": reconstruction,
    })
}

/// Text and cubin of new lowerings against each other: a sentence for each build on which they disagree.
async fn warnings(conn: &mut Connection, push: &PushRequest, lowerings: &lowerings::Resolved) -> Result<Vec<String>> {
    let made: Vec<i32> = lowerings.made.iter().copied().collect();
    let differences = counts::disagreements(&db::compare::list_twice_counted(conn, &made).await?);
    let disputed = push.builds.iter().zip(&lowerings.ids).filter_map(|(build, id)| Some((build, differences.get(id)?)));
    let mut sentences: Vec<String> = disputed
        .map(|(build, differing)| {
            let (kernel, config) = (shown(build.kernel.as_str()), shown(build.config.label.as_str()));
            format!("{kernel} on {} ({config}): {}", build.target, agreement::sentence(differing))
        })
        .collect();
    let left_out = sentences.len().saturating_sub(WARNINGS);
    if left_out > 0 {
        sentences.truncate(WARNINGS);
        sentences.push(format!("SASS text and cubin disagree on {left_out} more builds"));
    }
    Ok(sentences)
}

async fn builds(
    conn: &mut Connection,
    project_id: i32,
    push: &PushRequest,
    toolchains: &Toolchains,
    lowering_id: Vec<i32>,
) -> Result<NewBuilds> {
    Ok(NewBuilds {
        variant_id: names::variants(conn, project_id, &push.builds).await?,
        lowering_id,
        toolchain_id: toolchains.of_build.clone(),
        config_id: configs(conn, &push.builds).await?,
    })
}

fn metrics(push: &PushRequest, builds: &NewBuilds) -> NewMetrics {
    let mut columns = NewMetrics::default();
    for (build, &variant_id) in push.builds.iter().zip(&builds.variant_id) {
        for (name, &value) in &build.metrics {
            columns.variant_id.push(variant_id);
            columns.name.push(name.clone());
            columns.value.push(value);
        }
    }
    columns
}

/// Makes anew what is derived along the line: at the commit, at those that follow it, and at those that moved.
pub async fn derive(conn: &mut Connection, commit_id: i32, moved: Vec<i32>) -> Result<()> {
    let mut affected = moved;
    affected.push(commit_id);
    affected.extend(db::history::list_followers(conn, commit_id).await?);
    affected.sort_unstable();
    affected.dedup();
    for id in affected {
        let before = db::history::find_line_predecessor(conn, id).await?;
        db::history::replace_change_points(conn, id, before).await?;
        db::history::replace_target_sums(conn, id).await?;
    }
    Ok(())
}
