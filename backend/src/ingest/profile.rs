//! What of a lowering can be counted: its PTX histogram, its machine histogram, its resources, the compiler's decisions, or how it
//! failed.

use std::collections::BTreeMap;

use lowerline_analyzer::occupancy;
use lowerline_shared::{
    api::BuildStatus,
    decision_measure::DecisionValues,
    report::{Resource, Resources},
    stage::Stage,
};
use sha2::{Digest as _, Sha256};

use super::conflict::status_id;
use crate::{
    db::{
        self, Codes, Connection,
        maintenance::LoweringPartRow,
        profile::{ContentRow, NewProfile},
    },
    error::Result,
    view,
};

/// One artifact of a lowering with what its report says.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// As pushed.
    pub stage: Stage,
    /// As pushed.
    pub form: &'a str,
    /// Report.
    pub content: &'a ContentRow,
}

/// The profile of a lowering. What the compiler's metadata says about resources wins over what the blobs say.
pub fn new(
    codes: &Codes,
    status: BuildStatus,
    message: Option<&str>,
    parts: &[Part<'_>],
    pushed: &BTreeMap<Resource, i64>,
) -> NewProfile {
    let status_word = status_id(status);
    let mut hasher = Sha256::new();
    hasher.update(status_word);
    if status != BuildStatus::Ok {
        hasher.update([0]);
        hasher.update(message.unwrap_or(""));
        return NewProfile {
            digest: hasher.finalize().to_vec(),
            status: status_word,
            message: message.map(str::to_owned),
            ptx_id: None,
            machine_id: None,
            resource: Vec::new(),
            resource_value: Vec::new(),
            decision: serde_json::json!({}),
        };
    }
    let counted = |part: &&Part<'_>| part.content.histogram_id.is_some();
    let ptx = parts.iter().filter(|part| part.stage == Stage::Ptx).filter(counted).min_by_key(|part| part.form);
    let machine = parts
        .iter()
        .filter(counted)
        .filter_map(|part| Some(((part.stage.machine_rank()?, part.form), part)))
        .min_by_key(|(rank, _)| *rank)
        .map(|(_, part)| part);
    let mut resources = Resources::new();
    let mut ordered: Vec<&Part<'_>> = parts.iter().collect();
    ordered.sort_by_key(|part| (part.stage.resource_rank(), std::cmp::Reverse(part.form)));
    for part in ordered {
        resources.extend(codes.join(&part.content.resource, &part.content.resource_value));
    }
    resources.extend(pushed);
    // The target that the bytes name, not the one of the build: a profile follows from its blobs alone.
    let target = machine.into_iter().chain(parts).find_map(|part| part.content.target.as_deref()?.parse().ok());
    if let Some(target) = target {
        occupancy::add(&target, &mut resources);
    }
    for part in [ptx, machine] {
        hasher.update([0]);
        hasher.update(part.and_then(|part| part.content.histogram_digest.as_deref()).unwrap_or(&[]));
    }
    for (resource, value) in &resources {
        hasher.update([0]);
        hasher.update(resource.id());
        hasher.update(value.to_le_bytes());
    }
    let decision = decisions(parts, &resources);
    for (measure, value) in &decision.0 {
        hasher.update([0]);
        hasher.update(measure.id());
        hasher.update([0]);
        hasher.update(value.to_string());
    }
    let (resource, resource_value) = codes.split(&resources);
    NewProfile {
        digest: hasher.finalize().to_vec(),
        status: status_word,
        message: None,
        ptx_id: ptx.and_then(|part| part.content.histogram_id),
        machine_id: machine.and_then(|part| part.content.histogram_id),
        resource,
        resource_value,
        decision: view::decision_json(&decision),
    }
}

/// Decisions of a lowering: what its main forms show together.
fn decisions(parts: &[Part<'_>], resources: &Resources) -> DecisionValues {
    let read: Vec<(Stage, DecisionValues)> = parts
        .iter()
        .filter(|part| part.form.is_empty())
        .map(|part| (part.stage, view::decisions(&part.content.decision)))
        .collect();
    let stages = resources.get(&Resource::Stages).copied();
    DecisionValues::of_build(read.iter().map(|(stage, values)| (*stage, values)), stages)
}

/// Computes the profile of every lowering anew and points it there. Returns how many have another one.
pub async fn rebuild(conn: &mut Connection, codes: &Codes) -> Result<u64> {
    let mut changed = 0;
    let mut after = 0;
    loop {
        let rows = db::maintenance::list_lowering_parts(conn, after).await?;
        let Some(last) = rows.last() else { return Ok(changed) };
        after = last.lowering_id;
        for group in rows.chunk_by(|a, b| a.lowering_id == b.lowering_id) {
            changed += u64::from(rebuild_one(conn, codes, group).await?);
        }
    }
}

async fn rebuild_one(conn: &mut Connection, codes: &Codes, rows: &[LoweringPartRow]) -> Result<bool> {
    let Some(first) = rows.first().filter(|row| row.status == "ok") else { return Ok(false) };
    let contents: Vec<(Stage, &str, ContentRow)> = rows
        .iter()
        .filter_map(|row| {
            let content = ContentRow {
                blob_id: row.blob_id?,
                stage: row.content_stage.clone(),
                target: row.target.clone(),
                histogram_id: row.histogram_id,
                histogram_digest: row.histogram_digest.clone(),
                resource: row.resource.clone(),
                resource_value: row.resource_value.clone(),
                decision: row.decision.clone().unwrap_or_default(),
            };
            Some((Stage::from_id(row.stage.as_deref()?)?, row.form.as_deref()?, content))
        })
        .collect();
    let parts: Vec<Part<'_>> =
        contents.iter().map(|(stage, form, content)| Part { stage: *stage, form, content }).collect();
    let pushed = codes.join(&first.pushed_resource, &first.pushed_value);
    let profile = new(codes, BuildStatus::Ok, None, &parts, &pushed);
    let profile_id = db::profile::insert_profile(conn, &profile).await?;
    if profile_id == first.profile_id {
        return Ok(false);
    }
    db::maintenance::set_profile(conn, first.lowering_id, profile_id).await?;
    Ok(true)
}
