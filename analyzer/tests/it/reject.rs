//! Hostile and broken files, each with its exact error.

use std::{collections::BTreeMap, fs, path::PathBuf};

use lowerline_analyzer::{AnalyzeError, Limits, analyze, analyze_as};
use lowerline_shared::stage::Stage;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/reject")
}

/// `file name<tab>error`, one a line.
fn expected() -> BTreeMap<String, String> {
    let text = fs::read_to_string(folder().join("EXPECTED")).unwrap();
    let rows = text.lines().filter_map(|line| line.split_once('\t'));
    rows.map(|(name, error)| (name.to_owned(), error.to_owned())).collect()
}

#[test]
fn every_rejected_file_has_its_error() {
    let mut actual = BTreeMap::new();
    for entry in fs::read_dir(folder()).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if name == "EXPECTED" {
            continue;
        }
        let error = match analyze(&fs::read(entry.path()).unwrap(), &Limits::default()) {
            Ok(report) => format!("accepted as {}", report.stage.id()),
            Err(error) => error.to_string(),
        };
        actual.insert(name, error);
    }
    assert_eq!(actual, expected());
    assert!(actual.len() >= 35, "{}", actual.len());
}

#[test]
fn a_wrong_word_of_the_sender_is_refused() {
    let ptx = fs::read(folder().join("ptx-body-open.ptx")).unwrap();
    let error = analyze_as(&ptx, Stage::Cubin, &Limits::default()).unwrap_err();
    assert_eq!(error, AnalyzeError::WrongStage { declared: Stage::Cubin, found: Stage::Ptx });
    assert_eq!(error.to_string(), "sent as cubin, but the content is ptx");
}

const HEAD: &str = ".version 8.7\n.target sm_90a\n";

fn kernel(body: &str) -> String {
    format!("{HEAD}.visible .entry k()\n{{\n{body}\n}}\n")
}

fn error(text: &str, limits: &Limits) -> String {
    analyze(text.as_bytes(), limits).map_or_else(|error| error.to_string(), |_| "accepted".to_owned())
}

#[test]
fn each_limit_accepts_what_it_says_and_refuses_one_more() {
    let limits = Limits::default();
    let three = kernel("add.s32 a, b, c;\nmul.f32 a, b, c;\nret;");
    for (limits, expected) in [
        (Limits { bytes: three.len(), ..limits }, "accepted"),
        (Limits { bytes: three.len() - 1, ..limits }, "74 bytes are more than the limit of 73"),
        (Limits { instructions: 3, ..limits }, "accepted"),
        (Limits { instructions: 2, ..limits }, "more than 2 instructions"),
        (Limits { opcodes: 3, ..limits }, "accepted"),
        (Limits { opcodes: 2, ..limits }, "more than 2 distinct opcodes"),
        (Limits { functions: 1, ..limits }, "accepted"),
        (Limits { functions: 0, ..limits }, "more than 0 functions"),
        (Limits { entries: 3, ..limits }, "more than 3 entries"),
        (Limits { steps: 100, ..limits }, "the analysis would take more than 100 steps"),
    ] {
        let expected = expected.replace("74", &three.len().to_string()).replace("73", &(three.len() - 1).to_string());
        assert_eq!(error(&three, &limits), expected);
    }
}

#[test]
fn a_mnemonic_is_not_a_book() {
    assert_eq!(error(&kernel(&format!("{};", "a".repeat(256))), &Limits::default()), "accepted");
    assert_eq!(
        error(&kernel(&format!("{};", "a".repeat(257))), &Limits::default()),
        "more than 256 bytes in a mnemonic"
    );
}

#[test]
fn a_million_labels_stop_at_the_entries() {
    assert_eq!(error(&kernel(&"a:\n".repeat(1_000_000)), &Limits::default()), "more than 524288 entries");
}

#[test]
fn scopes_nest_only_so_far_and_need_no_stack() {
    let nested = |depth: usize| kernel(&format!("{}{}", "{".repeat(depth), "}".repeat(depth)));
    assert_eq!(error(&nested(4_000), &Limits::default()), "accepted");
    assert_eq!(error(&nested(1_000_000), &Limits::default()), "more than 4096 nested scopes");
}

#[test]
fn names_looked_up_through_thousands_of_scopes_stop_at_the_steps() {
    let body = format!("{}{}{}", "{".repeat(4_000), "bra x;".repeat(20_000), "}".repeat(4_000));
    let slow = Limits { steps: 100_000_000, ..Limits::default() };
    assert_eq!(error(&kernel(&body), &slow), "the analysis would take more than 100000000 steps");
}

/// Loops in loops in loops: linear, not the square of the depth.
#[test]
fn ten_thousand_nested_loops_are_counted() {
    use std::fmt::Write as _;
    let mut body = String::new();
    for n in 0..10_000 {
        let _ = writeln!(body, "l{n}: add.s32 a, b, c;");
    }
    for n in (0..10_000).rev() {
        let _ = writeln!(body, "@p bra l{n};");
    }
    let report = analyze(kernel(&body).as_bytes(), &Limits::default()).unwrap();
    let loops = &report.functions[0].loops;
    assert_eq!(loops.len(), 10_000);
    assert_eq!(loops.iter().map(|found| found.depth).max(), Some(10_000));
    assert_eq!(loops[0].instructions, 20_000);
}
