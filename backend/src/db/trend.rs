//! What trends read: change points, and counts of the histograms they lead to.

use super::{Pool, Result};

/// A change of one variant along a line.
#[derive(Clone, Debug)]
pub struct PointRow {
    pub variant_id: i32,
    pub position: i32,
    /// `None`: not built from here on.
    pub profile_id: Option<i32>,
}

/// A profile with the stage and source of its machine histogram.
#[derive(Clone, Debug)]
pub struct ProfileRow {
    pub id: i32,
    pub status: String,
    pub message: Option<String>,
    pub ptx_id: Option<i32>,
    pub machine_id: Option<i32>,
    pub machine_stage: Option<String>,
    pub machine_source: Option<String>,
    pub ptx_source: Option<String>,
    pub resource: Vec<i16>,
    pub resource_value: Vec<i64>,
    pub decision: serde_json::Value,
}

/// Family counts of a histogram; the arrays go together.
#[derive(Clone, Debug)]
pub struct FamilyCountRow {
    pub histogram_id: i32,
    pub family: Vec<i16>,
    pub in_function: Vec<i32>,
    pub in_loop: Vec<i32>,
    pub in_hot: Vec<i32>,
}

/// An opcode of a histogram.
#[derive(Clone, Debug)]
pub struct OpcodeCountRow {
    pub histogram_id: i32,
    pub name: String,
    pub family_id: i16,
    pub in_function: i32,
    pub in_loop: i32,
    pub in_hot: i32,
}

/// A number from outside.
#[derive(Clone, Debug)]
pub struct MetricRow {
    pub variant_id: i32,
    pub position: i32,
    pub name: String,
    pub value: f64,
}

/// Changes of variants along a line, by variant and position.
pub async fn list_points(pool: &Pool, branch: &str, variant_ids: &[i32]) -> Result<Vec<PointRow>> {
    sqlx::query_as!(
        PointRow,
        "select cp.variant_id, c.position, cp.profile_id
         from change_point cp join commit c on c.id = cp.commit_id
         where cp.variant_id = any($2) and c.branch = $1 order by cp.variant_id, c.position",
        branch,
        variant_ids
    )
    .fetch_all(pool)
    .await
}

/// Profiles by id.
pub async fn list_profiles(pool: &Pool, ids: &[i32]) -> Result<Vec<ProfileRow>> {
    sqlx::query_as!(
        ProfileRow,
        r#"select p.id as "id!", p.status as "status!", p.message as "message?", p.ptx_id as "ptx_id?",
                  p.machine_id as "machine_id?", m.stage as "machine_stage?", m.source as "machine_source?",
                  x.source as "ptx_source?", p.resource as "resource!", p.resource_value as "resource_value!",
                  p.decision as "decision!"
           from profile p left join histogram m on m.id = p.machine_id left join histogram x on x.id = p.ptx_id
           where p.id = any($1)"#,
        ids
    )
    .fetch_all(pool)
    .await
}

/// Family counts of histograms.
pub async fn list_family_counts(pool: &Pool, histogram_ids: &[i32]) -> Result<Vec<FamilyCountRow>> {
    sqlx::query_as!(
        FamilyCountRow,
        "select histogram_id, family, in_function, in_loop, in_hot from family_count where histogram_id = any($1)",
        histogram_ids
    )
    .fetch_all(pool)
    .await
}

/// All opcodes of histograms.
pub async fn list_opcode_counts(pool: &Pool, histogram_ids: &[i32]) -> Result<Vec<OpcodeCountRow>> {
    sqlx::query_as!(
        OpcodeCountRow,
        "select c.histogram_id, o.name, c.family_id, c.in_function, c.in_loop, c.in_hot
         from opcode_count c join opcode o on o.id = c.opcode_id where c.histogram_id = any($1)",
        histogram_ids
    )
    .fetch_all(pool)
    .await
}

/// Opcodes of histograms that a prefix covers, as `lowerline_shared::measure::covers` has it.
pub async fn list_covered_counts(
    pool: &Pool,
    histogram_ids: &[i32],
    stage: &str,
    prefix: &str,
) -> Result<Vec<OpcodeCountRow>> {
    sqlx::query_as!(
        OpcodeCountRow,
        "with covered as materialized (
           select id, name from opcode
           where stage = $2 and (name = $3 or starts_with(name, $3 || '.') or starts_with(name, $3 || '_')))
         select c.histogram_id, o.name, c.family_id, c.in_function, c.in_loop, c.in_hot
         from covered o join opcode_count c on c.opcode_id = o.id where c.histogram_id = any($1)",
        histogram_ids,
        stage,
        prefix
    )
    .fetch_all(pool)
    .await
}

/// Metrics of variants along a line.
pub async fn list_metrics(pool: &Pool, branch: &str, variant_ids: &[i32], names: &[String]) -> Result<Vec<MetricRow>> {
    sqlx::query_as!(
        MetricRow,
        "select m.variant_id, c.position, m.name, m.value from metric m join commit c on c.id = m.commit_id
         where m.variant_id = any($2) and m.name = any($3) and c.branch = $1
         order by m.variant_id, m.name, c.position",
        branch,
        variant_ids,
        names
    )
    .fetch_all(pool)
    .await
}
