//! Finds or makes what the compiles of a manifest gave.

use std::collections::{BTreeSet, HashMap};

use lowerline_shared::{
    api::{ArtifactRef, BuildManifest},
    ids::Digest,
    problem::Code,
    stage::Stage,
};
use sha2::{Digest as _, Sha256};

use super::{conflict::status_id, profile};
use crate::{
    db::{self, Codes, Connection, lowering::NewArtifacts},
    error::{Refusal, Result},
};

/// Lowerings of the builds of a manifest.
pub struct Resolved {
    /// Ids in the order of the builds.
    pub ids: Vec<i32>,
    /// Those that no push had before.
    pub made: BTreeSet<i32>,
}

/// Finds the lowerings of builds, or makes them.
pub async fn resolve(conn: &mut Connection, codes: &Codes, builds: &[BuildManifest]) -> Result<Resolved> {
    let digests: Vec<Vec<u8>> = builds.iter().map(digest).collect();
    let distinct: BTreeSet<&Vec<u8>> = digests.iter().collect();
    let distinct: Vec<Vec<u8>> = distinct.into_iter().cloned().collect();
    let mut ids: HashMap<Vec<u8>, i32> = HashMap::new();
    for row in db::lowering::list_lowerings(conn, &distinct).await? {
        ids.insert(row.digest, row.id);
    }
    let mut new: Vec<usize> = Vec::new();
    let mut seen: BTreeSet<&[u8]> = BTreeSet::new();
    for (n, digest) in digests.iter().enumerate() {
        if !ids.contains_key(digest) && seen.insert(digest) {
            new.push(n);
        }
    }
    if !new.is_empty() {
        make(conn, codes, builds, &digests, &new, &mut ids).await?;
    }
    let id = |digest: &Vec<u8>| ids.get(digest).copied().ok_or_else(|| anyhow::anyhow!("a lowering vanished"));
    let made = new.iter().map(|&n| id(&digests[n])).collect::<anyhow::Result<_>>()?;
    Ok(Resolved { ids: digests.iter().map(id).collect::<anyhow::Result<_>>()?, made })
}

/// The identity of what a compile gave.
fn digest(build: &BuildManifest) -> Vec<u8> {
    let mut hasher = Sha256::new();
    hasher.update(status_id(build.status));
    hasher.update([0]);
    hasher.update(build.message.as_deref().unwrap_or(""));
    let mut artifacts: Vec<&ArtifactRef> = build.artifacts.iter().collect();
    artifacts.sort_by(|a, b| (a.stage, &a.form).cmp(&(b.stage, &b.form)));
    for artifact in artifacts {
        hasher.update([0]);
        hasher.update(artifact.stage.id());
        hasher.update([0]);
        hasher.update(&artifact.form);
        hasher.update([0]);
        hasher.update(artifact.digest.0);
    }
    for (resource, value) in &build.resources {
        hasher.update([1]);
        hasher.update(resource.id());
        hasher.update(value.to_le_bytes());
    }
    hasher.finalize().to_vec()
}

async fn make(
    conn: &mut Connection,
    codes: &Codes,
    builds: &[BuildManifest],
    digests: &[Vec<u8>],
    new: &[usize],
    ids: &mut HashMap<Vec<u8>, i32>,
) -> Result<()> {
    db::lowering::lock_making(conn).await?;
    let blobs = blobs(conn, builds, new).await?;
    let blob_ids: Vec<i32> = blobs.values().copied().collect();
    let contents: HashMap<i32, _> = db::profile::list_contents(conn, &blob_ids)
        .await?
        .into_iter()
        .map(|content| (content.blob_id, content))
        .collect();
    let mut artifacts = NewArtifacts::default();
    for &n in new {
        let build = &builds[n];
        let parts: Vec<profile::Part<'_>> = build
            .artifacts
            .iter()
            .filter_map(|artifact| {
                let content = contents.get(blobs.get(&artifact.digest)?)?;
                Some(profile::Part { stage: artifact.stage, form: &artifact.form, content })
            })
            .collect();
        check_stages(n, build, &parts)?;
        let profile = profile::new(codes, build.status, build.message.as_deref(), &parts, &build.resources);
        let profile_id = db::profile::insert_profile(conn, &profile).await?;
        let (resource, value) = codes.split(&build.resources);
        let made = db::lowering::insert_lowering(conn, &digests[n], profile_id, &resource, &value).await?;
        let Some(id) = made else {
            // Another project's push made it meanwhile, artifacts and all.
            let held = db::lowering::list_lowerings(conn, std::slice::from_ref(&digests[n])).await?;
            ids.extend(held.into_iter().map(|row| (row.digest, row.id)));
            continue;
        };
        ids.insert(digests[n].clone(), id);
        for artifact in &build.artifacts {
            artifacts.lowering_id.push(id);
            artifacts.stage.push(artifact.stage.id().to_owned());
            artifacts.form.push(artifact.form.clone());
            artifacts.blob_id.push(blobs[&artifact.digest]);
        }
    }
    Ok(db::lowering::insert_artifacts(conn, &artifacts).await?)
}

/// Ids of the blobs of new lowerings; refuses a digest that was never sent.
async fn blobs(conn: &mut Connection, builds: &[BuildManifest], new: &[usize]) -> Result<HashMap<Digest, i32>> {
    let wanted: BTreeSet<Digest> =
        new.iter().flat_map(|&n| &builds[n].artifacts).map(|artifact| artifact.digest).collect();
    let column: Vec<Vec<u8>> = wanted.iter().map(|digest| digest.0.to_vec()).collect();
    let mut ids = HashMap::new();
    for row in db::blob::list_blobs(conn, &column).await? {
        let digest = row.digest.try_into().map_err(|_| anyhow::anyhow!("a digest of another length"))?;
        ids.insert(Digest(digest), row.id);
    }
    for &n in new {
        for (m, artifact) in builds[n].artifacts.iter().enumerate() {
            if !ids.contains_key(&artifact.digest) {
                let message = format!("blob {} was never sent", artifact.digest);
                return Err(Refusal::unprocessable(Code::UnknownDigest, message)
                    .at(format!("builds[{n}].artifacts[{m}].digest"))
                    .hint("ask `blobs/missing` and send what it names before the manifest")
                    .into());
            }
        }
    }
    Ok(ids)
}

/// Refuses an artifact whose content is of another stage than claimed, a cubin named PTX say. Triton's IR stages share
/// one syntax and are told apart by their name only; what was not recognised at all is kept.
fn check_stages(n: usize, build: &BuildManifest, parts: &[profile::Part<'_>]) -> Result<()> {
    let is_mlir = |stage| matches!(stage, Stage::Source | Stage::Ttir | Stage::Glir | Stage::Ttgir);
    for (m, part) in parts.iter().enumerate() {
        let Some(content) = part.content.stage.as_deref().and_then(Stage::from_id) else { continue };
        if content != part.stage && !(is_mlir(content) && is_mlir(part.stage)) {
            let message = format!("sent as {}, but its content is {}", part.stage.id(), content.id());
            return Err(Refusal::field(format!("builds[{n}].artifacts[{m}].stage"), message)
                .hint(format!("kernel {}", lowerline_shared::ids::shown(build.kernel.as_str())))
                .into());
        }
    }
    Ok(())
}
