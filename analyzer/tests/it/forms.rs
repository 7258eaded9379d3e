//! Six forms of SASS text of one cubin give one instruction stream.

use std::collections::BTreeMap;

use lowerline_shared::{
    family::Family,
    report::{FunctionReport, LoopReport, Report, ScopeCounts},
};

use crate::{
    corpus::{File, files},
    counts::report,
};

fn sums(report: &Report) -> BTreeMap<String, ScopeCounts> {
    let rows = report.histogram().into_iter().filter(|row| row.family != Family::Padding);
    rows.map(|row| (row.opcode, row.counts)).collect()
}

fn loops(report: &Report) -> Vec<(u32, u64, bool)> {
    let shape = |found: &LoopReport| (found.depth, found.instructions, found.hot);
    report.functions.iter().flat_map(|function| &function.loops).map(shape).collect()
}

/// Kernel or helper, and its instructions without padding behind them.
fn functions(report: &Report) -> Vec<(bool, u64)> {
    let shape = |found: &FunctionReport| (found.kernel, found.instructions - found.trailing_padding);
    let mut all: Vec<_> = report.functions.iter().map(shape).collect();
    all.sort_unstable();
    all
}

fn control(report: &Report) -> BTreeMap<String, ScopeCounts> {
    let mut sums: BTreeMap<String, ScopeCounts> = BTreeMap::new();
    for (name, counts) in report.functions.iter().flat_map(|function| &function.control) {
        sums.entry(name.clone()).or_default().add(*counts);
    }
    sums
}

fn beside<'f>(plain: &File, extension: &str) -> Option<&'f File> {
    let path = plain.path.strip_suffix("sass")?;
    files().iter().find(|file| file.path == format!("{path}{extension}"))
}

#[test]
fn all_forms_have_equal_counts_and_loops() {
    let (mut seen, mut helpers) = (BTreeMap::new(), 0);
    for plain in files().iter().filter(|file| file.extension() == "sass") {
        let expected = report(plain);
        for form in ["hex.sass", "lines.sass", "plr.sass", "cuobjdump.sass", "triton.sass"] {
            let Some(other) = beside(plain, form) else { continue };
            let report = report(other);
            assert_eq!(sums(&report), sums(&expected), "{}", other.path);
            assert_eq!(loops(&report), loops(&expected), "{}", other.path);
            assert!(report.unknown.is_empty());
            assert_eq!(functions(&report), functions(&expected), "{}", other.path);
            helpers += report.functions.iter().filter(|function| !function.kernel).count();
            // `-plr` leaves the padding out; everybody else prints it.
            if form != "plr.sass" {
                assert_eq!(report.histogram(), expected.histogram(), "{}", other.path);
            }
            *seen.entry(form).or_insert(0) += 1;
        }
    }
    assert_eq!(
        seen,
        BTreeMap::from([
            ("hex.sass", 24),
            ("lines.sass", 24),
            ("plr.sass", 13),
            ("cuobjdump.sass", 24),
            ("triton.sass", 24)
        ])
    );
    assert!(helpers > 0);
}

#[test]
fn scheduling_fields_read_from_encodings_are_those_triton_decodes() {
    let mut seen = 0;
    for plain in files().iter().filter(|file| file.extension() == "sass") {
        let (Some(hex), Some(triton)) = (beside(plain, "hex.sass"), beside(plain, "triton.sass")) else { continue };
        let (hex, triton) = (control(&report(hex)), control(&report(triton)));
        assert_eq!(hex, triton, "{}", plain.path);
        assert!(hex["stall_cycles"].function > 0 && !control(&report(plain)).contains_key("stall_cycles"));
        seen += 1;
    }
    assert_eq!(seen, 24);
}

#[test]
fn line_tables_name_the_loop() {
    for file in files().iter().filter(|file| file.extension() == "lines.sass") {
        let report = report(file);
        let kernel = &report.functions[0];
        let lines: u64 = kernel.source_lines.values().sum();
        assert!(lines > 0 && lines <= kernel.instructions, "{}", file.path);
        assert!(kernel.loops.iter().filter(|found| found.hot).all(|found| found.source.is_some()), "{}", file.path);
    }
}
