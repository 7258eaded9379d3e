//! Where a commit stands on its line: a pure function of the commits held, so that the order of pushes does not matter.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
};

/// A commit as far as its order goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Full hash.
    pub sha: String,
    /// Full hash of its first parent, whether held or not.
    pub first_parent: Option<String>,
    /// Seconds since 1970.
    pub committed_at: i64,
}

/// Indexes of `nodes` in line order: a first parent before its child, otherwise by commit time, then by hash.
///
/// Hashes that claim to be their own ancestors cannot come from git: the earliest of a circle counts as one without a
/// parent. So a commit that is later than all others and nobody's parent is always last.
pub fn line(nodes: &[Node]) -> Vec<usize> {
    let by_sha: HashMap<&str, usize> = nodes.iter().enumerate().map(|(n, node)| (node.sha.as_str(), n)).collect();
    let key = |n: usize| Reverse((nodes[n].committed_at, nodes[n].sha.as_str(), n));
    let mut parents: Vec<Option<usize>> =
        nodes.iter().map(|node| by_sha.get(node.first_parent.as_deref()?).copied()).collect();
    for start in circles(&parents, |n| (nodes[n].committed_at, nodes[n].sha.as_str())) {
        parents[start] = None;
    }
    let mut children: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut ready = BinaryHeap::new();
    for (n, parent) in parents.iter().enumerate() {
        match *parent {
            Some(parent) => children.entry(parent).or_default().push(n),
            None => ready.push(key(n)),
        }
    }
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(Reverse((_, _, n))) = ready.pop() {
        order.push(n);
        for child in children.remove(&n).unwrap_or_default() {
            ready.push(key(child));
        }
    }
    order
}

/// The least member of every circle of parents.
fn circles<K: Ord>(parents: &[Option<usize>], key: impl Fn(usize) -> K) -> Vec<usize> {
    // Walk up from every node once; a walk that meets itself has found a circle.
    let mut walk_of = vec![usize::MAX; parents.len()];
    let mut starts = Vec::new();
    for first in 0..parents.len() {
        let mut at = Some(first);
        while let Some(n) = at.filter(|&n| walk_of[n] == usize::MAX) {
            walk_of[n] = first;
            at = parents[n];
        }
        let Some(meeting) = at.filter(|&n| walk_of[n] == first) else { continue };
        let around = std::iter::successors(parents[meeting], |&n| if n == meeting { None } else { parents[n] });
        starts.extend(around.min_by_key(|&n| key(n)));
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(sha: &str, first_parent: Option<&str>, committed_at: i64) -> Node {
        Node { sha: sha.to_owned(), first_parent: first_parent.map(str::to_owned), committed_at }
    }

    fn names(nodes: &[Node]) -> String {
        line(nodes).into_iter().map(|n| nodes[n].sha.as_str()).collect()
    }

    #[test]
    fn parents_come_before_children_whatever_the_clock_says() {
        assert_eq!(names(&[node("c", Some("b"), 1), node("b", Some("a"), 2), node("a", None, 3)]), "abc");
    }

    #[test]
    fn commits_without_held_parents_go_by_time_then_hash() {
        assert_eq!(names(&[node("z", None, 5), node("b", Some("x"), 5), node("c", None, 1)]), "cbz");
    }

    #[test]
    fn a_circle_starts_at_its_earliest_commit() {
        let nodes = [node("a", Some("b"), 2), node("b", Some("a"), 1), node("c", None, 9), node("d", Some("a"), 0)];
        assert_eq!(names(&nodes), "badc");
        assert_eq!(names(&[node("a", Some("a"), 2), node("b", Some("a"), 1)]), "ab");
    }
}
