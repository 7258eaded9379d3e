//! Annotations against what each file says in another place: comments of LLVM, source lines of `nvdisasm`, LLVM's comments
//! on loops, and the report.

mod cubin;
mod ir;

use std::collections::BTreeMap;

use lowerline_analyzer::{
    Limits,
    annotate::{Annotations, Row, annotate},
};
use lowerline_shared::{
    family::Family,
    report::{Report, ScopeCounts},
    stage::Stage,
};

use crate::{
    corpus::{File, files},
    counts::report,
};

pub fn read(file: &File, stage: Stage) -> Annotations {
    annotate(stage, &file.bytes, &Limits::default()).unwrap_or_else(|error| panic!("{}: {error}", file.path))
}

/// `a.py:36:18 b.py:64:33`, without columns where there are none.
pub fn chain(annotations: &Annotations, row: &Row) -> String {
    let text = |place: &lowerline_analyzer::annotate::Place| {
        let file = annotations.file(place);
        if place.column == 0 {
            format!("{file}:{}", place.line)
        } else {
            format!("{file}:{}:{}", place.line, place.column)
        }
    };
    annotations.chain(row).map(text).collect::<Vec<_>>().join(" ")
}

/// What LLVM prints behind `.loc`, in the same form; empty for code of the compiler's own.
fn printed(comment: &str) -> String {
    let frames: Vec<&str> = comment.split(" @[ ").map(|frame| frame.trim_matches([' ', ']'])).collect();
    if frames[0].split(':').nth(1) == Some("0") {
        return String::new();
    }
    let plain = |frame: &str| frame.strip_suffix(":0").unwrap_or(frame).to_owned();
    frames.into_iter().map(plain).collect::<Vec<_>>().join(" ")
}

/// Rows of a text against the comment behind the last `.loc` above them; returns how many had calls around them.
fn against_comments(file: &File, stage: Stage, comment: &str) -> usize {
    let annotations = read(file, stage);
    let text = std::str::from_utf8(&file.bytes).unwrap();
    let mut place = String::new();
    let mut inlined = 0;
    for (number, line) in (1_u32..).zip(text.lines()) {
        if let Some(loc) = line.trim_start().strip_prefix(".loc") {
            place = printed(loc.split_once(comment).unwrap().1);
        }
        for row in annotations.on_line(number) {
            assert_eq!(chain(&annotations, row), place, "{} line {number}", file.path);
            inlined += usize::from(place.contains(' '));
        }
    }
    assert!(!annotations.rows.is_empty());
    inlined
}

#[test]
fn instructions_of_ptx_come_from_the_place_llvm_printed() {
    // From 3.9 on the comment holds no calls.
    let old = files().iter().filter(|file| file.extension() == "ptx" && !file.path.starts_with("3.9.0"));
    let inlined: usize = old.map(|file| against_comments(file, Stage::Ptx, "//")).sum();
    assert!(inlined > 10_000, "{inlined}");
}

#[test]
fn instructions_of_amdgcn_come_from_the_place_llvm_printed() {
    let all = files().iter().filter(|file| file.extension() == "amdgcn");
    let inlined: usize = all.map(|file| against_comments(file, Stage::Amdgcn, ";")).sum();
    assert!(inlined > 10_000, "{inlined}");
}

#[test]
fn instructions_of_sass_come_from_the_line_above_them() {
    let mut seen = 0;
    for file in files().iter().filter(|file| file.extension() == "lines.sass") {
        let annotations = read(file, Stage::Sass);
        let text = std::str::from_utf8(&file.bytes).unwrap();
        let mut place = String::new();
        for (number, line) in (1_u32..).zip(text.lines()) {
            if let Some(source) = line.trim().strip_prefix("//## File \"") {
                let (path, rest) = source.split_once("\", line ").unwrap();
                place = format!("{}:{rest}", path.rsplit('/').next().unwrap());
            } else if line.trim_start().starts_with(".type") {
                place.clear();
            }
            for row in annotations.on_line(number) {
                assert_eq!(chain(&annotations, row), place, "{} line {number}", file.path);
                seen += 1;
            }
        }
    }
    assert!(seen > 15_000, "{seen}");
}

#[test]
fn calls_that_nvdisasm_prints_line_by_line_are_one_chain() {
    let text = "\t.target\tsm_90a\n\t//## File \"/r/standard.py\", line 43 inlined at \"/r/k.py\", line 16\n\
        \t//## File \"/r/k.py\", line 16 inlined at \"/r/main.py\", line 3\n\t//## File \"/r/main.py\", line 3\n\
        \x20       /*0000*/                   MOV R1, R2 ;\n\t//## File \"/r/k.py\", line 9\n\
        \x20       /*0010*/                   MOV R1, R2 ;\n\
        \t//## File \"/r/standard.py\", line 7 inlined at \"/r/k.py\", line 8\n\
        \x20       /*0020*/                   MOV R1, R2 ;\n        /*0030*/                   EXIT ;\n";
    let found = annotate(Stage::Sass, text.as_bytes(), &Limits::default()).unwrap();
    let chains: Vec<(u32, String)> = found.rows.iter().map(|row| (row.at, chain(&found, row))).collect();
    let last = "standard.py:7 k.py:8".to_owned();
    let expected =
        [(5, "standard.py:43 k.py:16 main.py:3".to_owned()), (7, "k.py:9".to_owned()), (9, last.clone()), (10, last)];
    assert_eq!(chains, expected);
}

