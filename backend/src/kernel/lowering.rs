//! One kernel × config on every target at one commit.

use std::collections::{BTreeMap, HashMap};

use lowerline_analyzer::occupancy;
use lowerline_shared::{
    api::{ArtifactRef, ConfigCoverage, LoweringResponse, MatrixUse, StageCounts, StateBuild, TargetLowering},
    decision_filter::DecisionFilter,
    decision_measure::{DecisionMeasure, DecisionValues},
    family::Family,
    ids::{Digest, shown},
    permalink::LoweringQuery,
    report::{Report, Resource, Resources},
    sieve::{self, Sieved, Verdict},
    stage::{Scope, Stage},
    target, tensor,
};

use super::{Build, Place, ttir};
use crate::{
    counts::FamilyCounts,
    db::{
        self,
        space::{FamilyOpcodeRow, KernelArtifactRow},
        trend::ProfileRow,
    },
    error::{Refusal, Result},
    ingest::Project,
    state::AppState,
    view,
};

/// Layouts that are no layouts of tensors: where memory is, and parts of another layout.
const NO_LAYOUTS: [&str; 3] = ["shared_memory", "slice", "tensor_memory"];

/// Answers a question about a kernel's lowering.
pub async fn lowering(
    state: &AppState,
    project: &Project,
    key: &str,
    query: &LoweringQuery,
) -> Result<LoweringResponse> {
    let place = super::place(state, project, key, query.at.as_ref()).await?;
    let builds = super::builds(state, place.commit.id, &place.key).await?;
    let all = coverage(&builds);
    let (builds, left_out) = narrow(state, builds, &query.only).await?;
    let configs = coverage(&builds);
    let config = match &query.config {
        Some(config) if all.iter().any(|found| found.config == *config) => config.clone(),
        Some(config) => {
            let what = format!("config `{}` of {} at {}", shown(config), shown(key), shown(&place.commit.sha));
            return Err(Refusal::not_found(what).hint("leave `config` out to see what there is").into());
        }
        None => configs.first().or_else(|| all.first()).map(|found| found.config.clone()).ok_or_else(|| {
            Refusal::not_found(format!("build of kernel `{}` at {}", shown(key), shown(&place.commit.sha)))
        })?,
    };
    let Columns { mut columns, texts } = columns(state, place.commit.id, &builds, &config, query.scope).await?;
    let (ttir_groups, ttir_differences) = ttir::compare(&state.blobs, texts, &mut columns).await?;
    let mut base_targets = Vec::new();
    let mut base = None;
    if let Some(rev) = &query.base {
        let commit = super::find_commit(state, project, rev.as_str()).await?;
        let builds = super::builds(state, commit.id, &place.key).await?;
        base_targets = self::columns(state, commit.id, &builds, &config, query.scope).await?.columns;
        base = Some(view::commit(&state.pool, commit).await?);
    }
    let mut sieved = Sieved::default();
    left_out.iter().filter(|(of, _)| *of == config).for_each(|(_, verdict)| sieved.count(*verdict));
    sieved.offered = sieve::offered(&columns.iter().map(|column| &column.values).collect::<Vec<_>>());
    let Place { summary, commit, .. } = place;
    Ok(LoweringResponse {
        kernel: summary,
        commit: view::commit(&state.pool, commit).await?,
        base,
        config,
        scope: query.scope,
        configs,
        targets: columns,
        base_targets,
        ttir_groups,
        ttir_differences,
        sieved,
    })
}

/// Builds that pass every filter, and the configs of the others with why.
async fn narrow(
    state: &AppState,
    builds: Vec<Build>,
    only: &[DecisionFilter],
) -> Result<(Vec<Build>, Vec<(String, Verdict)>)> {
    if only.is_empty() {
        return Ok((builds, Vec::new()));
    }
    let profiles = super::profiles(state, &builds.iter().collect::<Vec<_>>()).await?;
    let (mut kept, mut left_out) = (Vec::new(), Vec::new());
    for build in builds {
        let profile = profiles.get(&build.row.profile_id);
        let values = profile.map(|profile| view::decisions(&profile.decision)).unwrap_or_default();
        match sieve::verdict(&values, only) {
            Verdict::Kept => kept.push(build),
            verdict => left_out.push((build.config, verdict)),
        }
    }
    Ok((kept, left_out))
}

/// Configs, those on most targets first; equal ones by label.
fn coverage(builds: &[Build]) -> Vec<ConfigCoverage> {
    let mut targets: BTreeMap<&str, u64> = BTreeMap::new();
    for build in builds {
        *targets.entry(&build.config).or_default() += 1;
    }
    let mut out: Vec<ConfigCoverage> =
        targets.into_iter().map(|(config, targets)| ConfigCoverage { config: config.to_owned(), targets }).collect();
    out.sort_by(|a, b| b.targets.cmp(&a.targets).then_with(|| a.config.cmp(&b.config)));
    out
}

