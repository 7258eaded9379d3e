//! `cargo xtask test`: every check there is, each run even when one before it failed, with a summary at the end.

use std::{
    process::{Command, ExitCode},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail};

use crate::{app, demo, fuzz, prepare, repository::Repository, server, setup, task, tidy};

type Step = (&'static str, fn(&Repository, &Options) -> Result<()>);

/// What the arguments ask for.
struct Options {
    /// Names of the steps; all when empty.
    only: Vec<String>,
    /// Seconds that each fuzz target runs.
    fuzz_seconds: u32,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self> {
        let mut options = Self { only: Vec::new(), fuzz_seconds: 20 };
        let mut words = arguments.iter().peekable();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--only" => {
                    let names = words.next().context("--only needs names of steps")?;
                    options.only = names.split(',').map(str::to_owned).collect();
                }
                "--soak" => {
                    let given = words.next_if(|next| !next.starts_with('-'));
                    let seconds = given.map(|seconds| seconds.parse().context("--soak takes seconds")).transpose()?;
                    options.fuzz_seconds = seconds.unwrap_or(60);
                }
                _ => bail!("test takes nothing, --only STEP[,STEP] or --soak [SECONDS]"),
            }
        }
        if let Some(unknown) = options.only.iter().find(|name| STEPS.iter().all(|(step, _)| step != name)) {
            bail!("no step `{unknown}`; there are {}", STEPS.map(|(name, _)| name).join(", "));
        }
        Ok(options)
    }
}

/// All rooms but those of the browser.
const NATIVE: [&str; 5] = ["--workspace", "--exclude", "lowerline-frontend", "--exclude", "lowerline-worker"];

/// Cheap ones first. Native tests come before what needs the server, so that their build is shared.
const STEPS: [Step; 9] = [
    ("setup", |repository, _| setup::all(repository)),
    ("format", |repository, _| format(repository)),
    ("tidy", |repository, _| tidy::run(repository)),
    ("clippy", |repository, _| clippy(repository)),
    ("native", |repository, _| native(repository)),
    ("queries", |repository, _| queries(repository)),
    ("fuzz", |repository, options| fuzz::run(repository, options.fuzz_seconds)),
    ("app", |repository, _| app_within_budget(repository)),
    ("browser", |repository, _| browser(repository)),
];

/// Success only when every step passed.
pub fn run(repository: &Repository, arguments: &[String]) -> Result<ExitCode> {
    let options = Options::parse(arguments)?;
    let mut results: Vec<(&str, Duration, Option<anyhow::Error>)> = Vec::new();
    for (name, step) in STEPS {
        if !options.only.is_empty() && options.only.iter().all(|chosen| chosen != name) {
            continue;
        }
        task::step(format_args!("test: {name}"));
        let started = Instant::now();
        let error = step(repository, &options).err();
        if let Some(error) = &error {
            task::fail(error);
        }
        results.push((name, started.elapsed(), error));
    }
    println!();
    for (name, elapsed, error) in &results {
        let word = if error.is_some() { "FAILED" } else { "ok" };
        println!("{word:>6}  {name:<8} {:>7.1} s", elapsed.as_secs_f64());
    }
    let failed = results.iter().filter(|(_, _, error)| error.is_some()).count();
    println!("\n{} steps passed, {failed} failed", results.len() - failed);
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn format(repository: &Repository) -> Result<()> {
    task::run(repository.cargo().args(["fmt", "--all", "--check"]))
}

fn clippy(repository: &Repository) -> Result<()> {
    let mut host = offline(repository);
    host.args(["clippy"]).args(NATIVE).args(["--lib", "--bins", "--", "-D", "warnings"]);
    task::run(&mut host)?;
    let mut browser = offline(repository);
    browser.args([
        "clippy",
        "--package",
        "lowerline-frontend",
        "--package",
        "lowerline-worker",
        "--target",
        "wasm32-unknown-unknown",
        "--profile",
        "wasm",
    ]);
    task::run(browser.args(["--", "-D", "warnings"]))
}

fn native(repository: &Repository) -> Result<()> {
    let has_nextest = task::output(repository.cargo().args(["nextest", "--version"])).is_ok();
    let mut tests = offline(repository);
    setup::postgres::tell(&mut tests, &setup::postgres::find_or_install(repository)?);
    if has_nextest {
        tests.args(["nextest", "run", "--no-fail-fast"]).args(NATIVE);
    } else {
        tests.args(["test", "--no-fail-fast", "--lib", "--bins", "--tests"]).args(NATIVE);
    }
    task::run(&mut tests)?;
    // Neither runs the examples in the documentation.
    task::run(offline(repository).args(["test", "--doc"]).args(NATIVE))
}

fn queries(repository: &Repository) -> Result<()> {
    prepare::run(repository, true)
}

fn app_within_budget(repository: &Repository) -> Result<()> {
    let app = app::build(repository, app::Profile::Shipped)?;
    if app.first_chart_bytes > app::WASM_BUDGET_BYTES {
        bail!("the first chart weighs {} bytes, {} are allowed", app.first_chart_bytes, app::WASM_BUDGET_BYTES);
    }
    Ok(())
}

/// The pages in a real browser, on a real server with the demo history. The tests get its address, a write token, the
/// programs and the browser in the environment.
fn browser(repository: &Repository) -> Result<()> {
    let script = repository.path("e2e/run.mjs");
    if !script.is_file() {
        bail!("there is no {}", script.display());
    }
    let chromium = setup::browser::find_or_install()?;
    setup::npm::packages(repository, "e2e")?;
    let app = app::build(repository, app::Profile::Shipped)?;
    let programs = server::build(repository, false)?;
    // The tests push, and expect to find what they pushed and no more.
    let data = repository.target.join("e2e-data");
    if data.exists() {
        std::fs::remove_dir_all(&data)?;
    }
    let mut server = demo::start(repository, &programs, &app.folder, "e2e-data", 0)?;
    let token = server.token("hostile", "https://example.invalid/hostile")?;
    let mut node = Command::new("node");
    node.arg(&script).current_dir(repository.path("e2e"));
    node.env("BASE_URL", server.url()).env("TOKEN", token).env("CHROMIUM", chromium);
    node.env("DATA", &data);
    node.env("LOWERLINE_CLI", &programs.cli).env("DEMO_SRC", repository.target.join("demo-src"));
    let result = task::run(&mut node);
    server.stop()?;
    result
}

fn offline(repository: &Repository) -> Command {
    let mut cargo = repository.cargo();
    cargo.env("SQLX_OFFLINE", "true").env_remove("DATABASE_URL");
    cargo
}
