//! Awkward data directories: other accounts, closed folders, long and strange paths, leftovers.

use std::{
    env, fs,
    fs::Permissions,
    os::unix::{
        fs::{MetadataExt, PermissionsExt, symlink},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Barrier,
};

use crate::support::{holder::Holder, query};
use lowerline_postgres::{Binaries, Cluster, DATABASE, Error};
use nix::unistd::{User, geteuid};

fn start(data: &Path) -> Result<Cluster, Error> {
    Cluster::start(data, &Binaries::locate().unwrap())
}

fn answers(cluster: &Cluster) -> bool {
    query(&cluster.url(DATABASE), "select 1").unwrap() == ["1"]
}

/// Where Postgres itself says that its files are.
fn data_directory(cluster: &Cluster) -> PathBuf {
    PathBuf::from(query(&cluster.url(DATABASE), "show data_directory").unwrap().remove(0))
}

#[test]
fn root_gives_up_its_rights_and_nobody_else_may_enter() {
    let folder = tempfile::tempdir().unwrap();
    let cluster = start(&folder.path().join("data")).unwrap();
    let found = fs::metadata(data_directory(&cluster)).unwrap();
    let socket = fs::metadata(folder.path().join("data/socket")).unwrap();
    for folder in [&found, &socket] {
        assert_ne!(folder.uid(), 0);
        assert_eq!(folder.mode() & 0o777, 0o700);
    }
    assert_eq!(query(&cluster.url(DATABASE), "show listen_addresses").unwrap(), [""]);
    let process = fs::metadata(format!("/proc/{}", cluster.pid().unwrap())).unwrap();
    assert_eq!(process.uid(), found.uid());
}

#[test]
fn an_ordinary_user_runs_it_as_themselves_and_root_goes_on_with_their_cluster() {
    if !geteuid().is_root() {
        // Every other test of this file is then this case.
        return;
    }
    let nobody = User::from_name("nobody").unwrap().unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o777)).unwrap();
    // The build folder may be one that only root can enter.
    let program = folder.path().join("program");
    fs::copy(env::current_exe().unwrap(), &program).unwrap();
    let data = folder.path().join("data");

    let mut command = Command::new(&program);
    command.uid(nobody.uid.as_raw()).gid(nobody.gid.as_raw()).current_dir("/");
    let holder = Holder::run(command, &data);
    query(&holder.url, "create table kept as select 42 as answer").unwrap();
    assert_eq!(fs::metadata(data.join("postgres")).unwrap().uid(), nobody.uid.as_raw());
    holder.stop();

    let cluster = start(&data).unwrap();
    assert_eq!(query(&cluster.url(DATABASE), "select answer from kept").unwrap(), ["42"]);
}

#[test]
fn a_data_directory_below_a_closed_folder_works_and_keeps_its_data() {
    let closed = tempfile::tempdir().unwrap();
    fs::set_permissions(closed.path(), Permissions::from_mode(0o700)).unwrap();
    let data = closed.path().join("deep/data");
    let cluster = start(&data).unwrap();
    query(&cluster.url(DATABASE), "create table kept as select 42 as answer").unwrap();
    let place = data_directory(&cluster);
    cluster.stop().unwrap();

    let binaries = Binaries::locate_for(&data).unwrap();
    let cluster = Cluster::start(&data, &binaries).unwrap();
    assert_eq!(data_directory(&cluster), place);
    assert_eq!(query(&cluster.url(DATABASE), "select answer from kept").unwrap(), ["42"]);
    assert_eq!(place.starts_with(closed.path()), !geteuid().is_root(), "only root has to go elsewhere");
    cluster.stop().unwrap();

    // A new directory at the same path is a new cluster, whatever lies in the other place.
    fs::remove_dir_all(&data).unwrap();
    let fresh = start(&data).unwrap();
    let fresh_place = data_directory(&fresh);
    assert!(query(&fresh.url(DATABASE), "select answer from kept").is_err());
    fresh.stop().unwrap();
    for place in [place, fresh_place] {
        if !place.starts_with(closed.path()) {
            fs::remove_dir_all(place.parent().unwrap()).unwrap();
        }
    }
}

