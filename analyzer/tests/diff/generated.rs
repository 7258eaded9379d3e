//! The laws on generated texts: an original of plausible lines, and a copy with lines taken away, put in, changed and
//! renumbered, of which some are function heads.

use lowerline_shared::stage::Stage;
use proptest::{collection::vec, prelude::*, sample::select};

use crate::laws;

/// Lines with `{n}` where a number belongs, some of them opening functions.
fn vocabulary(stage: Stage) -> &'static [&'static str] {
    match stage {
        Stage::Ttgir => &[
            "#blocked{n} = #ttg.blocked<{sizePerThread = [{n}]}>",
            "#loc{n} = loc(\"k(.py\":{n}:0)",
            "  tt.func public @f{n}(%a: i32 loc(\"a\"(#loc))) {",
            "    %{n} = tt.load %{n} : tensor<4xf32, #blocked{n}> loc(#loc{n})",
            "    %{n} = tt.dot %{n}, %a : tensor<4xf32> loc(callsite(#loc1 at #loc{n}))",
            "  }",
            "",
        ],
        Stage::Llir => &[
            "define void @f{n}(ptr %{n}) !dbg !{n} {",
            "  %{n} = add i32 %{n}, {n}, !dbg !{n}",
            "  tail call void @llvm.x(i32 %{n})",
            "!{n} = !DILocation(line: {n})",
            "}",
        ],
        Stage::Ptx => &[
            ".visible .entry f{n}(",
            "\t.loc\t1 {n} 0",
            "\tadd.s32 \t%r{n}, %r{n}, {n};",
            "\t@%p{n} bra \t$L__BB0_{n};",
            "$L__BB0_{n}:",
            "\tmov.u32 %r{n}, %tid.x; // é",
            "}",
        ],
        Stage::Sass => &[
            "\t.section\t.text.k{n},\"ax\"",
            ".text.k{n}:",
            "        /*00{n}0*/  IADD3 R{n}, R{n}, 0x{n}, RZ ;  /* 0x{n} */",
            "        /*00{n}0*/  @!P{n} BRA `(.L_x_{n}) ;",
            ".L_x_{n}:",
            "\t//## File \"k.py\", line {n}",
            "        /*00{n}0*/  LDSM.16.M88.4 R{n}, [UR{n}] ;",
        ],
        _ => &[
            "k{n}:                                  ; @k{n}",
            "\tv_mfma_f32 a[{n}:9], v[0:1], v[{n}:3], 0",
            "\ts_cbranch_scc1 .LBB0_{n}",
            "\t.loc 1 {n} 0",
            ".LBB0_{n}:",
            "\tv_add_u32_e32 v{n}, s{n}, v{n}",
        ],
    }
}

/// What becomes of a line in the copy.
#[derive(Clone, Debug)]
enum Edit {
    Keep,
    Drop,
    Twice,
    Other(usize, u8),
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        6 => Just(Edit::Keep),
        1 => Just(Edit::Drop),
        1 => Just(Edit::Twice),
        2 => (any::<usize>(), 0..9_u8).prop_map(|(line, number)| Edit::Other(line, number)),
    ]
}

fn spelled(stage: Stage, line: usize, number: u8) -> String {
    let lines = vocabulary(stage);
    lines[line % lines.len()].replace("{n}", &number.to_string())
}

fn copy(stage: Stage, original: &[String], edits: &[Edit]) -> String {
    let mut out = Vec::new();
    for (line, edit) in original.iter().zip(edits) {
        match edit {
            Edit::Keep => out.push(line.clone()),
            Edit::Drop => {}
            Edit::Twice => out.extend([line.clone(), line.clone()]),
            Edit::Other(line, number) => out.push(spelled(stage, *line, *number)),
        }
    }
    out.join("\n")
}

const STAGES: [Stage; 5] = [Stage::Ttgir, Stage::Llir, Stage::Ptx, Stage::Sass, Stage::Amdgcn];

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn an_edited_copy_keeps_the_laws(
        stage in select(&STAGES[..]),
        lines in vec((any::<usize>(), 0..9_u8, edit()), 0..40),
    ) {
        let original: Vec<String> = lines.iter().map(|(line, number, _)| spelled(stage, *line, *number)).collect();
        let edits: Vec<Edit> = lines.into_iter().map(|(.., edit)| edit).collect();
        laws::hold(stage, &original.join("\n"), &copy(stage, &original, &edits));
    }

    #[test]
    fn any_two_texts_keep_the_laws(
        stage in select(&Stage::ALL[..]),
        a in "[a-zR%#@!/*\"(\\[{}:;,.0-9 \t\r\n\u{e9}\u{2028}]{0,200}",
        b in "[a-zR%#@!/*\"(\\[{}:;,.0-9 \t\r\n\u{e9}\u{2028}]{0,200}",
    ) {
        laws::hold(stage, &a, &b);
    }

    #[test]
    fn marks_take_away_all_that_differs(a in "[a-c %,.\u{e9}\u{1f600}]{0,60}", b in "[a-c %,.\u{e9}\u{1f600}]{0,60}") {
        laws::words_hold(&a, &b);
    }
}
