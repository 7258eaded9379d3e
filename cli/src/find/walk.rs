//! The walk over folders: iterative, in order of name, without following links.

use std::{
    collections::{BTreeMap, HashSet},
    fs,
    path::{Path, PathBuf},
};

use lowerline_analyzer::find::{Folder, Reader, Unopened};

use super::Findings;

/// Regular files with their sizes, and what is never opened.
type Listed = (BTreeMap<String, u64>, BTreeMap<String, Unopened>);

/// Folders still to be looked into, the next one last.
pub struct Walk {
    stack: Vec<PathBuf>,
    /// Real paths of what was given: the same folder named twice is walked once.
    seen: HashSet<PathBuf>,
}

impl Walk {
    /// A walk from these paths. A given path may be a link; nothing below it may.
    pub fn new(paths: &[PathBuf]) -> Self {
        Self { stack: paths.iter().rev().cloned().collect(), seen: HashSet::new() }
    }

    /// The next folder that holds files; `None` at the end.
    pub fn next<'a>(&mut self, reader: &'a Reader<'a>, findings: &mut Findings) -> Option<Folder<'a>> {
        while let Some(path) = self.stack.pop() {
            // Overlapping arguments (`cache cache/X`) must not make one build twice.
            let real = match fs::canonicalize(&path) {
                Ok(real) => real,
                Err(error) => {
                    findings.fail(&path, error.to_string());
                    continue;
                }
            };
            if !self.seen.insert(real) {
                continue;
            }
            let (files, unopened) = self.list(&path, findings);
            if !files.is_empty() || !unopened.is_empty() {
                return Some(Folder { path, files, unopened, reader });
            }
        }
        None
    }

    fn list(&mut self, path: &Path, findings: &mut Findings) -> Listed {
        let (mut files, mut unopened) = (BTreeMap::new(), BTreeMap::new());
        let mut below = Vec::new();
        let entries = match fs::read_dir(path) {
            Ok(entries) => entries,
            Err(error) => {
                findings.fail(path, error.to_string());
                return (files, unopened);
            }
        };
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    findings.fail(path, error.to_string());
                    break;
                }
            };
            // Of the entry itself, not of what a link points to.
            let meta = match entry.metadata() {
                Ok(meta) => meta,
                Err(error) => {
                    findings.fail(&entry.path(), error.to_string());
                    continue;
                }
            };
            let kind = meta.file_type();
            if kind.is_dir() {
                below.push(entry.path());
                continue;
            }
            let Ok(name) = entry.file_name().into_string() else {
                findings.skip("names that are not UTF-8");
                continue;
            };
            if kind.is_file() {
                files.insert(name, meta.len());
            } else {
                unopened.insert(name, if kind.is_symlink() { Unopened::Link } else { Unopened::Special });
            }
        }
        below.sort_unstable_by(|a, b| b.cmp(a));
        self.stack.append(&mut below);
        (files, unopened)
    }
}
