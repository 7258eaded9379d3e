//! Speed of the text stages over the corpus, beside a Python regular expression and one pass of ripgrep in the same run.
//!
//! `cargo bench -p lowerline-analyzer --bench text`. The other two are left out, and said to be, where they are not
//! installed.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot read its fixtures has failed")]

#[path = "../tests/it/corpus.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod corpus;

use std::{
    fs,
    hint::black_box,
    io::Write,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use criterion::{Criterion, Throughput, criterion_group};
use lowerline_analyzer::{Limits, analyze, histogram};

/// Bytes that one side-by-side measurement covers at least.
const TOTAL: usize = 100_000_000;
const RUNS: usize = 5;

fn texts(extensions: &[&str]) -> Vec<&'static [u8]> {
    let files = corpus::files().iter().filter(|file| extensions.contains(&file.extension()));
    files.map(|file| file.bytes.as_slice()).collect()
}

fn stages(c: &mut Criterion) {
    let limits = Limits::default();
    for extension in ["ptx", "sass", "hex.sass", "triton.sass", "amdgcn"] {
        let all = texts(&[extension]);
        let mut group = c.benchmark_group(extension);
        group.sample_size(10).throughput(Throughput::Bytes(all.iter().map(|text| text.len() as u64).sum()));
        group.bench_function("histogram", |b| {
            b.iter(|| all.iter().map(|text| histogram(text, &limits).unwrap().len()).sum::<usize>());
        });
        group.bench_function("report", |b| {
            b.iter(|| all.iter().map(|text| analyze(text, &limits).unwrap().functions.len()).sum::<usize>());
        });
        group.finish();
    }
}

fn best(mut run: impl FnMut() -> Duration) -> f64 {
    (0..RUNS).map(|_| run()).min().unwrap().as_secs_f64()
}

/// What a careful script would do: guard, address and label aside, the first word of every line.
const SCRIPT: &str = r"
import collections, re, sys, time
sass = re.compile(r'^\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P[T0-9]\s+)?([A-Z][A-Za-z0-9_.]*)', re.M)
ptx = re.compile(r'^\s*(?:@!?%?\w+\s+)?([a-z][a-z0-9_.:]*)\s+[^:;]*;', re.M)
texts = [open(path).read() for path in sys.argv[2:]]
best = None
for _ in range(int(sys.argv[1])):
    start = time.perf_counter()
    for text in texts:
        counts = collections.Counter((sass if '/*0000*/' in text else ptx).findall(text))
    took = time.perf_counter() - start
    best = took if best is None else min(best, took)
print(best)
";

fn python(folder: &Path, paths: &[String]) -> Option<f64> {
    let script = folder.join("histogram.py");
    fs::write(&script, SCRIPT).unwrap();
    let output = Command::new("python3").arg(&script).arg(RUNS.to_string()).args(paths).output().ok()?;
    String::from_utf8_lossy(&output.stdout).trim().parse().ok()
}

fn ripgrep(path: &Path) -> Option<f64> {
    let run = || {
        let start = Instant::now();
        let output = Command::new("rg").args(["-c", "-j1", "LDSM"]).arg(path).output().ok()?;
        output.status.success().then(|| start.elapsed())
    };
    (0..RUNS).filter_map(|_| run()).min().map(|took| took.as_secs_f64())
}

/// The figure of the design: MB/s of the histogram with loop scopes against both others, in one run.
fn side_by_side() {
    let all = texts(&["ptx", "sass"]);
    let once: usize = all.iter().map(|text| text.len()).sum();
    let repeats = TOTAL.div_ceil(once);
    let bytes = once * repeats;
    let limits = Limits::default();
    let ours = |one: &dyn Fn(&[u8]) -> usize| {
        best(|| {
            let start = Instant::now();
            for _ in 0..repeats {
                for text in &all {
                    black_box(one(text));
                }
            }
            start.elapsed()
        })
    };
    let fast = ours(&|text| histogram(text, &limits).unwrap().len());
    let whole = ours(&|text| analyze(text, &limits).unwrap().functions.len());
    let folder = tempfile::tempdir().unwrap();
    let mut paths = Vec::new();
    for (index, text) in all.iter().enumerate() {
        let path = folder.path().join(format!("{index}.txt"));
        fs::write(&path, text).unwrap();
        paths.push(path.to_string_lossy().into_owned());
    }
    let joined = folder.path().join("all.txt");
    let mut file = fs::File::create(&joined).unwrap();
    for text in (0..repeats).flat_map(|_| &all) {
        file.write_all(text).unwrap();
    }
    drop(file);
    let rate = |seconds: f64, bytes: usize| bytes as f64 / 1e6 / seconds;
    println!("corpus: {} files, {:.1} MB, {repeats} times: {:.1} MB", all.len(), once as f64 / 1e6, bytes as f64 / 1e6);
    println!("histogram with loop scopes: {:.0} MB/s", rate(fast, bytes));
    println!("whole report:               {:.0} MB/s", rate(whole, bytes));
    match python(folder.path(), &paths) {
        Some(took) => {
            let theirs = rate(took, once);
            println!("python re + Counter:        {theirs:.0} MB/s; we are {:.1}x", rate(fast, bytes) / theirs);
        }
        None => println!("python3 is not here"),
    }
    match ripgrep(&joined) {
        Some(took) => {
            let theirs = rate(took, bytes);
            println!("rg -c LDSM, one thread:     {theirs:.0} MB/s; we are {:.2}x", rate(fast, bytes) / theirs);
        }
        None => println!("rg is not here"),
    }
}

criterion_group!(benches, stages);

fn main() {
    side_by_side();
    benches();
    Criterion::default().configure_from_args().final_summary();
}
