//! The aligned diff of two 20,000-line artifacts, beside `git diff --no-index` on the same pair.
//!
//! `cargo bench -p lowerline-analyzer --bench diff`. `git` is left out, and said to be, where it is not installed.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot read its fixtures has failed")]

#[path = "../tests/it/corpus.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod corpus;

use std::{
    fs,
    hint::black_box,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use criterion::{Criterion, criterion_group};
use lowerline_analyzer::diff::{Names, RowKind, align};
use lowerline_shared::stage::Stage;

const LINES: usize = 20_000;
const RUNS: usize = 9;

/// Listings of one release, one behind the other, cut at [`LINES`].
fn text(version: &str, extension: &str) -> String {
    let of_it = corpus::files().iter().filter(|file| file.path.starts_with(&format!("{version}/")));
    let listings = of_it.filter(|file| file.extension() == extension);
    let lines = listings.flat_map(|file| std::str::from_utf8(&file.bytes).unwrap().lines()).take(LINES);
    let mut out = String::new();
    for line in lines {
        out.push_str(line);
        out.push('\n');
    }
    assert_eq!(out.lines().count(), LINES, "{version} has fewer lines of {extension}");
    out
}

fn pairs() -> [(&'static str, Stage, String, String); 2] {
    [("sass", Stage::Sass), ("ptx", Stage::Ptx)]
        .map(|(extension, stage)| (extension, stage, text("3.4.0", extension), text("3.5.0", extension)))
}

fn aligned(c: &mut Criterion) {
    let mut group = c.benchmark_group("align 20,000 lines");
    group.sample_size(20);
    for (name, stage, a, b) in pairs() {
        group.bench_function(name, |bencher| bencher.iter(|| align(stage, Names::Ignored, black_box(&a), &b)));
    }
    group.finish();
}

fn best(mut run: impl FnMut() -> Duration) -> f64 {
    (0..RUNS).map(|_| run()).min().unwrap().as_secs_f64() * 1e3
}

/// Both in one run, so that the ratio does not depend on what else the machine does.
fn beside_git() {
    let folder = tempfile::tempdir().unwrap();
    for (name, stage, a, b) in pairs() {
        let files = ["a", "b"].map(|side| folder.path().join(format!("{side}.{name}")));
        fs::write(&files[0], &a).unwrap();
        fs::write(&files[1], &b).unwrap();
        let ours = best(|| {
            let start = Instant::now();
            black_box(align(stage, Names::Ignored, black_box(&a), &b));
            start.elapsed()
        });
        let rows = align(stage, Names::Ignored, &a, &b);
        let changed = rows.rows.len() - rows.count(RowKind::Equal) - rows.count(RowKind::Renamed);
        let mut git = Command::new("git");
        git.args(["diff", "--no-index", "--no-ext-diff", "--numstat"]).args(&files);
        let git = best(|| {
            let start = Instant::now();
            match git.stdout(Stdio::null()).stderr(Stdio::null()).status() {
                Ok(_) => start.elapsed(),
                Err(_) => Duration::MAX,
            }
        });
        println!("{name}: ours {ours:.1} ms ({changed} rows differ), git diff --no-index {git:.1} ms");
    }
}

criterion_group!(benches, aligned);

fn main() {
    beside_git();
    benches();
    Criterion::default().configure_from_args().final_summary();
}
