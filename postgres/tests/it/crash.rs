//! What is left after the server, Postgres or both were killed, and that the next start copes with it.

use std::path::Path;

use crate::support::{eventually, holder::Holder, is_alive, query};
use lowerline_postgres::{Binaries, Cluster, DATABASE};
use nix::{
    sys::signal::{self, Signal},
    unistd::Pid,
};

/// A row that must be there after every kind of death.
fn remember(url: &str) {
    query(url, "create table kept as select 42 as answer").unwrap();
}

fn start(data: &Path) -> Cluster {
    Cluster::start(data, &Binaries::locate_for(data).unwrap()).unwrap()
}

fn assert_remembered(data: &Path) {
    let cluster = start(data);
    assert_eq!(query(&cluster.url(DATABASE), "select answer from kept").unwrap(), ["42"]);
}

#[test]
fn postgres_ends_when_its_server_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let mut holder = Holder::start(folder.path());
    remember(&holder.url);
    holder.kill_server();
    eventually("Postgres to follow its server", || !is_alive(holder.postgres));
    assert_remembered(folder.path());
}

#[test]
fn a_start_copes_with_a_postgres_that_is_just_ending() {
    let folder = tempfile::tempdir().unwrap();
    let mut holder = Holder::start(folder.path());
    remember(&holder.url);
    holder.kill_server();
    assert_remembered(folder.path());
}

#[test]
fn a_killed_postgres_comes_back_at_the_same_address_while_its_server_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let cluster = start(folder.path());
    let url = cluster.url(DATABASE);
    remember(&url);
    let killed = cluster.pid().unwrap();
    signal::kill(Pid::from_raw(killed.cast_signed()), Signal::SIGKILL).unwrap();
    eventually("another Postgres", || cluster.pid().is_some_and(|pid| pid != killed));
    assert_eq!(query(&url, "select answer from kept").unwrap(), ["42"]);
    cluster.stop().unwrap();
    assert!(query(&url, "select 1").is_err());
}

#[test]
fn killing_server_and_postgres_at_once_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut holder = Holder::start(folder.path());
    remember(&holder.url);
    holder.kill_postgres();
    holder.kill_server();
    assert_remembered(folder.path());
}

#[test]
fn a_postgres_that_lost_server_and_watcher_is_stopped_by_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let mut holder = Holder::start(folder.path());
    remember(&holder.url);
    holder.kill_watcher();
    holder.kill_server();
    assert!(is_alive(holder.postgres), "nobody tells it to stop");
    let cluster = start(folder.path());
    assert!(!is_alive(holder.postgres));
    assert_ne!(cluster.pid(), Some(holder.postgres));
    assert_eq!(query(&cluster.url(DATABASE), "select answer from kept").unwrap(), ["42"]);
}

#[test]
fn a_server_that_is_told_to_stop_leaves_nothing_running() {
    let folder = tempfile::tempdir().unwrap();
    let holder = Holder::start(folder.path());
    let (postgres, url) = (holder.postgres, holder.url.clone());
    holder.stop();
    assert!(!is_alive(postgres));
    assert!(query(&url, "select 1").is_err());
    assert!(!folder.path().join("postgres/postmaster.pid").exists(), "it was a clean shutdown");
}
