//! What comparisons and the pages of commits read.

use super::{Connection, Pool, Result};

/// One build of a state.
#[derive(Clone, Debug)]
#[expect(clippy::struct_field_names, reason = "named like the columns")]
pub struct BuildRow {
    pub variant_id: i32,
    pub lowering_id: i32,
    pub profile_id: i32,
    pub toolchain_id: i32,
    pub config_id: i32,
}

/// An artifact of a lowering.
#[derive(Clone, Debug)]
pub struct ArtifactRow {
    pub lowering_id: i32,
    pub stage: String,
    pub form: String,
    pub digest: Vec<u8>,
}

/// What is kept of a blob's report in columns.
#[derive(Clone, Debug)]
pub struct FactsRow {
    pub digest: Vec<u8>,
    pub normal_digest: Option<Vec<u8>>,
    pub histogram_id: Option<i32>,
    pub histogram_digest: Option<Vec<u8>>,
}

/// A number from outside, of one build.
#[derive(Clone, Debug)]
pub struct BuildMetricRow {
    pub commit_id: i32,
    pub variant_id: i32,
    pub name: String,
    pub value: f64,
}

/// Sums of a commit.
#[derive(Clone, Debug)]
pub struct TargetSumRow {
    pub commit_id: i32,
    pub target: String,
    pub builds: i32,
    pub failed: i32,
    pub changed: i32,
    pub added: i32,
    pub moved_permille: i32,
}

/// Builds of a commit; those of one kernel or target when given.
pub async fn list_builds(
    pool: &Pool,
    commit_id: i32,
    kernel: Option<&str>,
    target: Option<&str>,
) -> Result<Vec<BuildRow>> {
    if kernel.is_none() && target.is_none() {
        return list_all_builds(pool, commit_id).await;
    }
    sqlx::query_as!(
        BuildRow,
        "select b.variant_id, b.lowering_id, l.profile_id, b.toolchain_id, b.config_id
         from build b join lowering l on l.id = b.lowering_id join variant v on v.id = b.variant_id
         join kernel k on k.id = v.kernel_id join target t on t.id = v.target_id
         where b.commit_id = $1 and ($2::text is null or k.key = $2) and ($3::text is null or t.name = $3)",
        commit_id,
        kernel,
        target
    )
    .fetch_all(pool)
    .await
}

async fn list_all_builds(pool: &Pool, commit_id: i32) -> Result<Vec<BuildRow>> {
    sqlx::query_as!(
        BuildRow,
        "select b.variant_id, b.lowering_id, l.profile_id, b.toolchain_id, b.config_id
         from build b join lowering l on l.id = b.lowering_id where b.commit_id = $1",
        commit_id
    )
    .fetch_all(pool)
    .await
}

/// Artifacts of lowerings.
pub async fn list_artifacts(pool: &Pool, lowering_ids: &[i32]) -> Result<Vec<ArtifactRow>> {
    sqlx::query_as!(
        ArtifactRow,
        "select a.lowering_id, a.stage, a.form, b.digest from artifact a join blob b on b.id = a.blob_id
         where a.lowering_id = any($1)",
        lowering_ids
    )
    .fetch_all(pool)
    .await
}

/// What the columns of reports say, by digest of the blob.
pub async fn list_facts(pool: &Pool, digests: &[Vec<u8>]) -> Result<Vec<FactsRow>> {
    sqlx::query_as!(
        FactsRow,
        r#"select b.digest as "digest!", r.normal_digest as "normal_digest?", r.histogram_id as "histogram_id?",
                  h.digest as "histogram_digest?"
           from blob b left join report r on r.blob_id = b.id left join histogram h on h.id = r.histogram_id
           where b.digest = any($1)"#,
        digests
    )
    .fetch_all(pool)
    .await
}

/// Compressed reports by digest of the blob; blobs without one are left out.
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

