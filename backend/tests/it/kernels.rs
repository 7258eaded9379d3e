//! One kernel on every target and in every config, on the demo's releases.

use std::collections::BTreeMap;

use lowerline_shared::{
    api::{CommitDetail, LoweringResponse, SpaceConfig, SpaceResponse, StateBuild, TargetLowering, TrendResponse},
    decision_measure::DecisionMeasure,
    family::Family,
    lowering,
    report::Resource,
    stage::Stage,
};
use serde_json::json;

use crate::support::{
    Server,
    corpus::{digest, failed_build, manifest, ptx, ptx_build, release, sha},
};

const CENSUS: &str = "/projects/triton/kernels/matmul_census";

async fn census(releases: &[&str]) -> Server {
    let server = Server::start().await;
    let mut parent = None;
    for (n, name) in releases.iter().enumerate() {
        release(name, parent, i64::try_from(n).unwrap(), &["matmul_census"]).send(&server).await;
        parent = Some(*name);
    }
    server
}

fn row(answer: &LoweringResponse, id: &str) -> Vec<String> {
    let rows = lowering::rows(answer);
    let row = rows.iter().find(|row| row.id == id).unwrap_or_else(|| panic!("a row {id}"));
    row.cells.iter().map(|cell| cell.text.join(" ")).collect()
}

fn family(column: &TargetLowering, family: Family) -> i64 {
    let level = column.levels.iter().find(|level| level.stage != Stage::Ptx).unwrap();
    level.families.iter().find(|(found, _)| *found == family).map_or(0, |(_, count)| *count)
}

/// Article 1's table of seven targets, and the counts of `demo/expected.tar.zst`.
#[tokio::test]
async fn the_census_of_seven_targets_comes_out() {
    let server = census(&["3.7.1"]).await;
    let answer: LoweringResponse = server.read(&format!("{CENSUS}/lowering?at=3.7.1&config=128x128x64_w8_s3")).await;
    let targets: Vec<&str> = answer.targets.iter().map(|column| column.target.as_str()).collect();
    assert_eq!(targets, ["sm_80", "sm_90a", "sm_100a", "sm_120a", "gfx90a", "gfx942", "gfx950"]);
    assert_eq!(row(&answer, "matrix_count"), ["64", "4", "8", "64", "48", "48", "24"]);
    assert_eq!(
        row(&answer, "matrix"),
        [
            "mma.sync m16n8k16",
            "wgmma m64n128k16",
            "tcgen05.mma m128n128k16",
            "mma.sync m16n8k16",
            "v_mfma m32n32k8",
            "v_mfma m32n32k8",
            "v_mfma m32n32k16"
        ]
    );
    // One pass over the text is one iteration of the 128×128×64 tile, two with tcgen05, three on AMD.
    let tile = 128 * 128 * 64;
    let passes: Vec<i64> = answer.targets.iter().map(|column| column.matrix_work.unwrap() / tile).collect();
    assert_eq!(passes, [1, 1, 2, 1, 3, 3, 3]);
    let amd = &answer.targets[4..];
    assert_eq!(amd.iter().map(|column| family(column, Family::SharedStore)).collect::<Vec<_>>(), [54, 26, 54]);
    assert!(answer.targets.iter().all(|column| column.ttir_lines == Some(165)), "165 TTIR lines everywhere");
    let resource = |n: usize, resource| answer.targets[n].resources.get(&resource).copied();
    assert_eq!(resource(2, Resource::TmemColumns), Some(128));
    assert_eq!(resource(1, Resource::Registers), Some(128));
    assert_eq!(resource(1, Resource::SharedBytes), Some(65_536));
    assert_eq!(row(&answer, "async"), ["12", "12", "16", "12", "0", "0", "0"]);
    let layouts = |n: usize| -> Vec<String> {
        answer.targets[n].layout_kinds.iter().map(|(kind, number)| format!("{number} {kind}")).collect()
    };
    assert_eq!(layouts(4), ["1 amd_mfma", "2 blocked", "12 dot_op", "2 swizzled_shared"]);
    assert_eq!(
        layouts(5),
        ["1 amd_mfma", "1 amd_rotating_shared", "3 blocked", "12 dot_op", "1 linear", "1 swizzled_shared"]
    );
    assert_eq!(layouts(6), ["1 amd_mfma", "2 blocked", "12 dot_op", "1 linear", "2 swizzled_shared"]);
    assert!(answer.targets.iter().all(|column| column.launch_known && column.unlaunchable.is_none()));
    assert!(answer.targets.iter().all(|column| !column.decisions.is_empty()), "every target has TTGIR");
}

