//! Runs work that takes a core: as many at once as there are cores, a short queue behind them, then "busy".

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use lowerline_analyzer::{AnalyzeError, Limits, analyze};
use lowerline_shared::report::Report;
use tokio::sync::Semaphore;

use crate::{config, error::Refusal};

/// What the analyzer made of one blob.
#[derive(Debug)]
pub enum Outcome {
    /// A report.
    Report(Box<Report>),
    /// No report, and why. The blob is kept.
    None(String),
}

/// The queue.
#[derive(Clone, Debug)]
pub struct Analysis {
    running: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
}

impl Default for Analysis {
    fn default() -> Self {
        Self::new(std::thread::available_parallelism().map_or(1, usize::from), config::ANALYSIS_QUEUE)
    }
}

impl Analysis {
    /// `at_once` running and `queue` waiting.
    pub fn new(at_once: usize, queue: usize) -> Self {
        Self { running: Arc::new(Semaphore::new(at_once)), waiting: Arc::new(Semaphore::new(at_once + queue)) }
    }

    /// Runs `work` off the async threads.
    ///
    /// # Errors
    /// Busy when the queue is full; internal when the work panicked.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, crate::error::AppError> {
        let _place = self.waiting.try_acquire().map_err(|_| Refusal::busy())?;
        let slot = Arc::clone(&self.running).acquire_owned().await.map_err(anyhow::Error::from)?;
        // The slot moves into the work: a client that hangs up drops this future, but the thread goes on.
        let work = tokio::task::spawn_blocking(move || {
            let _slot = slot;
            work()
        });
        Ok(work.await.map_err(anyhow::Error::from)?)
    }
}

/// Analyzes bytes. Never panics: a panic of the analyzer is our bug, and one strange kernel must not stop a push.
pub fn examine(bytes: &[u8]) -> Outcome {
    match catch_unwind(AssertUnwindSafe(|| analyze(bytes, &Limits::default()))) {
        Ok(Ok(report)) => Outcome::Report(Box::new(report)),
        Ok(Err(AnalyzeError::UnknownStage)) => Outcome::None("no stage was recognised by content".to_owned()),
        Ok(Err(error)) => Outcome::None(error.to_string()),
        Err(_) => {
            tracing::error!(bytes = bytes.len(), "the analyzer panicked");
            Outcome::None("the analyzer failed on these bytes; they are kept".to_owned())
        }
    }
}
