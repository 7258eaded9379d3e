//! A dossier judged over the API, on the demo's releases.

use lowerline_shared::dossier::{Status, Value, Verdict};

use crate::support::{Server, corpus::release};

const HEAD: &str =
    "title = \"t\"\n[defaults]\nkernel = \"flex_attention\"\ntarget = \"sm_100a\"\nconfig = \"128x64_w8_s2\"\n";

const PATH: &str = "/projects/triton/dossier";

async fn judge(server: &Server, text: &str) -> Verdict {
    let answer = server.post_text(PATH, text).await;
    assert_eq!(answer.status.as_u16(), 200, "{}", answer.text());
    answer.json()
}

fn assertion(id: &str, rest: &str) -> String {
    format!("[[assertion]]\nid = \"{id}\"\nsource = \"s\"\nwhat = \"w\"\n{rest}\n")
}

/// Counts as in `demo/expected.tar.zst`, and in article 2.
#[tokio::test]
async fn figures_are_read_from_stored_reports() {
    let server = Server::start().await;
    release("3.4.0", None, 0, &["flex_attention"]).send(&server).await;
    release("3.5.0", Some("3.4.0"), 1, &["flex_attention"]).send(&server).await;
    let injected = "commit = \"3.5.0\"\nconfig = \"128x64_w8_s2_injected-convert\"\n";
    let text = [
        HEAD.to_owned(),
        assertion("fixed", "commit = \"3.5.0\"\nstage = \"ptx\"\nfigure = \"mnemonic:ldmatrix*.x1.*\"\nexpected = 6"),
        assertion(
            "regressed",
            &format!("{injected}stage = \"ptx\"\nfigure = \"mnemonic:ldmatrix*.x1.*\"\nexpected = 70"),
        ),
        assertion(
            "staging",
            &format!(
                "{injected}join = \"sum\"\neach = [{{ figure = \"fragment_staging@ptx\" }}, \
                 {{ figure = \"fragment_staging@sass\" }}]\nexpected = 296"
            ),
        ),
        assertion("newest", "figure = \"resource:registers\"\nexpected = 172"),
        assertion(
            "convert",
            "commit = \"3.4.0\"\nstage = \"ttgir\"\nfigure = \"op:ttg.convert_layout\"\nexpected = 11",
        ),
        assertion("broken", "commit = \"3.4.0\"\nfigure = \"resource:registers\"\nexpected = 199"),
        assertion("gone", "commit = \"3.6.0\"\nfigure = \"resource:registers\"\nexpected = 0"),
        assertion(
            "one-text",
            "stage = \"ttir\"\nfigure = \"normal_digest\"\njoin = \"distinct\"\n\
             each = [{ commit = \"3.4.0\" }, { commit = \"3.5.0\" }]\nexpected = 1",
        ),
        assertion("tool", "figure = \"tool:triton\"\nexpected = \"3.5.0\""),
    ]
    .concat();
    let verdict = judge(&server, &text).await;
    let standing: Vec<(&str, Status)> =
        verdict.assertions.iter().map(|judged| (judged.id.as_str(), judged.status)).collect();
    let reproduced = |id| (id, Status::Reproduced);
    assert_eq!(
        standing,
        [
            reproduced("fixed"),
            reproduced("regressed"),
            reproduced("staging"),
            reproduced("newest"),
            reproduced("convert"),
            ("broken", Status::Broken),
            ("gone", Status::Missing),
            reproduced("one-text"),
            reproduced("tool"),
        ],
        "{:#?}",
        verdict.assertions
    );
    assert_eq!(verdict.assertions[5].got, Some(Value::Integer(200)));
    assert_eq!(verdict.assertions[6].got, None);
}

#[tokio::test]
async fn lines_are_those_of_the_text() {
    let server = Server::start().await;
    release("3.7.1", None, 0, &["matmul_census"]).send(&server).await;
    let lines = assertion(
        "lines",
        "kernel = \"matmul_census\"\nconfig = \"128x128x64_w8_s3\"\nstage = \"ttir\"\nfigure = \"lines\"\n\
         each = [{ target = \"sm_90a\" }, { target = \"gfx942\" }]\nexpected = [165, 165]",
    );
    let verdict = judge(&server, &format!("title = \"t\"\n{lines}")).await;
    assert_eq!(verdict.assertions[0].status, Status::Reproduced, "{:?}", verdict.assertions[0]);
}

#[tokio::test]
async fn a_malformed_dossier_is_refused_with_its_place() {
    let server = Server::start().await;
    release("3.5.0", None, 0, &["flex_attention"]).send(&server).await;
    let problem = server.post_text(PATH, "title = \"t\"\nassertion = 3\n").await.problem(422);
    assert_eq!(problem.field.as_deref(), Some("dossier"));
    assert!(problem.message.starts_with("line 2, column 13"), "{}", problem.message);
    server.post_text("/projects/nobody/dossier", "title = \"t\"\n").await.problem(404);
    let long = "#".repeat(usize::try_from(lowerline_shared::limits::DOSSIER_BYTES).unwrap() + 1);
    server.post_text(PATH, &long).await.problem(413);
}