/// As `diff` of the texts without locations finds it.
#[tokio::test]
async fn ttir_is_compared_per_pair_with_the_first_difference() {
    let server = census(&["3.7.1"]).await;
    let answer: LoweringResponse = server.read(&format!("{CENSUS}/lowering?config=128x128x64_w8_s3")).await;
    assert_eq!(answer.commit.name(), "3.7.1", "the newest commit stands where none is named");
    assert_eq!(
        lowering::ttir_sentence(&answer),
        "TTIR: 3 texts (A = sm_80, sm_90a, sm_100a, sm_120a; B = gfx90a, gfx950; C = gfx942)"
    );
    let pairs: Vec<(&str, &str)> =
        answer.ttir_differences.iter().map(|pair| (pair.groups.0.as_str(), pair.groups.1.as_str())).collect();
    assert_eq!(pairs, [("A", "B"), ("A", "C"), ("B", "C")]);
    let last = &answer.ttir_differences[2];
    assert!(last.text.0.contains("tt.dot") && !last.text.0.contains("inputPrecision"), "{last:?}");
    assert!(last.text.1.contains("inputPrecision = tf32"), "{last:?}");
    assert_eq!(last.rows, 1);
}

#[tokio::test]
async fn two_commits_stand_in_one_table() {
    let server = census(&["3.5.0", "3.7.1"]).await;
    let path = format!("{CENSUS}/lowering?at=3.7.1&base=3.5.0&config=128x128x64_w8_s3");
    let answer: LoweringResponse = server.read(&path).await;
    let alone: LoweringResponse = server.read(&format!("{CENSUS}/lowering?at=3.5.0&config=128x128x64_w8_s3")).await;
    let rows = lowering::rows(&answer);
    let registers = rows.iter().find(|row| row.id == "registers").unwrap();
    for (n, cell) in registers.cells.iter().enumerate() {
        let before = alone.targets.iter().find(|column| column.target == answer.targets[n].target).unwrap();
        assert_eq!(cell.base, before.resources.get(&Resource::Registers).copied());
    }
    let pipelining = rows.iter().find(|row| row.id == "pipelining").unwrap();
    assert_eq!(pipelining.cells[1].text, ["pipelined"], "{pipelining:?}");
    let table = lowering::table(&answer).markdown();
    assert!(table.contains("| Δ sm_90a |"), "{table}");
    assert!(table.contains("at 3.7.1, against 3.5.0"), "{table}");
}

fn by_label(answer: &SpaceResponse) -> BTreeMap<&str, &SpaceConfig> {
    answer.configs.iter().map(|config| (config.config.as_str(), config)).collect()
}

/// Article 1: 70, 38 and 22 times the letters `cp.async`, of which 4 commits and 2 waits, at 4, 8 and 16 bytes.
#[tokio::test]
async fn divisibility_decides_width_and_whether_stages_matter() {
    let server = census(&["3.7.1"]).await;
    let answer: SpaceResponse = server.read(&format!("{CENSUS}/space?at=3.7.1&target=sm_90a")).await;
    let configs = by_label(&answer);
    for (by, letters, bytes, state) in [
        (1, 0, None, "inert"),
        (2, 0, None, "inert"),
        (4, 70, Some(4), "pipelined"),
        (8, 38, Some(8), "pipelined"),
        (16, 22, Some(16), "pipelined"),
        (32, 22, Some(16), "pipelined"),
    ] {
        let config = configs[format!("128x128x64_w8_s4_d{by}").as_str()];
        let copies = if letters == 0 { 0 } else { letters - 4 - 2 };
        assert_eq!(config.values.number(DecisionMeasure::AsyncCopies), Some(copies), "divisibility {by}");
        assert_eq!(config.values.number(DecisionMeasure::AsyncCopyBytes), bytes, "divisibility {by}");
        assert_eq!(config.values.name(DecisionMeasure::Pipelining), Some(state), "divisibility {by}");
        assert_eq!(
            config.values.number(DecisionMeasure::WidestLoadBytes),
            Some(bytes.unwrap_or(2)),
            "divisibility {by}"
        );
        assert_eq!(config.values.number(DecisionMeasure::PointerAlignment), Some(by));
        let shared = if letters == 0 { 32_768 } else { 81_920 };
        assert_eq!(config.resources.get(&Resource::SharedBytes), Some(&shared), "divisibility {by}");
    }
}

