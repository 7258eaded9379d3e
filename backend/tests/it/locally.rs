//! The same files compared by the server and by the page that uploads nothing.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use lowerline_analyzer::dropped;
use lowerline_shared::{
    api::{BuildComparison, CompareResponse, Depth},
    stage::{Scope, Stage},
};

use crate::support::{
    Server,
    corpus::{Release, digest, files_of, release},
};

const KERNEL: &str = "flex_attention";
const CONFIG: &str = "128x64_w8_s2";

/// Files of two releases as somebody drops them, one folder each.
type Files = BTreeMap<PathBuf, Vec<u8>>;

fn locally(files: &Files, target: &str, scope: Scope) -> BuildComparison {
    let list: Vec<(String, u64)> =
        files.iter().map(|(path, bytes)| (path.to_str().unwrap().to_owned(), bytes.len() as u64)).collect();
    let reader = |path: &Path| files.get(path).cloned().ok_or_else(|| "gone".to_owned());
    let dropped = dropped::find(&list, &reader, &mut |_, _| ());
    let chosen: Vec<u32> = (0_u32..)
        .zip(&dropped.found.builds)
        .filter(|(_, build)| build.kernel == KERNEL && build.target == target && build.config == CONFIG)
        .map(|(place, _)| place)
        .collect();
    assert_eq!(chosen.len(), 2, "one of each release");
    dropped.compare(&chosen, scope, &reader).unwrap()
}

async fn on_the_server(server: &Server, target: &str, scope: Scope) -> BuildComparison {
    let query = format!("kernel={KERNEL}&target={target}&config={CONFIG}&scope={}", scope.id());
    let answer: CompareResponse = server.read(&format!("/projects/triton/compare/3.4.0...3.5.0?{query}")).await;
    answer.builds.into_iter().next().unwrap()
}

/// What both sides can know: not where the builds come from.
fn told(build: BuildComparison) -> (BuildComparison, Depth) {
    let depth = *build.depth.clone().unwrap();
    (BuildComparison { depth: None, ..build }, depth)
}

fn assert_equal(local: BuildComparison, server: BuildComparison) {
    let ((local, local_depth), (server, server_depth)) = (told(local), told(server));
    assert!(!server.decisions.is_empty());
    assert_eq!(local.decisions, server.decisions);
    assert_eq!(local.levels, server.levels);
    assert_eq!(local.resources, server.resources);
    assert!(!server_depth.explanation.rows.is_empty());
    assert_eq!(local_depth.explanation, server_depth.explanation);
    assert_eq!(local_depth.strip, server_depth.strip);
}

#[tokio::test]
async fn a_local_comparison_says_what_the_server_says_of_the_same_files() {
    let server = Server::start().await;
    let mut files = Files::new();
    for (n, name, parent) in [(0, "3.4.0", None), (1, "3.5.0", Some("3.4.0"))] {
        release(name, parent, n, &[KERNEL]).send(&server).await;
        files.extend(files_of(name, &[KERNEL]));
    }
    for target in ["sm_100a", "gfx942"] {
        for scope in [Scope::Function, Scope::Hot] {
            assert_equal(locally(&files, target, scope), on_the_server(&server, target, scope).await);
        }
    }
}

/// The main SASS text of a build with one opcode written as another.
fn edit(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8(text.to_vec()).unwrap();
    assert!(text.contains(" EXIT "));
    text.replacen(" EXIT ", " YIELD ", 1).into_bytes()
}

#[tokio::test]
async fn what_text_and_cubin_disagree_on_is_the_same_locally() {
    let server = Server::start().await;
    let mut files = Files::new();
    let place = format!("3.5.0/{KERNEL}/sm_100a/{CONFIG}/");
    for (n, name, parent) in [(0, "3.4.0", None), (1, "3.5.0", Some("3.4.0"))] {
        let mut pushed: Release = release(name, parent, n, &[KERNEL]);
        let mut own = files_of(name, &[KERNEL]);
        for (path, bytes) in &mut own {
            let name = path.to_str().unwrap();
            if name.starts_with(&place) && name.ends_with("_fwd.sass") {
                let (old, new) = (digest(bytes), edit(bytes));
                let manifest = pushed.manifest.to_string().replace(&old.to_string(), &digest(&new).to_string());
                pushed.manifest = serde_json::from_str(&manifest).unwrap();
                pushed.blobs.remove(&old);
                pushed.blobs.insert(digest(&new), new.clone());
                *bytes = new;
            }
        }
        pushed.send(&server).await;
        files.extend(own);
    }
    let local = locally(&files, "sm_100a", Scope::Function);
    let sass = local.levels.iter().find(|level| level.stage == Stage::Sass).unwrap();
    let told: Vec<_> =
        sass.disagreements.iter().map(|one| (one.state, one.opcode.as_str(), one.text - one.decoded)).collect();
    assert_eq!(told, [(1, "EXIT", -1), (1, "YIELD", 1)]);
    assert!(local.decisions.iter().any(|row| row.values[0] != row.values[1]), "the releases decide otherwise");
    assert_equal(local, on_the_server(&server, "sm_100a", Scope::Function).await);
}
