//! Histograms and resources as tables over states. Stages are never added up.

use std::collections::{BTreeMap, HashMap};

use lowerline_shared::{
    api::{Counts, DecisionRow, Disagreement, FamilyRow, LevelTable, OpcodeRow, ResourceRow},
    comparison::{self, order_opcodes},
    family::Family,
    report::Resource,
    stage::{Scope, Stage},
};

use super::{Data, rows::Row};
use crate::{
    counts,
    db::{self, trend::ProfileRow},
    error::Result,
    state::AppState,
    view,
};

/// Opcode counts by histogram and family; empty in lists.
#[derive(Default)]
pub struct Opcodes(HashMap<i32, BTreeMap<(Family, String), i64>>);

/// Reads the opcodes of one row.
pub async fn opcodes(state: &AppState, row: &Row, data: &Data, scope: Scope) -> Result<Opcodes> {
    let ids = super::distinct(
        row.builds()
            .filter_map(|build| data.profiles.get(&build.profile_id))
            .flat_map(|profile| [profile.ptx_id, profile.machine_id])
            .flatten(),
    );
    let mut opcodes = Opcodes::default();
    for row in db::trend::list_opcode_counts(&state.pool, &ids).await? {
        let Some(family) = state.codes.family(row.family_id) else { continue };
        let count = match scope {
            Scope::Function => row.in_function,
            Scope::Loop => row.in_loop,
            Scope::Hot => row.in_hot,
        };
        opcodes.0.entry(row.histogram_id).or_default().insert((family, row.name), i64::from(count));
    }
    Ok(opcodes)
}

/// Where SASS text and cubin of a build of one row disagree, by state.
pub async fn disagreements(state: &AppState, row: &Row) -> Result<Vec<Disagreement>> {
    let lowerings = super::distinct(row.builds().map(|build| build.lowering_id));
    let mut conn = state.pool.acquire().await?;
    let differences = counts::disagreements(&db::compare::list_twice_counted(&mut conn, &lowerings).await?);
    let mut out = Vec::new();
    for (n, build) in row.states.iter().enumerate() {
        let differing = build.as_ref().and_then(|build| differences.get(&build.lowering_id));
        out.extend(differing.into_iter().flatten().map(|one| Disagreement::in_state(n, one)));
    }
    Ok(out)
}

/// PTX, then the machine level; a level that no state has is left out.
pub fn levels(profiles: &[Option<&ProfileRow>], data: &Data, opcodes: &Opcodes) -> Vec<LevelTable> {
    let ptx: Vec<_> = profiles
        .iter()
        .map(|profile| profile.and_then(|profile| Some((profile.ptx_id?, profile.ptx_source.clone()))))
        .collect();
    let mut tables = Vec::new();
    tables.extend(level(Stage::Ptx, &ptx, data, opcodes));
    for stage in [Stage::Sass, Stage::Amdgcn] {
        let machine: Vec<_> = profiles
            .iter()
            .map(|profile| {
                let profile = profile.filter(|profile| profile.machine_stage.as_deref() == Some(stage.id()))?;
                Some((profile.machine_id?, profile.machine_source.clone()))
            })
            .collect();
        tables.extend(level(stage, &machine, data, opcodes));
    }
    tables
}

fn level(
    stage: Stage,
    histograms: &[Option<(i32, Option<String>)>],
    data: &Data,
    opcodes: &Opcodes,
) -> Option<LevelTable> {
    if histograms.iter().all(Option::is_none) {
        return None;
    }
    let ids: Vec<Option<i32>> = histograms.iter().map(|histogram| Some(histogram.as_ref()?.0)).collect();
    let families = Family::ALL
        .into_iter()
        .map(|family| FamilyRow {
            family,
            counts: ids.iter().map(|&id| data.families.family(id, family)).collect(),
            opcodes: opcode_rows(family, &ids, opcodes),
        })
        .filter(|row| row.counts.iter().any(|count| count.is_some_and(|count| count > 0)))
        .collect();
    Some(LevelTable {
        stage,
        sources: histograms.iter().map(|histogram| histogram.as_ref()?.1.clone()).collect(),
        instructions: ids.iter().map(|&id| data.families.instructions(id)).collect(),
        families,
        disagreements: Vec::new(),
    })
}

/// Opcodes of a family, those that moved most first.
fn opcode_rows(family: Family, ids: &[Option<i32>], opcodes: &Opcodes) -> Vec<OpcodeRow> {
    let mut rows: BTreeMap<&str, Counts> = BTreeMap::new();
    for (n, id) in ids.iter().enumerate() {
        let Some(counts) = id.and_then(|id| opcodes.0.get(&id)) else { continue };
        for ((of, name), &count) in counts {
            if *of == family && count > 0 {
                let row = rows.entry(name).or_insert_with(|| ids.iter().map(|id| id.map(|_| 0)).collect());
                row[n] = Some(count);
            }
        }
    }
    let mut rows: Vec<OpcodeRow> =
        rows.into_iter().map(|(opcode, counts)| OpcodeRow { opcode: opcode.to_owned(), counts }).collect();
    order_opcodes(&mut rows);
    rows
}

/// Resources known in any state.
pub fn resources(state: &AppState, profiles: &[Option<&ProfileRow>]) -> Vec<ResourceRow> {
    let known: Vec<_> = profiles
        .iter()
        .map(|profile| profile.map(|profile| state.codes.join(&profile.resource, &profile.resource_value)))
        .collect();
    Resource::ALL
        .into_iter()
        .map(|resource| ResourceRow {
            resource,
            values: known.iter().map(|known| known.as_ref()?.get(&resource).copied()).collect(),
        })
        .filter(|row| row.values.iter().any(Option::is_some))
        .collect()
}

/// Decisions known in any state.
pub fn decisions(profiles: &[Option<&ProfileRow>]) -> Vec<DecisionRow> {
    let known: Vec<_> =
        profiles.iter().map(|profile| profile.map(|profile| view::decisions(&profile.decision))).collect();
    comparison::decisions(&known.iter().map(Option::as_ref).collect::<Vec<_>>())
}
