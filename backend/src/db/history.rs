//! What is derived from builds along a line: change points and sums per target.

use lowerline_shared::family::Family;

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
    let left_out = Family::ALL.iter().filter(|family| !family.info().in_total);
    let left_out: Vec<String> = left_out.map(|family| family.id().to_owned()).collect();
    sqlx::query!("delete from commit_target where commit_id = $1", commit_id).execute(&mut *conn).await?;
    sqlx::query!(
        r#"with held as (
             select b.variant_id, v.target_id, p.status, p.machine_id, p.resource, p.resource_value
             from build b join variant v on v.id = b.variant_id join lowering l on l.id = b.lowering_id
             join profile p on p.id = l.profile_id where b.commit_id = $1),
           earlier as (
             select b.variant_id, p.status, p.machine_id, p.resource, p.resource_value
             from commit c join build b on b.commit_id = c.predecessor_id
             join lowering l on l.id = b.lowering_id join profile p on p.id = l.profile_id where c.id = $1),
           moved as (
             select pair.target_id, max(share.permille) as permille
             from (select distinct held.target_id, earlier.machine_id as before, held.machine_id as now
                   from held join earlier on earlier.variant_id = held.variant_id
                   where held.machine_id <> earlier.machine_id) pair
             join family_count b on b.histogram_id = pair.before
             join family_count n on n.histogram_id = pair.now,
             lateral (
               select sum(abs(coalesce(y.count, 0) - coalesce(x.count, 0))) * 1000
                      / nullif(sum(coalesce(x.count, 0)), 0) as permille
               from unnest(b.family, b.in_function) as x (family, count)
               full join unnest(n.family, n.in_function) as y (family, count) on y.family = x.family
               where coalesce(x.family, y.family) <> all (array(select id from family where name = any($2)))) share
             group by pair.target_id)
           insert into commit_target (commit_id, target_id, builds, failed, changed, added, moved_permille)
           select $1, held.target_id, count(*), count(*) filter (where held.status <> 'ok'),
                  count(*) filter (where earlier.variant_id is not null
                      and (held.status, held.machine_id, held.resource, held.resource_value)
                          is distinct from
                          (earlier.status, earlier.machine_id, earlier.resource, earlier.resource_value)),
                  count(*) filter (where earlier.variant_id is null), coalesce(max(moved.permille), 0)::int
           from held left join earlier on earlier.variant_id = held.variant_id
           left join moved on moved.target_id = held.target_id group by held.target_id"#,
        commit_id,
        &left_out
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
