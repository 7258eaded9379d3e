//! A blob's report becomes rows.

use std::collections::HashMap;

use lowerline_shared::{
    decision_measure::DecisionValues,
    ids::Digest,
    report::{OpcodeCount, Report},
    stage::{Scope, Stage},
};
use sha2::{Digest as _, Sha256};

use crate::{
    analysis::Outcome,
    db::{
        self, Codes, Pool,
        blob::{NewHistogram, NewReport},
    },
    error::Result,
    intake::Examined,
    view,
};

/// Distinct opcodes kept per histogram; real kernels have a few hundred.
const OPCODES: usize = 8_192;
/// Bytes of an opcode kept; the longest real ones are near 100.
const OPCODE_BYTES: usize = 200;
/// Warnings kept per report.
const WARNINGS: usize = 100;
/// Bytes of a warning kept.
const WARNING_BYTES: usize = 1_000;
/// Level of stored reports: they are read rarely and one at a time.
const LEVEL: i32 = 6;

/// The histogram of a report as it is stored.
struct Histogram {
    digest: [u8; 32],
    stage: Stage,
    source: Option<String>,
    rows: Vec<OpcodeCount>,
}

/// Writes blob, report and histogram in one transaction. The bytes must be on disk.
pub async fn record(pool: &Pool, codes: &Codes, digest: Digest, examined: &Examined) -> Result<()> {
    let mut warnings = Vec::new();
    let histogram = match &examined.outcome {
        Outcome::Report(report) => {
            warnings.extend(report.warnings.iter().map(|warning| clean(warning, WARNING_BYTES)));
            histogram(report, &mut warnings)
        }
        Outcome::None(why) => {
            warnings.push(clean(why, WARNING_BYTES));
            None
        }
    };
    warnings.truncate(WARNINGS);
    let columns = match &histogram {
        Some(histogram) => Some(columns(pool, codes, histogram).await?),
        None => None,
    };

    let mut tx = pool.begin().await?;
    let size = i64::try_from(examined.size_bytes).unwrap_or(i64::MAX);
    let blob_id = db::blob::insert_blob(&mut tx, &digest.0, size).await?;
    let histogram_id = match (&histogram, &columns) {
        (Some(histogram), Some(columns)) => Some(insert_histogram(&mut tx, histogram, columns).await?),
        _ => None,
    };
    let report = match &examined.outcome {
        Outcome::Report(report) => Some(&**report),
        Outcome::None(_) => None,
    };
    let (resource, resource_value) = report.map(|report| codes.split(&report.resources)).unwrap_or_default();
    let decision = view::decision_json(&report.map(DecisionValues::of_report).unwrap_or_default());
    let body = match report {
        Some(report) => {
            let json = serde_json::to_vec(report).map_err(anyhow::Error::from)?;
            Some(zstd::bulk::compress(&json, LEVEL)?)
        }
        None => None,
    };
    let target = report.and_then(|report| report.target.as_deref()).map(|target| clean(target, 64));
    let new = NewReport {
        analyzer: i32::try_from(lowerline_analyzer::VERSION).unwrap_or(i32::MAX),
        stage: report.map(|report| report.stage.id()),
        target: target.as_deref(),
        normal_digest: report.and_then(|report| report.normal_digest.as_ref()).map(|digest| &digest.0[..]),
        histogram_id,
        resource: &resource,
        resource_value: &resource_value,
        decision: &decision,
        warnings: &warnings,
        body: body.as_deref(),
    };
    db::blob::insert_report(&mut tx, blob_id, &new).await?;
    tx.commit().await?;
    Ok(())
}

/// The machine level of a binary is that of its text.
pub const fn counted_stage(stage: Stage) -> Option<Stage> {
    match stage {
        Stage::Ptx | Stage::Sass | Stage::Amdgcn => Some(stage),
        Stage::Cubin => Some(Stage::Sass),
        Stage::Hsaco => Some(Stage::Amdgcn),
        _ => None,
    }
}

