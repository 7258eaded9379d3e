//! `inspect`: files in, tables or JSON out.

use std::{collections::BTreeMap, path::PathBuf};

use serde_json::Value;

use crate::world::{lowerline, release, run, unpack};

#[test]
fn a_file_that_is_nothing_is_said_on_stderr_and_does_not_stop_the_rest() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("no\u{1b}[2Jthing");
    std::fs::write(&file, "hello").expect("a file");
    let run = run(lowerline().args(["inspect", "--json"]).arg(&file).arg(dir.path()).arg(dir.path().join("gone")));
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert_eq!(run.stderr.lines().filter(|line| line.starts_with("cannot inspect")).count(), 3, "{}", run.stderr);
    assert!(!run.stderr.contains('\u{1b}'), "{}", run.stderr);
}

#[test]
fn a_pipe_without_a_writer_is_refused_and_a_cut_file_is_named() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let pipe = dir.path().join("pipe.ptx");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    let cut = dir.path().join("cut.ptx");
    let whole = std::fs::read_to_string(softmax("sm_90a", "ptx")).expect("a text");
    let (head, _) = whole.split_once("ret;").expect("a kernel that returns");
    std::fs::write(&cut, head).expect("a file");
    let run = run(lowerline().args(["inspect", "--json"]).arg(&pipe).arg(&cut));
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    let refused = format!("cannot inspect {}: it is no regular file", pipe.display());
    let early = format!("cannot inspect {}: ptx ends too early", cut.display());
    assert!(run.stderr.contains(&refused) && run.stderr.contains(&early), "{}", run.stderr);
}

/// Every field that the form promises, for one build of each vendor.
#[test]
fn json_holds_scopes_loops_lines_places_resources_and_identity() {
    let keys = |of: &Value| of.as_object().map(|of| of.keys().cloned().collect::<Vec<_>>()).unwrap_or_default();
    let build = |target: &str, config: &str| release("3.9.0").join("matmul").join(target).join(config);
    let folder = |target: &str| {
        let configs = std::fs::read_dir(build(target, "")).expect("configs");
        configs.filter_map(Result::ok).next().expect("a config").path()
    };
    let files = [
        folder("sm_90a").join("matmul_kernel.ttgir"),
        folder("sm_90a").join("matmul_kernel.ptx"),
        folder("sm_90a").join("matmul_kernel.cubin"),
        folder("gfx942").join("matmul_kernel.amdgcn"),
    ];
    let run = run(lowerline().args(["inspect", "--json"]).args(&files));
    assert_eq!(run.code, 0, "{}", run.stderr);
    let lines: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    for field in ["ops", "layout_kinds", "layout_aliases", "arguments", "resources", "normal_digest"] {
        assert!(!lines[0][field].is_null(), "{field} is not in {:?}", keys(&lines[0]));
    }
    for report in &lines[1..] {
        assert!(!report["resources"].is_null() && !report["normal_digest"].is_null(), "{:?}", keys(report));
        let function = &report["functions"][0];
        for field in ["families_by_scope", "loops", "source_lines", "source_places"] {
            assert!(!function[field].is_null(), "{} has no {field}: {:?}", report["stage"], keys(function));
        }
        let counts = &function["families_by_scope"]["tensor_compute"];
        let scope = |name: &str| counts[name].as_u64().expect("a count");
        assert!(scope("function") >= scope("loop") && scope("loop") >= scope("hot") && scope("hot") > 0);
        let place = &function["source_places"][0];
        assert!(place["place"].as_str().expect("a place").starts_with("matmul.py:"), "{place}");
        assert!(place["instructions"].as_u64().expect("a count") > 0);
    }
}

/// Mnemonic counts of one text by the independent counter.
fn counted(key: &str, stage: &str) -> BTreeMap<String, u64> {
    let expected = unpack("expected.tar.zst");
    let file = expected.path().join("expected/3.9.0/softmax.json");
    let counts: Value = serde_json::from_slice(&std::fs::read(file).expect("a file")).expect("JSON");
    serde_json::from_value(counts[key][stage]["full"].clone()).expect("counts")
}

fn softmax(target: &str, ending: &str) -> PathBuf {
    release("3.9.0").join("softmax").join(target).join("b2048_w4_s3").join(format!("softmax_kernel.{ending}"))
}

#[test]
fn json_is_one_object_a_file_with_the_counts_of_the_text() {
    let run = run(lowerline().args(["inspect", "--json"]).args([
        softmax("sm_90a", "ptx"),
        softmax("sm_90a", "sass"),
        softmax("sm_100a", "cubin"),
    ]));
    assert_eq!(run.code, 0, "{}", run.stderr);
    let lines: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 3);
    for (line, stage, ending) in [(&lines[0], "ptx", "ptx"), (&lines[1], "sass", "sass")] {
        assert_eq!((&line["schema"], &line["stage"]), (&Value::from(1), &Value::from(stage)));
        assert_eq!(line["file"], softmax("sm_90a", ending).to_str().expect("UTF-8"));
        let mut opcodes: BTreeMap<String, u64> = BTreeMap::new();
        for function in line["functions"].as_array().expect("functions") {
            for (opcode, count) in function["opcodes"].as_object().expect("counts") {
                *opcodes.entry(opcode.clone()).or_default() += count.as_u64().expect("a count");
            }
        }
        assert_eq!(opcodes, counted("sm_90a/b2048_w4_s3", stage));
    }
    assert_eq!((&lines[2]["stage"], &lines[2]["target"]), (&Value::from("cubin"), &Value::from("sm_100a")));
}

#[test]
fn a_table_names_families_and_the_largest_opcodes_in_plain_text() {
    let run = run(lowerline().arg("inspect").arg(softmax("sm_90a", "sass")).env("TERM", "xterm-256color"));
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("kernel softmax_kernel:"), "{}", run.stdout);
    assert!(run.stdout.contains("SASS for sm_90a"), "{}", run.stdout);
    assert!(!run.stdout.contains('\u{1b}'), "no style where stdout is no terminal");
}

#[test]
fn stdin_is_a_file_too() {
    let file = std::fs::File::open(softmax("sm_90a", "ptx")).expect("a file");
    let run = run(lowerline().args(["inspect", "--json", "-"]).stdin(file));
    assert_eq!(run.code, 0, "{}", run.stderr);
    let line: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!((&line["file"], &line["stage"]), (&Value::from("-"), &Value::from("ptx")));
}
