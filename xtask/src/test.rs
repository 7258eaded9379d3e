//! `cargo xtask test`: every check there is, each run even when one before it failed, with a summary at the end.

use std::{
    process::{Command, ExitCode},
    time::{Duration, Instant},
};

use anyhow::{Result, bail};

use crate::{app, demo, prepare, repository::Repository, server, setup, task, tidy};

type Step = (&'static str, fn(&Repository) -> Result<()>);

/// Cheap ones first. Native tests come before what needs the server, so that their build is shared.
const STEPS: [Step; 8] = [
    ("setup", setup::all),
    ("format", format),
    ("tidy", tidy::run),
    ("clippy", clippy),
    ("native", native),
    ("queries", queries),
    ("app", app_within_budget),
    ("browser", browser),
];

/// Success only when every step passed.
pub fn run(repository: &Repository, arguments: &[String]) -> Result<ExitCode> {
    let chosen: Option<Vec<&str>> = match arguments {
        [] => None,
        [flag, names] if flag == "--only" => Some(names.split(',').collect()),
        _ => bail!("test takes nothing or --only STEP[,STEP]"),
    };
    if let Some(unknown) = chosen.iter().flatten().find(|name| STEPS.iter().all(|(step, _)| step != *name)) {
        bail!("no step `{unknown}`; there are {}", STEPS.map(|(name, _)| name).join(", "));
    }
    let mut results: Vec<(&str, Duration, Option<anyhow::Error>)> = Vec::new();
    for (name, step) in STEPS {
        if chosen.as_ref().is_some_and(|chosen| !chosen.contains(&name)) {
            continue;
        }
        task::step(format_args!("test: {name}"));
        let started = Instant::now();
        let error = step(repository).err();
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
    host.args(["clippy", "--workspace", "--exclude", "lowerline-frontend", "--lib", "--bins", "--", "-D", "warnings"]);
    task::run(&mut host)?;
    let mut browser = offline(repository);
    browser.args([
        "clippy",
        "--package",
        "lowerline-frontend",
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
    let everything = ["--workspace", "--exclude", "lowerline-frontend"];
    if has_nextest {
        tests.args(["nextest", "run", "--no-fail-fast"]).args(everything);
    } else {
        tests.args(["test", "--no-fail-fast", "--lib", "--bins", "--tests"]).args(everything);
    }
    task::run(&mut tests)?;
    // Neither runs the examples in the documentation.
    task::run(offline(repository).args(["test", "--doc"]).args(everything))
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
