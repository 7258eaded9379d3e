//! What is derived from builds along a line: change points and sums per target.

use super::{Connection, Result};

/// Makes the change points of one commit anew: one where a variant differs from the commit `before` on the line.
pub async fn replace_change_points(conn: &mut Connection, commit_id: i32, before: Option<i32>) -> Result<()> {
    sqlx::query!("delete from change_point where commit_id = $1", commit_id).execute(&mut *conn).await?;
    sqlx::query!(
        r#"with held as (select b.variant_id, l.profile_id from build b join lowering l on l.id = b.lowering_id
                         where b.commit_id = $1),
                earlier as (select b.variant_id, l.profile_id from build b join lowering l on l.id = b.lowering_id
                            where b.commit_id = $2)
           insert into change_point (variant_id, commit_id, profile_id)
           select coalesce(held.variant_id, earlier.variant_id), $1, held.profile_id
           from held full join earlier on held.variant_id = earlier.variant_id
           where held.profile_id is distinct from earlier.profile_id"#,
        commit_id,
        before
    )
    .execute(conn)
    .await
    .map(drop)
}

/// Makes the sums of one commit anew, compared with its predecessor.
pub async fn replace_target_sums(conn: &mut Connection, commit_id: i32) -> Result<()> {
    sqlx::query!("delete from commit_target where commit_id = $1", commit_id).execute(&mut *conn).await?;
    sqlx::query!(
        r#"with held as (
             select b.variant_id, v.target_id, p.status, p.machine_id, p.resource, p.resource_value
             from build b join variant v on v.id = b.variant_id join lowering l on l.id = b.lowering_id
             join profile p on p.id = l.profile_id where b.commit_id = $1),
           earlier as (
             select b.variant_id, p.status, p.machine_id, p.resource, p.resource_value
             from commit c join build b on b.commit_id = c.predecessor_id
             join lowering l on l.id = b.lowering_id join profile p on p.id = l.profile_id where c.id = $1)
           insert into commit_target (commit_id, target_id, builds, failed, changed, added)
           select $1, held.target_id, count(*), count(*) filter (where held.status <> 'ok'),
                  count(*) filter (where earlier.variant_id is not null
                      and (held.status, held.machine_id, held.resource, held.resource_value)
                          is distinct from
                          (earlier.status, earlier.machine_id, earlier.resource, earlier.resource_value)),
                  count(*) filter (where earlier.variant_id is null)
           from held left join earlier on earlier.variant_id = held.variant_id group by held.target_id"#,
        commit_id
    )
    .execute(conn)
    .await
    .map(drop)
}

/// Commits whose predecessor is this one, with the commit before each on its own line.
pub async fn list_followers(conn: &mut Connection, commit_id: i32) -> Result<Vec<i32>> {
    sqlx::query_scalar!("select id from commit where predecessor_id = $1", commit_id).fetch_all(conn).await
}

/// The commit before on the same line; `None` for its first.
pub async fn find_line_predecessor(conn: &mut Connection, commit_id: i32) -> Result<Option<i32>> {
    sqlx::query_scalar!(
        "select p.id from commit c join commit p on p.id = c.predecessor_id and p.branch = c.branch where c.id = $1",
        commit_id
    )
    .fetch_optional(conn)
    .await
}
