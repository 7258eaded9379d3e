//! `inspect`: files in, tables or JSON out.

use crate::world::{lowerline, release, run};

#[test]
fn a_file_that_is_nothing_is_said_on_stderr_and_does_not_stop_the_rest() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("no\u{1b}[2Jthing");
    std::fs::write(&file, "hello").expect("a file");
    let run = run(lowerline().args(["inspect", "--json"]).arg(&file).arg(dir.path()).arg(dir.path().join("gone")));
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert_eq!(run.stderr.lines().filter(|line| line.starts_with("cannot inspect")).count(), 3, "{}", run.stderr);
    assert!(!run.stderr.contains('\u{1b}'), "{}", run.stderr);
}
