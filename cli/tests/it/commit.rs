//! Commit metadata from real repositories and from flags.

use std::{path::Path, process::Command};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::world::{lowerline, release, run};

fn git(repo: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .arg("-C")
        .arg(repo)
        .args(args)
        .envs([
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_CONFIG_SYSTEM", "/dev/null"),
            ("GIT_AUTHOR_NAME", "Zoë Ängström"),
            ("GIT_AUTHOR_EMAIL", "zoe@example.org"),
            ("GIT_AUTHOR_DATE", "2025-10-20T10:00:00+02:00"),
            ("GIT_COMMITTER_NAME", "Someone Else"),
            ("GIT_COMMITTER_EMAIL", "else@example.org"),
            ("GIT_COMMITTER_DATE", "2025-10-21T18:09:33+00:00"),
        ])
        .output()
        .expect("git");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// A repository with a merge on `main`: root, a side commit, a second commit, the merge.
fn repository() -> TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    git(dir.path(), &["init", "--quiet", "--initial-branch", "main"]);
    let commit = |message: &str| git(dir.path(), &["commit", "--quiet", "--allow-empty", "--message", message]);
    commit("Begin");
    git(dir.path(), &["checkout", "--quiet", "-b", "side"]);
    commit("Beside");
    git(dir.path(), &["checkout", "--quiet", "main"]);
    commit("Lower it\n\nMore words.");
    git(dir.path(), &["merge", "--quiet", "--no-ff", "side", "--message", "Fix the lowering (#8366)\n\nBody"]);
    git(dir.path(), &["tag", "v3.5.0"]);
    dir
}

fn commit_of(repo: &Path, flags: &[&str]) -> Value {
    let builds = release("3.5.0").join("softmax/sm_80");
    let run = run(lowerline().arg("push").arg(builds).args(["--dry-run", "--repo"]).arg(repo).args(flags));
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.json()["commit"].clone()
}

#[test]
fn a_merge_has_its_first_parent_first() {
    let repo = repository();
    let rev = |name: &str| git(repo.path(), &["rev-parse", name]);
    assert_eq!(
        commit_of(repo.path(), &[]),
        json!({
            "sha": rev("HEAD"),
            "parents": [rev("HEAD^1"), rev("HEAD^2")],
            "tag": "v3.5.0",
            "branch": "main",
            "author": "Zoë Ängström",
            "authored_at": 1_760_947_200,
            "committed_at": 1_761_070_173,
            "subject": "Fix the lowering (#8366)",
            "pull_request": 8366,
        })
    );
}

#[test]
fn a_root_has_no_parents_and_any_name_of_a_commit_will_do() {
    let repo = repository();
    let root = commit_of(repo.path(), &["--commit", "HEAD~2"]);
    assert_eq!((&root["parents"], &root["subject"], &root["tag"]), (&json!([]), &json!("Begin"), &Value::Null));
    let short = git(repo.path(), &["rev-parse", "--short", "HEAD~1"]);
    assert_eq!(commit_of(repo.path(), &["--commit", &short])["subject"], "Lower it");
}

#[test]
fn a_shallow_clone_still_knows_its_parents() {
    let repo = repository();
    let clone = tempfile::tempdir().expect("a temporary folder");
    let from = format!("file://{}", repo.path().display());
    git(clone.path(), &["clone", "--quiet", "--depth", "1", &from, "."]);
    assert_eq!(commit_of(clone.path(), &[])["parents"], commit_of(repo.path(), &[])["parents"]);
}

#[test]
fn a_detached_checkout_takes_the_branch_of_the_ci() {
    let repo = repository();
    git(repo.path(), &["checkout", "--quiet", "--detach"]);
    assert_eq!(commit_of(repo.path(), &[])["branch"], "main");
    let builds = release("3.5.0").join("softmax/sm_80");
    let run = run(lowerline()
        .arg("push")
        .arg(builds)
        .args(["--dry-run", "--repo"])
        .arg(repo.path())
        .env("GITHUB_REF_NAME", "release/3.5"));
    assert_eq!(run.json()["commit"]["branch"], "release/3.5");
}

#[test]
fn flags_win_over_git() {
    let repo = repository();
    let other = "f".repeat(40);
    let commit = commit_of(
        repo.path(),
        &[
            "--parent",
            &other,
            "--tag",
            "3.5.0",
            "--branch",
            "b",
            "--author",
            "A",
            "--subject",
            "S",
            "--pull-request",
            "7",
        ],
    );
    assert_eq!(commit["parents"], json!([other]));
    assert_eq!((&commit["tag"], &commit["branch"], &commit["author"]), (&json!("3.5.0"), &json!("b"), &json!("A")));
    assert_eq!((&commit["subject"], &commit["pull_request"]), (&json!("S"), &json!(7)));
}

#[test]
fn an_option_in_place_of_a_revision_is_only_an_unknown_revision() {
    let repo = repository();
    let run =
        run(lowerline().args(["push", ".", "--dry-run", "--commit=--output=/dev/null", "--repo"]).arg(repo.path()));
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("git knows no commit"), "{}", run.stderr);
}

#[test]
fn without_a_repository_the_error_says_which_flags_help() {
    let empty = tempfile::tempdir().expect("a temporary folder");
    let run = run(lowerline().args(["push", ".", "--dry-run"]).current_dir(empty.path()));
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("--committed-at"), "{}", run.stderr);
    assert_eq!(run.stdout, "");
}
