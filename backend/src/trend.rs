//! Lines over commits: change points become steps and runs of coverage.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use lowerline_shared::{
    api::{CommitSummary, Coverage, CoverageRun, Series, Step, TrendResponse},
    decision_measure::DecisionValue,
    family::Family,
    ids::TargetName,
    limits,
    measure::{Level, Measure},
    permalink::TrendsQuery,
    report::Resource,
    stage::{Scope, Stage},
    target,
};

use crate::{
    config,
    counts::FamilyCounts,
    db::{
        self, Pool,
        kernel::HistoryRow,
        trend::{MetricRow, PointRow, ProfileRow},
    },
    error::{Refusal, Result},
    ingest::Project,
    state::AppState,
    view,
};

/// What a chart shows when the reader chose nothing.
const DEFAULT: [Measure; 4] = [
    Measure::Family(Family::TensorCompute, Level::Machine),
    Measure::Family(Family::FragmentStaging, Level::Machine),
    Measure::Instructions(Level::Machine),
    Measure::Resource(Resource::Registers),
];

/// One variant of the chart.
struct Line {
    target: TargetName,
    config: String,
    variant_id: i32,
    points: Vec<PointRow>,
}

/// Everything that values are read from.
struct Data {
    profiles: HashMap<i32, ProfileRow>,
    families: FamilyCounts,
    /// By stage, prefix and histogram.
    opcodes: HashMap<(Stage, String), HashMap<i32, i64>>,
    metrics: Vec<MetricRow>,
}

/// Answers a trends question.
pub async fn trend(state: &AppState, project: &Project, query: &TrendsQuery) -> Result<TrendResponse> {
    let key = query.kernel.as_deref().ok_or_else(|| {
        Refusal::field("kernel", "no kernel is named").hint("`GET /projects/{project}` lists the kernels")
    })?;
    let pool = &state.pool;
    let not_found = || Refusal::not_found(format!("kernel `{}`", lowerline_shared::ids::shown(key)));
    let name = db::kernel::find_kernel_name(pool, project.id, key).await?.ok_or_else(not_found)?;
    let branch = db::commit::find_main_branch(pool, project.id).await?.unwrap_or_default();
    let end = db::commit::count_line(pool, project.id, &branch).await?;
    let histories = histories(pool, project.id, &branch, end, key).await?;
    let kernel = view::kernel(key, &name, &histories)?;
    let mut lines = choose(&histories, query)?;
    let ids: Vec<i32> = lines.iter().map(|line| line.variant_id).collect();
    let mut points = db::trend::list_points(pool, &branch, &ids).await?;
    for line in &mut lines {
        line.points = points.extract_if(.., |point| point.variant_id == line.variant_id).collect();
    }
    let measures = if query.measures.is_empty() { DEFAULT.to_vec() } else { query.measures.clone() };
    let data = load(state, &branch, &lines, &measures, query.scope).await?;

    let wanted = lines.len() * measures.len();
    let last = u32::try_from(end - 1).unwrap_or(0);
    let series: Vec<Series> = lines
        .iter()
        .flat_map(|line| measures.iter().map(move |measure| (line, measure)))
        .take(limits::SERIES_PER_TREND)
        .map(|(line, measure)| series(state, &data, line, measure, last, end > 0))
        .collect();
    let commits = commits(state, project, &branch, end, &series).await?;
    Ok(TrendResponse {
        config: query.config.clone().or_else(|| lines.first().map(|line| line.config.clone())).unwrap_or_default(),
        kernel,
        scope: query.scope,
        positions: (0, last),
        commits,
        left_out: wanted.saturating_sub(series.len()) as u64,
        series,
    })
}

/// Variants of a kernel, those with the longest history first. Where all have one config there is no order to find, and measuring
/// histories would take longer than all else.
async fn histories(pool: &Pool, project_id: i32, branch: &str, end: i32, key: &str) -> Result<Vec<HistoryRow>> {
    let variants = db::kernel::list_histories_of(pool, project_id, &[key.to_owned()]).await?;
    let rows: Vec<HistoryRow> = variants.into_iter().flat_map(|(_, rows)| rows).map(|(_, row)| row).collect();
    if rows.iter().all(|row| row.config == rows[0].config) {
        return Ok(rows);
    }
    let rows = db::kernel::list_histories(pool, project_id, branch, end, Some(key)).await?;
    Ok(rows.into_iter().map(|(_, row)| row).collect())
}

