//! What the `git` program knows about one commit.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use lowerline_shared::ids::{CommitSha, Rev};

/// One commit as git has it.
#[derive(Debug, PartialEq, Eq)]
pub struct GitCommit {
    /// Full hash.
    pub sha: CommitSha,
    /// First parent first; true parents even in a shallow clone.
    pub parents: Vec<CommitSha>,
    /// Author's name.
    pub author: String,
    /// Seconds since 1970.
    pub authored_at: i64,
    /// Seconds since 1970.
    pub committed_at: i64,
    /// First line of the message.
    pub subject: String,
    /// The lowest version tag on it that can stand in a URL.
    pub tag: Option<Rev>,
    /// The checked-out branch, when the commit is on it.
    pub branch: Option<String>,
}

/// Runs git and returns its stdout; the error is what git said.
fn git(repo: Option<&Path>, args: &[&str]) -> Result<String, String> {
    let mut command = Command::new("git");
    // Replacement objects would show other parents than the hash stands for.
    command.arg("--no-replace-objects");
    if let Some(repo) = repo {
        // Inside a hook these point to the hook's own repository and would win over -C.
        command.arg("-C").arg(repo).env_remove("GIT_DIR").env_remove("GIT_WORK_TREE").env_remove("GIT_INDEX_FILE");
    }
    let output = command.args(args).stdin(Stdio::null()).output().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => "the git program was not found".to_owned(),
        _ => format!("git did not start: {error}"),
    })?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        let words = String::from_utf8_lossy(&output.stderr);
        Err(words.lines().next().unwrap_or("git failed").trim_start_matches("fatal: ").to_owned())
    }
}

/// Parents in the commit object itself: `git log` hides those that a shallow clone cut off.
fn parents(object: &str) -> Vec<CommitSha> {
    object
        .lines()
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("parent ")?.parse().ok())
        .collect()
}

/// Reads one commit; `repo` `None` means the repository around the working directory.
pub fn read(repo: Option<&Path>, rev: &str) -> Result<GitCommit, String> {
    let name = format!("{rev}^{{commit}}");
    let sha = git(repo, &["rev-parse", "--verify", "--quiet", "--end-of-options", &name]).map_err(|words| {
        // --quiet keeps git silent about an unknown revision, but not about a missing repository.
        if words == "git failed" { format!("git knows no commit {rev}") } else { words }
    })?;
    let sha: CommitSha = sha.trim().parse().map_err(|error| format!("git named a commit that is none: {error}"))?;
    let hash = sha.as_str();
    let object = git(repo, &["cat-file", "commit", hash])?;
    let line = git(
        repo,
        &[
            "log",
            "-1",
            "--no-show-signature",
            "--no-color",
            "--encoding=UTF-8",
            "--format=%an%x00%at%x00%ct%x00%s",
            hash,
        ],
    )?;
    let mut fields = line.trim_end_matches('\n').splitn(4, '\0');
    let mut field = || fields.next().ok_or_else(|| "git wrote an incomplete commit".to_owned());
    let author = field()?.to_owned();
    let authored_at = field()?.parse().map_err(|_| "git wrote no author time".to_owned())?;
    let committed_at = field()?.parse().map_err(|_| "git wrote no commit time".to_owned())?;
    let subject = field()?.to_owned();
    let tags = git(repo, &["tag", "--points-at", hash, "--sort=version:refname"]).unwrap_or_default();
    let tag = tags.lines().find_map(|tag| tag.parse().ok());
    let branch = git(repo, &["symbolic-ref", "--quiet", "--short", "HEAD"])
        .ok()
        .filter(|_| git(repo, &["merge-base", "--is-ancestor", hash, "HEAD"]).is_ok())
        .map(|branch| branch.trim().to_owned());
    Ok(GitCommit { parents: parents(&object), sha, author, authored_at, committed_at, subject, tag, branch })
}
