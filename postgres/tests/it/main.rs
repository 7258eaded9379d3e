//! The private cluster against the machine's real Postgres programs. As root these tests also cover giving up its rights.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod crash;
mod lifecycle;
mod places;
mod support;

/// Not a test but the server of the tests that kill one.
#[test]
#[ignore = "started by other tests"]
fn hold() {
    support::holder::hold();
}
