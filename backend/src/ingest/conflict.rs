//! A build that the commit already has may come again, but not with something else in it.

use std::collections::BTreeMap;

use lowerline_shared::{
    api::{BuildManifest, BuildStatus, PushRequest},
    ids::{Digest, shown},
};

use crate::{
    db::{
        self, Connection,
        build::{ConflictRow, NewBuilds},
    },
    error::{Refusal, Result},
};

/// The word of a status in rows.
pub const fn status_id(status: BuildStatus) -> &'static str {
    match status {
        BuildStatus::Ok => "ok",
        BuildStatus::Error => "error",
        BuildStatus::Crash => "crash",
    }
}

/// Refuses the push at the first build that differs from the one held. A failed build that fails again in other words
/// is no difference: the first words are kept.
pub async fn refuse(conn: &mut Connection, commit_id: i32, push: &PushRequest, builds: &NewBuilds) -> Result<()> {
    for conflict in db::build::list_conflicts(conn, commit_id, builds).await? {
        let Some(n) = builds.variant_id.iter().position(|&id| id == conflict.variant_id) else { continue };
        if let Some(refusal) = compare(conn, n, &push.builds[n], &conflict).await? {
            return Err(refusal.into());
        }
    }
    Ok(())
}

async fn compare(
    conn: &mut Connection,
    n: usize,
    build: &BuildManifest,
    conflict: &ConflictRow,
) -> Result<Option<Refusal>> {
    let name = format!("{} on {} ({})", shown(build.kernel.as_str()), build.target, shown(build.config.label.as_str()));
    let status = status_id(build.status);
    if status != conflict.held_status {
        let message = format!("build {name} is already recorded as {} and was sent as {status}", conflict.held_status);
        return Ok(Some(Refusal::conflict(message).at(format!("builds[{n}].status"))));
    }
    let mut held: BTreeMap<(String, String), Digest> = BTreeMap::new();
    for row in db::build::list_held_artifacts(conn, conflict.held_lowering_id).await? {
        let digest = row.digest.try_into().map_err(|_| anyhow::anyhow!("a digest of another length"))?;
        held.insert((row.stage, row.form), Digest(digest));
    }
    for (m, artifact) in build.artifacts.iter().enumerate() {
        let other = held.remove(&(artifact.stage.id().to_owned(), artifact.form.clone()));
        if other == Some(artifact.digest) {
            continue;
        }
        let was = other.map_or_else(|| "none".to_owned(), |digest| digest.to_string());
        let message = format!(
            "build {name} already has another {} artifact: {was} is held, {} was sent",
            artifact.stage.id(),
            artifact.digest
        );
        return Ok(Some(Refusal::conflict(message).at(format!("builds[{n}].artifacts[{m}].digest"))));
    }
    if let Some(((stage, _), digest)) = held.pop_first() {
        let message = format!("build {name} already has a {stage} artifact ({digest} is held, none was sent)");
        return Ok(Some(Refusal::conflict(message).at(format!("builds[{n}].artifacts"))));
    }
    if build.status == BuildStatus::Ok {
        let message = format!("build {name} is already recorded with other resources");
        return Ok(Some(Refusal::conflict(message).at(format!("builds[{n}].resources"))));
    }
    Ok(None)
}
