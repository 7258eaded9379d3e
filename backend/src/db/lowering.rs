//! Lowerings: what compiles gave, shared by all builds that gave the same.

use super::{Connection, Result};

/// A lowering that is held.
#[derive(Clone, Debug)]
pub struct LoweringRow {
    pub id: i32,
    pub digest: Vec<u8>,
}

/// New artifacts, column by column.
#[derive(Debug, Default)]
pub struct NewArtifacts {
    pub lowering_id: Vec<i32>,
    pub stage: Vec<String>,
    pub form: Vec<String>,
    pub blob_id: Vec<i32>,
}

/// Lowerings by digest.
pub async fn list_lowerings(conn: &mut Connection, digests: &[Vec<u8>]) -> Result<Vec<LoweringRow>> {
    sqlx::query_as!(LoweringRow, "select id, digest from lowering where digest = any($1)", digests)
        .fetch_all(conn)
        .await
}

/// Lets one transaction at a time make lowerings and profiles: projects share them, and two that made the same ones in
/// another order would wait for each other for ever.
pub async fn lock_making(conn: &mut Connection) -> Result<()> {
    sqlx::query!("select pg_advisory_xact_lock(hashtext('lowering'))").execute(conn).await.map(drop)
}

/// Makes a lowering. `None` when another transaction made it meanwhile.
pub async fn insert_lowering(
    conn: &mut Connection,
    digest: &[u8],
    profile_id: i32,
    resource: &[i16],
    resource_value: &[i64],
) -> Result<Option<i32>> {
    sqlx::query_scalar!(
        "insert into lowering (digest, profile_id, resource, resource_value) values ($1, $2, $3, $4)
         on conflict do nothing returning id",
        digest,
        profile_id,
        resource,
        resource_value
    )
    .fetch_optional(conn)
    .await
}

/// Points lowerings at blobs.
pub async fn insert_artifacts(conn: &mut Connection, new: &NewArtifacts) -> Result<()> {
    sqlx::query!(
        "insert into artifact (lowering_id, stage, form, blob_id)
         select * from unnest($1::int[], $2::text[], $3::text[], $4::int[])",
        &new.lowering_id,
        &new.stage,
        &new.form,
        &new.blob_id
    )
    .execute(conn)
    .await
    .map(drop)
}
