//! How fast cubins are decoded, beside `nvdisasm -c` in the same run.
//!
//! `NVDISASM=… cargo bench -p lowerline-analyzer --bench decode`. Without the variable only our own rates are printed.
//! `nvdisasm` is started once per cubin, as its users do; the report is made in this process.

#![expect(clippy::unwrap_used, reason = "a benchmark stops at the first surprise")]

use std::{
    hint::black_box,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use lowerline_analyzer::{Limits, analyze, decode::Decoder, elf::Cubin};

#[path = "../tests/it/corpus.rs"]
#[expect(dead_code, reason = "the tests use the rest")]
mod corpus;

/// Every n-th cubin is given to `nvdisasm`, which takes a third of a second each.
const EVERY: usize = 4;
const ROUNDS: usize = 7;

/// The best of several times.
fn best(rounds: usize, mut work: impl FnMut()) -> Duration {
    let times = (0..rounds).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed()
    });
    times.min().unwrap()
}

fn main() {
    let cubins: Vec<&corpus::File> = corpus::files().iter().filter(|file| file.extension() == "cubin").collect();
    let parsed: Vec<Cubin<'_>> = cubins.iter().map(|file| Cubin::parse(&file.bytes).unwrap()).collect();
    let code: usize = parsed.iter().flat_map(|cubin| &cubin.code).map(|section| section.bytes.len()).sum();
    let decode = best(ROUNDS, || {
        for cubin in &parsed {
            let mut decoder = Decoder::new(cubin.sm);
            for section in &cubin.code {
                black_box(decoder.histogram(section.bytes));
            }
        }
    });
    let report = best(ROUNDS, || {
        for file in &cubins {
            black_box(analyze(&file.bytes, &Limits::default()).unwrap());
        }
    });
    let rate = |time: Duration| code as f64 / 1e6 / time.as_secs_f64();
    println!("{} cubins, {:.1} MB of code, best of {ROUNDS}", cubins.len(), code as f64 / 1e6);
    println!("  histogram of words   {:>8.1} MB/s of code", rate(decode));
    println!("  whole report         {:>8.1} MB/s of code", rate(report));

    let Some(tool) = std::env::var_os("NVDISASM") else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("one.cubin");
    let mut ratios: Vec<f64> = cubins
        .iter()
        .step_by(EVERY)
        .map(|file| {
            std::fs::write(&path, &file.bytes).unwrap();
            let theirs = best(2, || {
                let mut command = Command::new(&tool);
                assert!(command.arg("-c").arg(&path).stdout(Stdio::null()).status().unwrap().success());
            });
            let ours = best(2, || {
                black_box(analyze(&std::fs::read(&path).unwrap(), &Limits::default()).unwrap());
            });
            theirs.as_secs_f64() / ours.as_secs_f64()
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    let at = |percent: usize| ratios[(ratios.len() - 1) * percent / 100];
    println!("  `nvdisasm -c` takes {:.0}× (least), {:.0}× (middle) as long, {} cubins", at(0), at(50), ratios.len());
}
