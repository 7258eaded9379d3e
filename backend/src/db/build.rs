//! Builds: one narrow row each.

use super::{Connection, Result};

/// New builds of one commit, column by column.
#[derive(Debug, Default)]
#[expect(clippy::struct_field_names, reason = "named like the columns")]
pub struct NewBuilds {
    pub variant_id: Vec<i32>,
    pub lowering_id: Vec<i32>,
    pub toolchain_id: Vec<i32>,
    pub config_id: Vec<i32>,
}

/// New metrics of one commit, column by column.
#[derive(Debug, Default)]
pub struct NewMetrics {
    pub variant_id: Vec<i32>,
    pub name: Vec<String>,
    pub value: Vec<f64>,
}

/// A build that is already there with something else.
#[derive(Debug)]
pub struct ConflictRow {
    pub variant_id: i32,
    pub held_lowering_id: i32,
    pub held_status: String,
}

/// A build that is already there with another config document.
#[derive(Debug)]
pub struct ConfigConflictRow {
    pub variant_id: i32,
    pub held: serde_json::Value,
    pub sent: serde_json::Value,
}

/// An artifact of a lowering.
#[derive(Debug)]
pub struct HeldArtifactRow {
    pub stage: String,
    pub form: String,
    pub digest: Vec<u8>,
}

/// Of these builds, those that the commit already has with another lowering.
pub async fn list_conflicts(conn: &mut Connection, commit_id: i32, new: &NewBuilds) -> Result<Vec<ConflictRow>> {
    sqlx::query_as!(
        ConflictRow,
        r#"select b.variant_id, b.lowering_id as held_lowering_id, p.status as held_status
           from unnest($2::int[], $3::int[]) as t (variant_id, lowering_id)
           join build b on b.commit_id = $1 and b.variant_id = t.variant_id
           join lowering l on l.id = b.lowering_id join profile p on p.id = l.profile_id
           where b.lowering_id <> t.lowering_id order by b.variant_id"#,
        commit_id,
        &new.variant_id,
        &new.lowering_id
    )
    .fetch_all(conn)
    .await
}

/// Of these builds, those that the commit already has with another config document.
pub async fn list_config_conflicts(
    conn: &mut Connection,
    commit_id: i32,
    new: &NewBuilds,
) -> Result<Vec<ConfigConflictRow>> {
    sqlx::query_as!(
        ConfigConflictRow,
        r#"select b.variant_id, h.body as held, s.body as sent
           from unnest($2::int[], $3::int[]) as t (variant_id, config_id)
           join build b on b.commit_id = $1 and b.variant_id = t.variant_id
           join config h on h.id = b.config_id join config s on s.id = t.config_id
           where b.config_id <> t.config_id order by b.variant_id limit 1"#,
        commit_id,
        &new.variant_id,
        &new.config_id
    )
    .fetch_all(conn)
    .await
}

/// Artifacts of a lowering.
pub async fn list_held_artifacts(conn: &mut Connection, lowering_id: i32) -> Result<Vec<HeldArtifactRow>> {
    sqlx::query_as!(
        HeldArtifactRow,
        "select a.stage, a.form, b.digest from artifact a join blob b on b.id = a.blob_id where a.lowering_id = $1",
        lowering_id
    )
    .fetch_all(conn)
    .await
}

/// Records builds; those that are there stay as they are.
pub async fn insert_builds(conn: &mut Connection, commit_id: i32, new: &NewBuilds) -> Result<()> {
    sqlx::query!(
        "insert into build (commit_id, variant_id, lowering_id, toolchain_id, config_id)
         select $1, * from unnest($2::int[], $3::int[], $4::int[], $5::int[]) on conflict do nothing",
        commit_id,
        &new.variant_id,
        &new.lowering_id,
        &new.toolchain_id,
        &new.config_id
    )
    .execute(conn)
    .await
    .map(drop)
}

/// Records metrics; a later number for the same build and name replaces the earlier one.
pub async fn insert_metrics(conn: &mut Connection, commit_id: i32, new: &NewMetrics) -> Result<()> {
    sqlx::query!(
        "insert into metric (commit_id, variant_id, name, value)
         select $1, * from unnest($2::int[], $3::text[], $4::float8[])
         on conflict (variant_id, name, commit_id) do update set value = excluded.value",
        commit_id,
        &new.variant_id,
        &new.name,
        &new.value
    )
    .execute(conn)
    .await
    .map(drop)
}

/// How many of these builds have another lowering than the same variant at the commit before, or none there.
pub async fn count_changed(conn: &mut Connection, commit_id: i32, variant_ids: &[i32]) -> Result<i64> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!"
           from commit c join build b on b.commit_id = c.id
           left join build p on p.commit_id = c.predecessor_id and p.variant_id = b.variant_id
           where c.id = $1 and b.variant_id = any($2) and b.lowering_id is distinct from p.lowering_id"#,
        commit_id,
        variant_ids
    )
    .fetch_one(conn)
    .await
}