struct Columns {
    columns: Vec<TargetLowering>,
    texts: Vec<ttir::Text>,
}

/// Everything that the columns are made of.
struct Data {
    profiles: HashMap<i32, ProfileRow>,
    counts: FamilyCounts,
    matrix: HashMap<i32, Vec<FamilyOpcodeRow>>,
    artifacts: HashMap<i32, Vec<KernelArtifactRow>>,
    reports: HashMap<Vec<u8>, Report>,
    toolchains: HashMap<i32, lowerline_shared::api::Toolchain>,
    reconstructions: HashMap<i32, String>,
    metrics: HashMap<i32, BTreeMap<String, f64>>,
}

async fn columns(state: &AppState, commit_id: i32, builds: &[Build], config: &str, scope: Scope) -> Result<Columns> {
    let mut chosen: Vec<&Build> = builds.iter().filter(|build| build.config == config).collect();
    chosen.sort_by_key(|build| target::sort_key(&build.target));
    let data = load(state, commit_id, &chosen, scope).await?;
    let mut ttir: BTreeMap<usize, (Digest, u64, Option<Vec<u8>>)> = BTreeMap::new();
    let mut columns = Vec::with_capacity(chosen.len());
    for (n, build) in chosen.iter().enumerate() {
        let artifacts = data.artifacts.get(&build.row.lowering_id).map_or(&[][..], Vec::as_slice);
        if let Some(text) = artifacts.iter().find(|row| row.stage == Stage::Ttir.id()) {
            let digest = view::digest(&text.digest)?;
            let size = u64::try_from(text.size_bytes).unwrap_or(0);
            ttir.insert(n, (digest, size, text.normal_digest.clone()));
        }
        columns.push(column(state, build, &data, scope)?);
    }
    Ok(Columns { columns, texts: ttir::by_column(&ttir) })
}

async fn load(state: &AppState, commit_id: i32, builds: &[&Build], scope: Scope) -> Result<Data> {
    let pool = &state.pool;
    let profiles = super::profiles(state, builds).await?;
    let counts = super::counts(state, &profiles, scope).await?;
    let family = state.codes.of_family(Family::TensorCompute);
    let mut matrix: HashMap<i32, Vec<FamilyOpcodeRow>> = HashMap::new();
    for row in db::space::list_family_opcodes(pool, &super::histograms(&profiles), family).await? {
        matrix.entry(row.histogram_id).or_default().push(row);
    }
    let lowerings: Vec<i32> = builds.iter().map(|build| build.row.lowering_id).collect();
    let stages: Vec<String> = Stage::ALL.map(|stage| stage.id().to_owned()).to_vec();
    let mut artifacts: HashMap<i32, Vec<KernelArtifactRow>> = HashMap::new();
    for row in db::space::list_kernel_artifacts(pool, &lowerings, &stages).await? {
        artifacts.entry(row.lowering_id).or_default().push(row);
    }
    let ttgir: Vec<Vec<u8>> = artifacts
        .values()
        .flatten()
        .filter(|row| row.stage == Stage::Ttgir.id())
        .map(|row| row.digest.clone())
        .collect();
    let bodies = db::space::list_report_bodies(pool, &ttgir).await?;
    let reports = tokio::task::spawn_blocking(move || {
        let read = |(digest, body): (Vec<u8>, Vec<u8>)| -> anyhow::Result<(Vec<u8>, Report)> {
            Ok((digest, serde_json::from_slice(&zstd::decode_all(&body[..])?)?))
        };
        bodies.into_iter().map(read).collect::<anyhow::Result<HashMap<_, _>>>()
    });
    let reports = reports.await.map_err(anyhow::Error::from)??;
    let ids: Vec<i32> = builds.iter().map(|build| build.row.toolchain_id).collect();
    let mut toolchains = HashMap::new();
    for (id, versions) in db::compare::list_toolchains(pool, &ids).await? {
        toolchains.insert(id, serde_json::from_value(versions).map_err(anyhow::Error::from)?);
    }
    let ids: Vec<i32> = builds.iter().map(|build| build.row.config_id).collect();
    let reconstructions = db::compare::list_reconstructions(pool, &ids).await?.into_iter().collect();
    let metrics = super::metrics(state, commit_id, builds).await?;
    Ok(Data { profiles, counts, matrix, artifacts, reports, toolchains, reconstructions, metrics })
}

