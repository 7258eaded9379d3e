//! `dossier`: stated figures against the demo data.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::world::{RELEASES, Run, copy, lowerline, release, run, unpack};

fn articles() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../demo/dossier/articles.toml")
}

fn check(file: &Path, builds: &[PathBuf]) -> Run {
    run(lowerline().args(["dossier", "--format", "json", "--file"]).arg(file).arg("--builds").args(builds))
}

/// The demo data with the times measured on an H200 beside the builds, as the demo loads it.
fn timed() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for version in RELEASES {
        copy(&release(version), &dir.path().join(version));
    }
    let timings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../demo/timings.json");
    let timings: BTreeMap<String, Value> =
        serde_json::from_slice(&std::fs::read(timings).expect("the times")).expect("JSON");
    for (folder, times) in timings {
        let folder = dir.path().join(folder);
        assert!(folder.is_dir(), "{}", folder.display());
        std::fs::write(folder.join("metrics.json"), times.to_string()).expect("a file");
    }
    dir
}

fn by_status(verdict: &Value) -> BTreeMap<&str, Vec<&str>> {
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for assertion in verdict["assertions"].as_array().expect("assertions") {
        let text = |key: &str| assertion[key].as_str().expect("text");
        found.entry(text("status")).or_default().push(text("id"));
    }
    found
}

/// A dossier of one assertion about one softmax, in a folder of its own.
fn one(dir: &Path, body: &str) -> PathBuf {
    let file = dir.join("mine.toml");
    let head = "title = \"mine\"\n[[assertion]]\nid = \"a\"\nsource = \"me\"\nwhat = \"w\"\nkernel = \"softmax\"\n";
    std::fs::write(&file, format!("{head}target = \"sm_90a\"\nconfig = \"b2048_w4_s3\"\n{body}")).expect("a file");
    file
}

/// The figures themselves are the articles' and those of the independent counter, which the dossier file cites.
#[test]
fn the_articles_stand_as_recorded() {
    let builds = timed();
    let run = check(&articles(), &[builds.path().to_owned()]);
    let verdict = run.json();
    let standing = by_status(&verdict);
    assert_eq!(standing.get("broken"), None, "{}", run.stdout);
    assert_eq!(standing.get("missing"), None, "{}", run.stdout);
    let count = |status: &str| standing.get(status).map_or(0, Vec::len);
    assert_eq!((run.code, count("reproduced"), count("differs"), count("not_checkable")), (0, 68, 16, 21));
    let of = |id: &str| {
        let assertions = verdict["assertions"].as_array().expect("assertions");
        assertions.iter().find(|assertion| assertion["id"] == id).expect("the assertion").clone()
    };
    let copies = of("integer.cp-async");
    assert_eq!(
        (&copies["expected"], &copies["got"]),
        (&serde_json::json!([70, 38, 22]), &serde_json::json!([70, 38, 22]))
    );
    let spelling = of("portable.ttir-identical");
    assert_eq!((&spelling["expected"], &spelling["got"]), (&Value::from(1), &Value::from(3)));
    assert!(spelling["why"].as_str().is_some_and(|why| why.contains("gfx942")), "{spelling}");
}

#[test]
fn the_timings_of_one_matmul_stand_as_recorded() {
    let builds = unpack("data/matmul-h200.tar.zst");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../demo/dossier/h200.toml");
    let run = check(&file, &[builds.path().to_owned()]);
    let verdict = run.json();
    let standing = by_status(&verdict);
    let count = |status: &str| standing.get(status).map_or(0, Vec::len);
    assert_eq!((run.code, count("reproduced"), count("differs")), (0, 11, 3), "{}", run.stdout);
}

#[test]
fn a_figure_that_breaks_ends_with_the_code_for_it() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let softmax = release("3.9.0").join("softmax/sm_90a");
    let right = check(&one(dir.path(), "figure = \"resource:warps\"\nexpected = 4\n"), std::slice::from_ref(&softmax));
    assert_eq!((right.code, right.json()["assertions"][0]["status"].as_str()), (0, Some("reproduced")));
    let wrong = check(&one(dir.path(), "figure = \"resource:warps\"\nexpected = 8\n"), std::slice::from_ref(&softmax));
    assert_eq!((wrong.code, wrong.json()["assertions"][0]["status"].as_str()), (5, Some("broken")));

    // The same assertion, and a build that changed under it.
    let changed = dir.path().join("changed");
    copy(&softmax, &changed);
    let ptx = changed.join("b2048_w4_s3/softmax_kernel.ptx");
    let text = std::fs::read_to_string(&ptx).expect("the PTX");
    let copies = one(dir.path(), "figure = \"mnemonic:bar.sync\"\nstage = \"ptx\"\nexpected = BARS\n");
    let bars = text.lines().filter(|line| line.trim_start().starts_with("bar.sync")).count();
    let dossier = std::fs::read_to_string(&copies).expect("a file").replace("BARS", &bars.to_string());
    std::fs::write(&copies, dossier).expect("a file");
    assert_eq!(check(&copies, std::slice::from_ref(&changed)).code, 0);
    std::fs::write(&ptx, text.replacen("bar.sync", "bar.arrive", 1)).expect("a file");
    let broken = check(&copies, &[changed]);
    assert_eq!((broken.code, broken.json()["assertions"][0]["got"].as_u64()), (5, Some(bars as u64 - 1)));
}

#[test]
fn a_build_that_is_not_there_is_missing_and_not_zero() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = one(dir.path(), "stage = \"ptx\"\nfigure = \"mnemonic:wgmma*\"\nexpected = 0\n");
    let missing = check(&file, &[release("3.9.0").join("softmax/sm_80")]);
    assert_eq!(missing.code, 5);
    let assertion = &missing.json()["assertions"][0];
    assert_eq!((assertion["status"].as_str(), &assertion["got"]), (Some("missing"), &Value::Null));
    assert!(assertion["why"].as_str().is_some_and(|why| why.contains("no such build")), "{assertion}");
    let two = check(&file, &[release("3.9.0"), release("3.7.1")]);
    assert!(two.json()["assertions"][0]["why"].as_str().is_some_and(|why| why.contains("commit")), "{}", two.stdout);
}

#[test]
fn a_malformed_dossier_is_refused_with_line_and_column() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for (body, place) in [
        ("figure = resource\nexpected = 1\n", "line 9, column 10"),
        ("figure = \"resource:luck\"\nexpected = 1\n", "line 9, column 10"),
        ("figure = \"lines\"\nstage = \"ttir\"\n", "line 2, column 1"),
        ("figure = \"lines\"\nstage = \"ttir\"\nexpected = 1\ncolour = \"red\"\n", "line 12, column 1"),
        ("figure = \"lines\"\nexpected = 1\n", "line 3, column 6"),
        ("figure = \"resource:warps\"\nexpected = 1\nours = 2\n", "line 3, column 6"),
    ] {
        let run = check(&one(dir.path(), body), &[dir.path().to_owned()]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stderr);
        assert!(run.stderr.contains(place), "{body}: {}", run.stderr);
    }
}

#[test]
fn the_text_form_names_source_and_figures() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = one(dir.path(), "figure = \"resource:warps\"\nexpected = 8\n");
    let builds = release("3.9.0").join("softmax/sm_90a");
    let run = run(lowerline().args(["dossier", "--file"]).arg(&file).arg("--builds").arg(builds));
    assert_eq!(run.code, 5);
    for part in ["mine: 1 broken", "me", "stated 8, found 4", "to be looked at: a"] {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
}
