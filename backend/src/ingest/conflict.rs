//! A build that the commit already has may come again, but not with something else in it.

use std::collections::{BTreeMap, BTreeSet};

use lowerline_shared::{
    api::{BuildManifest, BuildStatus, PushRequest},
    ids::{Digest, shown},
};
use serde_json::Value;

use crate::{
    db::{
        self, Connection,
        build::{ConflictRow, NewBuilds},
    },
    error::{Refusal, Result},
};

const LABELS: &str = "a config label stands for one config; give the other one another label";

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
    for conflict in db::build::list_config_conflicts(conn, commit_id, builds).await? {
        let Some(n) = builds.variant_id.iter().position(|&id| id == conflict.variant_id) else { continue };
        return Err(compare_configs(n, &push.builds[n], &conflict.held, &conflict.sent).into());
    }
    Ok(())
}

fn name_of(build: &BuildManifest) -> String {
    format!("{} on {} ({})", shown(build.kernel.as_str()), build.target, shown(build.config.label.as_str()))
}

/// Names the first value that differs between two config documents.
fn compare_configs(n: usize, build: &BuildManifest, held: &Value, sent: &Value) -> Refusal {
    let name = name_of(build);
    let text = |value: Option<&Value>| match value {
        None | Some(Value::Null) => "nothing".to_owned(),
        Some(value) => shown(&value.to_string()),
    };
    for part in ["options", "constexprs", "attributes"] {
        let (held, sent) = (held[part].as_object(), sent[part].as_object());
        let keys: BTreeSet<&String> = held.into_iter().chain(sent).flat_map(|map| map.keys()).collect();
        let value = |map: Option<&serde_json::Map<String, Value>>, key: &str| map.and_then(|map| map.get(key)).cloned();
        if let Some(key) = keys.into_iter().find(|key| value(held, key) != value(sent, key)) {
            let (was, is) = (value(held, key), value(sent, key));
            let message = format!(
                "build {name} is already recorded with other {part}: `{}` is held as {}, {} was sent",
                shown(key),
                text(was.as_ref()),
                text(is.as_ref())
            );
            return Refusal::conflict(message).at(format!("builds[{n}].config.{part}")).hint(LABELS);
        }
    }
    let (field, part) = if held["function"] == sent["function"] {
        ("config.reconstruction", "reconstruction")
    } else {
        ("function", "function")
    };
    let message = format!(
        "build {name} is already recorded with another {part}: {} is held, {} was sent",
        text(held.get(part)),
        text(sent.get(part))
    );
    Refusal::conflict(message).at(format!("builds[{n}].{field}")).hint(LABELS)
}

async fn compare(
    conn: &mut Connection,
    n: usize,
    build: &BuildManifest,
    conflict: &ConflictRow,
) -> Result<Option<Refusal>> {
    let name = name_of(build);
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
