//! Input made by others: names, links, pipes, broken and cut files.

use std::{
    fs,
    os::unix::{ffi::OsStrExt as _, fs::symlink},
    path::Path,
    process::Command,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::world::{copy, dry_run, lowerline, release, run};

/// A folder of recorded builds with one sound build in it.
fn with_sound_build() -> TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    copy(&release("3.5.0").join("softmax/sm_80"), &dir.path().join("sound/softmax/sm_80"));
    dir
}

/// A recorded build of a kernel by this name.
fn record(folder: &Path, kernel: &str) {
    fs::create_dir_all(folder).expect("a folder");
    let build = json!({
        "kernel": kernel, "function": "f", "target": "sm_80", "status": "ok", "options": { "num_warps": 4 },
    });
    fs::write(folder.join("build.json"), build.to_string()).expect("a file");
    fs::write(folder.join("f.ptx"), ".version 8.7\n.target sm_80\n").expect("a file");
}

fn kernels(manifest: &Value) -> Vec<&str> {
    manifest["builds"].as_array().expect("builds").iter().filter_map(|build| build["kernel"].as_str()).collect()
}

#[test]
fn an_empty_folder_is_nothing_to_push() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let run = dry_run(dir.path());
    assert_eq!((run.code, run.stdout.as_str()), (4, ""));
    assert!(run.stderr.contains("nothing to push"), "{}", run.stderr);
}

#[test]
fn a_folder_that_cannot_be_read_does_not_stop_the_rest() {
    let dir = with_sound_build();
    // Permissions do not stop the superuser; a loop of links stops everybody.
    symlink(dir.path().join("b"), dir.path().join("a")).expect("a link");
    symlink(dir.path().join("a"), dir.path().join("b")).expect("a link");
    let run = run(lowerline()
        .arg("push")
        .arg(dir.path().join("a"))
        .arg(dir.path().join("sound"))
        .arg(dir.path().join("missing"))
        .args(["--dry-run"])
        .args(crate::world::COMMIT));
    assert_eq!(run.code, 1);
    assert_eq!(kernels(&run.json()), ["softmax"]);
    assert!(run.stderr.contains("missing: No such file"), "{}", run.stderr);
    assert!(run.stderr.contains("2 not read, listed above"), "{}", run.stderr);
}

#[test]
fn nothing_behind_a_link_is_pushed_and_loops_end() {
    let dir = with_sound_build();
    let secret = tempfile::NamedTempFile::new().expect("a file");
    fs::write(secret.path(), "secret").expect("a file");
    record(&dir.path().join("linked"), "linked");
    symlink(secret.path(), dir.path().join("linked/f.llir")).expect("a link");
    symlink(dir.path(), dir.path().join("linked/up")).expect("a link");
    let run = dry_run(dir.path());
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert_eq!(kernels(&run.json()), ["softmax"], "a build without one of its artifacts would be another build");
    assert!(run.stderr.contains("linked/f.llir: a symbolic link, which is not opened"), "{}", run.stderr);
    assert!(run.stderr.contains("2 symbolic links"), "{}", run.stderr);
}

#[test]
fn a_pipe_named_like_an_artifact_does_not_block() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    record(&dir.path().join("x"), "k");
    record(&dir.path().join("y"), "with-log");
    for pipe in ["x/f.llir", "y/log"] {
        let made = Command::new("mkfifo").arg(dir.path().join(pipe)).status().expect("mkfifo");
        assert!(made.success());
    }
    let run = dry_run(dir.path());
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert_eq!(kernels(&run.json()), ["with-log"]);
    assert!(run.stderr.contains("x/f.llir: a pipe, socket or device, which is not opened"), "{}", run.stderr);
    assert!(run.stderr.contains("2 pipes, sockets and devices"), "{}", run.stderr);
}

#[test]
fn hostile_kernel_names_pass_as_text_or_are_refused_with_a_reason() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let script = "\"><script>alert(1)</script>";
    let long = "ü".repeat(5_000);
    record(&dir.path().join("a/w4"), script);
    record(&dir.path().join("b/w4"), &long);
    record(&dir.path().join("c/w4"), "\u{1b}]0;owned\u{7}");
    record(&dir.path().join("d/w4"), &"x".repeat(20_481));
    record(&dir.path().join("e/w4"), "bidi\u{202e}txt");
    let run = dry_run(dir.path());
    assert_eq!(run.code, 1);
    assert!(kernels(&run.json()) == [script, "bidi\u{202e}txt", &long], "all of them as text, by name");
    for text in [&run.stdout, &run.stderr] {
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text}");
    }
    assert_eq!(run.stderr.matches("a kernel must be").count(), 2, "{}", run.stderr);
}

