//! Files dropped without a server, from the corpus.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its fixtures has failed")]

#[path = "../it/corpus.rs"]
#[expect(dead_code, reason = "other tests use more of it")]
mod corpus;

use std::{collections::BTreeMap, path::Path};

use corpus::files;
use lowerline_analyzer::dropped::{self, Dropped};
use lowerline_shared::{
    api::{BuildComparison, StateBuild},
    family::Family,
    stage::{Scope, Stage},
};

type Files = BTreeMap<String, Vec<u8>>;

fn drop_all(files: &Files) -> Dropped {
    let list: Vec<(String, u64)> = files.iter().map(|(path, bytes)| (path.clone(), bytes.len() as u64)).collect();
    let reader = |path: &Path| files.get(path.to_str().unwrap()).cloned().ok_or_else(|| "gone".to_owned());
    let mut last = 0;
    let dropped = dropped::find(&list, &reader, &mut |done, total| {
        assert!(done > last && done <= total && total == list.len() as u64, "{last} → {done} of {total}");
        last = done;
    });
    let counted: u64 = dropped.found.kinds.values().sum();
    assert_eq!(counted, list.len() as u64, "every file is something: {:?}", dropped.found.kinds);
    dropped
}

/// Beside the artifacts lie the kernel's Python and what cuobjdump said of registers: neither is a stage.
fn lies_beside(path: &str) -> bool {
    path.ends_with(".py") || path.ends_with(".resusage")
}

fn below(prefixes: &[&str]) -> Files {
    let wanted = files().iter().filter(|file| prefixes.iter().any(|prefix| file.path.starts_with(prefix)));
    wanted.map(|file| (file.path.clone(), file.bytes.clone())).collect()
}

fn compare(dropped: &Dropped, files: &Files, wanted: &[(&str, &str)]) -> BuildComparison {
    let place = |(root, config): &(&str, &str)| {
        let found = dropped.found.builds.iter().position(|build| build.root == *root && build.config == *config);
        u32::try_from(found.unwrap_or_else(|| panic!("no {root} {config}: {:#?}", dropped.found.builds))).unwrap()
    };
    let reader = |path: &Path| files.get(path.to_str().unwrap()).cloned().ok_or_else(|| "gone".to_owned());
    dropped.compare(&wanted.iter().map(place).collect::<Vec<_>>(), Scope::Function, &reader).unwrap()
}

#[test]
fn folders_of_two_releases_are_the_builds_they_describe() {
    let folders = ["3.4.0/flex_attention/sm_100a/", "3.5.0/flex_attention/sm_100a/"];
    let dropped_files = below(&folders);
    let dropped = drop_all(&dropped_files);
    let described = files()
        .iter()
        .filter(|file| folders.iter().any(|folder| file.path.starts_with(folder)) && file.path.ends_with("/build.json"))
        .count();
    assert_eq!(dropped.found.builds.len(), described);
    assert!(dropped.found.left_out.iter().all(|(path, _)| lies_beside(path)), "{:?}", dropped.found.left_out);
    // The published counts: PTX instructions, and fragment staging at either level.
    let three = [("3.4.0", "128x64_w8_s2"), ("3.5.0", "128x64_w8_s2_injected-convert"), ("3.5.0", "128x64_w8_s2")];
    let build = compare(&dropped, &dropped_files, &three);
    let level = |stage| build.levels.iter().find(|level| level.stage == stage).unwrap();
    assert_eq!(level(Stage::Ptx).instructions, [Some(3_019), Some(3_065), Some(2_802)]);
    for stage in [Stage::Ptx, Stage::Sass] {
        let staging = level(stage).families.iter().find(|row| row.family == Family::FragmentStaging).unwrap();
        assert_eq!(staging.counts, [Some(0), Some(148), Some(20)], "{stage:?}");
    }
    assert!(
        build.resources.iter().any(|row| row.resource.id() == "registers" && row.values.iter().all(Option::is_some))
    );
}

