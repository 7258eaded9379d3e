//! What the tests of a cluster share.

pub mod holder;
pub mod wire;

use std::{
    fs,
    time::{Duration, Instant},
};

pub use wire::query;

/// Polls until `is_so`, or fails the test with `what`.
pub fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_mins(1);
    while !is_so() {
        assert!(Instant::now() < deadline, "still waiting for: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether a process exists and is more than a zombie.
pub fn is_alive(pid: u32) -> bool {
    let Ok(status) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    // The name in brackets may hold anything; the state stands behind it.
    status.rsplit(')').next().is_some_and(|rest| !rest.trim_start().starts_with('Z'))
}
