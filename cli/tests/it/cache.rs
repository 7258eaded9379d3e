//! Triton's own cache form, made from the demo data by taking `build.json` away.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::Value;
use tempfile::TempDir;

use crate::world::{RELEASES, copy, dry_run, release};

/// Text that names its target, so that no two targets share it.
const ASSEMBLY: [&str; 2] = ["ptx", "amdgcn"];

/// The folders of a release as cache entries: 52 characters of a hash, nothing recorded.
fn as_cache(version: &str) -> (TempDir, BTreeMap<String, String>) {
    let cache = tempfile::tempdir().expect("a temporary folder");
    let mut names = BTreeMap::new();
    let mut stack = vec![release(version)];
    let mut number = 0;
    while let Some(folder) = stack.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let entry = entry.expect("an entry");
            if entry.file_type().expect("a type").is_dir() {
                stack.push(entry.path());
            } else if entry.file_name() == "build.json" {
                let recorded: Value = serde_json::from_slice(&fs::read(entry.path()).expect("a file")).expect("JSON");
                if recorded["status"] == "ok" && recorded["injected"].is_null() {
                    number += 1;
                    let name = format!("{number:0>52}");
                    copy(&folder, &cache.path().join(&name));
                    fs::remove_file(cache.path().join(&name).join("build.json")).expect("it was copied");
                    let label = folder.file_name().expect("a name").to_string_lossy().into_owned();
                    let function = recorded["function"].as_str().expect("a name");
                    names
                        .insert(name, format!("{function}/{}/{label}", recorded["target"].as_str().expect("a target")));
                }
            }
        }
    }
    (cache, names)
}

/// Recorded name → label made from the files, one entry at a time.
fn derived(cache: &Path, names: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let run = dry_run(cache);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let mut by_digest: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for build in run.json()["builds"].as_array().expect("builds") {
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        let key = format!("{}/{}", text(&build["kernel"]), text(&build["target"]));
        let assembly = build["artifacts"]
            .as_array()
            .expect("a list")
            .iter()
            .find(|artifact| ASSEMBLY.iter().any(|stage| artifact["stage"] == *stage));
        let digest = text(&assembly.expect("every build has assembly")["digest"]);
        by_digest.entry(digest).or_default().push((key, text(&build["config"]["label"])));
    }
    let mut out = BTreeMap::new();
    for (folder, name) in names {
        let file = fs::read_dir(cache.join(folder))
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .find(|path| path.extension().is_some_and(|ending| ASSEMBLY.iter().any(|stage| ending == *stage)))
            .expect("assembly");
        let digest = sha256(&file);
        let (key, label) = &by_digest[&digest][0];
        let (recorded, _) = name.rsplit_once('/').expect("a label");
        assert_eq!(key, recorded, "function and target are read from the files");
        out.insert(name.clone(), label.clone());
    }
    out
}

/// The digest by coreutils: another program than the one tested.
fn sha256(path: &Path) -> String {
    let output = std::process::Command::new("sha256sum").arg(path).output().expect("coreutils");
    String::from_utf8_lossy(&output.stdout).split_whitespace().next().expect("a digest").to_owned()
}

#[test]
fn labels_are_the_same_in_every_release() {
    let mut labels: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for version in RELEASES {
        let (cache, names) = as_cache(version);
        for (name, label) in derived(cache.path(), &names) {
            labels.entry(name).or_default().insert(version.to_owned(), label);
        }
    }
    for (name, by_release) in &labels {
        let first = by_release.values().next().expect("one");
        assert!(by_release.values().all(|label| label == first), "{name}: {by_release:?}");
    }
    let label = |name: &str| labels[name].values().next().expect("one").as_str();
    assert_eq!(label("matmul_kernel/sm_90a/128x128x64_w8_s3"), "128x128x64_w8_s3_3pf16@16.6i32@16");
    assert_eq!(label("softmax_kernel/gfx942/b2048_w4_s3"), "2048_w4_s3_2pf16@16.3i32@16");
}

