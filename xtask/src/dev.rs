//! `cargo xtask dev`: the demo in the development profile, again after every change of a source.

use std::{
    fs,
    path::Path,
    thread,
    time::{Duration, SystemTime},
};

use anyhow::{Context as _, Result, bail};
use signal_hook::{
    consts::{SIGINT, SIGTERM},
    iterator::Signals,
};

use crate::{app, demo, repository::Repository, server, setup, task};

/// Folders whose files are watched.
const WATCHED: [&str; 9] = [
    "shared",
    "analyzer/src",
    "backend/src",
    "cli/src",
    "frontend/src",
    "frontend/style",
    "frontend/index.html",
    "migrations",
    "worker/src",
];

const PORT: u16 = 8080;

/// Serves at one address until it is told to stop. A change that does not compile leaves the last server running.
pub fn run(repository: &Repository, arguments: &[String]) -> Result<()> {
    let port = match arguments {
        [] => PORT,
        [flag, port] if flag == "--port" => port.parse().with_context(|| format!("`{port}` is no port"))?,
        _ => bail!("dev takes nothing or --port N"),
    };
    setup::for_demo(repository)?;
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let mut running: Option<server::Server> = None;
    let mut built: Option<SystemTime> = None;
    loop {
        if signals.pending().next().is_some() {
            return Ok(());
        }
        let changed = WATCHED.iter().filter_map(|below| newest(&repository.path(below))).max();
        if changed != built {
            built = changed;
            match build(repository) {
                Ok((app, programs)) => {
                    // Two servers cannot have one data directory.
                    drop(running.take());
                    match demo::start(repository, &programs, &app.folder, "dev-data", port) {
                        Ok(server) => {
                            println!("Lowerline is at {}", server.url());
                            running = Some(server);
                        }
                        Err(error) => task::fail(&error),
                    }
                }
                Err(error) => task::fail(&error),
            }
        }
        thread::sleep(Duration::from_millis(300));
    }
}

fn build(repository: &Repository) -> Result<(app::App, server::Programs)> {
    Ok((app::build(repository, app::Profile::Quick)?, server::build(repository, false)?))
}

fn newest(path: &Path) -> Option<SystemTime> {
    let found = fs::metadata(path).ok()?;
    if !found.is_dir() {
        return found.modified().ok();
    }
    fs::read_dir(path).ok()?.filter_map(Result::ok).filter_map(|entry| newest(&entry.path())).max()
}
