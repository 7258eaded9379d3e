//! `cargo xtask`: everything a person or a machine does to this repository.
//!
//! Modules in reading order: [`task`] (running programs, saying what happens), [`repository`] (where things lie),
//! [`setup`] (what the machine needs), [`app`] (the browser's half), [`server`] and [`demo`] (the whole thing with real
//! data), [`test`], [`fuzz`] and [`tidy`] (the checks), [`prepare`], [`dev`] and [`bench`].

mod app;
mod bench;
mod demo;
mod dev;
mod fuzz;
mod history;
mod prepare;
mod repository;
mod server;
mod setup;
mod task;
mod test;
mod tidy;

use std::process::ExitCode;

use repository::Repository;

const USAGE: &str = "\
cargo xtask <command>

  setup       make this machine able to do the rest: WebAssembly std, Postgres, Chromium, npm packages
  demo        build everything, start the server on a private Postgres, load the demo history, print the address
                --port N    listen there instead of at a free port
                --once      stop after loading (for measuring)
  test        every check and test: format, tidy, clippy, native, Postgres, offline queries, fuzz, app size, browser
                --only STEP[,STEP]    some of them
                --soak [SECONDS]      fuzz each target for that long (60) instead of 20 seconds
  dev         demo in the development profile, built again when a source changes
                --port N    listen there instead of at 8080
  build-app   the WebAssembly app into target/app
                --quick     compiled fast instead of small
  prepare     write the offline data of the checked queries into .sqlx
                --check     say whether it is up to date instead
  bench       the measurements of BENCHMARKS.md
                --bench NAME    one of them
  tidy        the rules about the shape of the code
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(code) => code,
        Err(error) => {
            task::fail(&error);
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> anyhow::Result<ExitCode> {
    let (command, rest) = arguments.split_first().map_or(("help", &[][..]), |(first, rest)| (first.as_str(), rest));
    if ["help", "--help", "-h"].contains(&command) {
        print!("{USAGE}");
        return Ok(ExitCode::SUCCESS);
    }
    let repository = Repository::find()?;
    match command {
        "setup" => setup::all(&repository)?,
        "build-app" => {
            let is_quick = rest.iter().any(|flag| flag == "--quick");
            app::build(&repository, if is_quick { app::Profile::Quick } else { app::Profile::Shipped })?;
        }
        "demo" => demo::run(&repository, demo::Options::parse(rest)?)?,
        "test" => return test::run(&repository, rest),
        "tidy" => tidy::run(&repository)?,
        "dev" => dev::run(&repository, rest)?,
        "prepare" => prepare::run(&repository, rest.iter().any(|flag| flag == "--check"))?,
        "bench" => bench::run(&repository, rest)?,
        other => anyhow::bail!("no command `{other}`; `cargo xtask help` lists them"),
    }
    Ok(ExitCode::SUCCESS)
}
