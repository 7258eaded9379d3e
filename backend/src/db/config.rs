//! Toolchains and configs: JSON documents shared by all builds that have the same.

use std::collections::HashMap;

use super::{Connection, Result};

/// Makes toolchains that are new; returns the id of each digest.
pub async fn insert_toolchains(
    conn: &mut Connection,
    digests: &[Vec<u8>],
    versions: &[serde_json::Value],
) -> Result<HashMap<Vec<u8>, i32>> {
    sqlx::query!(
        "insert into toolchain (digest, versions)
         select t.digest, t.versions from unnest($1::bytea[], $2::jsonb[]) as t (digest, versions)
         where not exists (select from toolchain x where x.digest = t.digest)
         order by t.digest on conflict do nothing",
        digests,
        versions
    )
    .execute(&mut *conn)
    .await?;
    let rows = sqlx::query!("select digest, id from toolchain where digest = any($1)", digests).fetch_all(conn).await?;
    Ok(rows.into_iter().map(|row| (row.digest, row.id)).collect())
}

/// Makes configs that are new; returns the id of each digest.
pub async fn insert_configs(
    conn: &mut Connection,
    digests: &[Vec<u8>],
    bodies: &[serde_json::Value],
) -> Result<HashMap<Vec<u8>, i32>> {
    sqlx::query!(
        "insert into config (digest, body)
         select t.digest, t.body from unnest($1::bytea[], $2::jsonb[]) as t (digest, body)
         where not exists (select from config x where x.digest = t.digest)
         order by t.digest on conflict do nothing",
        digests,
        bodies
    )
    .execute(&mut *conn)
    .await?;
    let rows = sqlx::query!("select digest, id from config where digest = any($1)", digests).fetch_all(conn).await?;
    Ok(rows.into_iter().map(|row| (row.digest, row.id)).collect())
}