#[test]
fn files_without_a_description_are_builds_by_content() {
    let of = |version: &str, name: &str| {
        let path = format!("{version}/flex_attention/sm_100a/128x64_w8_s2/flex_attention_fwd.{name}");
        files().iter().find(|file| file.path == path).unwrap().bytes.clone()
    };
    let mut dropped_files = Files::new();
    // Names that say nothing: content decides.
    dropped_files.insert("old.txt".to_owned(), of("3.4.0", "ptx"));
    dropped_files.insert("new.ptx".to_owned(), of("3.5.0", "ptx"));
    // One stem, two stages: one build.
    dropped_files.insert("both.ttgir".to_owned(), of("3.5.0", "ttgir"));
    dropped_files.insert("both.sass".to_owned(), of("3.5.0", "sass"));
    let dropped = drop_all(&dropped_files);
    let configs: Vec<(&str, usize)> =
        dropped.found.builds.iter().map(|build| (build.config.as_str(), build.artifacts.len())).collect();
    assert_eq!(configs, [("both", 2), ("new.ptx", 1), ("old.txt", 1)]);
    assert!(
        dropped.found.builds.iter().all(|build| build.kernel == "flex_attention_fwd"),
        "{:?}",
        dropped.found.builds
    );
    let answer = compare(&dropped, &dropped_files, &[("old.txt", "old.txt"), ("new.ptx", "new.ptx")]);
    assert_eq!(answer.levels[0].instructions, [Some(3_019), Some(2_802)]);
    // Two states without a level in common: each has its own.
    let apart = compare(&dropped, &dropped_files, &[("old.txt", "old.txt"), ("both.sass", "both")]);
    let levels: Vec<_> = apart.levels.iter().map(|level| (level.stage, level.instructions.clone())).collect();
    assert_eq!(levels[0], (Stage::Ptx, vec![Some(3_019), None]));
    assert_eq!(levels[1].0, Stage::Sass);
}

#[test]
fn junk_is_named_with_its_reason_and_spoils_nothing() {
    let mut dropped_files = below(&["3.5.0/softmax/sm_90a/"]);
    let clean = drop_all(&dropped_files).found.builds;
    let junk: Vec<u8> = (0..100_000_u32).map(|n| u8::try_from(n.wrapping_mul(2_654_435_761) >> 24).unwrap()).collect();
    dropped_files.insert("junk.bin".to_owned(), junk.clone());
    dropped_files.insert("3.5.0/softmax/notes.txt".to_owned(), b"nothing to see".to_vec());
    dropped_files.insert("empty.ptx".to_owned(), Vec::new());
    dropped_files.insert("cut.cubin".to_owned(), b"\x7fELF\x02\x01\x01".to_vec());
    let dropped = drop_all(&dropped_files);
    assert_eq!(dropped.found.builds, clean);
    let names = dropped.found.left_out.iter().map(|(path, _)| path.as_str());
    let names: Vec<&str> = names.filter(|path| !lies_beside(path)).collect();
    assert_eq!(names, ["cut.cubin", "empty.ptx", "junk.bin", "3.5.0/softmax/notes.txt"]);
    assert!(dropped.found.left_out.iter().all(|(_, why)| !why.is_empty()));
}

#[test]
fn three_thousand_files_are_three_thousand_answers() {
    let ptx = &files()
        .iter()
        .find(|file| file.path.starts_with("3.5.0/softmax/") && file.extension() == "ptx")
        .unwrap()
        .bytes;
    let many: Files = (0..3_000).map(|n| (format!("many/{n}.ptx"), ptx.clone())).collect();
    let dropped = drop_all(&many);
    assert_eq!(dropped.found.builds.len(), 3_000);
    let artifact = &dropped.found.builds[0].artifacts[0];
    assert!(dropped.place(&artifact.digest).is_some());
}

#[test]
fn a_failed_build_is_a_state_without_counts() {
    let failed = files().iter().find(|file| {
        file.path.ends_with("/build.json")
            && std::str::from_utf8(&file.bytes).unwrap().contains("\"status\": \"error\"")
    });
    let failed = failed.unwrap();
    let folder = failed.path.rsplit_once('/').unwrap().0;
    let dropped = drop_all(&below(&[folder, "3.5.0/softmax/sm_90a/"]));
    let place = dropped.found.builds.iter().position(|build| build.failed.is_some()).unwrap();
    let other = dropped.found.builds.iter().position(|build| build.failed.is_none()).unwrap();
    let places = [other, place].map(|place| u32::try_from(place).unwrap());
    let answer = dropped.compare(&places, Scope::Function, &|_| Err("gone".to_owned())).unwrap();
    assert!(matches!(&answer.states[1], StateBuild::Failed { message, .. } if !message.is_empty()));
    assert!(answer.levels.iter().all(|level| level.instructions[1].is_none()));
    assert_eq!(dropped.compare(&[9_999], Scope::Function, &|_| Err("gone".to_owned())), None);
}
