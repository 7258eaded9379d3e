//! Keeps Postgres running while its server does: a thread that starts it again when it ends by itself (the system's
//! memory killer takes it before others). Its socket stays where it was, so clients only have to connect again.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use crate::{Binaries, Error, guard::Guarded, launch, place::Place};

/// Between two looks at a healthy Postgres.
const LOOK: Duration = Duration::from_millis(100);

/// After a start that failed, for good as it seems: a full disk may be emptied yet.
const PAUSE: Duration = Duration::from_secs(5);

/// The thread and what it shares.
#[derive(Debug)]
pub struct Keeper {
    shared: Arc<Shared>,
    /// Dropped to stop.
    order: Option<Sender<()>>,
    thread: Option<JoinHandle<Result<(), Error>>>,
}

#[derive(Debug, Default)]
struct Shared {
    /// 0 while Postgres is down.
    pid: AtomicU32,
    is_stopping: AtomicBool,
}

impl Keeper {
    /// Returns when Postgres takes connections for the first time.
    pub fn start(place: Place, binaries: Binaries) -> Result<Self, Error> {
        let shared = Arc::new(Shared::default());
        let Some(postgres) = launch::launch(&place, &binaries, &shared.is_stopping)? else {
            unreachable!("nobody else holds the flag yet")
        };
        shared.pid.store(postgres.pid(), Ordering::Relaxed);
        let (order, orders) = channel();
        let theirs = Arc::clone(&shared);
        let path = place.log.clone();
        let thread = thread::Builder::new()
            .name("postgres-keeper".to_owned())
            .spawn(move || keep(postgres, &place, &binaries, &theirs, &orders))
            .map_err(Error::io("start a thread for the Postgres of", &path))?;
        Ok(Self { shared, order: Some(order), thread: Some(thread) })
    }

    /// `None` while Postgres is down.
    pub fn pid(&self) -> Option<u32> {
        Some(self.shared.pid.load(Ordering::Relaxed)).filter(|pid| *pid != 0)
    }

    /// Returns when Postgres is gone; a second call does nothing.
    pub fn stop(&mut self) -> Result<(), Error> {
        self.shared.is_stopping.store(true, Ordering::Relaxed);
        self.order = None;
        let Some(thread) = self.thread.take() else { return Ok(()) };
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        // Nobody is left to tell; the next start recovers.
        self.stop().ok();
    }
}

fn keep(
    mut postgres: Guarded,
    place: &Place,
    binaries: &Binaries,
    shared: &Shared,
    orders: &Receiver<()>,
) -> Result<(), Error> {
    let must_stop = |time| !matches!(orders.recv_timeout(time), Err(RecvTimeoutError::Timeout));
    loop {
        if must_stop(LOOK) {
            return launch::stop(&mut postgres).map_err(Error::io("wait for the Postgres of", &place.cluster));
        }
        if !matches!(postgres.ended(), Ok(Some(_))) {
            continue;
        }
        shared.pid.store(0, Ordering::Relaxed);
        postgres = loop {
            match launch::launch(place, binaries, &shared.is_stopping) {
                Ok(Some(postgres)) => break postgres,
                Ok(None) => return Ok(()),
                // Its reason is in the log of Postgres.
                Err(_) if must_stop(PAUSE) => return Ok(()),
                Err(_) => {}
            }
        };
        shared.pid.store(postgres.pid(), Ordering::Relaxed);
    }
}
