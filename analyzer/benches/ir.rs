//! How fast the IR and ELF formats are read, and what one whole build costs.
//!
//! `cargo bench -p lowerline-analyzer --bench ir`: prints the percentiles over all builds of the demo data first, then
//! criterion's throughput per format.

#![expect(missing_docs, reason = "criterion's macros make public functions")]
#![expect(clippy::unwrap_used, reason = "a benchmark stops at the first surprise")]

use std::{
    collections::BTreeMap,
    hint::black_box,
    time::{Duration, Instant},
};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use lowerline_analyzer::{Budget, Limits, analyze, mlir};
use lowerline_shared::stage::Stage;

#[path = "../tests/ir/corpus.rs"]
#[expect(dead_code, reason = "the tests use the rest")]
mod corpus;

/// Every stage that Triton's cache holds; disassembly is an extra.
const STAGES: [&str; 10] = ["source", "ttir", "glir", "ttgir", "llir", "ptx", "cubin", "sass", "amdgcn", "hsaco"];

/// The best of five times of every build, so that what other processes do counts little.
fn whole_builds() {
    let mut builds: BTreeMap<String, Vec<&[u8]>> = BTreeMap::new();
    for stage in STAGES {
        corpus::each(stage, |artifact| {
            let name = format!("{}/{}/{}", artifact.version, artifact.kernel, artifact.build);
            builds.entry(name).or_default().push(&artifact.bytes);
        });
    }
    let mut best: Vec<(Duration, &str)> = builds
        .iter()
        .map(|(name, files)| {
            let times = (0..5).map(|_| {
                let start = Instant::now();
                for bytes in files {
                    black_box(analyze(bytes, &Limits::default()).unwrap());
                }
                start.elapsed()
            });
            (times.min().unwrap(), name.as_str())
        })
        .collect();
    best.sort_unstable();
    let at = |permille: usize| best[(best.len() - 1) * permille / 1_000];
    println!("{} builds, all stages of each:", best.len());
    for permille in [500, 950, 990, 1_000] {
        let (time, name) = at(permille);
        println!("  p{:<5} {:>8.2} ms  {name}", permille as f64 / 10.0, time.as_secs_f64() * 1e3);
    }
}

fn formats(criterion: &mut Criterion) {
    whole_builds();
    let mut group = criterion.benchmark_group("report");
    group.sample_size(10);
    for stage in ["ttir", "ttgir", "llir", "cubin", "hsaco"] {
        let mut files = Vec::new();
        corpus::each(stage, |artifact| files.push(artifact.bytes.as_slice()));
        let bytes: usize = files.iter().map(|file| file.len()).sum();
        group.throughput(Throughput::Bytes(bytes as u64));
        group.bench_function(stage, |bencher| {
            bencher.iter(|| {
                for bytes in &files {
                    black_box(analyze(bytes, &Limits::default()).unwrap());
                }
            });
        });
    }
    group.finish();

    let mut group = criterion.benchmark_group("parse");
    group.sample_size(10);
    let mut texts = Vec::new();
    corpus::each("ttgir", |artifact| texts.push(std::str::from_utf8(&artifact.bytes).unwrap()));
    group.throughput(Throughput::Bytes(texts.iter().map(|text| text.len() as u64).sum()));
    group.bench_function("ttgir", |bencher| {
        bencher.iter(|| {
            for text in &texts {
                let budget = &mut Budget::new(&Limits::default());
                black_box(mlir::parse(text, Stage::Ttgir, budget).unwrap());
            }
        });
    });
    group.finish();
}

criterion_group!(benches, formats);
criterion_main!(benches);