#[test]
fn folder_names_that_are_not_text_cannot_reach_the_terminal() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    record(&dir.path().join(std::ffi::OsStr::from_bytes(b"bad\xff\x1b[2J")), "k");
    record(&dir.path().join("new\nline"), "k");
    let run = dry_run(dir.path());
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert!(run.stderr.contains("new\\u{a}line") && run.stderr.contains("\\u{1b}[2J"), "{}", run.stderr);
    assert!(!run.stderr.contains('\u{1b}'), "{}", run.stderr);
}

#[test]
fn broken_files_are_listed_each_with_its_reason() {
    let dir = with_sound_build();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    write("cut/build.json", "{\"kernel\": \"k\", \"tar");
    write("status/build.json", r#"{"kernel": "k", "target": "sm_80", "status": "fine"}"#);
    write("bare/build.json", r#"{"kernel": "k", "target": "sm_80", "status": "ok"}"#);
    write("target/build.json", r#"{"kernel": "k", "target": "SM 80", "status": "error"}"#);
    write("entry/k.json", "{\"name\": \"k\"");
    write("entry/k.ptx", ".version 8.7");
    write("other/k.json", "{\"a\": 1}");
    write("other/k.ptx", ".version 8.7");
    write("alone/k.json", r#"{"name": "k", "target": {"backend": "cuda", "arch": 90}}"#);
    write("notes/readme.json", "{}");
    write("stray/k.ptx", ".version 8.7");
    record(&dir.path().join("measured"), "measured");
    write("measured/metrics.json", r#"{"tflops": "fast"}"#);
    record(&dir.path().join("empty"), "empty");
    write("empty/f.ptx", "");
    record(&dir.path().join("disguised"), "disguised");
    fs::copy(
        release("3.5.0").join("softmax/sm_80/b2048_w4_s3/softmax_kernel.cubin"),
        dir.path().join("disguised/f.ptx"),
    )
    .expect("a copy");
    let run = dry_run(dir.path());
    assert_eq!(run.code, 1);
    assert_eq!(kernels(&run.json()), ["softmax"]);
    let lines: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with("cannot read")).collect();
    assert_eq!(lines.len(), 10, "{lines:#?}");
    for (place, reason) in [
        ("cut:", "build.json is not valid JSON"),
        ("status:", "unknown variant `fine`"),
        ("bare:", "no artifact is in the folder"),
        ("target:", "a target must be"),
        ("entry/k.json:", "k.json is not valid JSON"),
        ("other/k.json:", "names no function and target"),
        ("alone/k.json:", "no artifact of its name"),
        ("measured:", "metrics.json is not an object of numbers by name"),
        ("empty/f.ptx:", "empty"),
        ("disguised/f.ptx:", "its name says PTX, its content is cubin"),
    ] {
        assert!(lines.iter().any(|line| line.contains(place) && line.contains(reason)), "{place} {reason}: {lines:#?}");
    }
    assert!(run.stderr.contains(".ptx without metadata beside it"), "{}", run.stderr);
}

#[test]
fn one_folder_named_twice_is_walked_once() {
    let dir = with_sound_build();
    let run = run(lowerline()
        .arg("push")
        .arg(dir.path())
        .arg(dir.path().join("sound"))
        .arg(dir.path().join("sound/../sound"))
        .args(["--dry-run"])
        .args(crate::world::COMMIT));
    assert_eq!(run.json()["builds"].as_array().expect("builds").len(), 1);
    assert!(!run.stderr.contains("twice"), "{}", run.stderr);
}

#[test]
fn two_recorded_builds_of_one_name_and_other_bytes_are_not_merged() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    record(&dir.path().join("a/w4"), "k");
    record(&dir.path().join("b/w4"), "k");
    fs::write(dir.path().join("b/w4/f.ptx"), ".version 8.8\n").expect("a file");
    let run = dry_run(dir.path());
    assert_eq!(run.code, 1);
    assert_eq!(kernels(&run.json()), ["k"]);
    assert!(run.stderr.contains("b/w4: another folder holds k for sm_80 under the label w4"), "{}", run.stderr);
}
