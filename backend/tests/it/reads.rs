//! What the pages read, on the demo's releases.

use lowerline_shared::{
    api::{
        BuildStatus, CommitDetail, CommitRow, CompareResponse, Coverage, CoverageRun, FamilyRow, MeasureHit,
        ProjectDetail, ProjectSummary, StateBuild, TrendResponse,
    },
    family::Family,
    report::Report,
    stage::Stage,
};

use crate::support::{
    Server,
    corpus::{failed_build, manifest, ptx, ptx_build, release, sha},
};

const STORY: &str = "kernel=flex_attention&target=sm_100a";

async fn flex() -> Server {
    let server = Server::start().await;
    let mut parent = None;
    for (n, name) in ["3.4.0", "3.5.0", "3.7.1", "3.9.0"].into_iter().enumerate() {
        release(name, parent, i64::try_from(n).unwrap(), &["flex_attention"]).send(&server).await;
        parent = Some(name);
    }
    server
}

fn values(trend: &TrendResponse, n: usize) -> Vec<(u32, Option<f64>)> {
    trend.series[n].steps.iter().map(|step| (step.at, step.value)).collect()
}

/// The numbers of the story: article 2 and the independent counts in `demo/expected.tar.zst`.
#[tokio::test]
async fn trends_of_flex_attention_show_the_regression_and_its_repair() {
    let server = flex().await;
    let measures = "fragment_staging,fragment_staging@ptx,tensor_compute,sass:ULOP3.LUT,ptx:ldmatrix,ptx:stmatrix";
    let trend: TrendResponse = server.read(&format!("/projects/triton/trends?{STORY}&measure={measures}")).await;
    assert_eq!(trend.positions, (0, 3));
    assert_eq!(trend.commits.len(), 4);
    assert_eq!(values(&trend, 0)[..2], [(0, Some(0.0)), (1, Some(20.0))]);
    assert_eq!(values(&trend, 1)[..2], [(0, Some(0.0)), (1, Some(20.0))]);
    assert_eq!(trend.series[2].steps[0].value, Some(64.0));
    assert!(trend.series[2].steps.iter().all(|step| step.at != 1), "tensor compute stays at 3.5.0");
    assert_eq!(values(&trend, 3), [(0, Some(120.0)), (1, Some(121.0)), (2, Some(15.0)), (3, Some(13.0))]);
    assert_eq!(values(&trend, 4)[..2], [(0, Some(0.0)), (1, Some(14.0))]);
    assert_eq!(values(&trend, 5)[..2], [(0, Some(0.0)), (1, Some(6.0))]);
    assert_eq!(trend.series[0].stage, Some(Stage::Sass));
    assert_eq!(trend.series[0].coverage, [CoverageRun { from: 0, to: 3, state: Coverage::Built }]);
}

fn family(build: &lowerline_shared::api::BuildComparison, stage: Stage, family: Family) -> &FamilyRow {
    let level = build.levels.iter().find(|level| level.stage == stage).unwrap();
    level.families.iter().find(|row| row.family == family).unwrap()
}

#[tokio::test]
async fn a_comparison_keeps_ptx_and_sass_apart_and_opens_opcodes() {
    let server = flex().await;
    let answer: CompareResponse =
        server.read(&format!("/projects/triton/compare/3.4.0...3.5.0?{STORY}&config=128x64_w8_s2")).await;
    let [build] = answer.builds.as_slice() else { panic!("one build, got {}", answer.builds.len()) };
    assert!(build.changed);
    assert_eq!(family(build, Stage::Sass, Family::FragmentStaging).counts, [Some(0), Some(20)]);
    assert_eq!(family(build, Stage::Ptx, Family::FragmentStaging).counts, [Some(0), Some(20)]);
    assert_eq!(family(build, Stage::Sass, Family::TensorCompute).counts, [Some(64), Some(64)]);
    let staged: i64 =
        family(build, Stage::Ptx, Family::FragmentStaging).opcodes.iter().map(|row| row.counts[1].unwrap()).sum();
    assert_eq!(staged, 20);
    assert!(!build.resources.is_empty());
}

#[tokio::test]
async fn a_reconstruction_stands_beside_releases_and_says_so() {
    let server = flex().await;
    let states = "3.4.0...3.5.0:128x64_w8_s2_injected-convert...3.5.0";
    let answer: CompareResponse =
        server.read(&format!("/projects/triton/compare/{states}?{STORY}&config=128x64_w8_s2")).await;
    assert_eq!(answer.states.len(), 3);
    assert!(answer.states[1].reconstruction.is_some());
    assert!(answer.states[2].reconstruction.is_none());
    let [build] = answer.builds.as_slice() else { panic!("one build, got {}", answer.builds.len()) };
    let StateBuild::Built { config, .. } = &build.states[1] else { panic!("built") };
    assert_eq!(config, "128x64_w8_s2_injected-convert");
}

