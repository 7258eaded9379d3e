//! The offline data of the checked queries (`.sqlx`): one file per query, written by its macro when it is compiled with
//! a database at hand.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
    time::SystemTime,
};

use anyhow::{Context as _, Result, bail};
use lowerline_postgres::{Binaries, Cluster, DATABASE};

use crate::{repository::Repository, setup, task};

/// Compiles the queries against the schema of `migrations/`. With `check` says whether what is committed is the same.
pub fn run(repository: &Repository, check: bool) -> Result<()> {
    let binaries = setup::postgres::find_or_install(repository)?;
    let folder = repository.target.join("xtask/prepare");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    fs::create_dir_all(&folder)?;
    let cluster = Cluster::start(&folder.join("data"), &binaries)?;
    let url = cluster.url(DATABASE);
    migrate(&url, &repository.path("migrations"), &binaries)?;

    let fresh = folder.join("sqlx");
    fs::create_dir_all(&fresh)?;
    // The macros run again only when their file counts as changed.
    for name in ["backend/src/lib.rs", "backend/src/main.rs"] {
        let file = File::options().append(true).open(repository.path(name))?;
        file.set_modified(SystemTime::now())?;
    }
    task::step("checking the queries against a database");
    let mut cargo = repository.cargo();
    cargo.args(["check", "--package", "lowerline-backend", "--all-targets"]);
    cargo.env("DATABASE_URL", &url).env("SQLX_OFFLINE", "false").env("SQLX_OFFLINE_DIR", &fresh);
    task::run(&mut cargo)?;
    cluster.stop()?;

    let committed = repository.path(".sqlx");
    let (new, old) = (files(&fresh)?, files(&committed)?);
    if new.is_empty() {
        bail!("no query was written; is the backend still using the checked macros?");
    }
    if new == old {
        task::skip(format_args!("{} queries in .sqlx", new.len()));
        return Ok(());
    }
    if check {
        bail!(".sqlx does not fit the queries and migrations; run `cargo xtask prepare` and commit it");
    }
    fs::create_dir_all(&committed)?;
    for name in old.keys().filter(|name| !new.contains_key(*name)) {
        fs::remove_file(committed.join(name))?;
    }
    for (name, bytes) in &new {
        fs::write(committed.join(name), bytes)?;
    }
    task::step(format_args!("wrote {} queries to .sqlx", new.len()));
    Ok(())
}

/// Brings the schema with Postgres' own client: the server, which embeds the migrations, compiles only once `.sqlx` has every query.
fn migrate(url: &str, migrations: &Path, binaries: &Binaries) -> Result<()> {
    let mut steps: Vec<PathBuf> = fs::read_dir(migrations)
        .with_context(|| format!("no migrations in {}", migrations.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    steps.retain(|path| path.to_string_lossy().ends_with(".up.sql"));
    steps.sort();
    if steps.is_empty() {
        bail!("no migrations in {}", migrations.display());
    }
    let beside = binaries.folder().join("psql");
    let mut psql = Command::new(if beside.is_file() { beside } else { PathBuf::from("psql") });
    psql.args(["--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", "--dbname", url]);
    for step in &steps {
        psql.arg("--file").arg(step);
    }
    task::run(&mut psql)
}

fn files(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut found = BTreeMap::new();
    if folder.is_dir() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if let (Some(name), true) = (path.file_name(), path.extension().is_some_and(|kind| kind == "json")) {
                found.insert(name.to_string_lossy().into_owned(), fs::read(&path)?);
            }
        }
    }
    Ok(found)
}
