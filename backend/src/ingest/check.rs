//! A manifest by itself: is everything in it within bounds?

use std::collections::BTreeSet;

use lowerline_shared::{
    api::{BuildManifest, BuildStatus, CommitMeta, PushRequest, Toolchain},
    ids::{CommitSha, shown},
    limits,
};

use crate::error::Refusal;

/// Bytes of a name of a branch, author, form, tool, version or metric.
const NAME_BYTES: usize = 256;
/// Bytes of one config document.
const CONFIG_BYTES: usize = 64 * 1024;
/// Metrics of one build.
const METRICS: usize = 64;
/// Artifacts of one build: ten stages in a few forms.
const ARTIFACTS: usize = 64;
/// Parents of a commit; the widest octopus merge in Linux has 66.
const PARENTS: usize = 256;

/// Refuses a manifest at the first field outside its bounds.
pub fn check(push: &PushRequest) -> Result<(), Refusal> {
    commit(&push.commit)?;
    toolchain("toolchain", &push.toolchain)?;
    if push.builds.len() > limits::BUILDS_PER_PUSH {
        let message = format!("more than {} builds in one manifest", limits::BUILDS_PER_PUSH);
        return Err(Refusal::field("builds", message).hint("send several manifests for the same commit"));
    }
    let mut seen = BTreeSet::new();
    for (n, build) in push.builds.iter().enumerate() {
        if !seen.insert((&build.kernel, &build.target, &build.config.label)) {
            let message = format!(
                "{} on {} ({}) is there twice",
                shown(build.kernel.as_str()),
                build.target,
                shown(build.config.label.as_str())
            );
            return Err(Refusal::field(format!("builds[{n}]"), message).hint("config labels tell builds apart"));
        }
        self::build(&format!("builds[{n}]"), build)?;
    }
    Ok(())
}

fn commit(commit: &CommitMeta) -> Result<(), Refusal> {
    text("commit.subject", &commit.subject, limits::SUBJECT_BYTES)?;
    name("commit.branch", &commit.branch)?;
    if commit.branch.is_empty() {
        return Err(Refusal::field("commit.branch", "is empty"));
    }
    name("commit.author", commit.author.as_deref().unwrap_or(""))?;
    if commit.parents.len() > PARENTS {
        return Err(Refusal::field("commit.parents", format!("more than {PARENTS} parents")));
    }
    // In an address a full hash always means the commit of that hash.
    if commit.tag.as_ref().is_some_and(|tag| tag.as_str().parse::<CommitSha>().is_ok()) {
        return Err(Refusal::field("commit.tag", "has the form of a full hash"));
    }
    if commit.parents.contains(&commit.sha) {
        return Err(Refusal::field("commit.parents", "a commit cannot be its own parent"));
    }
    for (field, seconds) in
        [("commit.committed_at", Some(commit.committed_at)), ("commit.authored_at", commit.authored_at)]
    {
        if seconds.is_some_and(|seconds| !(0..=limits::COMMIT_SECONDS).contains(&seconds)) {
            return Err(Refusal::field(field, "is no time from 1970 to 9999").hint("seconds since 1970, UTC"));
        }
    }
    if commit.pull_request.is_some_and(|number| i32::try_from(number).is_err()) {
        return Err(Refusal::field("commit.pull_request", "is too large"));
    }
    Ok(())
}

fn build(path: &str, build: &BuildManifest) -> Result<(), Refusal> {
    let message = build.message.as_deref().unwrap_or("");
    if build.status != BuildStatus::Ok && message.is_empty() {
        return Err(Refusal::field(format!("{path}.message"), "a failed build needs the compiler's words"));
    }
    if build.status == BuildStatus::Ok && build.message.is_some() {
        return Err(Refusal::field(format!("{path}.message"), "a build that did not fail has no message"));
    }
    text(&format!("{path}.message"), message, limits::MESSAGE_BYTES)?;
    toolchain(&format!("{path}.toolchain"), &build.toolchain)?;
    config(path, build)?;
    if build.artifacts.len() > ARTIFACTS {
        return Err(Refusal::field(format!("{path}.artifacts"), format!("more than {ARTIFACTS} artifacts")));
    }
    let mut seen = BTreeSet::new();
    for (m, artifact) in build.artifacts.iter().enumerate() {
        name(&format!("{path}.artifacts[{m}].form"), &artifact.form)?;
        if !seen.insert((artifact.stage, &artifact.form)) {
            let message = format!("stage {} is there twice in one form", artifact.stage.id());
            return Err(Refusal::field(format!("{path}.artifacts[{m}]"), message));
        }
    }
    for (resource, value) in &build.resources {
        if !(0..=limits::RESOURCE_VALUE).contains(value) {
            let message = format!("{} is {value}, not a count from 0 to {}", resource.id(), limits::RESOURCE_VALUE);
            return Err(Refusal::field(format!("{path}.resources.{}", resource.id()), message));
        }
    }
    if build.metrics.len() > METRICS {
        return Err(Refusal::field(format!("{path}.metrics"), format!("more than {METRICS} metrics")));
    }
    for (metric, value) in &build.metrics {
        name(&format!("{path}.metrics"), metric)?;
        if metric.is_empty() || !value.is_finite() {
            return Err(Refusal::field(format!("{path}.metrics"), "a metric needs a name and a finite value"));
        }
    }
    Ok(())
}

fn config(path: &str, build: &BuildManifest) -> Result<(), Refusal> {
    let config = &build.config;
    text(&format!("{path}.config.reconstruction"), config.reconstruction.as_deref().unwrap_or(""), CONFIG_BYTES)?;
    for (part, values) in
        [("options", &config.options), ("constexprs", &config.constexprs), ("attributes", &config.attributes)]
    {
        let path = format!("{path}.config.{part}");
        let bytes: usize = values.iter().map(|(key, value)| key.len() + value.to_string().len()).sum();
        if bytes > CONFIG_BYTES {
            return Err(Refusal::field(path, format!("more than {CONFIG_BYTES} bytes")));
        }
        if values.iter().any(|(key, value)| key.contains('\0') || has_nul(value)) {
            return Err(Refusal::field(path, "holds a NUL character"));
        }
    }
    Ok(())
}

/// Recursion is bounded by serde_json, which refuses documents deeper than 128 levels.
fn has_nul(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::String(text) => text.contains('\0'),
        serde_json::Value::Array(values) => values.iter().any(has_nul),
        serde_json::Value::Object(values) => values.iter().any(|(key, value)| key.contains('\0') || has_nul(value)),
        _ => false,
    }
}

fn toolchain(path: &str, toolchain: &Toolchain) -> Result<(), Refusal> {
    if toolchain.len() > 64 {
        return Err(Refusal::field(path, "more than 64 tools"));
    }
    toolchain.iter().try_for_each(|(tool, version)| {
        name(path, tool)?;
        name(path, version)
    })
}

/// Text of several lines.
fn text(path: &str, text: &str, bytes: usize) -> Result<(), Refusal> {
    if text.len() > bytes {
        return Err(Refusal::field(path, format!("more than {bytes} bytes")));
    }
    if text.contains('\0') {
        return Err(Refusal::field(path, "holds a NUL character"));
    }
    Ok(())
}

/// One line of text.
fn name(path: &str, name: &str) -> Result<(), Refusal> {
    text(path, name, NAME_BYTES)?;
    if name.chars().any(char::is_control) {
        return Err(Refusal::field(path, "holds a control character"));
    }
    Ok(())
}
