//! Settings, usage and exit codes.

use std::{fs, process::Stdio};

use crate::world::{COMMIT, lowerline, release, run};

#[test]
fn wrong_usage_ends_with_two() {
    for args in [&["push"][..], &["nothing"], &["push", ".", "--jobs", "0"], &["push", ".", "--project", "UPPER"]] {
        assert_eq!(run(lowerline().args(args)).code, 2, "{args:?}");
    }
}

#[test]
fn help_names_every_exit_code() {
    for command in [&["--help"][..], &["push", "--help"], &["inspect", "--help"]] {
        let help = run(lowerline().args(command));
        assert_eq!(help.code, 0);
        for line in ["0  fine", "1  some folders", "2  usage", "3  the server", "4  nothing to push"] {
            assert!(help.stdout.contains(line), "{command:?}: {}", help.stdout);
        }
    }
}

#[test]
fn show_says_where_each_setting_comes_from_and_hides_the_token() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join("lowerline.toml"), "server = \"http://file\"\nproject = \"file\"\n").expect("a file");
    let shown = run(lowerline()
        .args(["config", "show", "--project", "flag"])
        .current_dir(dir.path())
        .env("LOWERLINE_TOKEN", "llt_secret"));
    assert_eq!(shown.code, 0, "{shown:?}");
    let lines: Vec<&str> = shown.stdout.lines().collect();
    assert!(lines[0].starts_with("server   http://file  from ") && lines[0].ends_with("lowerline.toml"), "{lines:?}");
    assert_eq!(lines[1], "project  flag  from --project");
    assert_eq!(lines[2], "token    (hidden)  from LOWERLINE_TOKEN");
    assert!(!shown.stdout.contains("secret") && !shown.stderr.contains("secret"));
}

#[test]
fn a_push_without_a_server_or_project_says_how_to_name_one() {
    let builds = release("3.5.0").join("softmax/sm_80");
    for (flags, words) in [(&[][..], "LOWERLINE_SERVER"), (&["--server", "http://x"][..], "LOWERLINE_PROJECT")] {
        let refused = run(lowerline().arg("push").arg(&builds).args(COMMIT).args(flags));
        assert_eq!(refused.code, 2);
        assert!(refused.stderr.contains(words), "{}", refused.stderr);
    }
}

#[test]
fn a_reader_that_has_enough_is_no_error() {
    let mut child = lowerline()
        .arg("push")
        .arg(release("3.7.1"))
        .args(["--dry-run", "--quiet"])
        .args(COMMIT)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn completions_are_for_this_program() {
    let script = run(lowerline().args(["completions", "bash"]));
    assert_eq!(script.code, 0);
    assert!(script.stdout.contains("_lowerline()"));
}
