//! The committed answers of libtriton, and the TTGIR of the demo data.

use std::{collections::BTreeMap, fs::File, io::Read, path::PathBuf};

use serde::Deserialize;

pub type Bases = BTreeMap<String, Vec<Vec<u32>>>;

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Case {
    Layout { text: String, shape: Vec<u64>, bits: u32, bases: Bases },
    Pair { from: String, to: String, shape: Vec<u64>, bits: u32, bases: Bases, lowered: String },
    Algebra(Box<Algebra>),
    Banks { register: String, shared: String, shape: Vec<u64>, bits: u32, conflicts: u32 },
    Corpus { path: String, line: u32, lowered: String },
    Blocks { blocks: Vec<u32>, splits: Vec<u32>, order: Vec<u32>, bases: Vec<Vec<u32>> },
}

#[derive(Deserialize)]
pub struct Algebra {
    pub x: Map,
    pub y: Map,
    pub z: Map,
    pub surjective: bool,
    pub injective: bool,
    pub composed: Map,
    pub product: Map,
    pub inverse: Option<Map>,
    pub solved: Option<Map>,
}

#[derive(Deserialize)]
pub struct Map {
    pub bases: Vec<(String, Vec<Vec<u32>>)>,
    pub outputs: Vec<(String, u64)>,
}

/// All cases.
pub fn cases() -> Vec<Case> {
    let packed = include_bytes!("../../tables/layouts/cases.jsonl.zst");
    let text = String::from_utf8(zstd::decode_all(packed.as_slice()).unwrap()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Calls `f` with path and text of every TTGIR of the demo data.
pub fn each_ttgir(mut f: impl FnMut(&str, &str)) {
    for version in ["3.2.0", "3.3.1", "3.4.0", "3.5.0", "3.5.1", "3.7.1", "3.9.0"] {
        for (path, text) in texts(version, &["ttgir"]) {
            f(&path, &text);
        }
    }
}

/// Path and text of one release's artifacts with one of some extensions.
pub fn texts(version: &str, extensions: &[&str]) -> BTreeMap<String, String> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../demo/data/{version}.tar.zst"));
    let mut archive = tar::Archive::new(zstd::Decoder::new(File::open(path).unwrap()).unwrap());
    let mut found = BTreeMap::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = entry.path().unwrap().into_owned();
        if path.extension().is_some_and(|extension| extensions.iter().any(|wanted| extension == *wanted)) {
            let mut text = String::new();
            entry.read_to_string(&mut text).unwrap();
            found.insert(path.to_str().unwrap().to_owned(), text);
        }
    }
    found
}
