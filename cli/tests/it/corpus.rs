//! The demo data in its recorded form: every folder is a build, every build keeps its name over the releases.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::world::{RELEASES, dry_run, release, unpack};

type Identity = (String, String, String);

fn identity(build: &Value) -> Identity {
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    (text(&build["kernel"]), text(&build["target"]), text(&build["config"]["label"]))
}

fn builds(manifest: &Value) -> &Vec<Value> {
    manifest["builds"].as_array().expect("builds")
}

/// Kernel, target and options of every compile that `expected/` has counts for: what the independent counter saw.
fn counted(version: &str, expected: &std::path::Path) -> BTreeSet<Identity> {
    let mut out = BTreeSet::new();
    for entry in std::fs::read_dir(expected.join(version)).expect("counts of the release") {
        let path = entry.expect("an entry").path();
        let kernel = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let counts: Value = serde_json::from_slice(&std::fs::read(path).expect("a file")).expect("JSON");
        for (key, count) in counts.as_object().expect("an object") {
            if count["status"] != "ok" {
                continue;
            }
            let (target, label) = key.split_once('/').expect("target/options");
            out.insert((kernel.clone(), target.to_owned(), label.to_owned()));
        }
    }
    out
}

#[test]
fn every_folder_is_one_build_and_keeps_its_name_over_releases() {
    let expected = unpack("expected.tar.zst");
    let mut history: BTreeMap<Identity, usize> = BTreeMap::new();
    for version in RELEASES {
        let run = dry_run(&release(version));
        assert_eq!(run.code, 0, "{}", run.stderr);
        let manifest = run.json();
        assert_eq!(manifest["toolchain"], serde_json::json!({ "triton": version }));
        let names: BTreeSet<Identity> = builds(&manifest).iter().map(identity).collect();
        assert_eq!(names.len(), builds(&manifest).len(), "two folders of {version} share a name");
        let ok: BTreeSet<Identity> =
            builds(&manifest).iter().filter(|build| build["status"] == "ok").map(identity).collect();
        assert_eq!(ok, counted(version, &expected.path().join("expected")));
        for name in names {
            *history.entry(name).or_default() += 1;
        }
    }
    // 291 folders: 37 variants in all seven releases, one reconstruction in two, 30 sweeps in one.
    let of_length = |length: usize| history.values().filter(|commits| **commits == length).count();
    assert_eq!((of_length(7), of_length(2), of_length(1), history.len()), (37, 1, 30, 68));
}

#[test]
fn numbers_measured_afterwards_come_with_their_build() {
    let manifest = dry_run(&release("matmul-h200")).json();
    assert_eq!(builds(&manifest).len(), 60);
    let build = |label: &str| {
        builds(&manifest).iter().find(|build| build["config"]["label"] == label).expect("the build").clone()
    };
    // The measurement's own words: 604.67 TFLOP/s at divisibility 16, and a launch refused for 262,144 shared bytes.
    let fast = build("bm128_bn128_bk64_w8_s3_d16");
    assert!((fast["metrics"]["tflops"].as_f64().expect("a number") - 604.67).abs() < 0.01, "{}", fast["metrics"]);
    assert_eq!(fast["resources"]["stages"], 3);
    let refused = build("bm256_bn256_bk64_w8_s4_d16");
    assert_eq!(refused["metrics"], serde_json::json!({ "compile_seconds": 1.368 }));
    assert_eq!(refused["resources"]["shared_bytes"], 262_144);
}

#[test]
fn a_build_carries_what_its_files_say() {
    let manifest = dry_run(&release("3.5.0").join("flex_attention/sm_100a")).json();
    let build = |label: &str| {
        builds(&manifest).iter().find(|build| build["config"]["label"] == label).expect("the build").clone()
    };
    let plain = build("128x64_w8_s2");
    assert_eq!(plain["kernel"], "flex_attention");
    assert_eq!(plain["function"], "flex_attention_fwd");
    assert_eq!(plain["config"]["constexprs"]["BLOCK_M"], 128);
    assert_eq!(plain["config"]["attributes"]["divisibility"], 16);
    assert_eq!(plain["config"]["reconstruction"], Value::Null);
    // build.json: shared 98848, tmem_size 256, 8 warps, 2 stages; the metadata adds one block a cluster.
    assert_eq!(
        plain["resources"],
        serde_json::json!({ "shared_bytes": 98_848, "tmem_columns": 256, "warps": 8, "stages": 2, "ctas": 1 })
    );
    assert_eq!(plain["metrics"], serde_json::json!({ "compile_seconds": 2.052 }));
    assert_eq!(manifest["toolchain"]["ptxas"], "12.8.93");
    let stages: Vec<&str> =
        plain["artifacts"].as_array().expect("a list").iter().filter_map(|a| a["stage"].as_str()).collect();
    assert_eq!(stages, ["source", "ttir", "ttgir", "llir", "ptx", "cubin", "sass"]);
    let injected = build("128x64_w8_s2_injected-convert");
    assert_eq!(
        injected["config"]["reconstruction"],
        "4 ttg.convert_layout before ttng.tmem_store, compiled from TTGIR"
    );
}

#[test]
fn digests_are_those_of_the_independent_counter() {
    let expected = unpack("expected.tar.zst");
    let counts: Value =
        serde_json::from_slice(&std::fs::read(expected.path().join("expected/3.9.0/softmax.json")).expect("a file"))
            .expect("JSON");
    let manifest = dry_run(&release("3.9.0").join("softmax")).json();
    assert_eq!(builds(&manifest).len(), 7);
    for build in builds(&manifest) {
        let (_, target, label) = identity(build);
        let counted = &counts[format!("{target}/{label}")];
        for artifact in build["artifacts"].as_array().expect("a list") {
            let known = &counted[artifact["stage"].as_str().expect("a stage")]["sha256"];
            assert!(known.is_null() || *known == artifact["digest"], "{target} {artifact}");
        }
        assert_eq!(build["resources"]["shared_bytes"], counted["metadata"]["shared"]);
    }
}

#[test]
fn a_failed_build_is_a_build_with_a_message() {
    let manifest = dry_run(&release("3.5.0").join("gluon_transpose")).json();
    assert_eq!(builds(&manifest).len(), 3);
    for build in builds(&manifest) {
        assert_eq!(build["status"], "crash");
        assert_eq!(build["message"], "the compiler died of signal 11 without a word");
        assert_eq!(build["artifacts"], serde_json::json!([]));
    }
}

#[test]
fn every_text_form_is_pushed_and_the_rest_is_counted() {
    let run = dry_run(&release("3.7.1").join("softmax/sm_80"));
    let manifest = run.json();
    let forms: Vec<&str> = builds(&manifest)[0]["artifacts"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|artifact| artifact["stage"] == "sass")
        .filter_map(|artifact| artifact["form"].as_str())
        .collect();
    assert_eq!(forms, ["", "cuobjdump", "hex", "lines", "triton"]);
    assert!(run.stderr.contains("2 files skipped: 1 .py, 1 .resusage"), "{}", run.stderr);
}
