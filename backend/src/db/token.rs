//! Write tokens.

use super::{Pool, Result};

/// A token in a list.
#[derive(Debug)]
pub struct TokenRow {
    /// First characters.
    pub prefix: String,
    /// What it is for.
    pub name: String,
    /// Seconds since 1970.
    pub created_at: i64,
    /// Seconds since 1970; `None`: never.
    pub expires_at: Option<i64>,
    /// Seconds since 1970, to the minute.
    pub last_used_at: Option<i64>,
    /// Seconds since 1970.
    pub revoked_at: Option<i64>,
}

/// Keeps the hash of a new token; `days` of 0 means that it does not expire.
pub async fn insert_token(
    pool: &Pool,
    project_id: i32,
    name: &str,
    prefix: &str,
    hash: &[u8; 32],
    days: i32,
) -> Result<()> {
    sqlx::query!(
        "insert into token (project_id, name, prefix, hash, expires_at)
         values ($1, $2, $3, $4, case when $5 = 0 then null else now() + make_interval(days => $5) end)",
        project_id,
        name,
        prefix,
        hash,
        days
    )
    .execute(pool)
    .await
    .map(drop)
}

/// The project a token is good for. `None` for one that is unknown, expired or revoked: the caller cannot tell which.
pub async fn find_token_project(pool: &Pool, hash: &[u8; 32]) -> Result<Option<i32>> {
    sqlx::query_scalar!(
        "select project_id from token
         where hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())",
        hash
    )
    .fetch_optional(pool)
    .await
}

/// Notes the use of a token, at most once a minute.
pub async fn touch_token(pool: &Pool, hash: &[u8; 32]) -> Result<()> {
    sqlx::query!(
        "update token set last_used_at = now()
         where hash = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')",
        hash
    )
    .execute(pool)
    .await
    .map(drop)
}

/// Tokens of a project, newest first.
pub async fn list_tokens(pool: &Pool, project_id: i32) -> Result<Vec<TokenRow>> {
    sqlx::query_as!(
        TokenRow,
        r#"select prefix, name, extract(epoch from created_at)::bigint as "created_at!",
                  extract(epoch from expires_at)::bigint as expires_at,
                  extract(epoch from last_used_at)::bigint as last_used_at,
                  extract(epoch from revoked_at)::bigint as revoked_at
           from token where project_id = $1 order by id desc limit 1000"#,
        project_id
    )
    .fetch_all(pool)
    .await
}

/// Revokes; returns how many tokens had this prefix and were good.
pub async fn revoke_tokens(pool: &Pool, project_id: i32, prefix: &str) -> Result<u64> {
    let done = sqlx::query!(
        "update token set revoked_at = now() where project_id = $1 and prefix = $2 and revoked_at is null",
        project_id,
        prefix
    )
    .execute(pool)
    .await?;
    Ok(done.rows_affected())
}
