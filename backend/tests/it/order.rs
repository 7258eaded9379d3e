//! Any order of pushes gives the same history as pushes in order.

use lowerline_shared::api::{CommitDetail, CommitRow, TrendResponse};
use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};
use serde_json::{Value, json};

use crate::support::{
    Server,
    corpus::{failed_build, manifest, ptx, ptx_build, sha},
};

const KERNELS: [&str; 3] = ["a", "b", "c"];
/// Distinct contents a build may have.
const CONTENTS: usize = 3;

/// What happens to one kernel at one commit.
#[derive(Clone, Debug)]
enum Build {
    NotTried,
    Failed,
    Content(usize),
}

#[derive(Clone, Debug)]
struct Commit {
    /// Index of the first parent among the earlier commits; `None` when it is not known.
    parent: Option<usize>,
    /// Coarse, so that some are equal and some contradict the parents.
    committed_at: i64,
    builds: Vec<Build>,
}

fn builds() -> impl Strategy<Value = Vec<Build>> {
    let one = prop_oneof![
        2 => Just(Build::NotTried),
        1 => Just(Build::Failed),
        5 => (0..CONTENTS).prop_map(Build::Content),
    ];
    prop::collection::vec(one, KERNELS.len())
}

fn history() -> impl Strategy<Value = (Vec<Commit>, Vec<usize>)> {
    let commit = (any::<prop::sample::Index>(), prop::bool::weighted(0.6), 0..4_i64, builds());
    prop::collection::vec(commit, 2..7).prop_flat_map(|rows| {
        let commits: Vec<Commit> = rows
            .into_iter()
            .enumerate()
            .map(|(n, (parent, has_parent, committed_at, builds))| Commit {
                parent: (has_parent && n > 0).then(|| parent.index(n)),
                committed_at,
                builds,
            })
            .collect();
        let order: Vec<usize> = (0..commits.len()).collect();
        (Just(commits), Just(order).prop_shuffle())
    })
}

fn manifests(commits: &[Commit]) -> Vec<Value> {
    let name = |n: usize| sha(&format!("commit {n}"));
    commits
        .iter()
        .enumerate()
        .map(|(n, commit)| {
            let parents: Vec<String> = commit.parent.map(name).into_iter().collect();
            let builds: Vec<Value> = KERNELS
                .iter()
                .zip(&commit.builds)
                .filter_map(|(kernel, build)| match build {
                    Build::NotTried => None,
                    Build::Failed => Some(failed_build(kernel, "sm_90a", "no")),
                    Build::Content(content) => Some(ptx_build(kernel, "sm_90a", &ptx(content + 1))),
                })
                .collect();
            manifest(&name(n), &parents, commit.committed_at, &builds)
        })
        .collect()
}

/// Everything that is derived along the line, as the API shows it.
async fn seen(server: &Server) -> Value {
    let mut commits: Vec<CommitRow> = server.read("/projects/triton/commits").await;
    for row in &mut commits {
        row.targets.sort_by(|a, b| a.target.cmp(&b.target));
    }
    let mut details = Vec::new();
    for row in &commits {
        let detail: CommitDetail = server.read(&format!("/projects/triton/commits/{}", row.commit.sha)).await;
        details.push(json!(detail));
    }
    let mut trends = Vec::new();
    for kernel in KERNELS {
        let answer =
            server.get(&format!("/api/v1/projects/triton/trends?kernel={kernel}&measure=instructions@ptx")).await;
        // A kernel that no commit has tried is not there at all.
        let trend = (answer.status == 200).then(|| answer.json::<TrendResponse>());
        trends.push(json!(trend.map(|trend| (trend.positions, trend.series))));
    }
    json!({ "commits": commits, "details": details, "trends": trends })
}

async fn pushed(manifests: &[Value], order: &[usize]) -> Value {
    let server = Server::start().await;
    for content in 0..CONTENTS {
        assert_eq!(server.put(&ptx(content + 1)).await.status, 200);
    }
    for &n in order {
        let answer = server.push(&manifests[n]).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    seen(&server).await
}

#[test]
fn any_order_of_pushes_gives_the_same_history() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let config = Config { cases: 24, failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&history(), |(commits, order)| {
            let manifests = manifests(&commits);
            let in_order: Vec<usize> = (0..commits.len()).collect();
            let (expected, found) =
                runtime.block_on(async { (pushed(&manifests, &in_order).await, pushed(&manifests, &order).await) });
            prop_assert_eq!(expected, found);
            Ok(())
        })
        .unwrap();
}

#[tokio::test]
async fn a_commit_pushed_again_with_another_time_keeps_its_place() {
    let server = Server::start().await;
    let push = |n: i64, parents: &[String], committed_at: i64| {
        manifest(&sha(&format!("commit {n}")), parents, committed_at, &[failed_build("a", "sm_90a", "no")])
    };
    for n in 0..3 {
        assert_eq!(server.push(&push(n, &[], n + 1)).await.status, 200);
    }
    assert_eq!(server.push(&push(0, &[sha("of another history")], 9)).await.status, 200);
    let commits: Vec<CommitRow> = server.read("/projects/triton/commits").await;
    let line: Vec<(u32, String)> =
        commits.iter().map(|row| (row.commit.position, row.commit.sha.to_string())).collect();
    let expected: Vec<(u32, String)> = [2, 1, 0].map(|n| (n, sha(&format!("commit {n}")))).to_vec();
    assert_eq!(line, expected);
}

#[tokio::test]
async fn parents_in_a_circle_stand_the_same_in_any_order_of_pushes() {
    let name = |n: usize| sha(&format!("commit {n}"));
    let parents = [vec![name(1)], vec![name(2)], vec![name(0)], vec![], vec![name(1)]];
    let manifests: Vec<Value> = (0..parents.len())
        .map(|n| {
            let at = [5, 3, 4, 9, 1][n];
            manifest(&name(n), &parents[n], at, &[ptx_build("a", "sm_90a", &ptx(n % CONTENTS + 1))])
        })
        .collect();
    let expected = pushed(&manifests, &[0, 1, 2, 3, 4]).await;
    assert_eq!(expected["commits"].as_array().map(Vec::len), Some(parents.len()));
    for order in [[4, 3, 2, 1, 0], [3, 0, 4, 2, 1], [1, 2, 0, 4, 3], [2, 3, 1, 4, 0]] {
        assert_eq!(pushed(&manifests, &order).await, expected, "{order:?}");
    }
}
