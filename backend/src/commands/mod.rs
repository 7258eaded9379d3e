//! What the binary does: finds or starts the database, then runs one command.

pub mod check;
pub mod gc;
pub mod reparse;
pub mod token;

use std::{fs, io::Write as _, os::unix::fs::OpenOptionsExt as _, path::Path};

use anyhow::Context as _;
use lowerline_postgres::{Binaries, Cluster};

use crate::{
    config::{Cli, Command, Storage},
    db, serve,
};

/// File in the data directory that says how to reach the private Postgres while a server runs it.
const URL_FILE: &str = "database-url";

/// A database to work with. Dropping it stops a Postgres that was started for it.
struct Database {
    url: String,
    cluster: Option<Cluster>,
    /// Nobody else's: ours, or that of the server running beside us.
    is_private: bool,
}

/// Runs one command line.
///
/// # Errors
/// Whatever keeps it from being done, with what to try.
pub fn run(cli: &Cli) -> anyhow::Result<()> {
    fs::create_dir_all(&cli.storage.data).with_context(|| format!("make {}", cli.storage.data.display()))?;
    let is_server = matches!(cli.command, Command::Serve(_));
    // Before any thread: Postgres is tied to the life of the thread that starts it.
    let database = open(&cli.storage, is_server)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let url_file = cli.storage.data.join(URL_FILE);
    let done = runtime.block_on(async {
        if is_server && database.cluster.is_some() {
            write_url(&url_file, &database.url)?;
        }
        dispatch(cli, &database).await
    });
    runtime.shutdown_timeout(std::time::Duration::from_secs(1));
    if is_server && database.cluster.is_some() {
        fs::remove_file(&url_file).ok();
    }
    if let Some(cluster) = database.cluster {
        cluster.stop()?;
    }
    done
}

async fn dispatch(cli: &Cli, database: &Database) -> anyhow::Result<()> {
    if let Command::Serve(args) = &cli.command {
        return serve::serve(&cli.storage, args, &database.url, database.is_private).await;
    }
    let pool = db::pool(&database.url)?;
    if let Command::Migrate { down_to } = &cli.command {
        return match down_to {
            Some(version) => Ok(db::migrate::down(&pool, *version).await?),
            None => Ok(db::migrate::up(&pool).await?),
        };
    }
    if database.is_private {
        db::migrate::up(&pool).await.context("migrate the database")?;
    }
    match &cli.command {
        Command::Token(command) => token::run(&pool, command).await,
        Command::Check => check::run(&pool, &cli.storage.data).await,
        Command::Gc { yes } => gc::run(&pool, &cli.storage.data, *yes).await,
        Command::Reparse { all } => reparse::run(pool, &cli.storage.data, *all).await,
        Command::Serve(_) | Command::Migrate { .. } => Ok(()),
    }
}

fn open(storage: &Storage, is_server: bool) -> anyhow::Result<Database> {
    if let Some(url) = &storage.database_url {
        return Ok(Database { url: url.clone(), cluster: None, is_private: false });
    }
    match Cluster::start(&storage.data, &Binaries::locate_for(&storage.data)?) {
        Ok(cluster) => {
            Ok(Database { url: cluster.url(lowerline_postgres::DATABASE), cluster: Some(cluster), is_private: true })
        }
        Err(error @ lowerline_postgres::Error::InUse { .. }) if !is_server => {
            // A server runs it: work beside it.
            let url = fs::read_to_string(storage.data.join(URL_FILE)).map_err(|_| error)?;
            Ok(Database { url, cluster: None, is_private: true })
        }
        Err(error) => Err(error.into()),
    }
}

/// Whole or absent, and for nobody else's eyes.
fn write_url(path: &Path, url: &str) -> anyhow::Result<()> {
    let temporary = path.with_extension("new");
    fs::remove_file(&temporary).ok();
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary)?;
    file.write_all(url.as_bytes())?;
    Ok(fs::rename(&temporary, path)?)
}