fn column(state: &AppState, build: &Build, data: &Data, scope: Scope) -> Result<TargetLowering> {
    let profile = data.profiles.get(&build.row.profile_id);
    let resources =
        profile.map(|profile| state.codes.join(&profile.resource, &profile.resource_value)).unwrap_or_default();
    let values = profile.map(|profile| view::decisions(&profile.decision)).unwrap_or_default();
    let artifacts = data.artifacts.get(&build.row.lowering_id).map_or(&[][..], Vec::as_slice);
    let report =
        artifacts.iter().find(|row| row.stage == Stage::Ttgir.id()).and_then(|row| data.reports.get(&row.digest));
    let matrix = profile.map(|profile| matrix(profile, data, &values, scope)).unwrap_or_default();
    let launch = super::launch(&build.target, &resources);
    let limits = occupancy::limits(&build.target);
    Ok(TargetLowering {
        target: build.target.clone(),
        build: state_build(build, profile, artifacts, data)?,
        levels: profile.map(|profile| levels(profile, &data.counts)).unwrap_or_default(),
        matrix_work: work(&matrix, &resources, &values),
        matrix,
        decisions: report.map(|report| report.decisions.clone()).unwrap_or_default(),
        layout_kinds: report.map(layout_kinds).unwrap_or_default(),
        values,
        ttir_lines: None,
        ttir_group: None,
        shared_limit: limits.map(|limits| i64::from(limits.block_shared_bytes)),
        register_limit: limits.map(|limits| i64::from(limits.thread_registers)),
        unlaunchable: launch.refused,
        launch_known: launch.is_known,
        resources,
    })
}

fn layout_kinds(report: &Report) -> BTreeMap<String, u64> {
    let mut out = BTreeMap::new();
    for (kind, number) in &report.layout_kinds {
        let name = kind.rsplit('.').next().unwrap_or(kind);
        if !NO_LAYOUTS.contains(&name) {
            *out.entry(name.to_owned()).or_default() += number;
        }
    }
    out
}

fn state_build(
    build: &Build,
    profile: Option<&ProfileRow>,
    artifacts: &[KernelArtifactRow],
    data: &Data,
) -> Result<StateBuild> {
    if let Some(profile) = profile.filter(|profile| profile.status != "ok") {
        return Ok(StateBuild::Failed {
            status: view::status(&profile.status),
            message: profile.message.clone().unwrap_or_default(),
        });
    }
    let mut refs = Vec::with_capacity(artifacts.len());
    for row in artifacts {
        let Some(stage) = Stage::from_id(&row.stage) else { continue };
        refs.push(ArtifactRef { stage, form: row.form.clone(), digest: view::digest(&row.digest)? });
    }
    refs.sort_by(|a, b| (a.stage, &a.form).cmp(&(b.stage, &b.form)));
    Ok(StateBuild::Built {
        toolchain: data.toolchains.get(&build.row.toolchain_id).cloned().unwrap_or_default(),
        artifacts: refs,
        config: build.config.clone(),
        reconstruction: data.reconstructions.get(&build.row.config_id).cloned(),
        metrics: data.metrics.get(&build.row.variant_id).cloned().unwrap_or_default(),
    })
}

fn levels(profile: &ProfileRow, counts: &FamilyCounts) -> Vec<StageCounts> {
    let machine = profile.machine_stage.as_deref().and_then(Stage::from_id);
    let stages = [
        (Some(Stage::Ptx), profile.ptx_id, &profile.ptx_source),
        (machine, profile.machine_id, &profile.machine_source),
    ];
    stages
        .into_iter()
        .filter_map(|(stage, histogram, source)| {
            let families = Family::ALL.into_iter().filter_map(|family| {
                let count = counts.family(histogram, family)?;
                (count > 0).then_some((family, count))
            });
            Some(StageCounts {
                stage: stage?,
                source: source.clone(),
                instructions: counts.instructions(histogram)?,
                families: families.collect(),
            })
        })
        .collect()
}

/// Matrix opcodes of PTX, of machine code where there is no PTX.
fn matrix(profile: &ProfileRow, data: &Data, values: &DecisionValues, scope: Scope) -> Vec<MatrixUse> {
    let Some(rows) = profile.ptx_id.or(profile.machine_id).and_then(|id| data.matrix.get(&id)) else {
        return Vec::new();
    };
    let tile = values.name(DecisionMeasure::MatrixInstruction);
    let mut out: Vec<MatrixUse> = rows
        .iter()
        .filter_map(|row| {
            let count = match scope {
                Scope::Function => row.in_function,
                Scope::Loop => row.in_loop,
                Scope::Hot => row.in_hot,
            };
            Some(MatrixUse {
                stage: Stage::from_id(&row.stage)?,
                count: i64::from(count),
                instruction: tensor::instruction(&row.name, tile),
                opcode: row.name.clone(),
            })
        })
        .filter(|used| used.count > 0)
        .collect();
    out.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.opcode.cmp(&b.opcode)));
    out
}

fn work(matrix: &[MatrixUse], resources: &Resources, values: &DecisionValues) -> Option<i64> {
    if matrix.is_empty() || values.number(DecisionMeasure::WarpSpecialization).is_some_and(|partitions| partitions > 0)
    {
        return None;
    }
    let warps = resources.get(&Resource::Warps).copied()?;
    matrix.iter().try_fold(0_i64, |sum, used| {
        let instruction = used.instruction.as_ref()?;
        sum.checked_add(used.count.checked_mul(instruction.work())?.checked_mul(instruction.issuer.in_block(warps))?)
    })
}
