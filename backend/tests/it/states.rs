//! Any builds side by side, and one build in depth, on the demo's releases.

use lowerline_shared::{
    api::{BuildComparison, CompareResponse, Depth, StateBuild},
    comparison::column_names,
    explain::Aspect,
    stage::Stage,
    strip::Relation,
};
use serde_json::json;

use crate::support::{
    Server,
    corpus::{failed_build, manifest, ptx, ptx_build, release, sha},
};

const STORY: &str = "kernel=flex_attention&target=sm_100a&config=128x64_w8_s2";

async fn flex() -> Server {
    let server = Server::start().await;
    release("3.4.0", None, 0, &["flex_attention"]).send(&server).await;
    release("3.5.0", Some("3.4.0"), 1, &["flex_attention", "softmax"]).send(&server).await;
    server
}

async fn only(server: &Server, states: &str, query: &str) -> (CompareResponse, BuildComparison, Depth) {
    let answer: CompareResponse = server.read(&format!("/projects/triton/compare/{states}?{query}")).await;
    let [build] = answer.builds.as_slice() else { panic!("one build, got {}", answer.builds.len()) };
    let (build, depth) = (build.clone(), *build.depth.clone().expect("one build is answered in depth"));
    (answer, build, depth)
}

fn letters(depth: &Depth, stage: Stage) -> String {
    let column = depth.strip.columns.iter().find(|column| column.stage == stage).unwrap();
    column.cells.iter().map(|cell| cell.as_ref().map_or('-', |cell| cell.letter)).collect()
}

/// Operations of TTGIR as `demo/expected.tar.zst` has them: 11 and 7 conversions, 28 sub-views become indices.
#[tokio::test]
async fn the_strip_says_where_a_change_began_and_in_what() {
    let server = flex().await;
    let (answer, build, depth) = only(&server, "3.4.0...3.5.0", STORY).await;
    assert_eq!((depth.strip.last_equal, depth.strip.first_difference), (Some(Stage::Ttir), Some(Stage::Ttgir)));
    for (stage, expected) in [(Stage::Ttir, "AA"), (Stage::Ttgir, "AB"), (Stage::Ptx, "AB"), (Stage::Sass, "AB")] {
        assert_eq!(letters(&depth, stage), expected, "{stage:?}");
    }
    let difference = depth.strip.difference.as_ref().unwrap();
    let change = |name: &str| difference.changes.iter().find(|change| change.name == name).unwrap();
    assert_eq!((change("ttg.convert_layout").before, change("ttg.convert_layout").now), (11, 7));
    assert_eq!((change("ttg.memdesc_index").before, change("ttg.memdesc_index").now), (0, 28));
    let said = depth.strip.sentence(&column_names(&answer.states, &build.config));
    assert!(said.starts_with("TTIR is equal; TTGIR: 28 `ttg.memdesc_"), "{said}");
    // 3.4.0 names no arguments and no values: nine arguments of the same attributes, wherever their names come from.
    let arguments: Vec<_> = depth.explanation.rows.iter().filter(|row| row.aspect == Aspect::Argument).collect();
    assert!(arguments.iter().all(|row| !row.differs()), "{arguments:?}");
    let width = |subject: &str| {
        depth
            .explanation
            .rows
            .iter()
            .find(|row| row.aspect == Aspect::VectorWidth && row.subjects == [subject])
            .unwrap()
    };
    assert!(!width("load").differs(), "{:?}", width("load"));
}

/// The edited TTGIR has four conversions more, two of them in the loops at attention.py:62.
#[tokio::test]
async fn a_conversion_put_into_a_loop_is_said_with_its_line() {
    let server = flex().await;
    let states = "3.5.0...3.5.0:128x64_w8_s2_injected-convert";
    let (answer, build, depth) = only(&server, states, STORY).await;
    let difference = depth.strip.difference.as_ref().unwrap();
    let convert = difference.changes.iter().find(|change| change.name == "ttg.convert_layout").unwrap();
    assert_eq!((convert.before, convert.now, convert.in_loop), (7, 11, Some((2, 4))));
    assert_eq!(convert.place, Some(("attention.py:62".to_owned(), 2, 4)));
    let said = depth.strip.sentence(&column_names(&answer.states, &build.config));
    assert!(said.contains("4 `ttg.convert_layout` more, 2 more in the loop at attention.py:62"), "{said}");
}

#[tokio::test]
async fn the_strip_of_amd_ends_with_the_code_object() {
    let server = flex().await;
    let (_, _, depth) = only(&server, "3.4.0...3.5.0", "kernel=flex_attention&target=gfx942&config=128x64_w8_s2").await;
    let stages: Vec<Stage> = depth.strip.columns.iter().map(|column| column.stage).collect();
    assert_eq!(stages.last_chunk(), Some(&[Stage::Amdgcn, Stage::Hsaco]));
    assert_eq!((depth.strip.last_equal, depth.strip.first_difference), (Some(Stage::Ttir), Some(Stage::Ttgir)));
    let amdgcn = depth.strip.columns.iter().find(|column| column.stage == Stage::Amdgcn).unwrap();
    assert!(amdgcn.cells.iter().all(|cell| cell.as_ref().unwrap().amount.is_some()));
}