/// Shared memory is the rotating copies of A, one of B, or the result, whichever is more: TTGIR explains the metadata.
#[tokio::test]
async fn stages_and_shapes_explain_shared_bytes() {
    let server = census(&["3.7.1"]).await;
    let answer: SpaceResponse = server.read(&format!("{CENSUS}/space?at=3.7.1&target=sm_90a")).await;
    let mut checked = 0;
    for config in answer.configs.iter().filter(|config| {
        let plain = !config.config.contains("_both") && !config.config.contains("_d");
        plain && config.options.get("num_warps") == Some(&json!(8)) && config.status.is_some()
    }) {
        let side = |name: &str| config.constexprs[name].as_i64().unwrap();
        let (m, n, k) = (side("BLOCK_M"), side("BLOCK_N"), side("BLOCK_K"));
        let Some(depth) = config.values.number(DecisionMeasure::BufferDepth) else { continue };
        assert_eq!(Some(depth), config.options["num_stages"].as_i64(), "{}", config.config);
        let shared = (depth * m * k * 2 + k * n * 2).max(m * n * 2);
        assert_eq!(config.resources[&Resource::SharedBytes], shared, "{}", config.config);
        checked += 1;
    }
    assert!(checked >= 15, "{checked} configs of the sweep");
    let configs = by_label(&answer);
    let (two, three) = (configs["128x128x32_w8_s2"], configs["128x128x32_w8_s3"]);
    assert_eq!(two.resources[&Resource::SharedBytes], three.resources[&Resource::SharedBytes]);
    assert_ne!(two.kernel_digest, three.kernel_digest, "the same shared bytes and different kernels");
    assert_eq!((&two.same_as, &three.same_as), (&None, &None));
}

#[tokio::test]
async fn a_space_tells_dead_and_duplicate_configs() {
    let server = census(&["3.7.1"]).await;
    let answer: SpaceResponse = server.read(&format!("{CENSUS}/space?target=sm_90a")).await;
    let configs = by_label(&answer);
    // Refused by the device, too: `demo/timings.json` has no time of these four.
    let dead: Vec<&str> = answer
        .configs
        .iter()
        .filter(|config| config.unlaunchable.is_some())
        .map(|config| config.config.as_str())
        .collect();
    assert_eq!(dead, ["256x64x128_w8_s4", "256x128x128_w8_s4", "256x256x128_w8_s3", "256x256x128_w8_s4"]);
    assert_eq!(answer.shared_limit, Some(232_448));
    // `cmp` calls these two PTX texts identical; the H200 took 0.929 and 0.928 ms.
    assert_eq!(configs["128x128x64_w8_s4_d2"].same_as.as_deref(), Some("128x128x64_w8_s4_d1"));
    let same = answer.summary.same.iter().find(|same| same.configs[0] == "128x128x64_w8_s4_d1").unwrap();
    assert_eq!(same.inert, ["divisibility"]);
    assert_eq!(configs["128x128x64_w8_s4_d16"].same_as.as_deref(), Some("128x128x64_w8_s4"));
    assert!(answer.summary.sentence.contains("4 cannot be launched"), "{}", answer.summary.sentence);
    assert!(answer.summary.seconds > 0.0);
    assert_eq!(answer.targets.len(), 7);
    let from = configs["128x128x64_w8_s4_d2"].same_from.expect("a stage");
    assert!(from <= Stage::Ptx, "the PTX is the same: {from:?}");
}

