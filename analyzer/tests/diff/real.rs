//! The laws on real compiler output: every text artifact of the corpus against the same build of the next release.

use std::collections::BTreeMap;

use lowerline_analyzer::diff::{Names, RowKind, align};
use lowerline_shared::stage::Stage;

use crate::{
    corpus::{File, VERSIONS, files},
    laws,
};

/// Stage of a file by its name; `None` for binaries, metadata and timings.
fn stage(file: &File) -> Option<Stage> {
    let ending = file.extension().rsplit('.').next()?;
    Stage::from_id(ending).filter(|stage| stage.is_text())
}

fn text(file: &File) -> &str {
    std::str::from_utf8(&file.bytes).unwrap()
}

/// Kernel, target, config and kind of file, by which releases are paired; the name of the function may change.
fn build(file: &File) -> (&str, &str) {
    let (_, rest) = file.path.split_once('/').unwrap();
    (rest.rsplit_once('/').unwrap().0, file.extension())
}

fn of_version(version: &str) -> BTreeMap<(&'static str, &'static str), &'static File> {
    let of_it = files().iter().filter(|file| file.path.split('/').next() == Some(version));
    of_it.filter(|file| stage(file).is_some()).map(|file| (build(file), file)).collect()
}

#[test]
fn every_pair_of_neighbouring_releases_keeps_the_laws() {
    let mut pairs = 0;
    for versions in VERSIONS.windows(2) {
        let (old, new) = (of_version(versions[0]), of_version(versions[1]));
        for (key, a) in &old {
            let Some(b) = new.get(key) else { continue };
            laws::hold(stage(a).unwrap(), text(a), text(b));
            pairs += 1;
        }
    }
    assert!(pairs > 500, "only {pairs} pairs");
}

/// The reconstruction of the corpus is its base with conversions put in.
#[test]
fn an_injected_conversion_is_all_that_differs_in_ttgir() {
    let of = |config: &str| {
        let path = format!("3.5.0/flex_attention/sm_100a/{config}/flex_attention_fwd.ttgir");
        text(files().iter().find(|file| file.path == path).unwrap())
    };
    let (base, injected) = (of("128x64_w8_s2"), of("128x64_w8_s2_injected-convert"));
    let converts = |text: &str| text.lines().filter(|line| line.contains("ttg.convert_layout")).count();
    let aligned = align(Stage::Ttgir, Names::Ignored, base, injected);
    let lines: Vec<&str> = injected.lines().collect();
    let added = aligned.rows.iter().filter(|row| row.kind == RowKind::Added).filter_map(|row| row.b);
    let added_converts = added.filter(|line| lines[*line as usize].contains("ttg.convert_layout")).count();
    assert_eq!(added_converts, converts(injected) - converts(base));
    assert_eq!(aligned.count(RowKind::Removed), 0);
}

#[test]
fn two_stages_side_by_side_share_little_but_keep_the_laws() {
    let of = |extension: &str| {
        let path = "3.5.0/softmax/sm_90a";
        text(files().iter().find(|file| file.path.starts_with(path) && file.extension() == extension).unwrap())
    };
    for (a, b) in [("ttgir", "ptx"), ("ptx", "sass"), ("llir", "ttir")] {
        for stage in [Stage::Ttgir, Stage::Ptx, Stage::Sass, Stage::Amdgcn] {
            laws::hold(stage, of(a), of(b));
        }
    }
}
