//! What every request can reach.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use anyhow::Context as _;

use crate::{analysis::Analysis, blobs::BlobStore, db, page::Shell};

/// Shared by all requests; cheap to clone.
#[derive(Clone, Debug)]
pub struct AppState {
    /// Rows.
    pub pool: db::Pool,
    /// Families and resources as numbers.
    pub codes: Arc<db::Codes>,
    /// Bytes.
    pub blobs: BlobStore,
    /// Cores.
    pub(crate) analysis: Analysis,
    /// The built app; `None` serves the API alone.
    pub app: Option<Arc<App>>,
    /// Public address without a slash at its end; `None` leaves canonical links relative.
    pub origin: Option<Arc<str>>,
    /// Set once a signal to stop came: readiness turns false.
    pub stopping: Arc<AtomicBool>,
}

/// The built app.
#[derive(Debug)]
pub struct App {
    /// `index.html` with its placeholders.
    pub(crate) shell: Shell,
    /// Folder of hashed files.
    pub(crate) assets: PathBuf,
}

impl App {
    /// Reads a folder as `cargo xtask build-app` leaves it.
    ///
    /// # Errors
    /// When it has no `index.html`.
    pub fn open(folder: &Path) -> anyhow::Result<Self> {
        let index = folder.join("index.html");
        let html = fs::read_to_string(&index).with_context(|| format!("read {}", index.display()))?;
        Ok(Self { shell: Shell::new(html), assets: folder.join("assets") })
    }
}

impl AppState {
    /// State with the default bounds and without an app.
    ///
    /// # Errors
    /// When the database or the blob folder does not answer.
    pub async fn open(pool: db::Pool, blobs: BlobStore) -> anyhow::Result<Self> {
        let codes = Arc::new(db::Codes::load(&pool).await?);
        Ok(Self {
            pool,
            codes,
            blobs,
            analysis: Analysis::default(),
            app: None,
            origin: None,
            stopping: Arc::new(AtomicBool::new(false)),
        })
    }

    /// Whether a signal to stop came.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }
}
