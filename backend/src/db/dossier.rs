//! What a dossier reads: builds by name, their artifacts with reports, their metrics.

use lowerline_shared::dossier::Place;

use super::{Pool, Result};

/// A build that a dossier speaks of.
#[derive(Clone, Debug)]
pub struct PlaceRow {
    /// Which of the places asked for, from 1.
    pub place: i64,
    pub commit_id: i32,
    pub variant_id: i32,
    pub lowering_id: i32,
    pub status: String,
    pub resource: Vec<i16>,
    pub resource_value: Vec<i64>,
    pub toolchain: serde_json::Value,
}

/// The main form of an artifact with its report.
#[derive(Clone, Debug)]
pub struct ArtifactRow {
    pub lowering_id: i32,
    pub stage: String,
    pub digest: Vec<u8>,
    pub size_bytes: i64,
    pub body: Option<Vec<u8>>,
}

/// A number from outside.
#[derive(Clone, Debug)]
pub struct MetricRow {
    pub commit_id: i32,
    pub variant_id: i32,
    pub name: String,
    pub value: f64,
}

/// Builds by commit (hash or tag; `newest` where a place names none), kernel, target and config.
pub async fn list_places(pool: &Pool, project_id: i32, places: &[Place], newest: &str) -> Result<Vec<PlaceRow>> {
    let column = |read: fn(&Place) -> &str| places.iter().map(|place| read(place).to_owned()).collect::<Vec<_>>();
    let revs: Vec<String> =
        places.iter().map(|place| place.commit.as_ref().map_or(newest, |rev| rev.as_str()).to_owned()).collect();
    sqlx::query_as!(
        PlaceRow,
        r#"select w.place as "place!", c.id as commit_id, b.variant_id, b.lowering_id, p.status, p.resource,
                  p.resource_value, tc.versions as toolchain
           from unnest($2::text[], $3::text[], $4::text[], $5::text[])
                with ordinality as w (rev, kernel, target, config, place)
           join commit c on c.project_id = $1 and (c.sha = w.rev or c.tag = w.rev)
           join kernel k on k.project_id = $1 and k.name = w.kernel
           join target t on t.name = w.target
           join variant v on v.kernel_id = k.id and v.target_id = t.id and v.config = w.config
           join build b on b.commit_id = c.id and b.variant_id = v.id
           join lowering l on l.id = b.lowering_id join profile p on p.id = l.profile_id
           join toolchain tc on tc.id = b.toolchain_id"#,
        project_id,
        &revs,
        &column(|place| place.kernel.as_str()),
        &column(|place| place.target.as_str()),
        &column(|place| place.config.as_str())
    )
    .fetch_all(pool)
    .await
}

/// Artifacts of lowerings in their main form.
pub async fn list_artifacts(pool: &Pool, lowering_ids: &[i32]) -> Result<Vec<ArtifactRow>> {
    sqlx::query_as!(
        ArtifactRow,
        r#"select a.lowering_id, a.stage, b.digest, b.size_bytes, r.body as "body?"
           from artifact a join blob b on b.id = a.blob_id left join report r on r.blob_id = b.id
           where a.form = '' and a.lowering_id = any($1)"#,
        lowering_ids
    )
    .fetch_all(pool)
    .await
}

/// Metrics of builds; the two columns go together.
pub async fn list_metrics(pool: &Pool, commit_ids: &[i32], variant_ids: &[i32]) -> Result<Vec<MetricRow>> {
    sqlx::query_as!(
        MetricRow,
        "select m.commit_id, m.variant_id, m.name, m.value from metric m
         join (select distinct * from unnest($1::int[], $2::int[]) as u (commit_id, variant_id)) as w
              on w.commit_id = m.commit_id and w.variant_id = m.variant_id",
        commit_ids,
        variant_ids
    )
    .fetch_all(pool)
    .await
}
