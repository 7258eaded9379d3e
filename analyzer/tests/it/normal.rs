//! Normal digests: equal where releases differ only in names, paths and debug information.

use crate::{
    corpus::{File, files},
    counts::report,
};

fn other<'f>(file: &File, from: &str, to: &str) -> Option<&'f File> {
    let path = format!("{to}{}", file.path.strip_prefix(from)?);
    files().iter().find(|file| file.path == path)
}

/// Pairs whose digests are equal, and pairs in all.
fn equal(extension: &str, from: &str, to: &str) -> (usize, usize) {
    let mut counts = (0, 0);
    for file in files().iter().filter(|file| file.extension() == extension) {
        if let Some(other) = other(file, from, to) {
            let same = report(file).normal_digest == report(other).normal_digest;
            counts = (counts.0 + usize::from(same), counts.1 + 1);
            if !same {
                eprintln!("{} differs", file.path);
            }
        }
    }
    counts
}

#[test]
fn a_patch_release_changes_no_meaning() {
    for extension in ["ptx", "sass", "amdgcn"] {
        let (same, all) = equal(extension, "3.5.0/", "3.5.1/");
        assert!(all > 5);
        assert_eq!(same, all, "{extension}");
    }
}

#[test]
fn a_feature_release_does() {
    let (same, all) = equal("ptx", "3.5.1/", "3.7.1/");
    assert!(same < all);
}