/// Families by scope, loops and places, summed from annotations.
fn sums(found: &Annotations) -> (BTreeMap<Family, ScopeCounts>, Vec<(String, u32, bool)>, BTreeMap<String, u64>) {
    let (mut families, mut places) = (BTreeMap::<Family, ScopeCounts>::new(), BTreeMap::new());
    for row in &found.rows {
        let block = found.block(row).unwrap();
        let (inside, hot) = (u64::from(block.r#loop.is_some()), u64::from(block.hot));
        if let Some(family) = row.family {
            families.entry(family).or_default().add(ScopeCounts { function: 1, r#loop: inside, hot });
        }
        if let Some(place) = found.chain(row).next().filter(|_| block.function.is_some()) {
            *places.entry(format!("{}:{}", found.file(place), place.line)).or_insert(0) += 1;
        }
    }
    let mut loops: Vec<_> = found.loops.iter().map(|found| (found.header.clone(), found.depth, found.hot)).collect();
    loops.sort();
    (families, loops, places)
}

fn reported(report: &Report) -> (BTreeMap<Family, ScopeCounts>, Vec<(String, u32, bool)>, BTreeMap<String, u64>) {
    let (mut families, mut loops, mut places) = (BTreeMap::<Family, ScopeCounts>::new(), Vec::new(), BTreeMap::new());
    for function in &report.functions {
        for (family, counts) in &function.families_by_scope {
            families.entry(*family).or_default().add(*counts);
        }
        loops.extend(function.loops.iter().map(|found| (found.header.clone(), found.depth, found.hot)));
        for (line, count) in &function.source_lines {
            *places.entry(line.clone()).or_insert(0) += count;
        }
        let kept: u64 = function.source_places.iter().map(|place| place.instructions).sum();
        let lines: u64 = function.source_lines.values().sum();
        assert!(kept == lines || (function.source_places_cut > 0 && kept < lines));
    }
    loops.sort();
    (families, loops, places)
}

/// The rows add up to the report of the same bytes, whose counts are held against the corpus elsewhere.
#[test]
fn annotations_add_up_to_the_report() {
    let stages = [
        ("ptx", Stage::Ptx),
        ("sass", Stage::Sass),
        ("triton.sass", Stage::Sass),
        ("cuobjdump.sass", Stage::Sass),
        ("amdgcn", Stage::Amdgcn),
        ("cubin", Stage::Cubin),
    ];
    for (extension, stage) in stages {
        let all = files().iter().filter(|file| file.extension() == extension);
        for file in all.step_by(5) {
            let (found, report) = (read(file, stage), report(file));
            assert_eq!(sums(&found), reported(&report), "{}", file.path);
            let instructions: u64 = report.functions.iter().map(|function| function.instructions).sum();
            assert_eq!(found.rows.len() as u64, instructions, "{}", file.path);
        }
    }
}

#[test]
fn labels_begin_blocks() {
    let file = files().iter().find(|file| file.extension() == "ptx").unwrap();
    let annotations = read(file, Stage::Ptx);
    let text = std::str::from_utf8(&file.bytes).unwrap();
    let mut label = "";
    let mut seen = 0;
    for (number, line) in (1_u32..).zip(text.lines()) {
        if let Some((name, _)) = line.split_once(':').filter(|(name, _)| name.starts_with("$L__BB")) {
            label = name;
        }
        let jumped_to = !label.is_empty() && text.contains(&format!("bra \t{label};"));
        for row in annotations.on_line(number).iter().take(usize::from(jumped_to)) {
            assert_eq!(annotations.block(row).unwrap().label, label, "line {number}");
            seen += 1;
        }
        if !annotations.on_line(number).is_empty() {
            label = "";
        }
    }
    assert!(seen > 0);
}

#[test]
fn rows_are_limited_and_a_wrong_stage_is_refused() {
    let file = files().iter().find(|file| file.extension() == "ptx").unwrap();
    let limits = Limits { entries: 10, ..Limits::default() };
    assert_eq!(annotate(Stage::Ptx, &file.bytes, &limits).unwrap_err().to_string(), "more than 10 entries");
    let error = annotate(Stage::Sass, &file.bytes, &Limits::default()).unwrap_err();
    assert_eq!(error.to_string(), "sent as sass, but the content is ptx");
}
