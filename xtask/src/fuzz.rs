//! Fuzzing with whatever compiler is there.
//!
//! `cargo-fuzz` wants a nightly compiler for the address sanitizer, which code without `unsafe` has little use for. The
//! coverage counters that guide libFuzzer come from a pass of LLVM that stable compilers have too, so the targets are
//! built with that pass and linked to libFuzzer, which needs a C++ compiler. Without one, seeds are mutated blindly.

use std::{
    fs,
    io::Read as _,
    path::{Path, PathBuf},
    process::Command,
    thread,
};

use anyhow::{Context as _, Result, bail};

use crate::{repository::Repository, task};

/// Targets and the endings of their seeds among the demo data. They are named in `fuzz/src/lib.rs` too.
const TARGETS: [(&str, &[&str]); 10] = [
    ("analyze", &["ptx", "sass", "amdgcn", "ttir", "ttgir", "llir", "cubin", "hsaco"]),
    ("ptx", &["ptx"]),
    ("sass", &["sass", "lines.sass", "cuobjdump.sass", "triton.sass"]),
    ("amdgcn", &["amdgcn"]),
    ("mlir", &["ttir", "ttgir", "source"]),
    ("llir", &["llir"]),
    ("cubin", &["cubin"]),
    ("hsaco", &["hsaco"]),
    ("decode", &["cubin"]),
    ("annotate", &["ptx", "lines.sass", "amdgcn", "ttgir", "llir", "cubin"]),
];
/// Seeds of one ending.
const SEEDS: usize = 2;
/// Counters and comparisons, as `cargo-fuzz` asks for them; all options are stable ones.
const COVERAGE: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1";

/// Runs every target for so many seconds, as many at once as there are processors.
pub fn run(repository: &Repository, seconds: u32) -> Result<()> {
    let folder = repository.target.join("fuzz");
    let guided = ["c++", "g++", "clang++"].into_iter().any(task::exists);
    let programs = build(repository, &folder, guided)?;
    if !guided {
        task::step("no C++ compiler: seeds are mutated blindly, without libFuzzer");
    }
    seeds(repository, &folder)?;
    let width = thread::available_parallelism().map_or(1, usize::from);
    let mut failed = Vec::new();
    for group in TARGETS.chunks(width) {
        let outcomes: Vec<(&str, Result<()>)> = thread::scope(|scope| {
            let running: Vec<_> = group
                .iter()
                .map(|(name, _)| (*name, scope.spawn(|| one(&folder, &programs, name, seconds, guided))))
                .collect();
            let joined = running.into_iter().map(|(name, thread)| {
                (name, thread.join().unwrap_or_else(|_| Err(anyhow::anyhow!("the thread that watched it panicked"))))
            });
            joined.collect()
        });
        for (name, outcome) in outcomes {
            match outcome {
                Ok(()) => task::step(format_args!("fuzz {name}: {seconds} s, nothing found")),
                Err(error) => {
                    task::fail(&error);
                    failed.push(name);
                }
            }
        }
    }
    if failed.is_empty() { Ok(()) } else { bail!("fuzzing found something in {}", failed.join(", ")) }
}

fn build(repository: &Repository, folder: &Path, guided: bool) -> Result<PathBuf> {
    let target = folder.join("target");
    let mut cargo = repository.cargo();
    cargo.current_dir(repository.path("fuzz")).env("CARGO_TARGET_DIR", &target);
    let host = task::output(Command::new("rustc").arg("-vV"))?;
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc names no host")?.to_owned();
    // With a target named, build scripts and macros are built without the flags.
    cargo.args(["build", "--locked", "--target", &host]);
    if guided {
        // Without libFuzzer beside it, `blind` does not link under these flags.
        cargo.args(["--features", "guided"]).args(TARGETS.iter().flat_map(|(name, _)| ["--bin", name]));
        cargo.env("RUSTFLAGS", COVERAGE);
    } else {
        cargo.args(["--bin", "blind"]).env_remove("RUSTFLAGS");
    }
    task::run(&mut cargo)?;
    Ok(target.join(host).join("debug"))
}

/// Puts the smallest artifacts of one release, and the files that must be refused, where each target looks for seeds.
fn seeds(repository: &Repository, folder: &Path) -> Result<()> {
    const RELEASE: &str = "demo/data/3.7.1.tar.zst";
    let archive = fs::File::open(repository.path(RELEASE)).context(RELEASE)?;
    let mut archive = tar::Archive::new(zstd::stream::read::Decoder::new(archive)?);
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for entry in archive.entries()? {
        let mut entry = entry?;
        let name = entry.path()?.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let Some((_, ending)) = name.split_once('.') else { continue };
        if TARGETS.iter().any(|(_, endings)| endings.contains(&ending)) {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes)?;
            files.push((ending.to_owned(), bytes));
        }
    }
    files.sort_by_key(|(_, bytes)| bytes.len());
    for (name, endings) in TARGETS {
        let into = folder.join("seeds").join(name);
        fs::create_dir_all(&into)?;
        fs::create_dir_all(folder.join("corpus").join(name))?;
        for ending in endings {
            let smallest = files.iter().filter(|(found, _)| found == ending).take(SEEDS);
            for (number, (_, bytes)) in smallest.enumerate() {
                fs::write(into.join(format!("{number}.{ending}")), bytes)?;
            }
        }
    }
    for entry in fs::read_dir(repository.path("analyzer/tests/reject"))? {
        let path = entry?.path();
        if let Some(name) = path.file_name() {
            fs::copy(&path, folder.join("seeds/analyze").join(name))?;
        }
    }
    Ok(())
}

/// One target; the input that broke it is named in what it writes.
fn one(folder: &Path, programs: &Path, name: &str, seconds: u32, guided: bool) -> Result<()> {
    let seeds = folder.join("seeds").join(name);
    let mut command = Command::new(programs.join(if guided { name } else { "blind" }));
    if guided {
        let crashes = folder.join("crashes");
        fs::create_dir_all(&crashes)?;
        command.arg(format!("-max_total_time={seconds}"));
        // A minute of one input is a hang even on a busy machine; memory is bounded by the analyzer's own formula.
        command.args(["-timeout=60", "-rss_limit_mb=1024", "-max_len=65536", "-verbosity=0", "-print_final_stats=1"]);
        command.arg(format!("-artifact_prefix={}/{name}-", crashes.display()));
        command.arg(folder.join("corpus").join(name)).arg(&seeds);
    } else {
        command.arg(name).arg(seconds.to_string()).arg(&seeds);
    }
    task::run(&mut command)
}
