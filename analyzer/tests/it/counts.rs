//! Instruction counts equal those of the independent oracle, for every text artifact of the corpus.

use std::collections::BTreeMap;

use lowerline_analyzer::{Limits, analyze};
use lowerline_shared::{report::Report, stage::Stage};
use serde_json::Value;

use crate::corpus::{File, files};

fn counts(value: &Value) -> BTreeMap<String, u64> {
    value.as_object().unwrap().iter().map(|(name, count)| (name.clone(), count.as_u64().unwrap())).collect()
}

fn full(report: &Report) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for (opcode, count) in report.functions.iter().flat_map(|function| &function.opcodes) {
        *sums.entry(opcode.clone()).or_default() += count;
    }
    sums
}

fn base(full: &BTreeMap<String, u64>, cut: impl Fn(&str) -> String) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for (opcode, count) in full {
        *sums.entry(cut(opcode)).or_default() += count;
    }
    sums
}

fn check(extension: &str, key: &str, stage: Stage, cut: impl Fn(&str) -> String) -> usize {
    let mut seen = 0;
    for file in files().iter().filter(|file| file.extension() == extension) {
        let report = report(file);
        let expected = &file.expected().unwrap()[key];
        assert_eq!(report.stage, stage, "{}", file.path);
        let instructions: u64 = report.functions.iter().map(|function| function.instructions).sum();
        let full = full(&report);
        assert_eq!(full, counts(&expected["full"]), "{}", file.path);
        assert_eq!(Some(instructions), expected["instructions"].as_u64(), "{}", file.path);
        assert_eq!(base(&full, &cut), counts(&expected["base"]), "{}", file.path);
        assert!(report.unknown.is_empty(), "{}: {:?}", file.path, report.unknown);
        let families: u64 = report.functions.iter().flat_map(|function| function.families.values()).sum();
        assert_eq!(families, instructions, "{}", file.path);
        seen += 1;
    }
    seen
}

pub fn report(file: &File) -> Report {
    analyze(&file.bytes, &Limits::default()).unwrap_or_else(|error| panic!("{}: {error}", file.path))
}

fn before_dot(opcode: &str) -> String {
    opcode.split('.').next().unwrap_or_default().to_owned()
}

#[test]
fn every_ptx_file_has_the_oracles_counts() {
    assert_eq!(check("ptx", "ptx", Stage::Ptx, before_dot), 171);
}

#[test]
fn every_sass_file_has_the_oracles_counts_and_functions() {
    assert_eq!(check("sass", "sass", Stage::Sass, before_dot), 171);
    for file in files().iter().filter(|file| file.extension() == "sass") {
        let report = report(file);
        let functions: BTreeMap<String, u64> =
            report.functions.iter().map(|function| (function.name.clone(), function.instructions)).collect();
        assert_eq!(functions, counts(&file.expected().unwrap()["sass"]["functions"]), "{}", file.path);
        assert_eq!(report.functions.iter().filter(|function| function.kernel).count(), 1, "{}", file.path);
    }
}

#[test]
fn every_amdgcn_file_has_the_oracles_counts() {
    let cut = |opcode: &str| {
        let suffix = ["_e32", "_e64", "_dpp", "_sdwa"].into_iter().find_map(|suffix| opcode.strip_suffix(suffix));
        suffix.unwrap_or(opcode).to_owned()
    };
    assert_eq!(check("amdgcn", "amdgcn", Stage::Amdgcn, cut), 83);
}
