//! A cluster is made, used, refused to a second server, stopped and found again.

use crate::support::query;
use lowerline_postgres::{Binaries, Cluster, DATABASE, Error};

#[test]
fn a_cluster_keeps_its_data_between_two_starts() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let binaries = Binaries::locate_for(&data).unwrap();

    let cluster = Cluster::start(&data, &binaries).unwrap();
    let url = cluster.url(DATABASE);
    query(&url, "create table kept as select 42 as answer").unwrap();
    cluster.stop().unwrap();
    assert!(query(&url, "select 1").is_err(), "nothing answers after a stop");

    let cluster = Cluster::start(&data, &Binaries::locate_for(&data).unwrap()).unwrap();
    assert_eq!(query(&cluster.url(DATABASE), "select answer from kept").unwrap(), ["42"]);
    assert_eq!(query(&cluster.url("postgres"), "select current_database()").unwrap(), ["postgres"]);
}

#[test]
fn the_second_server_on_a_directory_is_refused_and_the_first_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let binaries = Binaries::locate().unwrap();
    let first = Cluster::start(folder.path(), &binaries).unwrap();
    match Cluster::start(folder.path(), &binaries) {
        Err(Error::InUse { pid, .. }) => assert_eq!(pid, Some(std::process::id())),
        other => panic!("expected a refusal, got {other:?}"),
    }
    assert!(first.pid().is_some());
    assert_eq!(query(&first.url(DATABASE), "select 1").unwrap(), ["1"]);
}

#[test]
fn a_dropped_cluster_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let cluster = Cluster::start(folder.path(), &Binaries::locate().unwrap()).unwrap();
    let url = cluster.url(DATABASE);
    drop(cluster);
    assert!(query(&url, "select 1").is_err());
}
