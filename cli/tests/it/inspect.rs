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

#[test]
fn a_cubin_is_disassembled_without_a_tool() {
    let run = run(lowerline().arg("inspect").arg("--disasm").arg(softmax("sm_90a", "cubin")));
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains(".target sm_90a\n\nsoftmax_kernel:\n"), "{}", run.stdout);
    // As many lines as the text of nvdisasm has instructions, and the first one with its operands.
    let text = std::fs::read_to_string(softmax("sm_90a", "sass")).expect("a text");
    let theirs: Vec<&str> = text.lines().filter(|line| line.trim_start().starts_with("/*")).collect();
    let ours: Vec<&str> = run.stdout.lines().filter(|line| line.starts_with("/*")).collect();
    assert_eq!(ours.len(), theirs.len());
    assert!(theirs[0].contains("LDC R1, c[0x0][0x28] ;"), "{}", theirs[0]);
    assert!(ours[0].contains("  LDC R1, c[0x0][0x28]"), "{}", ours[0]);
}

#[test]
fn what_has_no_instructions_to_decode_is_said_and_the_rest_is_done() {
    let run =
        run(lowerline().args(["inspect", "--disasm"]).args([softmax("sm_90a", "ptx"), softmax("sm_90a", "cubin")]));
    assert_eq!(run.code, 1);
    assert!(run.stderr.starts_with("cannot inspect "), "{}", run.stderr);
    assert!(run.stdout.contains("softmax_kernel:"));
}

/// A member's header and payload; the layout is described at `lowerline_analyzer::fatbin`.
fn member(sm: u32, flags: u64, payload: &[u8], inflated: usize) -> Vec<u8> {
    let padded = payload.len().next_multiple_of(8);
    let mut out = vec![0; 64];
    for (at, bytes) in [
        (0, &2_u16.to_le_bytes()[..]),
        (4, &64_u32.to_le_bytes()),
        (8, &(padded as u64).to_le_bytes()),
        (16, &u32::try_from(payload.len()).expect("a small payload").to_le_bytes()),
        (28, &sm.to_le_bytes()),
        (40, &flags.to_le_bytes()),
        (56, &(inflated as u64).to_le_bytes()),
    ] {
        out[at..at + bytes.len()].copy_from_slice(bytes);
    }
    out.extend_from_slice(payload);
    out.resize(64 + padded, 0);
    out
}

#[test]
fn members_of_a_fatbin_are_inflated_and_shown_one_by_one() {
    let cubins: Vec<Vec<u8>> = ["sm_80", "sm_90a", "sm_100a"]
        .iter()
        .map(|target| std::fs::read(softmax(target, "cubin")).expect("a cubin"))
        .collect();
    let mut body = member(80, 0, &cubins[0], cubins[0].len());
    body.extend(member(90, 0x2000, &lz4_flex::block::compress(&cubins[1]), cubins[1].len()));
    body.extend(member(100, 0x8000, &zstd::encode_all(&cubins[2][..], 3).expect("a frame"), cubins[2].len()));
    let mut fatbin = vec![0x50, 0xED, 0x55, 0xBA, 0x01, 0x00, 0x10, 0x00];
    fatbin.extend((body.len() as u64).to_le_bytes());
    fatbin.extend(&body);
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("all.fatbin");
    std::fs::write(&file, &fatbin).expect("a file");

    let all = run(lowerline().args(["inspect", "--json"]).arg(&file));
    assert_eq!(all.code, 0, "{}", all.stderr);
    let alone =
        run(lowerline().args(["inspect", "--json"]).args(["sm_80", "sm_90a", "sm_100a"].map(|t| softmax(t, "cubin"))));
    let reports = |text: &str| -> Vec<Value> {
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        lines
            .map(|mut line| {
                line["file"] = Value::Null;
                line
            })
            .collect()
    };
    assert_eq!(reports(&all.stdout).len(), 3);
    assert_eq!(reports(&all.stdout), reports(&alone.stdout));
    assert!(all.stdout.contains("all.fatbin#1.sm_90.cubin"), "{}", all.stdout);

    // A frame that claims to be larger than the limit is not believed.
    let mut bomb = vec![0x50, 0xED, 0x55, 0xBA, 0x01, 0x00, 0x10, 0x00];
    let body = member(90, 0x2000, &lz4_flex::block::compress(&cubins[1]), usize::MAX);
    bomb.extend((body.len() as u64).to_le_bytes());
    bomb.extend(&body);
    std::fs::write(&file, &bomb).expect("a file");
    let refused = run(lowerline().arg("inspect").arg(&file));
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("member 0 (sm_90)") && refused.stderr.contains("limit"), "{}", refused.stderr);
}