#[tokio::test]
async fn one_build_against_itself_is_equal_everywhere() {
    let server = flex().await;
    let (_, build, depth) = only(&server, "3.5.0...3.5.0", STORY).await;
    assert!(!build.changed && depth.one_source);
    assert_eq!(depth.strip.first_difference, None);
    let cells = depth.strip.columns.iter().flat_map(|column| column.cells.iter().flatten());
    assert!(cells.map(|cell| cell.relation).all(|relation| relation == Relation::Equal));
    assert!(depth.explanation.rows.iter().all(|row| !row.differs()));
}

#[tokio::test]
async fn two_kernels_and_two_targets_stand_side_by_side() {
    let server = flex().await;
    let states = "3.5.0;target=sm_90a;kernel=softmax...3.5.0;target=gfx942;kernel=softmax...3.5.0:128x64_w8_s2;target=sm_90a;kernel=flex_attention";
    let (answer, build, depth) = only(&server, states, "").await;
    assert_eq!(build.kernel.key, "softmax");
    let configs: Vec<&str> = build
        .states
        .iter()
        .map(|state| match state {
            StateBuild::Built { config, .. } => config.as_str(),
            other => panic!("built, not {other:?}"),
        })
        .collect();
    assert_eq!((configs[0], configs[2]), (configs[1], "128x64_w8_s2"), "the same config where none is named");
    let level = |stage: Stage| build.levels.iter().find(|level| level.stage == stage).unwrap();
    let known = |stage| level(stage).instructions.iter().map(Option::is_some).collect::<Vec<_>>();
    assert_eq!(known(Stage::Sass), [true, false, true]);
    assert_eq!(known(Stage::Amdgcn), [false, true, false]);
    assert!(!depth.one_source);
    let names = column_names(&answer.states, &build.config);
    assert_eq!(names[1], "3.5.0 on gfx942 of softmax");
    let problem = server.get("/api/v1/projects/triton/compare/3.5.0...3.5.0;target=sm_90a?kernel=softmax").await;
    assert_eq!(problem.problem(422).field.as_deref(), Some("states"));
    let unknown = server.get("/api/v1/projects/triton/compare/3.4.0...3.5.0?kernel=no_such&target=sm_90a").await;
    assert!(unknown.problem(404).message.contains("no_such"));
}

#[tokio::test]
async fn a_state_without_the_config_names_the_nearest_it_has() {
    let server = Server::start().await;
    let bytes = ptx(1);
    server.put(&bytes).await;
    let build = |label: &str, warps: u32, stages: u32| {
        let mut build = ptx_build("k", "sm_90a", &bytes);
        build["config"] = json!({ "label": label, "options": { "num_warps": warps, "num_stages": stages } });
        build
    };
    let first = manifest(&sha("a"), &[], 0, &[build("w8_s3", 8, 3)]);
    let second = manifest(
        &sha("b"),
        &[sha("a")],
        1,
        &[build("w4_s2", 4, 2), build("w4_s3", 4, 3), failed_build("other", "sm_90a", "no")],
    );
    for push in [first, second] {
        assert_eq!(server.push(&push).await.status, 200);
    }
    let states = format!("{}...{}", sha("a"), sha("b"));
    let (_, build, depth) = only(&server, &states, "kernel=k&target=sm_90a&config=w8_s3").await;
    assert_eq!(build.states[1], StateBuild::Missing);
    let [nearest] = depth.nearest.as_slice() else { panic!("{:?}", depth.nearest) };
    assert_eq!((nearest.state, nearest.config.as_str()), (1, "w4_s3"));
    let differs = ("num_warps".to_owned(), Some("8".to_owned()), Some("4".to_owned()));
    assert_eq!(nearest.differs, [differs]);
    let other: CompareResponse =
        server.read(&format!("/projects/triton/compare/{states}?kernel=other&target=sm_90a")).await;
    assert!(matches!(other.builds[0].states[..], [StateBuild::Missing, StateBuild::Failed { .. }]));
}

