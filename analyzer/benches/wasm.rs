//! The analyzer as WebAssembly under node beside the native one, over the same artifacts in one run.
//!
//! `cargo xtask bench --bench wasm` builds the module, as the pages' worker is built, and names its glue in
//! `LOWERLINE_RATE`; without it only the native rates are printed.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot read its fixtures has failed")]

#[path = "../tests/it/corpus.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod corpus;

use std::{
    fs,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use lowerline_analyzer::{Limits, analyze};

/// As many as the half in node makes.
const ROUNDS: usize = 5;

/// Takes the glue, then a folder of artifacts.
const SCRIPT: &str = "
const { readdirSync, readFileSync } = require('fs');
const [glue, folder] = process.argv.slice(2);
globalThis.artifacts = readdirSync(folder).map((name) => new Uint8Array(readFileSync(folder + '/' + name)));
require(glue);
console.log(globalThis.best, globalThis.functions);
";

fn native(artifacts: &[&[u8]]) -> (Duration, usize) {
    let limits = Limits::default();
    let rounds = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        let functions =
            artifacts.iter().map(|bytes| analyze(bytes, &limits).map_or(0, |report| report.functions.len())).sum();
        (start.elapsed(), functions)
    });
    rounds.min().unwrap()
}

fn in_node(glue: &Path, artifacts: &[&[u8]]) -> (Duration, usize) {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("rate.cjs");
    fs::write(&script, SCRIPT).unwrap();
    let files = folder.path().join("artifacts");
    fs::create_dir(&files).unwrap();
    for (n, bytes) in artifacts.iter().enumerate() {
        fs::write(files.join(n.to_string()), bytes).unwrap();
    }
    let output = Command::new("node").arg(&script).arg(glue).arg(&files).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let (best, functions) = text.trim().split_once(' ').unwrap();
    (Duration::from_secs_f64(best.parse::<f64>().unwrap() / 1e3), functions.parse().unwrap())
}

fn main() {
    let glue = std::env::var_os("LOWERLINE_RATE");
    for extension in ["ptx", "sass", "amdgcn", "ttgir", "llir", "cubin"] {
        let files = corpus::files().iter().filter(|file| file.extension() == extension);
        let artifacts: Vec<&[u8]> = files.map(|file| file.bytes.as_slice()).collect();
        let megabytes = artifacts.iter().map(|bytes| bytes.len()).sum::<usize>() as f64 / 1e6;
        let (ours, functions) = native(&artifacts);
        print!(
            "{extension:>7}: {:3} files, {megabytes:5.1} MB; native {:6.1} MB/s",
            artifacts.len(),
            megabytes / ours.as_secs_f64()
        );
        if let Some(glue) = &glue {
            let (theirs, found) = in_node(Path::new(glue), &artifacts);
            assert_eq!(functions, found, "both halves analyze the same");
            let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
            print!(
                "; WebAssembly {:6.1} MB/s, {:.0} % of it; {:.2} ms for 100 kB",
                megabytes / theirs.as_secs_f64(),
                ratio * 100.0,
                theirs.as_secs_f64() * 1e3 / (megabytes * 10.0),
            );
        }
        println!();
    }
}