#[test]
fn sweeps_of_options_and_attributes_get_distinct_labels() {
    let (cache, names) = as_cache("3.7.1");
    let labels = derived(cache.path(), &names);
    let census = |label: &str| labels[&format!("matmul_census/sm_90a/{label}")].clone();
    let distinct: std::collections::BTreeSet<String> = [
        "128x128x64_w8_s4_d1",
        "128x128x64_w8_s4_d4",
        "128x128x64_w8_s4_d8",
        "128x128x64_w8_s4_d16",
        "128x128x64_w8_s3",
        "256x128x64_w8_s3",
        "64x256x64_w8_s3",
        "128x128x64_w8_s4_both",
    ]
    .map(census)
    .into();
    assert_eq!(distinct.len(), 8, "{distinct:?}");
}

#[test]
fn one_entry_twice_is_one_build() {
    let (cache, _) = as_cache("3.2.0");
    let entry = fs::read_dir(cache.path()).expect("a folder").next().expect("one").expect("an entry").path();
    let pair = tempfile::tempdir().expect("a temporary folder");
    copy(&entry, &pair.path().join("A"));
    copy(&entry, &pair.path().join("B"));
    let run = dry_run(pair.path());
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.json()["builds"].as_array().expect("builds").len(), 1);
    assert!(run.stderr.contains("1 build found twice"), "{}", run.stderr);
}

#[test]
fn a_listed_file_that_is_gone_is_named_and_the_rest_is_pushed() {
    let (cache, _) = as_cache("3.4.0");
    let entry = fs::read_dir(cache.path()).expect("a folder").next().expect("one").expect("an entry").path();
    let llir = fs::read_dir(&entry)
        .expect("a folder")
        .map(|file| file.expect("an entry").path())
        .find(|path| path.extension().is_some_and(|ending| ending == "llir"))
        .expect("LLVM IR");
    fs::remove_file(&llir).expect("it was there");
    let run = dry_run(&entry);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains(llir.file_name().expect("a name").to_str().expect("UTF-8")), "{}", run.stderr);
    assert_eq!(run.json()["builds"].as_array().expect("builds").len(), 1);
}

/// Two entries of one kernel that differ in nothing a label holds: TTIR of a group size of 4 and of 8, say.
fn pair(edit: impl Fn(&str) -> String) -> TempDir {
    let (cache, names) = as_cache("3.4.0");
    let entry = names.iter().find(|(_, name)| name.starts_with("matmul_kernel/sm_80/")).expect("an entry").0;
    let pair = tempfile::tempdir().expect("a temporary folder");
    for name in ["A", "B"] {
        copy(&cache.path().join(entry), &pair.path().join(name));
    }
    let ttir = pair.path().join("B/matmul_kernel.ttir");
    let text = fs::read_to_string(&ttir).expect("a file");
    fs::write(ttir, edit(&text)).expect("a file");
    pair
}

fn labels_of(run: &crate::world::Run) -> Vec<String> {
    let manifest = run.json();
    let builds = manifest["builds"].as_array().expect("builds");
    builds.iter().map(|build| build["config"]["label"].as_str().expect("a label").to_owned()).collect()
}

#[test]
fn configs_that_differ_in_a_constant_are_named_by_it() {
    let pair = pair(|text| {
        assert!(text.contains("arith.constant 8 : i32"), "{text}");
        text.replace("arith.constant 8 : i32", "arith.constant 4 : i32")
    });
    let run = dry_run(pair.path());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let label = "128x128x64_w8_s3_3pf16@16.6i32@16";
    assert_eq!(labels_of(&run), [format!("{label}_const4"), format!("{label}_const8")]);
}

#[test]
fn configs_that_differ_in_nothing_that_is_seen_are_told_apart_by_a_digest_and_it_is_said() {
    let pair = pair(|text| text.replace("arith.addi", "arith.subi"));
    let run = dry_run(pair.path());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let labels = labels_of(&run);
    assert_ne!(labels[0], labels[1]);
    assert!(labels.iter().all(|label| label.starts_with("128x128x64_w8_s3_3pf16@16.6i32@16_")), "{labels:?}");
    assert!(run.stderr.contains("note: 2 builds of matmul_kernel for sm_80 look alike"), "{}", run.stderr);
}
