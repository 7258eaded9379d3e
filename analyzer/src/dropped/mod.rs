//! Files somebody dropped, without a server: builds as a push would make them, and what is no part of a described build
//! by its content alone.

mod depth;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use lowerline_shared::{
    api::{ArtifactRef, BuildComparison, BuildManifest, BuildStatus, KernelSummary, StateBuild},
    ids::{self, Digest},
    limits,
    report::{Report, Resources},
    stage::{Scope, Stage},
    worker::{Found, FoundBuild},
};
use sha2::{Digest as _, Sha256};

use crate::{
    AnalyzeError, Limits, analyze, analyze_as,
    find::{self, Findings, Folder, Reader},
    side_by_side::{self, Counted},
};

/// Everything known of the files.
#[derive(Debug, Default)]
pub struct Dropped {
    /// What the page is told.
    pub found: Found,
    /// As a push sends them, in the order of `found.builds`; `None` for builds that nothing describes.
    pub manifests: Vec<Option<BuildManifest>>,
    counted: Vec<Option<Counted>>,
    /// One file of each digest.
    places: BTreeMap<Digest, PathBuf>,
}

/// One build before it is put in order.
struct Build {
    found: FoundBuild,
    manifest: Option<BuildManifest>,
    counted: Option<Counted>,
}

/// The outermost folder of a path, or the file itself.
fn root(path: &Path) -> String {
    path.iter().find_map(|part| part.to_str()).unwrap_or_default().to_owned()
}

fn stem(path: &Path) -> &str {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

/// Reads files once and remembers what was found in them.
struct Shelf<'a> {
    reader: &'a Reader<'a>,
    limits: Limits,
    places: BTreeMap<Digest, PathBuf>,
    left_out: Vec<(String, String)>,
    kinds: BTreeMap<String, u64>,
    done: u64,
    total: u64,
    progress: &'a mut dyn FnMut(u64, u64),
}

/// An artifact that was read; `report` says why it could not be analyzed when it could not.
struct Read {
    artifact: ArtifactRef,
    report: Result<Report, AnalyzeError>,
}

impl Shelf<'_> {
    fn leave_out(&mut self, path: &Path, why: impl Into<String>) {
        *self.kinds.entry("left out".to_owned()).or_default() += 1;
        self.left_out.push((path.display().to_string(), why.into()));
    }

    /// The bytes of a file that can be an artifact.
    fn bytes(&mut self, path: &Path, size: u64) -> Option<Vec<u8>> {
        self.done += 1;
        (self.progress)(self.done, self.total);
        if size > limits::INFLATED_BYTES {
            self.leave_out(path, format!("larger than {} MiB", limits::INFLATED_BYTES >> 20));
            return None;
        }
        match (self.reader)(path) {
            Ok(bytes) if bytes.is_empty() => {
                self.leave_out(path, "empty");
                None
            }
            Ok(bytes) => Some(bytes),
            Err(why) => {
                self.leave_out(path, why);
                None
            }
        }
    }

    fn keep(&mut self, path: &Path, stage: Stage, form: &str, bytes: &[u8]) -> ArtifactRef {
        let digest = Digest(Sha256::digest(bytes).into());
        *self.kinds.entry(stage.id().to_owned()).or_default() += 1;
        self.places.entry(digest).or_insert_with(|| path.to_owned());
        ArtifactRef { stage, form: form.to_owned(), digest }
    }

    /// An artifact whose name says what it is. Content that is surely another stage leaves it out.
    fn described(&mut self, path: &Path, size: u64, stage: Stage, form: &str) -> Option<Read> {
        let bytes = self.bytes(path, size)?;
        let report = analyze_as(&bytes, stage, &self.limits);
        if let Err(AnalyzeError::WrongStage { found, .. }) = &report {
            let why = format!("its name says {}, its content is {}", stage.label(), found.label());
            self.leave_out(path, why);
            return None;
        }
        Some(Read { artifact: self.keep(path, stage, form, &bytes), report })
    }

    /// A file that only its content describes. Between the MLIR stages its name decides.
    fn loose(&mut self, path: &Path, size: u64) -> Option<Read> {
        let bytes = self.bytes(path, size)?;
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let named = name.split_once('.').and_then(|(_, ending)| find::artifact_name(ending));
        let by_name = named.and_then(|(stage, form)| Some((analyze_as(&bytes, stage, &self.limits).ok()?, form)));
        match by_name.map_or_else(|| analyze(&bytes, &self.limits).map(|report| (report, "")), Ok) {
            Ok((report, form)) => {
                Some(Read { artifact: self.keep(path, report.stage, form, &bytes), report: Ok(report) })
            }
            Err(why) => {
                self.leave_out(path, why.to_string());
                None
            }
        }
    }
}

