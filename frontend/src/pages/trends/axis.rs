//! The commits of the axis: names, parents, where a revision lies.

use lowerline_shared::{
    api::{CommitSummary, TrendResponse},
    ids::Rev,
};

/// The commit at a position; `None` when the answer left it out.
pub fn commit_at(data: &TrendResponse, at: u32) -> Option<&CommitSummary> {
    data.commits.iter().find(|commit| commit.position == at)
}

/// The nearest commit of the answer at or before a position.
pub fn commit_before(data: &TrendResponse, at: u32) -> Option<&CommitSummary> {
    data.commits.iter().filter(|commit| commit.position <= at).max_by_key(|commit| commit.position)
}

/// Name of a position on screen.
pub fn name_at(data: &TrendResponse, at: u32) -> String {
    commit_at(data, at).map_or_else(|| format!("commit {at}"), |commit| commit.name().to_owned())
}

/// The position of a revision: a hash or a tag.
pub fn position_of(data: &TrendResponse, rev: &Rev) -> Option<u32> {
    let names = |commit: &&CommitSummary| commit.sha.as_str() == rev.as_str() || commit.tag.as_ref() == Some(rev);
    data.commits.iter().find(names).map(|commit| commit.position)
}

/// The full hash of a commit as a revision.
pub fn rev_of(commit: &CommitSummary) -> Option<Rev> {
    commit.sha.as_str().parse().ok()
}

/// The commit a commit is compared with: its parent, else the one before it on the axis.
pub fn parent_rev(data: &TrendResponse, commit: &CommitSummary) -> Option<Rev> {
    let parent = commit.parent.as_ref().and_then(|sha| sha.as_str().parse().ok());
    parent.or_else(|| commit_before(data, commit.position.checked_sub(1)?).and_then(rev_of))
}
