//! Which commit the builds belong to: flags over git over the CI's variables.

use lowerline_shared::{api::CommitMeta, display::cut, ids::CommitSha, limits};

use crate::{
    args::Push,
    exit::Failure,
    git::{self, GitCommit},
    output::escape,
};

/// Variables by which CI systems name the branch, a pull request's own branch first.
const BRANCH_VARIABLES: [&str; 5] = [
    "GITHUB_HEAD_REF",
    "GITHUB_REF_NAME",
    "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
    "CI_COMMIT_BRANCH",
    "BUILDKITE_BRANCH",
];

/// The number in `(#1234)` at the end of a squashed subject, or in a merge commit's `Merge pull request #1234 from …`.
fn pull_request(subject: &str) -> Option<u32> {
    let squashed =
        subject.trim_end().strip_suffix(')').and_then(|text| text.rsplit_once("(#")).map(|(_, number)| number);
    let merged = || subject.strip_prefix("Merge pull request #")?.split(' ').next();
    squashed.and_then(|number| number.parse().ok()).or_else(|| merged()?.parse().ok())
}

fn ci_branch() -> Option<String> {
    BRANCH_VARIABLES.iter().find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
}

/// Commit metadata from git where a repository is wanted, and from flags. Flags win.
pub fn resolve(push: &Push) -> Result<CommitMeta, Failure> {
    let about = &push.about;
    let by_hand = push.repo.is_none() && about.committed_at.is_some();
    let known: Option<GitCommit> = if by_hand {
        None
    } else {
        let commit = git::read(push.repo.as_deref(), &push.commit).map_err(|words| {
            Failure::Usage(format!(
                "cannot read commit {} from git: {}\ngive --repo DIR, or a full hash with --committed-at, --subject and --parent",
                escape(&push.commit),
                escape(&words)
            ))
        })?;
        Some(commit)
    };
    let sha: CommitSha = match &known {
        Some(commit) => commit.sha.clone(),
        None => push
            .commit
            .parse()
            .map_err(|error| Failure::Usage(format!("{error}; without a repository --commit takes nothing shorter")))?,
    };
    let known = known.as_ref();
    let committed_at = about
        .committed_at
        .or_else(|| known.map(|commit| commit.committed_at))
        .ok_or_else(|| Failure::Usage("no commit time: give --committed-at".to_owned()))?;
    let subject = about.subject.clone().or_else(|| known.map(|commit| commit.subject.clone())).unwrap_or_default();
    let from_git = |field: fn(&GitCommit) -> String| known.map(field);
    let branch = about.branch.clone().or_else(|| known.and_then(|commit| commit.branch.clone())).or_else(ci_branch);
    Ok(CommitMeta {
        parents: if about.parents.is_empty() {
            known.map(|commit| commit.parents.clone()).unwrap_or_default()
        } else {
            about.parents.clone()
        },
        tag: about.tag.clone().or_else(|| known.and_then(|commit| commit.tag.clone())),
        branch: escape(&branch.unwrap_or_else(|| "main".to_owned())),
        author: about.author.clone().or_else(|| from_git(|commit| commit.author.clone())).map(|name| escape(&name)),
        authored_at: about.authored_at.or_else(|| known.map(|commit| commit.authored_at)),
        committed_at,
        pull_request: about.pull_request.or_else(|| pull_request(&subject)),
        subject: cut(&escape(&subject), limits::SUBJECT_BYTES),
        sha,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pull_request_is_the_last_number_in_brackets() {
        assert_eq!(pull_request("[AMD] Fix (#12) again (#8366)"), Some(8366));
        assert_eq!(pull_request("Merge pull request #77 from a/b"), Some(77));
        assert_eq!(pull_request("Fix #12"), None);
        assert_eq!(pull_request("Fix (#99999999999)"), None);
    }
}