/// Analyzes files by path and size. Folders in paths are separated by `/`.
pub fn find(files: &[(String, u64)], reader: &Reader<'_>, progress: &mut dyn FnMut(u64, u64)) -> Dropped {
    let mut folders: BTreeMap<PathBuf, BTreeMap<String, u64>> = BTreeMap::new();
    for (path, size) in files {
        let path = Path::new(path);
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        folders.entry(path.parent().unwrap_or(Path::new("")).to_owned()).or_default().insert(name.to_owned(), *size);
    }
    let mut findings = Findings::default();
    for (path, files) in &folders {
        find::read(
            &Folder { path: path.clone(), files: files.clone(), unopened: BTreeMap::new(), reader },
            &mut findings,
        );
    }
    let mut shelf = Shelf {
        reader,
        limits: Limits::default(),
        places: BTreeMap::new(),
        left_out: Vec::new(),
        kinds: BTreeMap::new(),
        done: 0,
        total: files.len() as u64,
        progress,
    };
    let taken = descriptions(&folders, &findings, &mut shelf);
    let mut found =
        Found { files: files.len() as u64, bytes: files.iter().map(|(_, size)| size).sum(), ..Found::default() };
    let mut builds = described(findings, &mut shelf, &mut found);
    let loose_files =
        folders.iter().flat_map(|(folder, files)| files.iter().map(move |(name, size)| (folder.join(name), *size)));
    builds.extend(loose(loose_files.filter(|(path, _)| !taken.contains(path)), &mut shelf));
    builds.sort_by(|a, b| {
        let key = |build: &Build| {
            let found = &build.found;
            (found.kernel.clone(), found.target.clone(), found.config.clone(), found.root.clone())
        };
        key(a).cmp(&key(b))
    });
    found.left_out = shelf.left_out;
    found.kinds = shelf.kinds;
    let mut dropped = Dropped { places: shelf.places, ..Dropped::default() };
    for build in builds {
        found.builds.push(build.found);
        dropped.manifests.push(build.manifest);
        dropped.counted.push(build.counted);
    }
    dropped.found = found;
    dropped
}

/// Paths that a described build holds: its artifacts, and the metadata beside them. What could not be read of them is
/// listed.
fn descriptions(
    folders: &BTreeMap<PathBuf, BTreeMap<String, u64>>,
    findings: &Findings,
    shelf: &mut Shelf<'_>,
) -> BTreeSet<PathBuf> {
    let mut taken = BTreeSet::new();
    for build in &findings.builds {
        taken.extend(build.files.iter().map(|file| file.path.clone()));
        let stems: BTreeSet<&str> = build.files.iter().map(|file| stem(&file.path)).collect();
        let of_build = |name: &str| {
            let stem = name.strip_suffix(".json").map(|stem| stem.strip_prefix("__grp__").unwrap_or(stem));
            stem.is_some_and(|stem| matches!(stem, "build" | "metrics") || stems.contains(stem))
        };
        for name in folders.get(&build.folder).into_iter().flat_map(BTreeMap::keys).filter(|name| of_build(name)) {
            if taken.insert(build.folder.join(name)) {
                *shelf.kinds.entry("description".to_owned()).or_default() += 1;
                shelf.done += 1;
            }
        }
    }
    for unreadable in &findings.unreadable {
        shelf.left_out.push((unreadable.path.display().to_string(), unreadable.reason.clone()));
        taken.extend(Some(unreadable.path.clone()).filter(|path| path.extension().is_some_and(|kind| kind == "json")));
    }
    taken
}

