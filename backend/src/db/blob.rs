//! Blobs, their reports and histograms.

use super::{Connection, Pool, Result};

/// A blob.
#[derive(Clone, Debug)]
pub struct BlobRow {
    pub id: i32,
    pub digest: Vec<u8>,
    pub size_bytes: i64,
    pub stage: Option<String>,
    pub warnings: Vec<String>,
}

/// A new report.
#[derive(Debug)]
pub struct NewReport<'a> {
    pub analyzer: i32,
    pub stage: Option<&'a str>,
    pub target: Option<&'a str>,
    pub normal_digest: Option<&'a [u8]>,
    pub histogram_id: Option<i32>,
    pub resource: &'a [i16],
    pub resource_value: &'a [i64],
    pub decision: &'a serde_json::Value,
    pub warnings: &'a [String],
    pub body: Option<&'a [u8]>,
}

/// A new histogram, column by column.
#[derive(Debug, Default)]
pub struct NewHistogram {
    pub opcode_id: Vec<i32>,
    pub family_id: Vec<i16>,
    pub in_function: Vec<i32>,
    pub in_loop: Vec<i32>,
    pub in_hot: Vec<i32>,
}

/// Says that somebody counts on these blobs, so that `gc` takes them for new: who is told that a blob is held does not
/// send it. Once an hour is enough, since `gc` spares a day.
pub async fn renew_blobs(pool: &Pool, digests: &[Vec<u8>]) -> Result<()> {
    sqlx::query!(
        "update blob set asked_at = now() where digest = any($1) and asked_at < now() - interval '1 hour'",
        digests
    )
    .execute(pool)
    .await
    .map(drop)
}

/// Of these digests, the ones held.
pub async fn list_known_digests(pool: &Pool, digests: &[Vec<u8>]) -> Result<Vec<Vec<u8>>> {
    sqlx::query_scalar!("select b.digest from blob b where b.digest = any($1)", digests).fetch_all(pool).await
}

/// Ids and claimed contents of blobs by digest.
pub async fn list_blobs(conn: &mut Connection, digests: &[Vec<u8>]) -> Result<Vec<BlobRow>> {
    sqlx::query_as!(
        BlobRow,
        r#"select b.id as "id!", b.digest as "digest!", b.size_bytes as "size_bytes!", r.stage as "stage?",
                  '{}'::text[] as "warnings!"
           from blob b left join report r on r.blob_id = b.id where b.digest = any($1)"#,
        digests
    )
    .fetch_all(conn)
    .await
}

/// One blob by digest.
pub async fn find_blob(pool: &Pool, digest: &[u8]) -> Result<Option<BlobRow>> {
    sqlx::query_as!(
        BlobRow,
        r#"select b.id as "id!", b.digest as "digest!", b.size_bytes as "size_bytes!", r.stage as "stage?",
                  coalesce(r.warnings, '{}') as "warnings!"
           from blob b left join report r on r.blob_id = b.id where b.digest = $1"#,
        digest
    )
    .fetch_optional(pool)
    .await
}

/// The compressed report of a blob. `None` when there is no such blob or nothing was recognised in it.
pub async fn find_report_body(pool: &Pool, digest: &[u8]) -> Result<Option<Vec<u8>>> {
    let body =
        sqlx::query_scalar!("select r.body from blob b join report r on r.blob_id = b.id where b.digest = $1", digest)
            .fetch_optional(pool)
            .await?;
    Ok(body.flatten())
}

/// The id of a blob, made when there is none. The bytes must be on disk.
pub async fn insert_blob(conn: &mut Connection, digest: &[u8], size_bytes: i64) -> Result<i32> {
    sqlx::query_scalar!(
        "insert into blob (digest, size_bytes) values ($1, $2)
         on conflict (digest) do update set size_bytes = excluded.size_bytes returning id",
        digest,
        size_bytes
    )
    .fetch_one(conn)
    .await
}

