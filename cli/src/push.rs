//! `lowerline push`: find, hash, ask, send, record.

use std::{io::Write as _, path::PathBuf, time::Instant};

use lowerline_shared::{
    api::{BuildStatus, PushResponse},
    ids::Digest,
    limits,
};

use crate::{
    args::{Global, Push},
    commit,
    config::Settings,
    exit::{self, Failure},
    find::{self, Findings, Unreadable},
    manifest::{self, BlobFile, Prepared},
    net::{self, Client, Uploaded},
    output::{self, escape},
    progress::Progress,
};

/// Files whose warnings are printed one by one.
const WARNINGS: usize = 20;

/// Runs the command.
pub fn run(push: &Push, global: &Global) -> Result<u8, Failure> {
    let started = Instant::now();
    let progress = Progress::new(global.quiet);
    let settings = Settings::load(global)?;
    // What cannot succeed is said before folders of any size are hashed.
    let client =
        if push.dry_run { None } else { Some(Client::new(settings.server()?, settings.project()?, settings.token())) };
    let commit = commit::resolve(push)?;
    let mut findings = find::search(&push.paths);
    let prepared = manifest::prepare(&mut findings, commit, progress);
    report(&findings);
    let code = if findings.unreadable.is_empty() { exit::FINE } else { exit::SOME_UNREADABLE };
    if prepared.request.builds.is_empty() {
        progress.say(&format!("nothing to push: no build found below {}", paths(push)));
        skipped(&findings, prepared.duplicates, progress);
        return Ok(if code == exit::FINE { exit::NOTHING_TO_PUSH } else { code });
    }
    if prepared.request.builds.len() > limits::BUILDS_PER_PUSH {
        return Err(Failure::Usage(format!(
            "{} builds found, a push takes {}; push fewer folders at a time",
            prepared.request.builds.len(),
            limits::BUILDS_PER_PUSH
        )));
    }
    let Some(client) = client else {
        output::json_pretty(&mut std::io::stdout().lock(), &prepared.request)?;
        dry_summary(&prepared, progress);
        skipped(&findings, prepared.duplicates, progress);
        return Ok(code);
    };
    let (uploaded, response) = send(&client, &prepared, usize::from(push.jobs), progress)?;
    summary(&prepared, &uploaded, &response, started, progress);
    skipped(&findings, prepared.duplicates, progress);
    writeln!(std::io::stdout().lock(), "{}", client.page(&response.permalink))?;
    Ok(code)
}

fn paths(push: &Push) -> String {
    push.paths.iter().map(|path| escape(&path.to_string_lossy())).collect::<Vec<_>>().join(" ")
}

fn send(
    client: &Client,
    prepared: &Prepared,
    jobs: usize,
    progress: Progress,
) -> Result<(Uploaded, PushResponse), Failure> {
    let digests: Vec<Digest> = prepared.blobs.keys().copied().collect();
    let missing: Vec<(Digest, BlobFile)> = client
        .missing(&digests)?
        .into_iter()
        // Only what was asked for: a server has no say in which other files are sent.
        .filter_map(|digest| Some((digest, prepared.blobs.get(&digest)?.clone())))
        .collect();
    let uploaded = net::upload(client, &missing, jobs, progress)?;
    let response = client.push(&prepared.request).map_err(|failure| name_folder(failure, &prepared.folders))?;
    Ok((uploaded, response))
}

/// Adds the folder of the build that a refusal names by its number: nobody can count to `builds[417]`.
fn name_folder(failure: Failure, folders: &[PathBuf]) -> Failure {
    let Failure::Refused { words, field } = failure else { return failure };
    let number = |field: &String| field.strip_prefix("builds[")?.split(']').next()?.parse().ok();
    let folder = field.as_ref().and_then(number).and_then(|number: usize| folders.get(number));
    let place = folder.map(|folder| format!("\nit was found in {}", escape(&folder.to_string_lossy())));
    Failure::Refused { words: format!("{words}{}", place.unwrap_or_default()), field }
}

/// What could not be read, and what the caller should know, on stderr even with `--quiet`.
fn report(findings: &Findings) {
    for Unreadable { path, reason } in &findings.unreadable {
        output::talk(&format!("cannot read {}: {}", escape(&path.to_string_lossy()), escape(reason)));
    }
    for note in &findings.notes {
        output::talk(&format!("note: {note}"));
    }
}

/// Bytes for people.
fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

fn plural(count: u64, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

fn summary(prepared: &Prepared, sent: &Uploaded, response: &PushResponse, started: Instant, progress: Progress) {
    progress.say(&format!(
        "{} ({} failed, {} changed) at {} in {:.1} s",
        plural(response.builds, "build"),
        response.failed,
        response.changed,
        response.commit,
        started.elapsed().as_secs_f64()
    ));
    for warning in &response.warnings {
        output::talk(&format!("warning: {}", escape(warning)));
    }
    let known = prepared.blobs.len() as u64 - sent.blobs;
    progress.say(&format!(
        "{} sent ({}, {} before compression), {known} known already",
        plural(sent.blobs, "blob"),
        size(sent.sent_bytes),
        size(sent.plain_bytes)
    ));
    for (path, warning) in sent.warned.iter().take(WARNINGS) {
        output::talk(&format!("warning: {}: {}", escape(&path.to_string_lossy()), escape(warning)));
    }
    let more = sent.warned.len().saturating_sub(WARNINGS);
    if more > 0 {
        output::talk(&format!("warning: {} more with warnings of the analyzer", plural(more as u64, "file")));
    }
}

fn dry_summary(prepared: &Prepared, progress: Progress) {
    let builds = &prepared.request.builds;
    let failed = builds.iter().filter(|build| build.status != BuildStatus::Ok).count();
    let bytes: u64 = prepared.blobs.values().map(|blob| blob.size_bytes).sum();
    progress.say(&format!(
        "would push {} ({failed} failed) with {}, {} before compression; nothing was sent",
        plural(builds.len() as u64, "build"),
        plural(prepared.blobs.len() as u64, "blob"),
        size(bytes)
    ));
}

/// Files left out, by reason: nothing is dropped in silence.
fn skipped(findings: &Findings, duplicates: u64, progress: Progress) {
    let total: u64 = findings.skipped.values().sum();
    if total > 0 {
        let reasons: Vec<String> =
            findings.skipped.iter().map(|(reason, count)| format!("{count} {}", escape(reason))).collect();
        progress.say(&format!("{} skipped: {}", plural(total, "file"), reasons.join(", ")));
    }
    if duplicates > 0 {
        progress.say(&format!("{} found twice, with the same bytes", plural(duplicates, "build")));
    }
    if !findings.unreadable.is_empty() {
        progress.say(&format!("{} not read, listed above", findings.unreadable.len()));
    }
}