/// One variant per target: of the config asked for, else the one with the longest history.
fn choose(histories: &[HistoryRow], query: &TrendsQuery) -> Result<Vec<Line>> {
    let mut by_target: BTreeMap<&str, &HistoryRow> = BTreeMap::new();
    for row in histories {
        if query.config.as_ref().is_none_or(|config| *config == row.config) {
            by_target.entry(&row.target).or_insert(row);
        }
    }
    let mut lines = Vec::new();
    for (name, row) in by_target {
        let target: TargetName = view::parsed(name)?;
        if query.targets.is_empty() || query.targets.contains(&target) {
            lines.push(Line { target, config: row.config.clone(), variant_id: row.id, points: Vec::new() });
        }
    }
    if query.targets.is_empty() {
        lines.sort_by_key(|line| target::sort_key(&line.target));
    } else {
        lines.sort_by_key(|line| query.targets.iter().position(|target| *target == line.target));
    }
    Ok(lines)
}

async fn load(state: &AppState, branch: &str, lines: &[Line], measures: &[Measure], scope: Scope) -> Result<Data> {
    let pool = &state.pool;
    let ids: BTreeSet<i32> = lines.iter().flat_map(|line| &line.points).filter_map(|point| point.profile_id).collect();
    let ids: Vec<i32> = ids.into_iter().collect();
    let profiles: HashMap<i32, ProfileRow> =
        db::trend::list_profiles(pool, &ids).await?.into_iter().map(|row| (row.id, row)).collect();
    let histograms: BTreeSet<i32> =
        profiles.values().flat_map(|profile| [profile.ptx_id, profile.machine_id]).flatten().collect();
    let histograms: Vec<i32> = histograms.into_iter().collect();
    let mut data = Data { profiles, families: FamilyCounts::default(), opcodes: HashMap::new(), metrics: Vec::new() };
    if measures.iter().any(|measure| matches!(measure, Measure::Family(..) | Measure::Instructions(_))) {
        data.families = FamilyCounts::load(pool, &state.codes, &histograms, scope).await?;
    }
    for measure in measures {
        let Measure::Opcode(stage, prefix) = measure else { continue };
        let mut sums: HashMap<i32, i64> = HashMap::new();
        for row in db::trend::list_covered_counts(pool, &histograms, stage.id(), prefix).await? {
            let count = match scope {
                Scope::Function => row.in_function,
                Scope::Loop => row.in_loop,
                Scope::Hot => row.in_hot,
            };
            *sums.entry(row.histogram_id).or_default() += i64::from(count);
        }
        data.opcodes.insert((*stage, prefix.clone()), sums);
    }
    let names: Vec<String> = measures
        .iter()
        .filter_map(|measure| match measure {
            Measure::Metric(name) => Some(name.clone()),
            _ => None,
        })
        .collect();
    if !names.is_empty() {
        let ids: Vec<i32> = lines.iter().map(|line| line.variant_id).collect();
        data.metrics = db::trend::list_metrics(pool, branch, &ids, &names).await?;
    }
    Ok(data)
}

/// The stage a measure is counted at for a target; `None` for resources and metrics.
fn stage_of(measure: &Measure, target: &TargetName) -> Option<Stage> {
    match measure {
        Measure::Family(_, level) | Measure::Instructions(level) => Some(level.stage(target::vendor(target))),
        Measure::Opcode(stage, _) => Some(*stage),
        Measure::Resource(_) | Measure::Decision(_) | Measure::Metric(_) => None,
    }
}

fn histogram_at(profile: &ProfileRow, stage: Stage) -> Option<i32> {
    if stage == Stage::Ptx {
        return profile.ptx_id;
    }
    profile.machine_id.filter(|_| profile.machine_stage.as_deref() == Some(stage.id()))
}

/// The number of a named state; one not met before gets the next.
fn state_number(names: &mut Vec<String>, name: &str) -> usize {
    names.iter().position(|known| known == name).unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    })
}

fn value(
    state: &AppState,
    data: &Data,
    profile: &ProfileRow,
    measure: &Measure,
    stage: Option<Stage>,
    names: &mut Vec<String>,
) -> Option<f64> {
    let histogram = stage.and_then(|stage| histogram_at(profile, stage));
    let count = match measure {
        Measure::Family(family, _) => data.families.family(histogram, *family),
        Measure::Instructions(_) => data.families.instructions(histogram),
        Measure::Opcode(stage, prefix) => {
            let sums = data.opcodes.get(&(*stage, prefix.clone()))?;
            Some(sums.get(&histogram?).copied().unwrap_or(0))
        }
        Measure::Resource(resource) => state.codes.value(&profile.resource, &profile.resource_value, *resource),
        Measure::Decision(measure) => match view::decision(&profile.decision, *measure)? {
            DecisionValue::Number(number) => Some(number),
            DecisionValue::Named(name) => i64::try_from(state_number(names, &name)).ok(),
        },
        Measure::Metric(_) => None,
    };
    count.map(|count| count as f64)
}