/// Counted with grep over the TTGIR of the 28 configs: two have no `memdesc` of three dimensions, in six the largest first dimension
/// of one is 2, in seven it is 3, in thirteen 4.
#[tokio::test]
async fn a_space_is_narrowed_by_decisions() {
    let server = census(&["3.7.1"]).await;
    let read =
        async |only: &str| -> SpaceResponse { server.read(&format!("{CENSUS}/space?target=sm_90a&only={only}")).await };
    let inert = read("pipelining:inert").await;
    let labels: Vec<&str> = inert.configs.iter().map(|config| config.config.as_str()).collect();
    assert_eq!(labels, ["128x128x64_w8_s4_d1", "128x128x64_w8_s4_d2"]);
    assert_eq!((inert.sieved.filtered, inert.sieved.unknown, inert.summary.configs), (26, 0, 2));
    for (only, configs) in [
        ("buffer_depth:2", 6),
        ("buffer_depth:3..", 20),
        ("buffer_depth:2..3", 13),
        ("pipelining:pipelined,buffer_depth:..2", 6),
    ] {
        assert_eq!(read(only).await.configs.len(), configs, "{only}");
    }
    let refused = server.get(&format!("/api/v1{CENSUS}/space?only=pipelining:inert,no_such:1")).await.problem(422);
    assert_eq!(refused.field.as_deref(), Some("only"));
    assert!(refused.message.contains("no_such:1"), "{}", refused.message);
}

#[tokio::test]
async fn decisions_are_measures_of_trends_and_comparisons() {
    let server = census(&["3.5.0", "3.7.1"]).await;
    let path = "/projects/triton/trends?kernel=matmul_census&target=sm_90a&config=128x128x64_w8_s3\
                &measure=decision:pipelining,decision:layouts,decision:matrix_instruction";
    let trend: TrendResponse = server.read(path).await;
    let texts = |n: usize| -> Vec<String> {
        let series = &trend.series[n];
        series.steps.iter().map(|step| series.value_text(step.value.unwrap())).collect()
    };
    // Both TTGIR texts rotate three copies of A; 3.5.0 has one more blocked and one more shared layout, and their slices.
    assert_eq!(texts(0), ["pipelined"]);
    assert_eq!(texts(1), ["12", "8"]);
    assert_eq!(texts(2), ["wgmma m64n128k16"]);
    let compare: lowerline_shared::api::CompareResponse = server
        .read("/projects/triton/compare/3.5.0...3.7.1?kernel=matmul_census&target=sm_90a&config=128x128x64_w8_s3")
        .await;
    let row = compare.builds[0].decisions.iter().find(|row| row.measure == DecisionMeasure::Layouts).unwrap();
    let shown: Vec<String> = row.values.iter().map(|value| value.as_ref().unwrap().to_string()).collect();
    assert_eq!(shown, ["12", "8"]);
    let hits: Vec<lowerline_shared::api::MeasureHit> = server.read("/projects/triton/measures?q=pipelining").await;
    assert!(hits.iter().any(|hit| hit.measure.to_string() == "decision:pipelining"), "{hits:?}");
}

#[tokio::test]
async fn a_kernel_with_machine_code_alone_has_what_that_says() {
    let server = Server::start().await;
    let release = release("3.7.1", None, 0, &["matmul_census"]);
    let builds = release.manifest["builds"].as_array().unwrap();
    let mut build = builds
        .iter()
        .find(|build| build["target"] == "sm_90a" && build["config"]["label"] == "128x128x64_w8_s3")
        .unwrap()
        .clone();
    let kept: Vec<_> =
        build["artifacts"].as_array().unwrap().iter().filter(|part| part["stage"] == "cubin").cloned().collect();
    build["artifacts"] = json!(kept);
    for bytes in release.blobs.values().filter(|bytes| kept[0]["digest"] == json!(digest(bytes))) {
        server.put(bytes).await;
    }
    let answer = server.push(&manifest(&sha("a"), &[], 0, &[build])).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let answer: LoweringResponse = server.read(&format!("{CENSUS}/lowering")).await;
    assert_eq!(answer.targets.len(), 1, "a kernel with one target only");
    assert_eq!(row(&answer, "matrix"), ["HGMMA m64n128k16"]);
    assert_eq!(row(&answer, "matrix_count"), ["4"]);
    assert_eq!(row(&answer, "async"), ["12"]);
    assert_eq!(lowering::ttir_sentence(&answer), "no TTIR was pushed");
    assert!(answer.targets[0].decisions.is_empty());
    let space: SpaceResponse = server.read(&format!("{CENSUS}/space")).await;
    assert_eq!(space.configs.len(), 1);
    assert_eq!(space.configs[0].values.get(DecisionMeasure::Pipelining), None, "not known, and not \"no\"");
}

