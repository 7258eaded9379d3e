use lowerline_shared::stage::Stage;

use super::*;

const SASS_A: &str = "\t.text.k:\n        /*0000*/  LDC R1, c[0x0][0x37c] ;\n        /*0010*/  @P1 BRA `(.L_x_0) ;\n.L_x_0:\n        /*0020*/  IADD3 R4, R5, 0x10, RZ ;\n        /*0030*/  EXIT ;\n";
const SASS_B: &str = "\t.text.k:\n        /*0000*/  LDC R9, c[0x0][0x37c] ;\n        /*0010*/  @!P2 BRA `(.L_x_7) ;\n.L_x_7:\n        /*0020*/  LDSM.16.M88.4 R8, [R3] ;\n        /*0030*/  IADD3 R6, R7, 0x20, RZ ;\n        /*0040*/  EXIT ;\n";

fn kinds(aligned: &Aligned) -> Vec<RowKind> {
    aligned.rows.iter().map(|row| row.kind).collect()
}

#[test]
fn renumbered_registers_and_moved_addresses_are_no_change() {
    let aligned = align(Stage::Sass, Names::Ignored, SASS_A, SASS_B);
    use RowKind::{Added, Changed, Equal, Renamed};
    // `@P1` against `@!P2` is a change of the guard's sense.
    assert_eq!(kinds(&aligned), [Equal, Renamed, Changed, Renamed, Added, Changed, Renamed]);
}

#[test]
fn raw_names_show_every_difference() {
    let aligned = align(Stage::Sass, Names::Raw, SASS_A, SASS_B);
    assert_eq!(aligned.count(RowKind::Renamed), 0);
    assert!(aligned.count(RowKind::Removed) >= 4);
}

#[test]
fn ssa_names_locations_and_alias_numbers_are_no_change() {
    let a = "#blocked = #ttg.blocked<{x = 1}>\n#loc = loc(\"a.py\":1:0)\ntt.func public @f() {\n  %0 = tt.load %1 : tensor<4xf32, #blocked> loc(#loc1)\n}\n";
    let b = "#blocked3 = #ttg.blocked<{x = 1}>\n#loc = loc(\"b.py\":9:0)\n#loc2 = loc(\"b(.py\":9:0)\ntt.func public @f() {\n  %acc = tt.load %ptr : tensor<4xf32, #blocked3> loc(callsite(#loc1 at #loc2))\n}\n";
    let aligned = align(Stage::Ttgir, Names::Ignored, a, b);
    assert_eq!(
        aligned.count(RowKind::Changed) + aligned.count(RowKind::Added) + aligned.count(RowKind::Removed),
        0,
        "{aligned:?}"
    );
    assert_eq!(aligned.left_out, (1, 2));
}

#[test]
fn a_range_of_registers_keeps_its_width() {
    let same = align(
        Stage::Amdgcn,
        Names::Ignored,
        "\ts_load_dwordx2 s[2:3], s[0:1], 0x0",
        "\ts_load_dwordx2 s[4:5], s[8:9], 0x0",
    );
    assert_eq!(kinds(&same), [RowKind::Renamed]);
    let wider = align(Stage::Amdgcn, Names::Ignored, "\tv_mov v[2:3], 0", "\tv_mov v[4:7], 0");
    assert_eq!(kinds(&wider), [RowKind::Changed]);
}

#[test]
fn words_mark_what_differs() {
    let (a, b) = ("ld.global.v2.b32 {%r1}", "ld.global.v4.b32 {%r1}");
    let (in_a, in_b) = words(a, b);
    assert_eq!(in_a.iter().map(|span| &a[span.clone()]).collect::<Vec<_>>(), ["v2"]);
    assert_eq!(in_b.iter().map(|span| &b[span.clone()]).collect::<Vec<_>>(), ["v4"]);
    assert_eq!(words(&"x".repeat(1_000_000), "y").0, [0..1_000_000]);
    assert_eq!(words(&format!("{}1a", "x".repeat(9_000)), &format!("{}2a", "x".repeat(9_000))).1, [9_000..9_001]);
}
