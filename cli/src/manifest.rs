//! Builds to one manifest: digests of every artifact, the toolchain they share, and where each blob's bytes are.

use std::{
    collections::{BTreeMap, HashMap},
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use lowerline_analyzer::detect::{detect, same_format};
use lowerline_shared::{
    api::{ArtifactRef, BuildStatus, CommitMeta, PushRequest, Toolchain},
    ids::Digest,
    limits,
    stage::Stage,
};
use sha2::Digest as _;

use crate::{
    find::{self, Findings, Found, Unreadable},
    progress::Progress,
};

/// Where the bytes of one blob are.
#[derive(Clone, Debug)]
pub struct BlobFile {
    /// One file that has them.
    pub path: PathBuf,
    /// How many.
    pub size_bytes: u64,
}

/// Everything a push sends.
pub struct Prepared {
    /// The manifest.
    pub request: PushRequest,
    /// The folder of each build, in the order of the manifest.
    pub folders: Vec<PathBuf>,
    /// Every distinct blob of it.
    pub blobs: BTreeMap<Digest, BlobFile>,
    /// Builds that were there twice.
    pub duplicates: u64,
}

/// Bytes at the front of a file that tell what it is: debug comments and layout aliases stand before what decides.
const HEAD_BYTES: u64 = 64 * 1024;

/// Digest, length and first bytes of a file, read in small pieces: memory does not grow with the file.
fn digest(path: &Path) -> Result<(Digest, u64, Vec<u8>), String> {
    let words = |error: io::Error| error.to_string();
    let mut file = File::open(path).map_err(words)?;
    let mut head = Vec::new();
    (&mut file).take(HEAD_BYTES).read_to_end(&mut head).map_err(words)?;
    let mut hasher = sha2::Sha256::new();
    hasher.update(&head);
    // One byte more than allowed tells a file that is too large from one that just fits.
    let rest = io::copy(&mut file.take(limits::INFLATED_BYTES + 1), &mut Hashing(&mut hasher)).map_err(words)?;
    let size = head.len() as u64 + rest;
    if size > limits::INFLATED_BYTES {
        return Err(format!("larger than {} MiB, more than a server takes", limits::INFLATED_BYTES >> 20));
    }
    if size == 0 {
        return Err("empty: the compiler was cut off before it wrote it".to_owned());
    }
    Ok((Digest(hasher.finalize().into()), size, head))
}

/// Refuses a file that is surely something else than its name says; the server would refuse the whole push for it.
fn check(stage: Stage, head: &[u8]) -> Result<(), String> {
    match detect(head) {
        Ok(found) if !same_format(stage, found) => {
            Err(format!("its name says {}, its content is {}", stage.label(), found.label()))
        }
        // What no stage is recognised in is kept as it is, and shown as such.
        Ok(_) | Err(_) => Ok(()),
    }
}

/// A hasher as a writer.
struct Hashing<'a>(&'a mut sha2::Sha256);

impl io::Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Does `work` for `0..count` on as many threads as there are cores (or `threads`), results in order.
pub fn in_parallel<T: Send>(count: usize, threads: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::with_capacity(count));
    thread::scope(|scope| {
        for _ in 0..threads.clamp(1, count.max(1)) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count {
                        break;
                    }
                    let result = work(index);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Hashes every artifact and fills the builds; files that cannot be read are listed and left out.
fn hash(findings: &mut Findings, progress: Progress) -> BTreeMap<Digest, BlobFile> {
    let places: Vec<(usize, usize)> = findings
        .builds
        .iter()
        .enumerate()
        .flat_map(|(build, found)| (0..found.files.len()).map(move |file| (build, file)))
        .collect();
    let bar = progress.bar("hashing", places.len() as u64);
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let builds = &findings.builds;
    let digests = in_parallel(places.len(), cores, |index| {
        let file = places.get(index).and_then(|(build, file)| builds.get(*build)?.files.get(*file))?;
        bar.inc(1);
        let result =
            digest(&file.path).and_then(|(digest, size, head)| check(file.stage, &head).map(|()| (digest, size)));
        Some((file.clone(), result))
    });
    bar.finish_and_clear();
    let mut blobs = BTreeMap::new();
    for ((build, _), result) in places.iter().zip(digests) {
        let (Some(found), Some((file, result))) = (findings.builds.get_mut(*build), result) else { continue };
        match result {
            Ok((digest, size_bytes)) => {
                found.build.artifacts.push(ArtifactRef { stage: file.stage, form: file.form.to_owned(), digest });
                blobs.entry(digest).or_insert(BlobFile { path: file.path, size_bytes });
            }
            Err(reason) => findings.unreadable.push(Unreadable { path: file.path, reason }),
        }
    }
    blobs
}

/// Tools that every build names with one version, and removes them from the builds.
fn shared_toolchain(builds: &mut [Found]) -> Toolchain {
    let mut counts: HashMap<(String, String), usize> = HashMap::new();
    for tool in builds.iter().flat_map(|found| &found.build.toolchain) {
        *counts.entry((tool.0.clone(), tool.1.clone())).or_default() += 1;
    }
    let shared: Toolchain =
        counts.into_iter().filter(|(_, count)| *count == builds.len()).map(|(tool, _)| tool).collect();
    for found in builds {
        found.build.toolchain.retain(|tool, _| !shared.contains_key(tool));
    }
    shared
}

/// Makes the manifest. What could not be part of it is added to the findings.
pub fn prepare(findings: &mut Findings, commit: CommitMeta, progress: Progress) -> Prepared {
    let mut blobs = hash(findings, progress);
    findings.builds.retain(|found| !found.build.artifacts.is_empty() || found.build.status != BuildStatus::Ok);
    let outcome = find::tell_apart(&mut findings.builds);
    findings.notes.extend(outcome.notes);
    for found in outcome.conflicts {
        findings.unreadable.push(Unreadable {
            path: found.folder,
            reason: format!(
                "another folder holds {} for {} under the label {} with other bytes",
                found.build.kernel, found.build.target, found.build.config.label
            ),
        });
    }
    let toolchain = shared_toolchain(&mut findings.builds);
    // The order of folders is that of hashes in a cache; a manifest reads better by name, and is one for one content.
    findings.builds.sort_by(|a, b| {
        let (a, b) = (&a.build, &b.build);
        (&a.kernel, &a.target, &a.config.label).cmp(&(&b.kernel, &b.target, &b.config.label))
    });
    let (builds, folders): (Vec<_>, Vec<_>) =
        std::mem::take(&mut findings.builds).into_iter().map(|found| (found.build, found.folder)).unzip();
    let used: std::collections::BTreeSet<Digest> =
        builds.iter().flat_map(|build| build.artifacts.iter().map(|artifact| artifact.digest)).collect();
    blobs.retain(|digest, _| used.contains(digest));
    Prepared { request: PushRequest { commit, toolchain, builds }, folders, blobs, duplicates: outcome.duplicates }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_from_any_number_of_threads() {
        for threads in [1, 3, 64] {
            assert_eq!(in_parallel(100, threads, |n| n * 2), (0..100).map(|n| n * 2).collect::<Vec<_>>());
        }
        assert!(in_parallel(0, 4, |n| n).is_empty());
    }
}
