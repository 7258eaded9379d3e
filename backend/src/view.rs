//! Rows become the nouns of the API.

use std::{
    collections::{BTreeMap, BTreeSet},
    str::FromStr,
};

use anyhow::Context as _;
use lowerline_shared::{
    api::{BuildStatus, CommitSummary, KernelSummary, ProjectSummary, Toolchain},
    decision_measure::{DecisionMeasure, DecisionValue, DecisionValues},
    ids::{Digest, TargetName},
    target,
};

use crate::{
    db::{
        self, Pool,
        commit::CommitRow,
        kernel::{HistoryRow, VariantRow},
        project::ProjectRow,
    },
    error::Result,
};

/// Text that was checked when it was written.
pub fn parsed<T: FromStr<Err: std::error::Error + Send + Sync + 'static>>(text: &str) -> anyhow::Result<T> {
    text.parse().with_context(|| format!("the database holds {text:?}"))
}

/// A digest of a row.
pub fn digest(bytes: &[u8]) -> anyhow::Result<Digest> {
    Ok(Digest(bytes.try_into().map_err(|_| anyhow::anyhow!("a digest of another length"))?))
}

/// Decisions of a row; those of a version with other names are left out, until `reparse` makes them anew.
pub fn decisions(json: &serde_json::Value) -> DecisionValues {
    let known = json.as_object().into_iter().flatten().filter_map(|(name, value)| {
        Some((DecisionMeasure::from_id(name)?, serde_json::from_value::<DecisionValue>(value.clone()).ok()?))
    });
    DecisionValues(known.collect())
}

/// One decision of a row; `None` where it is not known, or held in a way of another version.
pub fn decision(json: &serde_json::Value, measure: DecisionMeasure) -> Option<DecisionValue> {
    serde_json::from_value(json.get(measure.id())?.clone()).ok()
}

/// Decisions as a row holds them.
pub fn decision_json(values: &DecisionValues) -> serde_json::Value {
    let pairs = values.0.iter().map(|(measure, value)| {
        let value = match value {
            DecisionValue::Number(number) => serde_json::Value::from(*number),
            DecisionValue::Named(name) => serde_json::Value::from(name.as_str()),
        };
        (measure.id().to_owned(), value)
    });
    serde_json::Value::Object(pairs.collect())
}

/// A position, from 0.
pub fn position(position: i32) -> u32 {
    u32::try_from(position).unwrap_or(0)
}

/// A status.
pub fn status(word: &str) -> BuildStatus {
    match word {
        "ok" => BuildStatus::Ok,
        "crash" => BuildStatus::Crash,
        _ => BuildStatus::Error,
    }
}

/// Commits, in their order. Most share a toolchain, which is read once.
pub async fn commits(pool: &Pool, rows: Vec<CommitRow>) -> Result<Vec<CommitSummary>> {
    let ids: BTreeSet<i32> = rows.iter().map(|row| row.toolchain_id).collect();
    let ids: Vec<i32> = ids.into_iter().collect();
    let mut toolchains: BTreeMap<i32, Toolchain> = BTreeMap::new();
    for (id, versions) in db::compare::list_toolchains(pool, &ids).await? {
        toolchains.insert(id, serde_json::from_value(versions).map_err(anyhow::Error::from)?);
    }
    let summary = |row: CommitRow| {
        let toolchain = toolchains.get(&row.toolchain_id).cloned().unwrap_or_default();
        Ok(CommitSummary {
            sha: parsed(&row.sha)?,
            tag: row.tag.as_deref().map(parsed).transpose()?,
            position: position(row.position),
            subject: row.subject,
            author: row.author,
            committed_at: row.committed_at,
            branch: row.branch,
            parent: row.parent.as_deref().map(parsed).transpose()?,
            toolchain,
        })
    };
    Ok(rows.into_iter().map(summary).collect::<anyhow::Result<_>>()?)
}

/// One commit.
pub async fn commit(pool: &Pool, row: CommitRow) -> Result<CommitSummary> {
    let summary = commits(pool, vec![row]).await?.pop();
    Ok(summary.ok_or_else(|| anyhow::anyhow!("one row gives one commit"))?)
}

/// Targets as people list them.
pub fn targets(names: impl IntoIterator<Item = String>) -> anyhow::Result<Vec<TargetName>> {
    let mut targets: Vec<TargetName> = names.into_iter().map(|name| parsed(&name)).collect::<anyhow::Result<_>>()?;
    targets.sort_by_key(target::sort_key);
    targets.dedup();
    Ok(targets)
}

/// A project with its newest commit.
pub async fn project(pool: &Pool, row: ProjectRow) -> Result<ProjectSummary> {
    let newest = match db::commit::find_main_branch(pool, row.id).await? {
        Some(branch) => db::commit::find_newest(pool, row.id, &branch).await?,
        None => None,
    };
    Ok(ProjectSummary {
        slug: parsed(&row.slug)?,
        repository: row.repository,
        commits: u64::try_from(row.commits).unwrap_or(0),
        kernels: u64::try_from(row.kernels).unwrap_or(0),
        targets: targets(row.targets)?,
        newest: match newest {
            Some(row) => Some(commit(pool, row).await?),
            None => None,
        },
    })
}

/// A kernel from its variants, those with the longest history first.
pub fn kernel(key: &str, name: &str, histories: &[HistoryRow]) -> anyhow::Result<KernelSummary> {
    let mut configs: Vec<String> = Vec::new();
    for row in histories {
        if !configs.contains(&row.config) {
            configs.push(row.config.clone());
        }
    }
    Ok(KernelSummary {
        name: parsed(name)?,
        key: key.to_owned(),
        targets: targets(histories.iter().map(|row| row.target.clone()))?,
        configs,
    })
}

/// All kernels of a project by name.
pub async fn kernels(pool: &Pool, project_id: i32, branch: &str, end: i32) -> Result<Vec<KernelSummary>> {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for VariantRow { kernel_key, kernel_name, .. } in db::kernel::list_variants(pool, project_id, None).await? {
        names.insert(kernel_key, kernel_name);
    }
    let mut histories: BTreeMap<String, Vec<HistoryRow>> = BTreeMap::new();
    for (key, row) in db::kernel::list_histories(pool, project_id, branch, end, None).await? {
        histories.entry(key).or_default().push(row);
    }
    let mut out = Vec::with_capacity(names.len());
    for (key, rows) in &histories {
        out.push(kernel(key, names.get(key).map_or(key.as_str(), String::as_str), rows)?);
    }
    out.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(out)
}
