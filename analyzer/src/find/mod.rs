//! Files of a folder to builds, in either form: a recorded build (`build.json`) or entries of Triton's cache.
//!
//! No IO of its own: the caller walks and reads, be it on a disk or among files that were dropped on a page. Read on in
//! [`recorded`] (`build.json`), [`cache`] (Triton's own form) and [`unique`].

mod cache;
mod ir;
mod label;
mod metadata;
mod name;
mod recorded;
mod unique;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use lowerline_shared::{api::BuildManifest, limits, stage::Stage};

pub use name::artifact as artifact_name;
pub use unique::{Outcome, tell_apart};

/// One artifact as the folder names it.
#[derive(Clone, Debug)]
pub struct ArtifactFile {
    /// Stage by its name.
    pub stage: Stage,
    /// Text form by its name; `""` is the main one.
    pub form: &'static str,
    /// Where it is.
    pub path: PathBuf,
    /// Size when it was found.
    pub size_bytes: u64,
}

/// One build, its artifacts still without digests.
#[derive(Clone, Debug)]
pub struct Found {
    /// What will be sent; `artifacts` is empty.
    pub build: BuildManifest,
    /// Its artifacts, by stage and form.
    pub files: Vec<ArtifactFile>,
    /// The folder it was found in.
    pub folder: PathBuf,
    /// Set when its label was made from what the files say: scalar constants of its IR, by which to tell it from
    /// another build that got the same label.
    pub derived: Option<BTreeSet<String>>,
}

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Folder or file.
    pub path: PathBuf,
    /// Why, in words.
    pub reason: String,
}

/// Everything below the paths.
#[derive(Debug, Default)]
pub struct Findings {
    /// Builds in the order of their folders.
    pub builds: Vec<Found>,
    /// What could not be read.
    pub unreadable: Vec<Unreadable>,
    /// Files left out on purpose, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// What the caller should know though nothing is wrong.
    pub notes: Vec<String>,
}

impl Findings {
    /// Counts a file left out on purpose.
    pub fn skip(&mut self, reason: impl Into<String>) {
        *self.skipped.entry(reason.into()).or_default() += 1;
    }

    /// Lists what could not be read.
    pub fn fail(&mut self, path: &Path, reason: impl Into<String>) {
        self.unreadable.push(Unreadable { path: path.to_owned(), reason: reason.into() });
    }
}

/// Reads one whole file, or says in words why not.
pub type Reader<'a> = dyn Fn(&Path) -> Result<Vec<u8>, String> + 'a;

/// What is never opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unopened {
    /// It could name any file of this machine.
    Link,
    /// Pipe, socket or device: reading it may never end.
    Special,
}

/// One folder: its regular files by name.
pub struct Folder<'a> {
    /// Where it is. Its last part is the label of a recorded build.
    pub path: PathBuf,
    /// Name → size. Only names that are UTF-8: no compiler writes others.
    pub files: BTreeMap<String, u64>,
    /// Names of links, pipes, sockets and devices, each with what it is.
    pub unopened: BTreeMap<String, Unopened>,
    /// Reads files of it.
    pub reader: &'a Reader<'a>,
}

impl Folder<'_> {
    /// A small JSON file of this folder. The bound keeps a mislabelled dump from filling memory.
    fn json(&self, name: &str) -> Result<serde_json::Value, String> {
        if self.files.get(name).is_some_and(|size| *size > limits::JSON_BYTES) {
            return Err(format!("{name} is larger than {} bytes", limits::JSON_BYTES));
        }
        let bytes = (self.reader)(&self.path.join(name)).map_err(|error| format!("cannot read {name}: {error}"))?;
        serde_json::from_slice(&bytes).map_err(|error| format!("{name} is not valid JSON: {error}"))
    }

    /// The text of an artifact; `None` when it cannot be read or is larger than any kernel.
    fn text(&self, file: &ArtifactFile) -> Option<String> {
        (file.size_bytes <= limits::BLOB_BYTES).then_some(())?;
        (self.reader)(&file.path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Artifacts named `<stem>.<stage>`, in order of stage and form.
    fn artifacts(&self, stem: &str) -> Vec<ArtifactFile> {
        let mut out: Vec<ArtifactFile> = self
            .files
            .iter()
            .filter_map(|(name, size)| {
                let (stage, form) = name::artifact(name.strip_prefix(stem)?.strip_prefix('.')?)?;
                Some(ArtifactFile { stage, form, path: self.path.join(name), size_bytes: *size })
            })
            .collect();
        out.sort_by_key(|file| (file.stage, file.form));
        out
    }

    /// An artifact of a build that is no regular file: name and kind. A build without it would be another build.
    fn unopened_artifact(&self, stem: &str) -> Option<(&str, Unopened)> {
        let is_artifact =
            |name: &str| name.strip_prefix(stem).and_then(|rest| name::artifact(rest.strip_prefix('.')?)).is_some();
        self.unopened.iter().find(|(name, _)| is_artifact(name)).map(|(name, kind)| (name.as_str(), *kind))
    }

    /// Names the artifact that keeps a build from being pushed; `true` when there is one.
    fn refuse_unopened(&self, stem: &str, findings: &mut Findings) -> bool {
        let Some((name, kind)) = self.unopened_artifact(stem) else { return false };
        let kind = match kind {
            Unopened::Link => "a symbolic link",
            Unopened::Special => "a pipe, socket or device",
        };
        let reason = format!("{kind}, which is not opened; its build is left out (put a copy in its place)");
        findings.fail(&self.path.join(name), reason);
        true
    }

    /// Counts what no build took.
    fn skip_rest(&self, taken: impl Fn(&str) -> bool, findings: &mut Findings) {
        for name in self.files.keys().filter(|name| !taken(name)) {
            findings.skip(name::skip_reason(name));
        }
    }
}

/// Adds the builds of one folder to the findings.
pub fn read(folder: &Folder<'_>, findings: &mut Findings) {
    if folder.files.contains_key(recorded::FILE) {
        recorded::read(folder, findings);
    } else {
        cache::read(folder, findings);
    }
}
