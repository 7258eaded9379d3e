//! Listening, serving and stopping.

use std::{fs, io::Write as _, net::SocketAddr, path::Path, sync::Arc, sync::atomic::Ordering, time::Duration};

use anyhow::Context as _;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
    sync::watch,
};

use crate::{
    blobs::BlobStore,
    config::{self, ServeArgs, Storage},
    db::{self, migrate::Schema},
    router::router,
    state::{App, AppState},
};

/// After a failed accept (no file descriptors left, say).
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// A temporary file older than this is no upload in progress.
const TEMPORARY_AGE: Duration = Duration::from_hours(1);

/// Serves until a signal comes. `is_private` says that the database is ours alone.
pub async fn serve(storage: &Storage, args: &ServeArgs, url: &str, is_private: bool) -> anyhow::Result<()> {
    let pool = db::pool(url).context("read the address of the database")?;
    prepare_schema(&pool, is_private || args.migrate).await?;
    let blobs = BlobStore::open(&storage.data).with_context(|| format!("open {}", storage.data.display()))?;
    let _claim = remove_leftovers(&blobs).context("look through the folder of blobs")?;
    let mut state = AppState::open(pool, blobs).await?;
    state.origin = args.origin.as_deref().map(|origin| Arc::from(origin.trim_end_matches('/')));
    state.app = args.app.as_deref().map(App::open).transpose()?.map(Arc::new);

    let listener = TcpListener::bind(args.listen).await.with_context(|| format!("listen at {}", args.listen))?;
    let address = listener.local_addr()?;
    // Before anybody knows the address: a signal that comes at once must drain and not kill.
    let stop = signals()?;
    announce(address, args.port_file.as_deref())?;
    accept(listener, state, stop).await;
    Ok(())
}

async fn prepare_schema(pool: &db::Pool, may_migrate: bool) -> anyhow::Result<()> {
    match db::migrate::schema(pool).await.context("reach the database")? {
        Schema::Current => Ok(()),
        Schema::Behind if may_migrate => db::migrate::up(pool).await.context("migrate the database"),
        Schema::Behind => anyhow::bail!(
            "the database has the schema of an older version; run `lowerline-server migrate` (or serve with --migrate)"
        ),
        Schema::Ahead => anyhow::bail!(
            "the database has the schema of a newer version; run that version, or `lowerline-server migrate --down-to` of it"
        ),
    }
}

/// Removes temporary files of uploads that a crash cut off. While another server uses the folder, young ones may be its
/// uploads and stay. The file returned says so to servers that start later, for as long as it is open.
fn remove_leftovers(blobs: &BlobStore) -> std::io::Result<fs::File> {
    let claim = fs::OpenOptions::new().write(true).create(true).truncate(false).open(blobs.folder().join("in-use"))?;
    let is_alone = claim.try_lock().is_ok();
    for file in blobs.list()? {
        let age = file.modified.elapsed().unwrap_or_default();
        if file.digest.is_none() && (is_alone || age > TEMPORARY_AGE) {
            fs::remove_file(&file.path).ok();
        }
    }
    if is_alone {
        claim.unlock()?;
    }
    claim.lock_shared()?;
    Ok(claim)
}

/// One line for people and, when asked, the port in a file for programs: whole or absent.
fn announce(address: SocketAddr, port_file: Option<&Path>) -> anyhow::Result<()> {
    tracing::info!(%address, "listening");
    println!("listening at http://{address}");
    std::io::stdout().flush().ok();
    let Some(path) = port_file else { return Ok(()) };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).context("write the port file")?;
    writeln!(file, "{}", address.port())?;
    file.persist(path).context("write the port file")?;
    Ok(())
}

/// Counts signals to stop: the first drains, the second leaves at once.
fn signals() -> anyhow::Result<watch::Receiver<u32>> {
    let (sender, receiver) = watch::channel(0);
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            sender.send_modify(|count| *count += 1);
        }
    });
    Ok(receiver)
}

/// Serves connections until `stop` counts, then lets the ones in flight finish.
pub async fn accept(listener: TcpListener, state: AppState, mut stop: watch::Receiver<u32>) {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(config::HEADER_READ);
    let service = router(state.clone());
    let graceful = GracefulShutdown::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.changed() => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "a connection was not accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        stream.set_nodelay(true).ok();
        let connection = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service.clone()));
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended early");
            }
        });
    }
    state.stopping.store(true, Ordering::Relaxed);
    drop(listener);
    tracing::info!("stopping");
    tokio::select! {
        () = graceful.shutdown() => {}
        () = tokio::time::sleep(config::DRAIN) => tracing::warn!("connections were cut"),
        _ = stop.changed() => tracing::warn!("stopped at once"),
    }
    // A pool with a connection in use by a cut request would wait for it for ever.
    tokio::time::timeout(Duration::from_secs(1), state.pool.close()).await.ok();
}
