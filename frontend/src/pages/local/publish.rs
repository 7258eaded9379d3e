//! Pushing the builds found to this server, for whoever has a token of a project of it. Nothing is sent before that.

use std::collections::BTreeMap;

use gloo_net::http::{Request, Response};
use leptos::{prelude::*, task::spawn_local};
use lowerline_shared::{
    api::{BuildManifest, CommitMeta, DigestsRequest, MissingResponse, PushRequest, PushResponse},
    api_path, display,
    ids::{CommitSha, Digest, ProjectSlug},
    problem::Problem,
    worker::{Answer, Question},
};
use wasm_bindgen::JsValue;

use crate::worker;

/// Where to, and as what.
#[derive(Clone)]
struct Target {
    project: ProjectSlug,
    sha: CommitSha,
    subject: String,
    token: String,
}

/// The answer's body, or the server's words.
async fn read(response: Result<Response, gloo_net::Error>) -> Result<String, String> {
    let response = response.map_err(|_| "The server could not be reached.".to_owned())?;
    let body = response.text().await.map_err(|_| "The answer broke off.".to_owned())?;
    if response.ok() {
        return Ok(body);
    }
    let told = serde_json::from_str::<Problem>(&body)
        .map(|problem| format!("{} {}", problem.error.message, problem.error.hint.unwrap_or_default()));
    Err(told.unwrap_or_else(|_| format!("The server answered {}.", response.status())))
}

impl Target {
    async fn post<T: serde::Serialize>(&self, address: &str, body: &T) -> Result<String, String> {
        let body = serde_json::to_string(body).map_err(|error| error.to_string())?;
        let request = Request::post(address)
            .header("authorization", &format!("Bearer {}", self.token))
            .header("content-type", "application/json")
            .body(body)
            .map_err(|error| error.to_string())?;
        read(request.send().await).await
    }

    async fn put(&self, digest: &Digest) -> Result<(), String> {
        let reply = worker::ask(&Question::Bytes { digest: *digest }, &[]).await?;
        let bytes = js_sys::Uint8Array::from(reply.bytes(0).as_slice());
        let request = Request::put(&api_path::project_blob(&self.project, digest))
            .header("authorization", &format!("Bearer {}", self.token))
            .header("content-type", "application/octet-stream")
            .body(JsValue::from(bytes))
            .map_err(|error| error.to_string())?;
        read(request.send().await).await.map(|_| ())
    }

    /// Sends what the server lacks, then the commit.
    async fn push(&self, builds: Vec<BuildManifest>, told: impl Fn(String)) -> Result<PushResponse, String> {
        let unreadable = |error: serde_json::Error| format!("The answer could not be read: {error}.");
        let mut digests: Vec<Digest> =
            builds.iter().flat_map(|build| build.artifacts.iter().map(|artifact| artifact.digest)).collect();
        digests.sort_unstable();
        digests.dedup();
        let answer = self.post(&api_path::missing_blobs(&self.project), &DigestsRequest { digests }).await?;
        let MissingResponse { missing } = serde_json::from_str(&answer).map_err(unreadable)?;
        for (n, digest) in missing.iter().enumerate() {
            told(format!("sending {} of {}", n + 1, display::plural(missing.len() as u64, "blob")));
            self.put(digest).await?;
        }
        #[expect(clippy::cast_possible_truncation, reason = "seconds since 1970")]
        let now = (js_sys::Date::now() / 1000.0) as i64;
        let commit = CommitMeta {
            sha: self.sha.clone(),
            parents: Vec::new(),
            tag: None,
            branch: "main".to_owned(),
            author: None,
            authored_at: None,
            committed_at: now,
            subject: self.subject.clone(),
            pull_request: None,
        };
        let request = PushRequest { commit, toolchain: BTreeMap::new(), builds };
        let answer = self.post(&api_path::pushes(&self.project), &request).await?;
        serde_json::from_str(&answer).map_err(unreadable)
    }
}

/// The form. Its button is there once project, commit and token are.
#[component]
pub fn Publish() -> impl IntoView {
    let [project, sha, subject, token] = std::array::from_fn(|_| RwSignal::new(String::new()));
    let told = RwSignal::new(String::new());
    let link = RwSignal::new(None::<String>);
    let busy = RwSignal::new(false);
    let target = move || {
        let token = token.get();
        Some(Target {
            project: project.get().trim().parse().ok()?,
            sha: sha.get().trim().parse().ok()?,
            subject: subject.get(),
            token: Some(token.trim().to_owned()).filter(|token| !token.is_empty())?,
        })
    };
    let publish = move |target: Target| {
        busy.set(true);
        link.set(None);
        spawn_local(async move {
            let builds = match worker::ask(&Question::Manifest, &[]).await.map(|reply| reply.answer) {
                Ok(Answer::Manifest { builds }) if !builds.is_empty() => Ok(builds),
                Ok(_) => {
                    Err("Nothing describes these builds: a push needs metadata or a build.json beside them.".to_owned())
                }
                Err(why) => Err(why),
            };
            let pushed = match builds {
                Ok(builds) => target.push(builds, move |text| told.set(text)).await,
                Err(why) => Err(why),
            };
            match pushed {
                Ok(done) => {
                    told.set(format!("{} pushed", display::plural(done.builds, "build")));
                    link.set(Some(done.permalink));
                }
                Err(why) => told.set(why),
            }
            busy.set(false);
        });
    };
    let field = |label: &'static str, kind: &'static str, test: &'static str, value: RwSignal<String>| {
        view! {
            <label class="chip"><i>{label} "="</i>
                <input class="bare" type=kind autocomplete="off" data-test=test aria-label=label prop:value=move || value.get() on:input=move |event| value.set(event_target_value(&event))/>
            </label>
        }
    };
    view! {
        <details class="panel mt" data-test="publish">
            <summary>"Publish to this server"</summary>
            <div class="body">
                <p class="small ink2">"Pushes the described builds, all of them, as one commit. Needs a write token of the project; until the button is pressed nothing is sent."</p>
                <p class="acts">
                    {field("project", "text", "publish-project", project)}
                    {field("commit", "text", "publish-sha", sha)}
                    {field("subject", "text", "publish-subject", subject)}
                    {field("token", "password", "publish-token", token)}
                    {move || target().map(|target| view! {
                        <button class="btn primary" type="button" data-test="publish-button" disabled=move || busy.get() on:click=move |_| publish(target.clone())>"Publish"</button>
                    })}
                </p>
                <p class="small brk" role="status" data-test="published">
                    {move || told.get()} " "
                    {move || link.get().map(|href| view! { <a href=href>"Open it"</a> })}
                </p>
            </div>
        </details>
    }
}
