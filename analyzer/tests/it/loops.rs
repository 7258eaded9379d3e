//! Loops equal those that LLVM wrote into the comments of its own output.

use std::collections::BTreeMap;

use crate::{corpus::files, counts::report};

/// Header label → depth, from `// =>This Inner Loop Header: Depth=1` behind a label and the lines below it.
fn annotated(text: &str, comment: &str) -> BTreeMap<String, u32> {
    let mut found = BTreeMap::new();
    let mut label = String::new();
    for line in text.lines() {
        let (code, note) = line.split_once(comment).unwrap_or((line, ""));
        if let Some(name) = code.trim().strip_suffix(':') {
            name.clone_into(&mut label);
        } else if !code.trim().is_empty() {
            label.clear();
        }
        if note.contains("Loop Header")
            && note.contains("=>")
            && let Some((_, depth)) = note.split_once("Depth=")
            && !label.is_empty()
        {
            found.insert(label.clone(), depth.trim().parse().unwrap());
        }
    }
    found
}

/// Inline assembly is opaque to LLVM, so loops inside it are ours alone; they have labels without `L`.
fn compare(extension: &str, comment: &str) -> usize {
    let mut seen = 0;
    for file in files().iter().filter(|file| file.extension() == extension) {
        let text = std::str::from_utf8(&file.bytes).unwrap();
        let report = report(file);
        let ours: BTreeMap<String, u32> = report
            .functions
            .iter()
            .flat_map(|function| &function.loops)
            .filter(|found| found.header.starts_with("$L__BB") || found.header.starts_with(".LBB"))
            .map(|found| (found.header.clone(), found.depth))
            .collect();
        assert_eq!(ours, annotated(text, comment), "{}", file.path);
        assert!(report.warnings.is_empty(), "{}: {:?}", file.path, report.warnings);
        seen += ours.len();
    }
    seen
}

#[test]
fn loops_of_ptx_are_those_llvm_saw() {
    assert_eq!(compare("ptx", "//"), 168);
}

#[test]
fn loops_of_amdgcn_are_those_llvm_saw() {
    assert_eq!(compare("amdgcn", ";"), 58);
}
