//! What the pages of one kernel read: its targets and its configs at one commit.

use super::{Pool, Result};

/// An artifact of a lowering with what its report says.
#[derive(Clone, Debug)]
pub struct KernelArtifactRow {
    pub lowering_id: i32,
    pub stage: String,
    pub form: String,
    pub digest: Vec<u8>,
    pub size_bytes: i64,
    /// `None` when the stage has no digest of meaning, or nothing was recognised.
    pub normal_digest: Option<Vec<u8>>,
}

/// A number from outside.
#[derive(Clone, Debug)]
pub struct BuildMetricRow {
    pub variant_id: i32,
    pub name: String,
    pub value: f64,
}

/// An opcode of one family in a histogram.
#[derive(Clone, Debug)]
pub struct FamilyOpcodeRow {
    pub histogram_id: i32,
    pub stage: String,
    pub name: String,
    pub in_function: i32,
    pub in_loop: i32,
    pub in_hot: i32,
}

/// Hash of the newest commit of a line with builds of a kernel. `None` when there is none.
pub async fn find_newest_with_kernel(pool: &Pool, project_id: i32, branch: &str, key: &str) -> Result<Option<String>> {
    sqlx::query_scalar!(
        "select c.sha from commit c
         where c.project_id = $1 and c.branch = $2
             and exists (select from build b join variant v on v.id = b.variant_id join kernel k on k.id = v.kernel_id
                         where b.commit_id = c.id and k.project_id = $1 and k.key = $3)
         order by c.position desc limit 1",
        project_id,
        branch,
        key
    )
    .fetch_optional(pool)
    .await
}

/// Artifacts of some stages of lowerings, the main form of each first.
pub async fn list_kernel_artifacts(
    pool: &Pool,
    lowering_ids: &[i32],
    stages: &[String],
) -> Result<Vec<KernelArtifactRow>> {
    sqlx::query_as!(
        KernelArtifactRow,
        r#"select a.lowering_id, a.stage, a.form, b.digest, b.size_bytes, r.normal_digest as "normal_digest?"
           from artifact a join blob b on b.id = a.blob_id left join report r on r.blob_id = b.id
           where a.lowering_id = any($1) and a.stage = any($2) order by a.lowering_id, a.stage, a.form"#,
        lowering_ids,
        stages
    )
    .fetch_all(pool)
    .await
}

/// Compressed reports of blobs.
pub async fn list_report_bodies(pool: &Pool, digests: &[Vec<u8>]) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
    let rows = sqlx::query!(
        r#"select b.digest, r.body as "body!" from blob b join report r on r.blob_id = b.id
           where b.digest = any($1) and r.body is not null"#,
        digests
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|row| (row.digest, row.body)).collect())
}

/// Configs by id, as they were pushed.
pub async fn list_configs(pool: &Pool, ids: &[i32]) -> Result<Vec<(i32, serde_json::Value)>> {
    let rows = sqlx::query!("select id, body from config where id = any($1)", ids).fetch_all(pool).await?;
    Ok(rows.into_iter().map(|row| (row.id, row.body)).collect())
}

/// Metrics of builds at a commit.
pub async fn list_build_metrics(pool: &Pool, commit_id: i32, variant_ids: &[i32]) -> Result<Vec<BuildMetricRow>> {
    sqlx::query_as!(
        BuildMetricRow,
        "select variant_id, name, value from metric where commit_id = $1 and variant_id = any($2)",
        commit_id,
        variant_ids
    )
    .fetch_all(pool)
    .await
}

/// Opcodes of one family in histograms.
pub async fn list_family_opcodes(pool: &Pool, histogram_ids: &[i32], family_id: i16) -> Result<Vec<FamilyOpcodeRow>> {
    sqlx::query_as!(
        FamilyOpcodeRow,
        "select c.histogram_id, o.stage, o.name, c.in_function, c.in_loop, c.in_hot
         from opcode_count c join opcode o on o.id = c.opcode_id
         where c.histogram_id = any($1) and c.family_id = $2",
        histogram_ids,
        family_id
    )
    .fetch_all(pool)
    .await
}