/// Metrics of builds, each given by commit and variant.
pub async fn list_build_metrics(pool: &Pool, commit_ids: &[i32], variant_ids: &[i32]) -> Result<Vec<BuildMetricRow>> {
    sqlx::query_as!(
        BuildMetricRow,
        "select m.commit_id, m.variant_id, m.name, m.value
         from (select distinct * from unnest($1::int[], $2::int[]) as u (commit_id, variant_id)) as t
         join metric m on m.commit_id = t.commit_id and m.variant_id = t.variant_id",
        commit_ids,
        variant_ids
    )
    .fetch_all(pool)
    .await
}

/// Config documents by id.
pub async fn list_configs(pool: &Pool, ids: &[i32]) -> Result<Vec<(i32, serde_json::Value)>> {
    let rows = sqlx::query!("select id, body from config where id = any($1)", ids).fetch_all(pool).await?;
    Ok(rows.into_iter().map(|row| (row.id, row.body)).collect())
}

/// One opcode of a build that was pushed as SASS text and as a cubin.
#[derive(Clone, Debug)]
pub struct TwiceCountedRow {
    pub lowering_id: i32,
    pub opcode: String,
    pub text: i64,
    pub decoded: i64,
}

/// Opcodes of lowerings that have both SASS text and a cubin, as each of the two counts them. The text is the one that
/// profiles take: the main form before the others.
pub async fn list_twice_counted(conn: &mut Connection, lowering_ids: &[i32]) -> Result<Vec<TwiceCountedRow>> {
    sqlx::query_as!(
        TwiceCountedRow,
        r#"with part as (
               select distinct on (a.lowering_id, a.stage) a.lowering_id, a.stage, r.histogram_id
               from artifact a join report r on r.blob_id = a.blob_id
               where a.lowering_id = any($1) and a.stage in ('sass', 'cubin') and r.histogram_id is not null
               order by a.lowering_id, a.stage, a.form
           )
           select t.lowering_id as "lowering_id!", o.name as "opcode!",
                  coalesce(sum(n.in_function) filter (where n.histogram_id = t.histogram_id), 0) as "text!",
                  coalesce(sum(n.in_function) filter (where n.histogram_id = c.histogram_id), 0) as "decoded!"
           from part t join part c on c.lowering_id = t.lowering_id and c.stage = 'cubin'
           join opcode_count n on n.histogram_id in (t.histogram_id, c.histogram_id)
           join opcode o on o.id = n.opcode_id
           where t.stage = 'sass' and t.histogram_id <> c.histogram_id
           group by t.lowering_id, o.name order by t.lowering_id, o.name"#,
        lowering_ids
    )
    .fetch_all(conn)
    .await
}

/// Toolchains by id.
pub async fn list_toolchains(pool: &Pool, ids: &[i32]) -> Result<Vec<(i32, serde_json::Value)>> {
    let rows = sqlx::query!("select id, versions from toolchain where id = any($1)", ids).fetch_all(pool).await?;
    Ok(rows.into_iter().map(|row| (row.id, row.versions)).collect())
}

/// What was done to the output of configs that are no compiler's own.
pub async fn list_reconstructions(pool: &Pool, config_ids: &[i32]) -> Result<Vec<(i32, String)>> {
    let rows = sqlx::query!(
        r#"select id, body ->> 'reconstruction' as "text!" from config
           where id = any($1) and body ->> 'reconstruction' is not null"#,
        config_ids
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.text)).collect())
}

/// Sums of commits per target.
pub async fn list_target_sums(pool: &Pool, commit_ids: &[i32]) -> Result<Vec<TargetSumRow>> {
    sqlx::query_as!(
        TargetSumRow,
        "select s.commit_id, t.name as target, s.builds, s.failed, s.changed, s.added, s.moved_permille
         from commit_target s join target t on t.id = s.target_id where s.commit_id = any($1)",
        commit_ids
    )
    .fetch_all(pool)
    .await
}
