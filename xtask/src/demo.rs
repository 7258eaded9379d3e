//! `cargo xtask demo`: the product with real data, on this machine alone.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail};
use sha2::{Digest as _, Sha256};
use signal_hook::{
    consts::{SIGINT, SIGTERM},
    iterator::Signals,
};

use crate::{
    app,
    history::{History, Project, Release},
    repository::Repository,
    server::{self, Programs, Server},
    setup, task,
};

/// Flags of the command.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// 0 takes a free port.
    pub port: u16,
    /// Stop after loading.
    pub once: bool,
}

impl Options {
    pub fn parse(words: &[String]) -> Result<Self> {
        let mut options = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--once" => options.once = true,
                "--port" => {
                    let port = words.next().context("--port needs a number")?;
                    options.port = port.parse().with_context(|| format!("`{port}` is no port"))?;
                }
                other => bail!("demo has no flag `{other}`"),
            }
        }
        Ok(options)
    }
}

/// Builds, loads, serves until it is told to stop.
pub fn run(repository: &Repository, options: Options) -> Result<()> {
    let started = Instant::now();
    setup::for_demo(repository)?;
    let app = app::build(repository, app::Profile::Shipped)?;
    let programs = server::build(repository, true)?;
    // From here on a signal ends the server first.
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let mut server = start(repository, &programs, &app.folder, "demo-data", options.port)?;
    task::step(format_args!("{:.1} s from the command to here", started.elapsed().as_secs_f64()));
    println!("Lowerline is at {}", server.url());
    if !options.once {
        task::step("Ctrl-C stops it");
        wait(&mut server, &mut signals)?;
    }
    let status = server.stop()?;
    task::step(format_args!("the server has stopped ({status})"));
    Ok(())
}

/// A server with the whole demo history, its data in `target/<name>`.
pub fn start(repository: &Repository, programs: &Programs, app: &Path, name: &str, port: u16) -> Result<Server> {
    let binaries = setup::postgres::find_or_install(repository)?;
    let data = repository.target.join(name);
    let log = repository.target.join(format!("{name}.log"));
    let key = key(repository)?;
    let stamp = data.join("demo-loaded");
    let is_loaded = fs::read_to_string(&stamp).is_ok_and(|loaded| loaded == key);
    if !is_loaded && data.exists() {
        task::step("the demo data or what reads it has changed: starting with an empty database");
        remove(&data, &binaries)?;
    }
    let server = Server::start(programs, &binaries, &data, app, port, &log)?;
    if is_loaded {
        task::skip("demo history");
    } else {
        load(repository, programs, &server, &binaries)?;
        fs::write(stamp, key)?;
    }
    Ok(server)
}

fn load(
    repository: &Repository,
    programs: &Programs,
    server: &Server,
    binaries: &lowerline_postgres::Binaries,
) -> Result<()> {
    let history = History::read(repository)?;
    let releases = || history.project.iter().flat_map(|project| &project.release);
    // Unpacking is not what the loading time is about.
    releases().try_for_each(|release| unpack(repository, release).map(drop))?;
    let started = Instant::now();
    for project in &history.project {
        push(repository, programs, server, binaries, project)?;
    }
    let seconds = started.elapsed().as_secs_f64();
    task::step(format_args!("demo history loaded: {} commits in {seconds:.1} s", releases().count()));
    Ok(())
}

/// Sends every release of a project.
fn push(
    repository: &Repository,
    programs: &Programs,
    server: &Server,
    binaries: &lowerline_postgres::Binaries,
    project: &Project,
) -> Result<()> {
    let token = server.token(&project.slug, &project.repository)?;
    let mut parent: Option<&Release> = None;
    for release in &project.release {
        task::step(format_args!("pushing {}", release.subject));
        let source = unpack(repository, release)?;
        let mut push = server::ours(&programs.cli, binaries);
        push.arg("push").arg(&source).args(["--project", &project.slug, "--commit", &release.sha]);
        push.args(["--tag", &release.tag, "--branch", &project.branch, "--committed-at", &release.committed_at]);
        push.args(["--subject", &release.subject]);
        if let Some(parent) = parent {
            push.args(["--parent", &parent.sha]);
        }
        push.env("LOWERLINE_SERVER", server.url()).env("LOWERLINE_TOKEN", &token);
        // A settings file of the person who started us is none of the demo's.
        task::run(push.current_dir(&source))?;
        parent = Some(release);
    }
    Ok(())
}

/// Unpacks one archive of `demo/data` unless it was, and puts the times of its builds beside them.
fn unpack(repository: &Repository, release: &Release) -> Result<PathBuf> {
    let read = |path: &Path| fs::read(path).with_context(|| format!("cannot read {}", path.display()));
    let name = release.archive();
    let archive = repository.path("demo/data").join(format!("{name}.tar.zst"));
    let timings = read(&repository.path("demo/timings.json"))?;
    let home = repository.target.join("demo-src");
    let folder = home.join(name);
    let digest = hex(&Sha256::new().chain_update(read(&archive)?).chain_update(&timings).finalize());
    let stamp = home.join(format!("{name}.unpacked"));
    if fs::read_to_string(&stamp).is_ok_and(|unpacked| unpacked == digest) {
        return Ok(folder);
    }
    task::step(format_args!("unpacking {name}"));
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&home)?;
    let mut tar = tar::Archive::new(zstd::Decoder::new(File::open(&archive)?)?);
    tar.unpack(&home).with_context(|| format!("cannot unpack {}", archive.display()))?;
    let timings: BTreeMap<String, serde_json::Value> =
        serde_json::from_slice(&timings).context("demo/timings.json is not as expected")?;
    for (build, times) in timings.iter().filter(|(build, _)| Path::new(build).starts_with(name)) {
        let path = home.join(build).join("metrics.json");
        fs::write(&path, times.to_string()).with_context(|| format!("cannot write {}", path.display()))?;
    }
    fs::write(stamp, digest)?;
    Ok(folder)
}

/// Names everything that decides what is in the database after loading.
fn key(repository: &Repository) -> Result<String> {
    let mut hash = Sha256::new();
    for below in [
        "demo/history.toml",
        "demo/timings.json",
        "demo/data",
        "migrations",
        "shared",
        "analyzer/src",
        "cli/src",
        "backend/src",
    ] {
        add(&repository.path(below), &mut hash)?;
    }
    Ok(hex(&hash.finalize()))
}

fn add(path: &Path, hash: &mut Sha256) -> Result<()> {
    if path.is_dir() {
        let mut entries: Vec<PathBuf> =
            fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
        entries.sort();
        return entries.iter().try_for_each(|entry| add(entry, hash));
    }
    if path.is_file() {
        hash.update(path.as_os_str().as_encoded_bytes());
        hash.update(fs::read(path)?);
    }
    Ok(())
}

/// Removes a data directory that nobody uses.
fn remove(data: &Path, binaries: &lowerline_postgres::Binaries) -> Result<()> {
    // Taking the lock for a moment shows that no server runs on it, and stops a Postgres that was left over.
    if data.join("lock").exists() {
        lowerline_postgres::Cluster::start(data, binaries)?.stop()?;
    }
    fs::remove_dir_all(data).with_context(|| format!("cannot remove {}", data.display()))
}

fn wait(server: &mut Server, signals: &mut Signals) -> Result<()> {
    loop {
        if signals.pending().next().is_some() {
            return Ok(());
        }
        if let Some(status) = server.ended()? {
            bail!("the server ended by itself ({status})");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string cannot fail");
        text
    })
}
