//! Every build of one commit against its parent.

use std::collections::{BTreeSet, HashMap};

use lowerline_shared::{
    api::{BuildCell, CommitDetail},
    decision_filter::DecisionFilter,
    family::Family,
    report::Resource,
    sieve,
    stage::Scope,
};

use crate::{
    counts::FamilyCounts,
    db::{self, compare::BuildRow, kernel::VariantRow, trend::ProfileRow},
    error::{Refusal, Result},
    ingest::Project,
    state::AppState,
    view,
};

/// Answers for one commit: the builds that pass every filter of `only`.
pub async fn commit(state: &AppState, project: &Project, rev: &str, only: &[DecisionFilter]) -> Result<CommitDetail> {
    let pool = &state.pool;
    let row = db::commit::find_commit(pool, project.id, rev).await?;
    let row = row.ok_or_else(|| Refusal::not_found(format!("commit {rev}")))?;
    let builds = db::compare::list_builds(pool, row.id, None, None).await?;
    let earlier: HashMap<i32, BuildRow> = match row.parent_id {
        Some(id) => db::compare::list_builds(pool, id, None, None).await?,
        None => Vec::new(),
    }
    .into_iter()
    .map(|build| (build.variant_id, build))
    .collect();
    let ids: Vec<i32> = builds.iter().map(|build| build.variant_id).collect();
    let variants: HashMap<i32, VariantRow> =
        db::kernel::list_variants_by_id(pool, &ids).await?.into_iter().map(|row| (row.id, row)).collect();
    let profile_ids: BTreeSet<i32> = builds.iter().chain(earlier.values()).map(|build| build.profile_id).collect();
    let profile_ids: Vec<i32> = profile_ids.into_iter().collect();
    let profiles: HashMap<i32, ProfileRow> =
        db::trend::list_profiles(pool, &profile_ids).await?.into_iter().map(|row| (row.id, row)).collect();
    let machine: BTreeSet<i32> = profiles.values().filter_map(|profile| profile.machine_id).collect();
    let machine: Vec<i32> = machine.into_iter().collect();
    let families = FamilyCounts::load(pool, &state.codes, &machine, Scope::Function).await?;

    let mut cells = Vec::with_capacity(builds.len());
    for build in &builds {
        let Some(variant) = variants.get(&build.variant_id) else { continue };
        let before = earlier.get(&build.variant_id);
        let cell = cell(state, variant, build, before, &profiles, &families)?;
        let values = profiles.get(&build.profile_id).map(|profile| view::decisions(&profile.decision));
        cells.push((cell, values.unwrap_or_default()));
    }
    let sieved = sieve::sift(&mut cells, only, |(_, values)| values);
    let mut cells: Vec<BuildCell> = cells.into_iter().map(|(cell, _)| cell).collect();
    cells.sort_by(|a, b| (&a.kernel, &a.target, &a.config).cmp(&(&b.kernel, &b.target, &b.config)));
    let parent = match &row.parent {
        Some(sha) => db::commit::find_commit(pool, project.id, sha).await?,
        None => None,
    };
    let parent = match parent {
        Some(parent) => Some(view::commit(pool, parent).await?),
        None => None,
    };
    Ok(CommitDetail { commit: view::commit(pool, row).await?, parent, builds: cells, sieved })
}

fn cell(
    state: &AppState,
    variant: &VariantRow,
    build: &BuildRow,
    before: Option<&BuildRow>,
    profiles: &HashMap<i32, ProfileRow>,
    families: &FamilyCounts,
) -> Result<BuildCell> {
    let now = profiles.get(&build.profile_id);
    let then = before.and_then(|before| profiles.get(&before.profile_id));
    let (mut moved, mut resources, mut decisions) = (Vec::new(), Vec::new(), Vec::new());
    if let (Some(now), Some(then)) = (now, then)
        && now.id != then.id
        && now.status == "ok"
        && then.status == "ok"
    {
        for family in Family::ALL {
            let count = |profile: &ProfileRow| families.family(profile.machine_id, family);
            if let (Some(before), Some(after)) = (count(then), count(now))
                && before != after
            {
                moved.push((family, before, after));
            }
        }
        moved.sort_by_key(|(_, before, after)| std::cmp::Reverse(before.abs_diff(*after)));
        let (mut earlier, later) = (view::decisions(&then.decision), view::decisions(&now.decision));
        for (measure, after) in later.0 {
            if let Some(before) = earlier.0.remove(&measure)
                && before != after
            {
                decisions.push((measure, before, after));
            }
        }
        let known = |profile: &ProfileRow| state.codes.join(&profile.resource, &profile.resource_value);
        let (then, now) = (known(then), known(now));
        for resource in Resource::ALL {
            if let (Some(&before), Some(&after)) = (then.get(&resource), now.get(&resource))
                && before != after
            {
                resources.push((resource, before, after));
            }
        }
    }
    let counted = |profile: &ProfileRow| {
        (profile.status.clone(), profile.machine_id, profile.resource.clone(), profile.resource_value.clone())
    };
    let (before_counted, now_counted) = (then.map(counted), now.map(counted));
    Ok(BuildCell {
        kernel: variant.kernel_key.clone(),
        target: view::parsed(&variant.target)?,
        config: variant.config.clone(),
        status: view::status(now.map_or("error", |profile| profile.status.as_str())),
        message: now.and_then(|profile| profile.message.clone()),
        moved,
        resources,
        decisions,
        changed: before_counted.is_some() && before_counted != now_counted,
        status_changed: then.zip(now).is_some_and(|(then, now)| then.status != now.status),
        added: before.is_none(),
    })
}