fn histogram(report: &Report, warnings: &mut Vec<String>) -> Option<Histogram> {
    let stage = counted_stage(report.stage)?;
    let mut sums: std::collections::BTreeMap<_, OpcodeCount> = std::collections::BTreeMap::new();
    for row in report.histogram() {
        let row = OpcodeCount { opcode: clean(&row.opcode, OPCODE_BYTES), ..row };
        sums.entry((row.opcode.clone(), row.family.id())).and_modify(|sum| sum.counts.add(row.counts)).or_insert(row);
    }
    let mut rows: Vec<OpcodeCount> = sums.into_values().collect();
    if rows.is_empty() && !report.stage.has_families() {
        return None;
    }
    if rows.len() > OPCODES {
        warnings.push(format!("{} of {} distinct opcodes are not counted", rows.len() - OPCODES, rows.len()));
        rows.truncate(OPCODES);
    }
    let source = report.source.as_deref().map(|source| clean(source, 64));
    let mut hasher = Sha256::new();
    hasher.update(stage.id());
    hasher.update([0]);
    hasher.update(source.as_deref().unwrap_or(""));
    for row in &rows {
        hasher.update([0]);
        hasher.update(&row.opcode);
        hasher.update([0]);
        hasher.update(row.family.id());
        for scope in Scope::ALL {
            hasher.update(row.counts.get(scope).to_le_bytes());
        }
    }
    Some(Histogram { digest: hasher.finalize().into(), stage, source, rows })
}

/// Opcodes as numbers. Outside the transaction of the blob: an opcode nobody uses harms nothing, and two blobs at once
/// do not wait for each other.
async fn columns(pool: &Pool, codes: &Codes, histogram: &Histogram) -> Result<NewHistogram> {
    let mut names: Vec<String> = histogram.rows.iter().map(|row| row.opcode.clone()).collect();
    names.dedup();
    let stage = histogram.stage.id();
    let mut ids: HashMap<String, i32> = HashMap::new();
    for (id, name) in db::blob::list_opcodes(pool, stage, &names).await? {
        ids.insert(name, id);
    }
    if ids.len() < names.len() {
        db::blob::insert_opcodes(pool, stage, &names).await?;
        for (id, name) in db::blob::list_opcodes(pool, stage, &names).await? {
            ids.insert(name, id);
        }
    }
    let mut columns = NewHistogram::default();
    for row in &histogram.rows {
        let id = ids.get(&row.opcode).ok_or_else(|| anyhow::anyhow!("opcode {} has no id", row.opcode))?;
        columns.opcode_id.push(*id);
        columns.family_id.push(codes.of_family(row.family));
        for (column, scope) in [
            (&mut columns.in_function, Scope::Function),
            (&mut columns.in_loop, Scope::Loop),
            (&mut columns.in_hot, Scope::Hot),
        ] {
            column.push(i32::try_from(row.counts.get(scope)).unwrap_or(i32::MAX));
        }
    }
    Ok(columns)
}

async fn insert_histogram(conn: &mut db::Connection, histogram: &Histogram, columns: &NewHistogram) -> Result<i32> {
    if let Some(id) = db::blob::find_histogram(conn, &histogram.digest).await? {
        return Ok(id);
    }
    let stage = histogram.stage.id();
    let made = db::blob::insert_histogram(conn, &histogram.digest, stage, histogram.source.as_deref()).await?;
    let Some(id) = made else {
        let id = db::blob::find_histogram(conn, &histogram.digest).await?;
        return Ok(id.ok_or_else(|| anyhow::anyhow!("a histogram vanished"))?);
    };
    db::blob::insert_opcode_counts(conn, id, columns).await?;
    db::blob::insert_family_counts(conn, id).await?;
    Ok(id)
}

/// Foreign text that Postgres can hold: no control characters, cut at a character.
fn clean(text: &str, bytes: usize) -> String {
    let mut out: String = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).take(bytes).collect();
    while out.len() > bytes {
        out.pop();
    }
    out
}
