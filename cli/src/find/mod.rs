//! Folders to builds: what is below some paths, in either form, and what was left out and why.
//!
//! Nothing here follows a symbolic link below a given path: a link in a cache somebody else wrote could name any file of
//! this machine. What makes a build of a folder's files is [`lowerline_analyzer::find`]; here is the [`walk`].

mod walk;

use std::path::{Path, PathBuf};

use lowerline_analyzer::find::Unopened;
pub use lowerline_analyzer::find::{ArtifactFile, Findings, Found, Unreadable, tell_apart};

/// Searches all paths. Folders that cannot be read are listed, not fatal.
pub fn search(paths: &[PathBuf]) -> Findings {
    let mut findings = Findings::default();
    let mut walk = walk::Walk::new(paths);
    let reader = |path: &Path| std::fs::read(path).map_err(|error| error.to_string());
    while let Some(folder) = walk.next(&reader, &mut findings) {
        for kind in folder.unopened.values() {
            findings.skip(match kind {
                Unopened::Link => "symbolic links",
                Unopened::Special => "pipes, sockets and devices",
            });
        }
        lowerline_analyzer::find::read(&folder, &mut findings);
    }
    findings
}
