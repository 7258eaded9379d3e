//! What the search for measures reads.

use super::{Pool, Result};

/// An opcode and how many variants have it.
#[derive(Clone, Debug)]
pub struct OpcodeHitRow {
    pub stage: String,
    pub name: String,
    pub variants: i64,
}

/// Variants (of one kernel when `key` is given) and the histograms and resources they ever had.
pub async fn list_opcode_hits(
    pool: &Pool,
    project_id: i32,
    key: Option<&str>,
    text: &str,
    limit: i64,
) -> Result<Vec<OpcodeHitRow>> {
    sqlx::query_as!(
        OpcodeHitRow,
        r#"with had as materialized (
             select distinct v.id as variant_id, h.id as histogram_id
             from kernel k join variant v on v.kernel_id = k.id join change_point cp on cp.variant_id = v.id
             join profile p on p.id = cp.profile_id
             cross join lateral (values (p.ptx_id), (p.machine_id)) as h (id)
             where k.project_id = $1 and ($2::text is null or k.key = $2) and h.id is not null)
           select o.stage, o.name, count(distinct had.variant_id) as "variants!"
           from opcode o join opcode_count c on c.opcode_id = o.id join had on had.histogram_id = c.histogram_id
           where strpos(lower(o.name), lower($3)) > 0
           group by o.stage, o.name order by strpos(lower(o.name), lower($3)) = 1 desc, 3 desc, o.name limit $4"#,
        project_id,
        key,
        text,
        limit
    )
    .fetch_all(pool)
    .await
}

/// Families by number and stage, and how many variants ever had one.
pub async fn list_family_hits(pool: &Pool, project_id: i32, key: Option<&str>) -> Result<Vec<(String, i16, i64)>> {
    let rows = sqlx::query!(
        r#"with had as materialized (
             select distinct v.id as variant_id, h.id as histogram_id
             from kernel k join variant v on v.kernel_id = k.id join change_point cp on cp.variant_id = v.id
             join profile p on p.id = cp.profile_id
             cross join lateral (values (p.ptx_id), (p.machine_id)) as h (id)
             where k.project_id = $1 and ($2::text is null or k.key = $2) and h.id is not null)
           select g.stage, f.code as "code!", count(distinct had.variant_id) as "variants!"
           from had join histogram g on g.id = had.histogram_id join family_count c on c.histogram_id = g.id
           cross join lateral unnest(c.family, c.in_function) as f (code, n)
           where f.n > 0 group by g.stage, f.code"#,
        project_id,
        key
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|row| (row.stage, row.code, row.variants)).collect())
}

/// Resources by number, and how many variants ever had one other than 0.
pub async fn list_resource_hits(pool: &Pool, project_id: i32, key: Option<&str>) -> Result<Vec<(i16, i64)>> {
    let rows = sqlx::query!(
        r#"select r.code as "code!", count(distinct v.id) as "variants!"
           from kernel k join variant v on v.kernel_id = k.id join change_point cp on cp.variant_id = v.id
           join profile p on p.id = cp.profile_id
           cross join lateral unnest(p.resource, p.resource_value) as r (code, value)
           where k.project_id = $1 and ($2::text is null or k.key = $2) and r.value <> 0 group by r.code"#,
        project_id,
        key
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|row| (row.code, row.variants)).collect())
}

/// Decisions by name, and how many variants ever had one other than 0.
pub async fn list_decision_hits(pool: &Pool, project_id: i32, key: Option<&str>) -> Result<Vec<(String, i64)>> {
    let rows = sqlx::query!(
        r#"select d.name as "name!", count(distinct v.id) as "variants!"
           from kernel k join variant v on v.kernel_id = k.id join change_point cp on cp.variant_id = v.id
           join profile p on p.id = cp.profile_id cross join lateral jsonb_each(p.decision) as d (name, value)
           where k.project_id = $1 and ($2::text is null or k.key = $2) and d.value <> '0'::jsonb group by d.name"#,
        project_id,
        key
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|row| (row.name, row.variants)).collect())
}

/// Metrics, and how many variants ever had one other than 0.
pub async fn list_metric_hits(pool: &Pool, project_id: i32, key: Option<&str>) -> Result<Vec<(String, i64)>> {
    let rows = sqlx::query!(
        r#"select m.name, count(distinct v.id) as "variants!"
           from kernel k join variant v on v.kernel_id = k.id join metric m on m.variant_id = v.id
           where k.project_id = $1 and ($2::text is null or k.key = $2) and m.value <> 0
           group by m.name order by 2 desc, 1 limit 200"#,
        project_id,
        key
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|row| (row.name, row.variants)).collect())
}