#[test]
fn a_closed_umask_keeps_nobody_out_who_has_to_come_in() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", "umask 077; exec \"$@\"", "sh"]).arg(env::current_exe().unwrap());
    let holder = Holder::run(command, &folder.path().join("data"));
    assert_eq!(query(&holder.url, "select 1").unwrap(), ["1"]);
    holder.stop();
}

#[test]
fn a_path_too_long_for_a_socket_and_full_of_strange_characters_works() {
    let folder = tempfile::tempdir().unwrap();
    let strange = folder.path().join("a, \"b\" & 'c' %20 ü");
    let cluster = start(&strange).unwrap();
    assert!(answers(&cluster));
    assert!(data_directory(&cluster).starts_with(&strange));
    let long = folder.path().join("long".repeat(30));
    let cluster = start(&long).unwrap();
    assert!(answers(&cluster));
    assert!(data_directory(&cluster).starts_with(&long));
    let socket = query(&cluster.url(DATABASE), "show unix_socket_directories").unwrap().remove(0);
    cluster.stop().unwrap();
    fs::remove_dir(socket.trim_matches('"')).unwrap();
}

#[test]
fn a_first_run_that_was_interrupted_is_done_again() {
    let folder = tempfile::tempdir().unwrap();
    let unfinished = folder.path().join("postgres.unfinished");
    fs::create_dir_all(unfinished.join("base")).unwrap();
    fs::write(unfinished.join("PG_VERSION"), "15\n").unwrap();
    assert!(answers(&start(folder.path()).unwrap()));
    assert!(!unfinished.exists());
}

#[test]
fn a_process_id_that_a_stranger_uses_now_does_not_keep_it_from_starting() {
    let folder = tempfile::tempdir().unwrap();
    let cluster = start(folder.path()).unwrap();
    let place = data_directory(&cluster);
    let pid_file = place.join("postmaster.pid");
    let text = fs::read_to_string(&pid_file).unwrap();
    cluster.stop().unwrap();

    // A stranger of the same account, because Postgres believes only in those.
    let owner = fs::metadata(&place).unwrap();
    let mut stranger = Command::new("cat");
    stranger.stdin(Stdio::piped()).stdout(Stdio::null()).current_dir("/");
    if geteuid().is_root() {
        stranger.uid(owner.uid()).gid(owner.gid());
    }
    let mut stranger = stranger.spawn().unwrap();
    let rest = text.split_once('\n').unwrap().1;
    fs::write(&pid_file, format!("{}\n{rest}", stranger.id())).unwrap();
    std::os::unix::fs::chown(&pid_file, Some(owner.uid()), Some(owner.gid())).unwrap();

    let cluster = start(folder.path()).unwrap();
    assert!(answers(&cluster));
    assert!(stranger.try_wait().unwrap().is_none(), "the stranger was left alone");
    drop(stranger.stdin.take());
    stranger.wait().unwrap();
}

#[test]
fn data_of_another_major_version_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let cluster = start(folder.path()).unwrap();
    let version = data_directory(&cluster).join("PG_VERSION");
    cluster.stop().unwrap();
    fs::write(&version, "9\n").unwrap();
    match start(folder.path()) {
        Err(Error::OtherMajor { data: 9, binaries, .. }) => assert!(binaries > 9),
        other => panic!("expected a refusal, got {other:?}"),
    }
    assert!(matches!(Binaries::locate_for(folder.path()), Err(Error::OtherMajor { data: 9, .. })));
}

#[test]
fn a_socket_folder_that_somebody_else_made_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    symlink(elsewhere.path(), folder.path().join("socket")).unwrap();
    assert!(matches!(start(folder.path()), Err(Error::ForeignFolder { .. })));
}

#[test]
fn of_servers_that_start_at_the_same_moment_one_runs() {
    let folder = tempfile::tempdir().unwrap();
    let barrier = Barrier::new(4);
    let results: Vec<_> = std::thread::scope(|scope| {
        let servers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    barrier.wait();
                    start(folder.path())
                })
            })
            .collect();
        servers.into_iter().map(|server| server.join().unwrap()).collect()
    });
    let (running, refused): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    assert_eq!(running.len(), 1);
    assert!(refused.iter().all(|refusal| matches!(refusal, Err(Error::InUse { .. }))));
    assert!(answers(running[0].as_ref().unwrap()));
}
