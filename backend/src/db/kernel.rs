//! Kernels, targets and variants.

use super::{Connection, Pool, Result};

/// A variant of a project.
#[derive(Clone, Debug)]
pub struct VariantRow {
    pub id: i32,
    pub kernel_key: String,
    pub kernel_name: String,
    pub target: String,
    pub config: String,
}

/// A variant of a kernel.
#[derive(Clone, Debug)]
pub struct HistoryRow {
    pub id: i32,
    pub target: String,
    pub config: String,
}

/// Makes kernels that are new and returns the id of each key asked for.
pub async fn insert_kernels(
    conn: &mut Connection,
    project_id: i32,
    keys: &[String],
    names: &[String],
) -> Result<Vec<(String, i32)>> {
    sqlx::query!(
        "insert into kernel (project_id, key, name)
         select $1, t.key, t.name from unnest($2::text[], $3::text[]) as t (key, name)
         where not exists (select from kernel k where k.project_id = $1 and k.key = t.key)
         on conflict do nothing",
        project_id,
        keys,
        names
    )
    .execute(&mut *conn)
    .await?;
    let rows = sqlx::query!("select key, id from kernel where project_id = $1 and key = any($2)", project_id, keys)
        .fetch_all(conn)
        .await?;
    Ok(rows.into_iter().map(|row| (row.key, row.id)).collect())
}

/// Makes targets that are new and returns the id of each.
pub async fn insert_targets(conn: &mut Connection, names: &[String]) -> Result<Vec<(String, i32)>> {
    sqlx::query!(
        "insert into target (name) select t.name from unnest($1::text[]) as t (name)
         where not exists (select from target x where x.name = t.name)
         order by t.name on conflict do nothing",
        names
    )
    .execute(&mut *conn)
    .await?;
    let rows = sqlx::query!("select name, id from target where name = any($1)", names).fetch_all(conn).await?;
    Ok(rows.into_iter().map(|row| (row.name, row.id)).collect())
}

/// Makes variants that are new and returns the id of each, in the order given.
pub async fn insert_variants(
    conn: &mut Connection,
    kernels: &[i32],
    targets: &[i32],
    configs: &[String],
) -> Result<Vec<i32>> {
    sqlx::query!(
        "insert into variant (kernel_id, target_id, config)
         select t.kernel_id, t.target_id, t.config
         from unnest($1::int[], $2::int[], $3::text[]) as t (kernel_id, target_id, config)
         where not exists (select from variant v where v.kernel_id = t.kernel_id and v.target_id = t.target_id
                           and v.config = t.config)
         on conflict do nothing",
        kernels,
        targets,
        configs
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query_scalar!(
        r#"select v.id from unnest($1::int[], $2::int[], $3::text[]) with ordinality
                         as t (kernel_id, target_id, config, n)
           join variant v on v.kernel_id = t.kernel_id and v.target_id = t.target_id and v.config = t.config
           order by t.n"#,
        kernels,
        targets,
        configs
    )
    .fetch_all(conn)
    .await
}

/// Variants of a project; those of one kernel when `key` is given.
pub async fn list_variants(pool: &Pool, project_id: i32, key: Option<&str>) -> Result<Vec<VariantRow>> {
    sqlx::query_as!(
        VariantRow,
        "select v.id, k.key as kernel_key, k.name as kernel_name, t.name as target, v.config
         from kernel k join variant v on v.kernel_id = k.id join target t on t.id = v.target_id
         where k.project_id = $1 and ($2::text is null or k.key = $2) order by k.key, t.name, v.id",
        project_id,
        key
    )
    .fetch_all(pool)
    .await
}

/// Variants by id.
pub async fn list_variants_by_id(pool: &Pool, ids: &[i32]) -> Result<Vec<VariantRow>> {
    sqlx::query_as!(
        VariantRow,
        "select v.id, k.key as kernel_key, k.name as kernel_name, t.name as target, v.config
         from variant v join kernel k on v.kernel_id = k.id join target t on t.id = v.target_id
         where v.id = any($1)",
        ids
    )
    .fetch_all(pool)
    .await
}

/// Variants, those with the longest history on a line first, kernel by kernel, read from the change points: a build that
/// lasts until the next change counts all commits between. Of one kernel when `key` is given.
pub async fn list_histories(
    pool: &Pool,
    project_id: i32,
    branch: &str,
    end: i32,
    key: Option<&str>,
) -> Result<Vec<(String, HistoryRow)>> {
    let rows = sqlx::query!(
        r#"with run as (
             select cp.variant_id, cp.profile_id is not null as tried,
                    coalesce(lead(c.position) over (partition by cp.variant_id order by c.position), $3) - c.position
                        as commits
             from kernel k join variant v on v.kernel_id = k.id join change_point cp on cp.variant_id = v.id
             join commit c on c.id = cp.commit_id
             where k.project_id = $1 and c.branch = $2 and ($4::text is null or k.key = $4))
           select k.key as "key!", v.id as "id!", t.name as "target!", v.config as "config!",
                  coalesce(sums.commits, 0)::bigint as "commits!"
           from kernel k join variant v on v.kernel_id = k.id join target t on t.id = v.target_id
           left join (select variant_id, sum(commits) as commits from run where tried group by variant_id) as sums
               on sums.variant_id = v.id
           where k.project_id = $1 and ($4::text is null or k.key = $4) order by 5 desc, v.id"#,
        project_id,
        branch,
        end,
        key
    )
    .fetch_all(pool)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.key, HistoryRow { id: row.id, target: row.target, config: row.config }))
        .collect())
}

/// The name of a kernel by its key.
pub async fn find_kernel_name(pool: &Pool, project_id: i32, key: &str) -> Result<Option<String>> {
    sqlx::query_scalar!("select name from kernel where project_id = $1 and key = $2", project_id, key)
        .fetch_optional(pool)
        .await
}

/// Variants of kernels by key, grouped by kernel: its name, then key and variant. Lengths of histories are not read.
pub async fn list_histories_of(
    pool: &Pool,
    project_id: i32,
    keys: &[String],
) -> Result<Vec<(String, Vec<(String, HistoryRow)>)>> {
    let rows = sqlx::query!(
        "select k.key, k.name, v.id, t.name as target, v.config
         from kernel k join variant v on v.kernel_id = k.id join target t on t.id = v.target_id
         where k.project_id = $1 and k.key = any($2) order by k.key, v.id",
        project_id,
        keys
    )
    .fetch_all(pool)
    .await?;
    Ok(rows
        .chunk_by(|a, b| a.key == b.key)
        .map(|group| {
            let variants = group.iter().map(|row| {
                let history = HistoryRow { id: row.id, target: row.target.clone(), config: row.config.clone() };
                (row.key.clone(), history)
            });
            (group[0].name.clone(), variants.collect())
        })
        .collect())
}