#[tokio::test]
async fn a_trend_has_a_picture_at_an_address() {
    let server = flex().await;
    let query = "kernel=flex_attention&target=sm_100a&measure=fragment_staging,resource:registers";
    let answer = server.get(&format!("/api/v1/projects/triton/trends/chart.svg?{query}")).await;
    assert_eq!((answer.status.as_u16(), answer.header("content-type")), (200, "image/svg+xml"));
    assert!(answer.header("content-security-policy").contains("sandbox"));
    let picture = answer.text();
    for part in [">20</text>", ">3.4.0</text>", ">3.5.0</text>", "Fragment staging in SASS", ">Registers<"] {
        assert!(picture.contains(part), "{part}: {picture}");
    }
    assert_eq!(server.get("/api/v1/projects/triton/trends/chart.svg?kernel=none").await.problem(404).field, None);
    let refused = server.get("/api/v1/projects/triton/trends/chart.svg?kernel=flex_attention&measure=luck").await;
    assert_eq!(refused.problem(422).field.as_deref(), Some("measure"));
    let dark = server.get(&format!("/api/v1/projects/triton/trends/chart.svg?{query}&theme=dark")).await.text();
    assert!(dark.contains(">20</text>") && !dark.contains("#ffffff"), "{dark}");
    let refused = server.get(&format!("/api/v1/projects/triton/trends/chart.svg?{query}&theme=pink")).await;
    assert_eq!(refused.problem(422).field.as_deref(), Some("theme"));
}

async fn census(configs: [&str; 2]) -> (BuildComparison, Depth) {
    let server = Server::start().await;
    let mut release = release("3.7.1", None, 0, &["matmul_census"]);
    let wanted = |build: &serde_json::Value| {
        build["target"] == "sm_90a" && configs.contains(&build["config"]["label"].as_str().unwrap())
    };
    let builds: Vec<_> =
        release.manifest["builds"].as_array().unwrap().iter().filter(|build| wanted(build)).cloned().collect();
    assert_eq!(builds.len(), 2);
    let named =
        |digest: &lowerline_shared::ids::Digest| serde_json::to_string(&builds).unwrap().contains(&digest.to_string());
    release.blobs.retain(|digest, _| named(digest));
    for (config, tflops) in configs.iter().zip([85.0, 659.0]) {
        let mut builds = builds.clone();
        builds.retain(|build| build["config"]["label"] == *config);
        builds[0]["metrics"] = json!({ "tflops": tflops });
        release.manifest["builds"] = json!(builds);
        release.send(&server).await;
    }
    let states = format!("3.7.1:{}...3.7.1:{}", configs[0], configs[1]);
    let (_, build, depth) = only(&server, &states, "kernel=matmul_census&target=sm_90a").await;
    (build, depth)
}

/// Counts and widths of `cp.async` are those of the PTX text; the decisions those of the analyzer's own tests.
#[tokio::test]
async fn an_alignment_of_one_explains_why_nothing_is_pipelined() {
    let (_, depth) = census(["128x128x64_w8_s4_d16", "128x128x64_w8_s4_d1"]).await;
    assert!(depth.one_source, "one kernel at one commit");
    let top = &depth.explanation.rows[0];
    assert_eq!((top.aspect, top.subjects[0].as_str(), top.subjects.len()), (Aspect::Argument, "a_ptr", 11));
    let values: Vec<&str> = top.values.iter().flatten().map(String::as_str).collect();
    assert_eq!(values, ["tt.divisibility = 16", "nothing known"]);
    let chain = &depth.explanation.chains[1];
    let expected = [
        "a_ptr, b_ptr, c_ptr and 8 more: tt.divisibility = 16 → nothing known",
        "load a: 16 bytes, 8 of 16 bits → 2 bytes, 1 of 16 bits",
        "asynchronous copies: 16 of 16 bytes → none",
        "pipelined, 4 buffers → not pipelined: `num_stages` = 4 is inert",
    ];
    for (step, expected) in chain.iter().zip(expected) {
        assert!(step.starts_with(expected), "{chain:#?}");
    }
}

#[tokio::test]
async fn a_specialised_stride_explains_the_second_buffer() {
    let (build, depth) = census(["128x128x64_w8_s4", "128x128x64_w8_s4_both"]).await;
    let top = &depth.explanation.rows[0];
    assert_eq!((top.aspect, top.subject()), (Aspect::Argument, "stride_bn, stride_cn".to_owned()));
    assert_eq!(top.values[1].as_deref(), Some("a constant, no argument"));
    let chain = depth.explanation.chains[1].join(" ⇒ ");
    for part in [
        "load b: 2 bytes, 1 of 16 bits → 16 bytes, 8 of 16 bits",
        "asynchronous copies: 16 of 16 bytes → 32 of 16 bytes",
        "buffer of b (operand B): none → 4 of 16384 bytes",
    ] {
        assert!(chain.contains(part), "{chain}");
    }
    let tflops: Vec<f64> = build
        .states
        .iter()
        .map(|state| match state {
            StateBuild::Built { metrics, .. } => metrics["tflops"],
            other => panic!("built, not {other:?}"),
        })
        .collect();
    assert_eq!(tflops, [85.0, 659.0], "as measured on an H200");
}