#[tokio::test]
async fn lists_hold_changed_builds_only_heaviest_first() {
    let server = flex().await;
    let answer: CompareResponse = server.read("/projects/triton/compare/3.4.0...3.5.0").await;
    assert!(answer.builds.iter().all(|build| build.changed));
    assert!(answer.builds.is_sorted_by_key(|build| std::cmp::Reverse(build.weight)));
    let detail: CommitDetail = server.read("/projects/triton/commits/3.5.0").await;
    assert_eq!(answer.builds.len() as u64 + answer.unchanged, detail.builds.len() as u64);
    assert_eq!(detail.parent.unwrap().tag.unwrap().as_str(), "3.4.0");
    let same: CompareResponse = server.read("/projects/triton/compare/3.5.0...3.5.0").await;
    assert!(same.builds.is_empty());
}

#[tokio::test]
async fn commits_say_how_many_builds_changed_per_target() {
    let server = flex().await;
    let rows: Vec<CommitRow> = server.read("/projects/triton/commits").await;
    let names: Vec<&str> = rows.iter().map(|row| row.commit.name()).collect();
    assert_eq!(names, ["3.9.0", "3.7.1", "3.5.0", "3.4.0"]);
    let at = |tag: usize, target: &str| {
        rows[tag].targets.iter().find(|change| change.target.as_str() == target).unwrap().clone()
    };
    assert_eq!((at(2, "sm_100a").changed, at(2, "sm_100a").added), (1, 1));
    assert_eq!(at(3, "sm_100a").added, at(3, "sm_100a").builds);
    let page: Vec<CommitRow> = server.read("/projects/triton/commits?before=3.7.1&limit=1").await;
    assert_eq!(page[0].commit.name(), "3.5.0");
}

#[tokio::test]
async fn search_finds_opcodes_prefixes_families_and_resources() {
    let server = flex().await;
    let find = async |q: &str| -> Vec<String> {
        let hits: Vec<MeasureHit> =
            server.read(&format!("/projects/triton/measures?kernel=flex_attention&q={q}")).await;
        hits.into_iter().map(|hit| hit.measure.to_string()).collect()
    };
    assert!(find("ulop3").await.contains(&"sass:ULOP3.LUT".to_owned()));
    assert!(find("ldsm").await.iter().any(|hit| hit.starts_with("sass:LDSM")));
    assert!(find("staging").await.contains(&"fragment_staging".to_owned()));
    assert!(find("registers").await.contains(&"resource:registers".to_owned()));
    assert!(find("no%25_such").await.is_empty());
}

#[tokio::test]
async fn unchanged_failed_and_not_built_stay_three_things() {
    let server = Server::start().await;
    let (one, two) = (ptx(1), ptx(2));
    for bytes in [&one, &two] {
        assert_eq!(server.put(bytes).await.status, 200);
    }
    let built = |bytes: &[u8]| vec![ptx_build("k", "sm_90a", bytes)];
    let other = || vec![ptx_build("other", "sm_90a", &one)];
    let failed = || vec![failed_build("k", "sm_90a", "ptxas died")];
    let steps = [other(), built(&one), built(&one), failed(), built(&one), other(), built(&two)];
    let mut parents = Vec::new();
    for (n, builds) in steps.iter().enumerate() {
        let sha = sha(&n.to_string());
        let answer = server.push(&manifest(&sha, &parents, i64::try_from(n).unwrap(), builds)).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        parents = vec![sha];
    }
    let trend: TrendResponse =
        server.read("/projects/triton/trends?kernel=k&measure=instructions@ptx,ptx:add.b32,ptx:add.s32").await;
    let runs: Vec<_> = trend.series[0].coverage.iter().map(|run| (run.from, run.to, run.state)).collect();
    assert_eq!(
        runs,
        [
            (0, 0, Coverage::NotBuilt),
            (1, 2, Coverage::Built),
            (3, 3, Coverage::Failed),
            (4, 4, Coverage::Built),
            (5, 5, Coverage::NotBuilt),
            (6, 6, Coverage::Built)
        ]
    );
    assert_eq!(values(&trend, 0), [(1, Some(2.0)), (6, Some(3.0))]);
    assert_eq!(trend.series[0].failures.get(&3).map(String::as_str), Some("ptxas died"));
    let detail: CommitDetail = server.read(&format!("/projects/triton/commits/{}", sha("3"))).await;
    assert_eq!(detail.builds[0].status, BuildStatus::Error);
}

#[tokio::test]
async fn projects_kernels_blobs_and_reports_are_read_back() {
    let server = Server::start().await;
    let release = release("3.5.0", None, 0, &["softmax"]);
    release.send(&server).await;
    let projects: Vec<ProjectSummary> = server.read("/projects").await;
    assert_eq!((projects[0].commits, projects[0].kernels), (1, 1));
    let detail: ProjectDetail = server.read("/projects/triton").await;
    assert_eq!(detail.kernels[0].key, "softmax");
    assert_eq!(detail.kernels[0].targets.len(), 7);
    for (digest, bytes) in &release.blobs {
        assert_eq!(&server.get(&format!("/api/v1/blobs/{digest}")).await.body, bytes);
    }
    let (digest, _) =
        release.blobs.iter().find(|(_, bytes)| bytes.starts_with(b"//\n// Generated by LLVM NVPTX")).unwrap();
    let report: Report = server.read(&format!("/blobs/{digest}/report")).await;
    assert_eq!(report.stage, Stage::Ptx);
}
