//! Answers of pushes.

use super::{Connection, Pool, Result};

/// The answer a manifest got before.
pub async fn find_answer(pool: &Pool, project_id: i32, digest: &[u8]) -> Result<Option<serde_json::Value>> {
    sqlx::query_scalar!("select answer from push where project_id = $1 and digest = $2", project_id, digest)
        .fetch_optional(pool)
        .await
}

/// The same inside a transaction, once pushes to the project wait.
pub async fn find_answer_locked(
    conn: &mut Connection,
    project_id: i32,
    digest: &[u8],
) -> Result<Option<serde_json::Value>> {
    sqlx::query_scalar!("select answer from push where project_id = $1 and digest = $2", project_id, digest)
        .fetch_optional(conn)
        .await
}

/// Forgets the answers that manifests of a commit got before: after one with other metrics, the older one says something
/// again.
pub async fn delete_answers(conn: &mut Connection, commit_id: i32) -> Result<()> {
    sqlx::query!("delete from push where commit_id = $1", commit_id).execute(conn).await.map(drop)
}

/// Keeps an answer.
pub async fn insert_answer(
    conn: &mut Connection,
    project_id: i32,
    digest: &[u8],
    commit_id: i32,
    answer: &serde_json::Value,
) -> Result<()> {
    sqlx::query!(
        "insert into push (project_id, digest, commit_id, answer) values ($1, $2, $3, $4)",
        project_id,
        digest,
        commit_id,
        answer
    )
    .execute(conn)
    .await
    .map(drop)
}