/// Builds that a description names. Labels are told apart among what was dropped together: the same build in two folders is
/// a pair to compare.
fn described(findings: Findings, shelf: &mut Shelf<'_>, found: &mut Found) -> Vec<Build> {
    let mut reports: BTreeMap<(Digest, Stage), Result<Report, AnalyzeError>> = BTreeMap::new();
    let mut by_root: BTreeMap<String, Vec<find::Found>> = BTreeMap::new();
    for mut build in findings.builds {
        for file in &build.files {
            let Some(read) = shelf.described(&file.path, file.size_bytes, file.stage, file.form) else { continue };
            reports.insert((read.artifact.digest, read.artifact.stage), read.report);
            build.build.artifacts.push(read.artifact);
        }
        if !build.build.artifacts.is_empty() || build.build.status != BuildStatus::Ok {
            by_root.entry(root(&build.folder)).or_default().push(build);
        }
    }
    let mut out = Vec::new();
    for (root, mut builds) in by_root {
        let outcome = find::tell_apart(&mut builds);
        found.duplicates += outcome.duplicates;
        found.notes.extend(outcome.notes);
        for conflict in outcome.conflicts {
            let why = format!("another folder holds a build of the same name ({})", conflict.build.config.label);
            shelf.left_out.push((conflict.folder.display().to_string(), why));
        }
        for find::Found { build, .. } in builds {
            let report = |artifact: &ArtifactRef| reports.get(&(artifact.digest, artifact.stage));
            let parts: Vec<(&ArtifactRef, &Result<Report, AnalyzeError>)> =
                build.artifacts.iter().filter_map(|artifact| Some((artifact, report(artifact)?))).collect();
            out.push(
                Build {
                    found: FoundBuild {
                        kernel: build.kernel.to_string(),
                        target: build.target.to_string(),
                        config: build.config.label.to_string(),
                        root: root.clone(),
                        artifacts: build.artifacts.clone(),
                        failed: (build.status != BuildStatus::Ok).then(|| build.message.clone().unwrap_or_default()),
                        instructions: None,
                        warnings: Vec::new(),
                    },
                    counted: (build.status == BuildStatus::Ok).then(|| count(&parts, &build.resources)),
                    manifest: Some(build.clone()),
                }
                .told(&parts),
            );
        }
    }
    out
}

fn count(parts: &[(&ArtifactRef, &Result<Report, AnalyzeError>)], pushed: &Resources) -> Counted {
    let read = parts
        .iter()
        .filter_map(|(artifact, report)| Some((artifact.stage, artifact.form.as_str(), report.as_ref().ok()?)));
    side_by_side::count(&read.collect::<Vec<_>>(), pushed)
}

impl Build {
    /// With what its reports say beside counts.
    fn told(mut self, parts: &[(&ArtifactRef, &Result<Report, AnalyzeError>)]) -> Self {
        self.found.instructions = self.counted.as_ref().and_then(Counted::instructions);
        for (artifact, report) in parts {
            let label = artifact.stage.label();
            match report {
                Ok(report) => {
                    self.found.warnings.extend(report.warnings.iter().map(|warning| format!("{label}: {warning}")));
                }
                Err(why) => self.found.warnings.push(format!("{label}: {why}")),
            }
        }
        self
    }
}

/// Files that nothing describes: those of one folder and one stem are stages of one build, as long as no stage is there
/// twice.
fn loose(files: impl Iterator<Item = (PathBuf, u64)>, shelf: &mut Shelf<'_>) -> Vec<Build> {
    let mut groups: Vec<(PathBuf, Vec<Read>)> = Vec::new();
    for (path, size) in files {
        let Some(read) = shelf.loose(&path, size) else { continue };
        let same = |(other, reads): &&mut (PathBuf, Vec<Read>)| {
            let holds =
                |held: &Read| (held.artifact.stage, &held.artifact.form) == (read.artifact.stage, &read.artifact.form);
            other.parent() == path.parent() && stem(other) == stem(&path) && !reads.iter().any(holds)
        };
        match groups.iter_mut().rfind(|group| same(group)) {
            Some((_, reads)) => reads.push(read),
            None => groups.push((path, vec![read])),
        }
    }
    groups.into_iter().map(|(path, reads)| loose_build(&path, &reads)).collect()
}