fn series(state: &AppState, data: &Data, line: &Line, measure: &Measure, last: u32, any: bool) -> Series {
    let stage = stage_of(measure, &line.target);
    let mut out = Series {
        target: line.target.clone(),
        config: line.config.clone(),
        measure: measure.clone(),
        stage,
        source: None,
        steps: Vec::new(),
        names: Vec::new(),
        coverage: Vec::new(),
        failures: BTreeMap::new(),
    };
    if let Measure::Decision(measure) = measure {
        out.names = measure.names().iter().map(|name| (*name).to_owned()).collect();
    }
    let mut states: Vec<(u32, Coverage)> = Vec::new();
    for point in &line.points {
        let at = view::position(point.position);
        let profile = point.profile_id.and_then(|id| data.profiles.get(&id));
        states.push((at, coverage_of(profile)));
        match profile {
            Some(profile) if profile.status == "ok" => {
                let value = value(state, data, profile, measure, stage, &mut out.names);
                if !matches!(measure, Measure::Metric(_)) && out.steps.last().is_none_or(|step| step.value != value) {
                    out.steps.push(Step { at, value });
                }
                out.source = match stage {
                    Some(Stage::Ptx) | None => profile.ptx_source.clone().filter(|_| stage.is_some()),
                    Some(_) => profile.machine_source.clone(),
                };
            }
            Some(profile) => {
                out.failures.insert(at, profile.message.clone().unwrap_or_default());
            }
            None => {}
        }
    }
    if let Measure::Metric(name) = measure {
        out.steps = metric_steps(&data.metrics, line.variant_id, name);
    }
    if any {
        out.coverage = runs(&states, last);
    }
    out
}

fn coverage_of(profile: Option<&ProfileRow>) -> Coverage {
    match profile {
        None => Coverage::NotBuilt,
        Some(profile) if profile.status == "ok" => Coverage::Built,
        Some(_) => Coverage::Failed,
    }
}

fn metric_steps(rows: &[MetricRow], variant_id: i32, name: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for row in rows.iter().filter(|row| row.variant_id == variant_id && row.name == name) {
        if steps.last().is_none_or(|step| step.value != Some(row.value)) {
            steps.push(Step { at: view::position(row.position), value: Some(row.value) });
        }
    }
    steps
}

/// Runs of equal state from position 0 to `last` without gaps.
fn runs(states: &[(u32, Coverage)], last: u32) -> Vec<CoverageRun> {
    let mut runs: Vec<CoverageRun> = Vec::new();
    let first = states.first().map_or(last + 1, |(at, _)| *at);
    let before = (first > 0).then_some((0, Coverage::NotBuilt));
    for (at, state) in before.into_iter().chain(states.iter().copied()) {
        match runs.last_mut() {
            Some(run) if run.state == state => {}
            Some(run) => {
                run.to = at.saturating_sub(1);
                runs.push(CoverageRun { from: at, to: last, state });
            }
            None => runs.push(CoverageRun { from: at, to: last, state }),
        }
    }
    runs
}

/// All commits when they are few, else those that a step or an edge of coverage names, and both ends.
async fn commits(
    state: &AppState,
    project: &Project,
    branch: &str,
    end: i32,
    series: &[Series],
) -> Result<Vec<CommitSummary>> {
    let positions: BTreeSet<i32> = if usize::try_from(end).unwrap_or(0) <= config::COMMITS_NAMED_IN_FULL {
        (0..end).collect()
    } else {
        let named = series.iter().flat_map(|series| {
            let steps = series.steps.iter().map(|step| step.at);
            let edges = series.coverage.iter().flat_map(|run| [run.from, run.to]);
            steps.chain(edges).collect::<Vec<u32>>()
        });
        named.filter_map(|at| i32::try_from(at).ok()).chain([0, end - 1]).collect()
    };
    let positions: Vec<i32> = positions.into_iter().take(limits::COMMITS_PER_TREND).collect();
    let rows = db::commit::list_commits_at(&state.pool, project.id, branch, &positions).await?;
    view::commits(&state.pool, rows).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(from: u32, to: u32, state: Coverage) -> CoverageRun {
        CoverageRun { from, to, state }
    }

    #[test]
    fn coverage_has_no_gaps_from_the_first_to_the_last_position() {
        use Coverage::{Built, Failed, NotBuilt};
        assert_eq!(runs(&[], 3), [run(0, 3, NotBuilt)]);
        assert_eq!(runs(&[(0, Built)], 0), [run(0, 0, Built)]);
        assert_eq!(
            runs(&[(2, Built), (3, Built), (5, Failed), (6, NotBuilt)], 9),
            [run(0, 1, NotBuilt), run(2, 4, Built), run(5, 5, Failed), run(6, 9, NotBuilt)]
        );
    }
}
