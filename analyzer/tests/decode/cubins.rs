//! Every cubin of the corpus against the text `nvdisasm` made of it.

use std::collections::BTreeMap;

use lowerline_analyzer::{Limits, analyze, decode::tables};
use lowerline_shared::report::Report;

use crate::corpus::{File, files};

fn report(file: &File) -> Report {
    analyze(&file.bytes, &Limits::default()).unwrap_or_else(|error| panic!("{}: {error}", file.path))
}

fn opcodes(report: &Report) -> BTreeMap<&str, u64> {
    let mut sums = BTreeMap::new();
    for (name, count) in report.functions.iter().flat_map(|function| &function.opcodes) {
        *sums.entry(name.as_str()).or_default() += count;
    }
    sums
}

/// Counts by the first part of the mnemonic.
fn bases(report: &Report) -> BTreeMap<&str, u64> {
    let mut sums = BTreeMap::new();
    for (name, count) in opcodes(report) {
        *sums.entry(name.split('.').next().unwrap()).or_default() += count;
    }
    sums
}

/// Whether the tables cover the architecture in the path.
fn covered(file: &File) -> bool {
    tables().is_some_and(|tables| tables.known().any(|sm| file.path.contains(&format!("/sm_{sm}"))))
}

/// Cubin and text of one build, where the tables cover the architecture.
pub fn both() -> impl Iterator<Item = (&'static File, &'static File)> {
    let texts: BTreeMap<&str, &File> = files()
        .iter()
        .filter(|file| file.extension() == "sass")
        .map(|file| (file.path.strip_suffix(".sass").unwrap(), file))
        .collect();
    let cubins = files().iter().filter(|file| file.extension() == "cubin" && covered(file));
    cubins.filter_map(move |cubin| Some((cubin, *texts.get(cubin.path.strip_suffix(".cubin")?)?)))
}

#[test]
fn histograms_equal_those_of_the_text() {
    let mut seen = 0;
    for (cubin, text) in both() {
        let (decoded, written) = (report(cubin), report(text));
        assert_eq!(decoded.source.as_deref(), Some("decoded"));
        assert_eq!(bases(&decoded), bases(&written), "{}", cubin.path);
        let (ours, theirs) = (opcodes(&decoded), opcodes(&written));
        for (name, count) in ours.iter().filter(|(name, _)| !name.ends_with('?')) {
            assert!(theirs.get(name).is_some_and(|printed| printed >= count), "{}: {name}", cubin.path);
        }
        seen += 1;
    }
    assert!(seen > 120, "{seen} cubins");
}

#[test]
fn families_and_scopes_equal_those_of_the_text() {
    for (cubin, text) in both() {
        let (decoded, written) = (report(cubin), report(text));
        let view = |report: &Report| {
            let mut functions: Vec<_> = report
                .functions
                .iter()
                .map(|f| (f.name.clone(), f.kernel, f.instructions, f.families_by_scope.clone(), f.loops.len()))
                .collect();
            functions.sort_by(|a, b| (&a.0, a.2).cmp(&(&b.0, b.2)));
            functions
        };
        assert_eq!(view(&decoded), view(&written), "{}", cubin.path);
    }
}

#[test]
fn every_word_of_the_corpus_is_named_whole() {
    for (cubin, _) in both() {
        for name in opcodes(&report(cubin)).keys() {
            assert!(!name.starts_with("unknown"), "{}: {name}", cubin.path);
            assert!(!name.ends_with('?'), "{}: {name}", cubin.path);
        }
    }
}