fn loose_build(path: &Path, reads: &[Read]) -> Build {
    let mut parts: Vec<(&ArtifactRef, &Result<Report, AnalyzeError>)> =
        reads.iter().map(|read| (&read.artifact, &read.report)).collect();
    parts.sort_by_key(|(artifact, _)| (artifact.stage, artifact.form.clone()));
    let reports = || parts.iter().filter_map(|(_, report)| report.as_ref().ok());
    let kernel =
        reports().flat_map(|report| &report.functions).find(|function| function.kernel && !function.name.is_empty());
    let target = reports().find_map(|report| report.target.clone());
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let config = if reads.len() > 1 { stem(path) } else { name };
    let folder = path.parent().map(|folder| folder.display().to_string()).filter(|folder| !folder.is_empty());
    Build {
        found: FoundBuild {
            kernel: kernel.map_or_else(|| stem(path).to_owned(), |function| function.name.clone()),
            target: target.unwrap_or_default(),
            config: folder.map_or_else(|| config.to_owned(), |folder| format!("{folder}/{config}")),
            root: root(path),
            artifacts: parts.iter().map(|(artifact, _)| (*artifact).clone()).collect(),
            failed: None,
            instructions: None,
            warnings: Vec::new(),
        },
        manifest: None,
        counted: Some(count(&parts, &Resources::new())),
    }
    .told(&parts)
}

impl Dropped {
    /// The file that holds a blob.
    pub fn place(&self, digest: &Digest) -> Option<&Path> {
        self.places.get(digest).map(PathBuf::as_path)
    }

    /// Some of the builds side by side, as one comparison; `None` when one of the places names no build. Their artifacts are
    /// read again.
    pub fn compare(&self, builds: &[u32], scope: Scope, reader: &Reader<'_>) -> Option<BuildComparison> {
        let places = || builds.iter().map(|place| *place as usize);
        let chosen: Vec<&FoundBuild> = places().map(|place| self.found.builds.get(place)).collect::<Option<_>>()?;
        let counted: Vec<Option<&Counted>> =
            places().map(|place| self.counted.get(place).map(Option::as_ref)).collect::<Option<_>>()?;
        let first = *chosen.first()?;
        let state = |(place, build): (usize, &&FoundBuild)| match &build.failed {
            Some(message) => StateBuild::Failed { status: BuildStatus::Error, message: message.clone() },
            None => StateBuild::Built {
                toolchain: self.manifest(place).map(|manifest| manifest.toolchain.clone()).unwrap_or_default(),
                artifacts: build.artifacts.clone(),
                config: build.config.clone(),
                reconstruction: self.manifest(place).and_then(|manifest| manifest.config.reconstruction.clone()),
                metrics: self.manifest(place).map(|manifest| manifest.metrics.clone()).unwrap_or_default(),
            },
        };
        let manifests: Vec<Option<&BuildManifest>> = places().map(|place| self.manifest(place)).collect();
        Some(BuildComparison {
            kernel: KernelSummary {
                // Names of files may be longer than a kernel's name or hold what none holds.
                name: first.kernel.parse().or_else(|_| ids::shown(&first.kernel).parse()).ok()?,
                key: first.kernel.clone(),
                targets: Vec::new(),
                configs: Vec::new(),
            },
            target: first.target.parse().or_else(|_| "unknown".parse()).ok()?,
            config: first.config.clone(),
            states: places().zip(&chosen).map(state).collect(),
            levels: side_by_side::levels(&counted, scope),
            resources: side_by_side::resources(&counted),
            decisions: side_by_side::decisions(&counted),
            changed: true,
            weight: 0,
            depth: Some(Box::new(depth::depth(&chosen, &manifests, &|digest| reader(self.place(digest)?).ok()))),
        })
    }

    fn manifest(&self, place: usize) -> Option<&BuildManifest> {
        self.manifests.get(place)?.as_ref()
    }
}
