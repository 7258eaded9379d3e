//! Texts that nobody compiled.

use std::fmt::Write as _;

use lowerline_analyzer::diff::{Names, RowKind, align, words};
use lowerline_shared::stage::Stage;

use crate::{corpus::files, laws};

/// SASS of the corpus, one listing behind the other, until it is 30 MiB.
fn long_listing() -> String {
    let mut out = String::new();
    let listings = || files().iter().filter(|file| file.path.starts_with("3.5.0/") && file.extension() == "sass");
    while out.len() < 30 << 20 {
        for file in listings() {
            out.push_str(std::str::from_utf8(&file.bytes).unwrap());
        }
    }
    out
}

#[test]
fn thirty_mebibytes_of_sass_align_and_a_change_in_the_middle_is_found() {
    let a = long_listing();
    let middle = a[a.len() / 2..].find("IADD3").unwrap() + a.len() / 2;
    let b = format!("{}SHF{}", &a[..middle], &a[middle + "IADD3".len()..]);
    let aligned = align(Stage::Sass, Names::Ignored, &a, &b);
    let different: Vec<RowKind> =
        aligned.rows.iter().map(|row| row.kind).filter(|kind| *kind != RowKind::Equal).collect();
    assert_eq!(different, [RowKind::Removed, RowKind::Added]);
    assert_eq!(aligned.rows.len() + aligned.left_out.0 as usize, a.lines().count() + 1);
}

/// Many equal lines and no two neighbours that stay: the worst for an alignment by common lines.
#[test]
fn twenty_thousand_shuffled_lines_of_few_kinds_align() {
    let listing = |seed: u64| {
        let mut random = seed;
        let mut out = String::new();
        for _ in 0..20_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let _ = writeln!(out, "        /*0000*/  OP{} R1, R2 ;", (random >> 33) % 40);
        }
        out
    };
    let (a, b) = (listing(1), listing(2));
    let aligned = align(Stage::Sass, Names::Ignored, &a, &b);
    assert_eq!(aligned.rows.iter().filter(|row| row.a.is_some()).count(), 20_000);
    assert_eq!(aligned.rows.iter().filter(|row| row.b.is_some()).count(), 20_000);
}

#[test]
fn nothing_in_common_is_all_removed_and_added() {
    let lines = |word: &str| (0..20_000).fold(String::new(), |out, n| out + &format!("\t{word}.b{n} %r1, %r2;\n"));
    let aligned = align(Stage::Ptx, Names::Ignored, &lines("add"), &lines("mul"));
    assert_eq!((aligned.count(RowKind::Removed), aligned.count(RowKind::Added)), (20_000, 20_000));
}

#[test]
fn a_line_of_a_megabyte_is_one_line() {
    let a = format!("tt.func public @k() {{\n  %0 = tt.load %1 : {}\n}}\n", "tensor<4xf32>, ".repeat(70_000));
    let b = a.replacen("4xf32", "8xf32", 1);
    laws::hold(Stage::Ttgir, &a, &b);
    let aligned = align(Stage::Ttgir, Names::Ignored, &a, &b);
    let changed: Vec<_> = aligned.rows.iter().filter(|row| row.kind != RowKind::Equal).collect();
    assert_eq!(changed.len(), 1);
    assert_eq!((changed[0].kind, changed[0].a, changed[0].b), (RowKind::Changed, Some(1), Some(1)));
    let (long_a, long_b) = (a.lines().nth(1).unwrap(), b.lines().nth(1).unwrap());
    let (in_a, in_b) = words(long_a, long_b);
    assert_eq!((&long_a[in_a[0].clone()], &long_b[in_b[0].clone()]), ("4", "8"));
    laws::words_hold(long_a, long_b);
}

#[test]
fn empty_texts_have_no_rows() {
    for stage in Stage::ALL {
        assert_eq!(align(stage, Names::Ignored, "", "").rows, []);
        laws::hold(stage, "", "\n\n");
    }
}
