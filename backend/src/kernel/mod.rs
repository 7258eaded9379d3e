//! One kernel at one commit: on every target ([`lowering`]) and in every config ([`space`]).

pub mod lowering;
pub mod space;
mod ttir;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use lowerline_analyzer::occupancy;
use lowerline_shared::{
    api::KernelSummary,
    ids::{Rev, TargetName, shown},
    report::{Resource, Resources},
};

use crate::{
    counts::FamilyCounts,
    db::{
        self,
        commit::CommitRow,
        compare::BuildRow,
        kernel::{HistoryRow, VariantRow},
        trend::ProfileRow,
    },
    error::{Refusal, Result},
    ingest::Project,
    state::AppState,
    view,
};

/// A kernel and a commit, as found.
struct Place {
    summary: KernelSummary,
    key: String,
    commit: CommitRow,
}

/// A build with the names of its variant.
struct Build {
    row: BuildRow,
    target: TargetName,
    config: String,
}

/// Finds the kernel, and the commit asked for or the newest with builds of it.
async fn place(state: &AppState, project: &Project, key: &str, at: Option<&Rev>) -> Result<Place> {
    let pool = &state.pool;
    let not_found = || Refusal::not_found(format!("kernel `{}`", shown(key)));
    // No kernel has such a name, and Postgres refuses the text.
    if key.contains('\0') {
        return Err(not_found().into());
    }
    let name = db::kernel::find_kernel_name(pool, project.id, key).await?.ok_or_else(not_found)?;
    let branch = db::commit::find_main_branch(pool, project.id).await?.unwrap_or_default();
    let rev = match at {
        Some(rev) => rev.as_str().to_owned(),
        None => db::space::find_newest_with_kernel(pool, project.id, &branch, key).await?.ok_or_else(|| {
            Refusal::not_found(format!("build of kernel `{}` on branch {branch}", shown(key)))
                .hint("name a commit with `at`")
        })?,
    };
    let commit = find_commit(state, project, &rev).await?;
    // Not by length of history, which takes longer than all else where a kernel has hundreds of configs.
    let variants = db::kernel::list_histories_of(pool, project.id, &[key.to_owned()]).await?;
    let histories: Vec<HistoryRow> = variants.into_iter().flat_map(|(_, rows)| rows).map(|(_, row)| row).collect();
    Ok(Place { summary: view::kernel(key, &name, &histories)?, key: key.to_owned(), commit })
}

async fn find_commit(state: &AppState, project: &Project, rev: &str) -> Result<CommitRow> {
    let found = db::commit::find_commit(&state.pool, project.id, rev).await?;
    Ok(found.ok_or_else(|| Refusal::not_found(format!("commit {}", shown(rev))))?)
}

/// Builds of the kernel at a commit.
async fn builds(state: &AppState, commit_id: i32, key: &str) -> Result<Vec<Build>> {
    let rows = db::compare::list_builds(&state.pool, commit_id, Some(key), None).await?;
    let ids: Vec<i32> = rows.iter().map(|row| row.variant_id).collect();
    let mut variants: HashMap<i32, VariantRow> =
        db::kernel::list_variants_by_id(&state.pool, &ids).await?.into_iter().map(|row| (row.id, row)).collect();
    let mut out = Vec::with_capacity(rows.len());
    for row in rows {
        let Some(variant) = variants.remove(&row.variant_id) else { continue };
        out.push(Build { target: view::parsed(&variant.target)?, config: variant.config, row });
    }
    Ok(out)
}

/// Profiles of builds.
async fn profiles(state: &AppState, builds: &[&Build]) -> Result<HashMap<i32, ProfileRow>> {
    let ids: BTreeSet<i32> = builds.iter().map(|build| build.row.profile_id).collect();
    let ids: Vec<i32> = ids.into_iter().collect();
    Ok(db::trend::list_profiles(&state.pool, &ids).await?.into_iter().map(|row| (row.id, row)).collect())
}

fn histograms(profiles: &HashMap<i32, ProfileRow>) -> Vec<i32> {
    let ids: BTreeSet<i32> =
        profiles.values().flat_map(|profile| [profile.ptx_id, profile.machine_id]).flatten().collect();
    ids.into_iter().collect()
}

async fn counts(
    state: &AppState,
    profiles: &HashMap<i32, ProfileRow>,
    scope: lowerline_shared::stage::Scope,
) -> Result<FamilyCounts> {
    Ok(FamilyCounts::load(&state.pool, &state.codes, &histograms(profiles), scope).await?)
}

/// Metrics of builds by variant.
async fn metrics(state: &AppState, commit_id: i32, builds: &[&Build]) -> Result<HashMap<i32, BTreeMap<String, f64>>> {
    let ids: Vec<i32> = builds.iter().map(|build| build.row.variant_id).collect();
    let mut out: HashMap<i32, BTreeMap<String, f64>> = HashMap::new();
    for row in db::space::list_build_metrics(&state.pool, commit_id, &ids).await? {
        out.entry(row.variant_id).or_default().insert(row.name, row.value);
    }
    Ok(out)
}

/// What is known of launching a build.
struct Launch {
    /// Whether everything that decides it is known.
    is_known: bool,
    /// Why not.
    refused: Option<String>,
}

fn launch(target: &TargetName, resources: &Resources) -> Launch {
    let Some(limits) = occupancy::limits(target) else { return Launch { is_known: false, refused: None } };
    if let Some(demand) = occupancy::demand(target, resources) {
        let refused = occupancy::occupancy(limits, &demand).err().map(|error| error.to_string());
        return Launch { is_known: true, refused };
    }
    // Registers may be unknown; too much shared memory is too much all the same.
    let asked = resources.get(&Resource::SharedBytes).and_then(|bytes| u32::try_from(*bytes).ok()).unwrap_or(0);
    let limit = limits.block_shared_bytes;
    let refused = (asked > limit).then(|| occupancy::Unlaunchable::SharedMemory { asked, limit }.to_string());
    Launch { is_known: refused.is_some(), refused }
}