#[tokio::test]
async fn failed_builds_and_unknown_names_are_told_apart() {
    let server = Server::start().await;
    let bytes = ptx(1);
    server.put(&bytes).await;
    let builds = [ptx_build("k", "sm_90a", &bytes), failed_build("k", "sm_80", "no such instruction")];
    server.push(&manifest(&sha("a"), &[], 0, &builds)).await;
    let answer: LoweringResponse = server.read("/projects/triton/kernels/k/lowering").await;
    let failed = answer.targets.iter().find(|column| column.target.as_str() == "sm_80").unwrap();
    assert!(matches!(&failed.build, StateBuild::Failed { message, .. } if message == "no such instruction"));
    let space: SpaceResponse = server.read("/projects/triton/kernels/k/space?target=sm_80").await;
    assert_eq!(space.summary.failed, 1);
    for (path, words) in [
        ("other/lowering", "kernel `other`"),
        ("k/lowering?at=9.9.9", "commit 9.9.9"),
        ("k/lowering?base=9.9.9", "commit 9.9.9"),
        ("k/lowering?config=none", "config `none`"),
        ("k/space?target=gfx942", "on gfx942"),
        ("%00/space", "kernel"),
    ] {
        let problem = server.get(&format!("/api/v1/projects/triton/kernels/{path}")).await.problem(404);
        assert!(problem.message.contains(words), "{path}: {}", problem.message);
    }
}

/// The counts by target are those of the space; what filters keep and leave out adds up to all builds.
#[tokio::test]
async fn a_commit_and_a_lowering_are_narrowed_by_decisions() {
    let server = census(&["3.7.1"]).await;
    let commit = async |only: &str| -> CommitDetail {
        server.read(&format!("/projects/triton/commits/3.7.1?only={only}")).await
    };
    let all: CommitDetail = server.read("/projects/triton/commits/3.7.1").await;
    assert_eq!((all.sieved.filtered, all.sieved.unknown), (0, 0));
    let labels = |detail: &CommitDetail, target: &str| -> Vec<String> {
        let of_target = detail.builds.iter().filter(|cell| cell.target.as_str() == target);
        of_target.map(|cell| cell.config.clone()).collect()
    };
    let inert = commit("pipelining:inert").await;
    // As counted with grep for the space of sm_90a.
    assert_eq!(labels(&inert, "sm_90a"), ["128x128x64_w8_s4_d1", "128x128x64_w8_s4_d2"]);
    assert_eq!(inert.sieved.filtered + inert.builds.len() as u64, all.builds.len() as u64);
    let offered: BTreeMap<String, u64> =
        all.sieved.offered.iter().map(|(filter, builds)| (filter.to_string(), *builds)).collect();
    assert_eq!(offered["pipelining:inert"], inert.builds.len() as u64);
    let other = commit("pipelining:!inert").await;
    assert_eq!(labels(&other, "sm_90a").len(), 26, "28 configs but two");
    assert_eq!(
        inert.builds.len() + other.builds.len() + usize::try_from(other.sieved.unknown).unwrap(),
        all.builds.len(),
        "inert, another state, or not known"
    );

    let lowering = async |query: &str| -> LoweringResponse { server.read(&format!("{CENSUS}/lowering?{query}")).await };
    // Article 1: wgmma is Hopper's alone.
    let hopper = lowering("config=128x128x64_w8_s3&only=matrix_instruction:wgmma%20m64n128k16").await;
    let targets: Vec<&str> = hopper.targets.iter().map(|column| column.target.as_str()).collect();
    assert_eq!((targets, hopper.sieved.filtered), (vec!["sm_90a"], 6));
    assert!(hopper.configs.iter().all(|found| found.targets == 1), "{:?}", hopper.configs);
    let named = lowering("config=128x128x64_w8_s3&only=pipelining:inert&at=3.7.1").await;
    assert!(named.targets.iter().all(|column| column.target.as_str() != "sm_90a"), "it is pipelined there");
    assert!(named.configs.iter().any(|found| found.config == "128x128x64_w8_s4_d1"), "{:?}", named.configs);
    assert!(named.configs.iter().all(|found| found.config != "128x128x64_w8_s4_d16"), "{:?}", named.configs);

    for path in ["/projects/triton/commits/3.7.1".to_owned(), format!("{CENSUS}/lowering")] {
        let refused = server.get(&format!("/api/v1{path}?only=no_such:1")).await.problem(422);
        assert_eq!(refused.field.as_deref(), Some("only"), "{path}");
    }
}
