//! What `check`, `gc` and `reparse` read and write.

use super::{Connection, Pool, Result};

/// A blob, as `check`, `gc` and `reparse` walk over them.
#[derive(Clone, Debug)]
pub struct HeldBlobRow {
    pub id: i32,
    pub digest: Vec<u8>,
    pub size_bytes: i64,
    pub analyzer: Option<i32>,
}

/// One artifact of a lowering with its report; the artifact's columns are null for a lowering without any.
#[derive(Clone, Debug)]
pub struct LoweringPartRow {
    pub lowering_id: i32,
    pub profile_id: i32,
    pub status: String,
    pub pushed_resource: Vec<i16>,
    pub pushed_value: Vec<i64>,
    pub stage: Option<String>,
    pub form: Option<String>,
    pub blob_id: Option<i32>,
    pub content_stage: Option<String>,
    pub target: Option<String>,
    pub histogram_id: Option<i32>,
    pub histogram_digest: Option<Vec<u8>>,
    pub resource: Vec<i16>,
    pub resource_value: Vec<i64>,
    pub decision: Option<serde_json::Value>,
}

/// Blobs behind an id, in order of id.
pub async fn list_blobs_after(pool: &Pool, after: i32) -> Result<Vec<HeldBlobRow>> {
    sqlx::query_as!(
        HeldBlobRow,
        r#"select b.id as "id!", b.digest as "digest!", b.size_bytes as "size_bytes!", r.analyzer as "analyzer?"
           from blob b left join report r on r.blob_id = b.id where b.id > $1 order by b.id limit 1000"#,
        after
    )
    .fetch_all(pool)
    .await
}

/// Parts of some lowerings behind an id, all parts of each.
pub async fn list_lowering_parts(conn: &mut Connection, after: i32) -> Result<Vec<LoweringPartRow>> {
    sqlx::query_as!(
        LoweringPartRow,
        r#"select l.id as "lowering_id!", l.profile_id as "profile_id!", p.status as "status!",
                  l.resource as "pushed_resource!", l.resource_value as "pushed_value!", a.stage as "stage?",
                  a.form as "form?", a.blob_id as "blob_id?", r.stage as "content_stage?", r.target as "target?", r.histogram_id as "histogram_id?", h.digest as "histogram_digest?",
                  coalesce(r.resource, '{}') as "resource!", coalesce(r.resource_value, '{}') as "resource_value!",
                  r.decision as "decision?"
           from (select * from lowering where id > $1 order by id limit 500) as l
           join profile p on p.id = l.profile_id left join artifact a on a.lowering_id = l.id
           left join report r on r.blob_id = a.blob_id left join histogram h on h.id = r.histogram_id
           order by l.id, a.stage, a.form"#,
        after
    )
    .fetch_all(conn)
    .await
}

/// Points a lowering at another profile.
pub async fn set_profile(conn: &mut Connection, lowering_id: i32, profile_id: i32) -> Result<()> {
    sqlx::query!("update lowering set profile_id = $2 where id = $1", lowering_id, profile_id)
        .execute(conn)
        .await
        .map(drop)
}

/// All commits.
pub async fn list_commit_ids(conn: &mut Connection) -> Result<Vec<i32>> {
    sqlx::query_scalar!("select id from commit order by id").fetch_all(conn).await
}

/// Deletes blobs that no artifact points at and nobody sent or asked for within a day; returns their digests.
pub async fn delete_unreferenced_blobs(conn: &mut Connection) -> Result<Vec<Vec<u8>>> {
    sqlx::query_scalar!(
        "delete from blob b where asked_at < now() - interval '24 hours'
             and not exists (select from artifact a where a.blob_id = b.id) returning digest"
    )
    .fetch_all(conn)
    .await
}

/// Deletes what only blobs and reports that are gone pointed at.
pub async fn delete_unused_histograms(conn: &mut Connection) -> Result<u64> {
    let done = sqlx::query!(
        "delete from histogram h where not exists (select from report r where r.histogram_id = h.id)
             and not exists (select from profile p where p.ptx_id = h.id or p.machine_id = h.id)"
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

/// Deletes profiles that nothing points at.
pub async fn delete_unused_profiles(conn: &mut Connection) -> Result<u64> {
    let done = sqlx::query!(
        "delete from profile p where not exists (select from lowering l where l.profile_id = p.id)
             and not exists (select from change_point c where c.profile_id = p.id)"
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