/// Writes or replaces the report of a blob.
pub async fn insert_report(conn: &mut Connection, blob_id: i32, report: &NewReport<'_>) -> Result<()> {
    sqlx::query!(
        "insert into report (blob_id, analyzer, stage, target, normal_digest, histogram_id, resource,
                             resource_value, decision, warnings, body)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
         on conflict (blob_id) do update set analyzer = excluded.analyzer, stage = excluded.stage,
             target = excluded.target, normal_digest = excluded.normal_digest, histogram_id = excluded.histogram_id,
             resource = excluded.resource, resource_value = excluded.resource_value, decision = excluded.decision,
             warnings = excluded.warnings, body = excluded.body",
        blob_id,
        report.analyzer,
        report.stage,
        report.target,
        report.normal_digest,
        report.histogram_id,
        report.resource,
        report.resource_value,
        report.decision,
        report.warnings,
        report.body
    )
    .execute(conn)
    .await
    .map(drop)
}

/// Makes opcodes that are new. In order of spelling, so that two at once cannot wait for each other.
pub async fn insert_opcodes(pool: &Pool, stage: &str, names: &[String]) -> Result<()> {
    sqlx::query!(
        "insert into opcode (stage, name)
         select $1, name from unnest($2::text[]) as t (name)
         where not exists (select from opcode o where o.stage = $1 and o.name = t.name)
         order by name on conflict do nothing",
        stage,
        names
    )
    .execute(pool)
    .await
    .map(drop)
}

/// Ids of opcodes by spelling.
pub async fn list_opcodes(pool: &Pool, stage: &str, names: &[String]) -> Result<Vec<(i32, String)>> {
    let rows = sqlx::query!("select id, name from opcode where stage = $1 and name = any($2)", stage, names)
        .fetch_all(pool)
        .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.name)).collect())
}

/// The id of a histogram. `None` when there is none of this digest.
pub async fn find_histogram(conn: &mut Connection, digest: &[u8]) -> Result<Option<i32>> {
    sqlx::query_scalar!("select id from histogram where digest = $1", digest).fetch_optional(conn).await
}

/// Makes the head of a histogram. `None` when another transaction made it meanwhile.
pub async fn insert_histogram(
    conn: &mut Connection,
    digest: &[u8],
    stage: &str,
    source: Option<&str>,
) -> Result<Option<i32>> {
    sqlx::query_scalar!(
        "insert into histogram (digest, stage, source) values ($1, $2, $3) on conflict do nothing returning id",
        digest,
        stage,
        source
    )
    .fetch_optional(conn)
    .await
}

/// Fills a histogram.
pub async fn insert_opcode_counts(conn: &mut Connection, histogram_id: i32, counts: &NewHistogram) -> Result<()> {
    sqlx::query!(
        "insert into opcode_count (histogram_id, opcode_id, family_id, in_function, in_loop, in_hot)
         select $1, * from unnest($2::int[], $3::smallint[], $4::int[], $5::int[], $6::int[])",
        histogram_id,
        &counts.opcode_id,
        &counts.family_id,
        &counts.in_function,
        &counts.in_loop,
        &counts.in_hot
    )
    .execute(conn)
    .await
    .map(drop)
}

/// Derives the family counts of a histogram from its opcodes.
pub async fn insert_family_counts(conn: &mut Connection, histogram_id: i32) -> Result<()> {
    sqlx::query!(
        "insert into family_count (histogram_id, family, in_function, in_loop, in_hot)
         select $1, coalesce(array_agg(family_id order by family_id), '{}'),
                coalesce(array_agg(in_function order by family_id), '{}'),
                coalesce(array_agg(in_loop order by family_id), '{}'),
                coalesce(array_agg(in_hot order by family_id), '{}')
         from (select family_id, sum(in_function)::int as in_function, sum(in_loop)::int as in_loop,
                      sum(in_hot)::int as in_hot
               from opcode_count where histogram_id = $1 group by family_id) as sums
         on conflict (histogram_id) do update set family = excluded.family, in_function = excluded.in_function,
             in_loop = excluded.in_loop, in_hot = excluded.in_hot",
        histogram_id
    )
    .execute(conn)
    .await
    .map(drop)
}
