//! Profiles: what of a lowering can be counted.

use super::{Connection, Result};

/// What the report of a blob adds to a profile.
#[derive(Clone, Debug)]
pub struct ContentRow {
    pub blob_id: i32,
    pub stage: Option<String>,
    pub target: Option<String>,
    pub histogram_id: Option<i32>,
    pub histogram_digest: Option<Vec<u8>>,
    pub resource: Vec<i16>,
    pub resource_value: Vec<i64>,
    pub decision: serde_json::Value,
}

/// A new profile.
#[derive(Clone, Debug)]
pub struct NewProfile {
    pub digest: Vec<u8>,
    pub status: &'static str,
    pub message: Option<String>,
    pub ptx_id: Option<i32>,
    pub machine_id: Option<i32>,
    pub resource: Vec<i16>,
    pub resource_value: Vec<i64>,
    pub decision: serde_json::Value,
}

/// What the reports of blobs say.
pub async fn list_contents(conn: &mut Connection, blob_ids: &[i32]) -> Result<Vec<ContentRow>> {
    sqlx::query_as!(
        ContentRow,
        r#"select r.blob_id as "blob_id!", r.stage as "stage?", r.target as "target?", r.histogram_id as "histogram_id?",
                  h.digest as "histogram_digest?", r.resource as "resource!", r.resource_value as "resource_value!",
                  r.decision as "decision!"
           from report r left join histogram h on h.id = r.histogram_id where r.blob_id = any($1)"#,
        blob_ids
    )
    .fetch_all(conn)
    .await
}

/// The id of a profile, made when there is none.
pub async fn insert_profile(conn: &mut Connection, new: &NewProfile) -> Result<i32> {
    sqlx::query_scalar!(
        "insert into profile (digest, status, message, ptx_id, machine_id, resource, resource_value, decision)
         values ($1, $2, $3, $4, $5, $6, $7, $8)
         on conflict (digest) do update set status = excluded.status returning id",
        &new.digest,
        new.status,
        new.message,
        new.ptx_id,
        new.machine_id,
        &new.resource,
        &new.resource_value,
        &new.decision
    )
    .fetch_one(conn)
    .await
}
