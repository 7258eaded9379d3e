//! SASS text and cubin of one build: each checks the other.

use lowerline_shared::{
    api::{CompareResponse, PushResponse},
    stage::Stage,
};
use serde_json::{Value, json};

use crate::support::{
    Server,
    corpus::{Release, digest, release, sha},
};

/// The manifest without what `keep` refuses of the artifacts.
fn only(mut release: Release, keep: impl Fn(&Value) -> bool) -> Release {
    for build in release.manifest["builds"].as_array_mut().unwrap() {
        build["artifacts"].as_array_mut().unwrap().retain(&keep);
    }
    release
}

async fn answer(server: &Server, release: &Release) -> PushResponse {
    for bytes in release.blobs.values() {
        assert_eq!(server.put(bytes).await.status, 200);
    }
    let answer = server.push(&release.manifest).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

#[tokio::test]
async fn a_text_that_counts_otherwise_than_its_cubin_is_said_with_both_values() {
    let server = Server::start().await;
    let mut pushed = release("3.5.0", None, 0, &["softmax"]);
    let build = pushed.manifest["builds"].as_array_mut().unwrap().iter_mut().find(|b| b["target"] == "sm_90a").unwrap();
    let label = build["config"]["label"].as_str().unwrap().to_owned();
    let text = build["artifacts"].as_array_mut().unwrap().iter_mut().find(|a| a["stage"] == "sass" && a["form"] == "");
    let text = text.unwrap();
    let old = serde_json::from_value(text["digest"].clone()).unwrap();
    let other = String::from_utf8(pushed.blobs.remove(&old).unwrap()).unwrap().replacen(" EXIT ", " YIELD ", 1);
    text["digest"] = json!(digest(other.as_bytes()));
    pushed.blobs.insert(digest(other.as_bytes()), other.into_bytes());

    let answer = answer(&server, &pushed).await;
    let [warning] = answer.warnings.as_slice() else { panic!("one warning, got {:?}", answer.warnings) };
    assert!(warning.contains("on sm_90a") && warning.contains("YIELD 1 in the text and 0 in the cubin"), "{warning}");

    let path = format!("/projects/triton/compare/3.5.0...3.5.0?kernel=softmax&target=sm_90a&config={label}");
    let shown: CompareResponse = server.read(&path).await;
    let sass = shown.builds[0].levels.iter().find(|level| level.stage == Stage::Sass).unwrap();
    let of = |state: usize| -> Vec<(&str, i64)> {
        let all = sass.disagreements.iter().filter(|one| one.state == state);
        all.map(|one| (one.opcode.as_str(), one.text - one.decoded)).collect()
    };
    assert_eq!(of(0), [("EXIT", -1), ("YIELD", 1)]);
    assert_eq!(of(0), of(1));
}

#[tokio::test]
async fn text_and_cubin_of_every_build_of_a_release_agree() {
    let server = Server::start().await;
    let answer = answer(&server, &release("3.7.1", None, 0, &[])).await;
    assert_eq!(answer.warnings, Vec::<String>::new());
}

#[tokio::test]
async fn a_build_with_only_a_cubin_has_the_sass_families_of_its_text() {
    let server = Server::start().await;
    let with_text = only(release("3.5.0", None, 0, &["softmax"]), |a| a["stage"] != "cubin");
    answer(&server, &with_text).await;
    let mut with_cubin = only(release("3.7.1", Some("3.5.0"), 1, &[]), |_| false);
    // The same builds at a later commit, cubins alone.
    let cubins = only(release("3.5.0", None, 0, &["softmax"]), |a| a["stage"] == "cubin");
    with_cubin.manifest["builds"] = cubins.manifest["builds"].clone();
    with_cubin.blobs = cubins.blobs;
    answer(&server, &with_cubin).await;

    let path = "/projects/triton/compare/3.5.0...3.7.1?kernel=softmax&target=sm_90a";
    let shown: CompareResponse = server.read(path).await;
    assert_eq!(shown.states[1].commit.sha.as_str(), sha("3.7.1"));
    let sass = shown.builds[0].levels.iter().find(|level| level.stage == Stage::Sass).unwrap();
    assert_eq!(sass.sources, [Some("text".to_owned()), Some("decoded".to_owned())]);
    assert!(sass.families.len() > 5);
    for row in &sass.families {
        assert_eq!(row.counts[0], row.counts[1], "{:?}", row.family);
    }
}
