//! Decisions of the sweeps, held against the PTX and the metadata of the same builds.

use std::collections::{BTreeMap, BTreeSet};

use lowerline_analyzer::{Budget, Limits, decisions::decide, mlir::parse};
use lowerline_shared::{
    decision::{Decision, DecisionKind, Pipelining},
    stage::Stage,
};

use super::cases::{each_ttgir, texts};

const CENSUS: &str = "3.7.1/matmul_census/sm_90a/128x128x64_w8_s4";

fn decided(text: &str) -> Vec<Decision> {
    decide(&parse(text, Stage::Ttgir, &mut Budget::new(&Limits::default())).unwrap())
}

fn of_kind(decisions: &[Decision], kind: DecisionKind) -> Vec<&Decision> {
    decisions.iter().filter(|decision| decision.kind == kind).collect()
}

fn pipelining(decisions: &[Decision]) -> &Decision {
    of_kind(decisions, DecisionKind::Pipelining)[0]
}

/// Bytes of each `cp.async` of a PTX text.
fn copy_widths(ptx: &str) -> BTreeSet<i64> {
    let copies = ptx.lines().filter(|line| line.contains("cp.async.c") && line.contains(".shared"));
    copies
        .map(|line| {
            let width =
                line.split(']').nth(2).unwrap().trim_start_matches(", ").split([',', ';']).next().unwrap().trim();
            i64::from_str_radix(width.trim_start_matches("0x"), 16).unwrap()
        })
        .collect()
}

#[test]
fn alignment_decides_width_and_pipelining() {
    let files = texts("3.7.1", &["ttgir", "ptx"]);
    for divisibility in [1, 2, 4, 8, 16, 32] {
        let decisions = decided(&files[&format!("{CENSUS}_d{divisibility}/matmul_census.ttgir")]);
        let copies = copy_widths(&files[&format!("{CENSUS}_d{divisibility}/matmul_census.ptx")]);
        let alignment = of_kind(&decisions, DecisionKind::Alignment);
        let known = alignment.iter().find(|decision| decision.subject == "a_ptr").unwrap();
        assert_eq!(known.number, Some(divisibility));
        let state = pipelining(&decisions);
        let widths = of_kind(&decisions, DecisionKind::VectorWidth);
        let load = widths.iter().find(|decision| decision.subject == "load a").unwrap();
        assert_eq!(load.number, Some(divisibility.clamp(2, 16)), "{load:?}");
        if divisibility < 4 {
            assert_eq!((state.value.as_str(), state.number), ("not_pipelined", Some(0)));
            assert_eq!(Pipelining::from_id(&state.value).unwrap().with_stages(4), Pipelining::Inert);
            let why = state.why.as_deref().unwrap();
            assert_eq!(why, "`load a` and 1 more moves 2 bytes a thread; an asynchronous copy moves 4, 8 or 16");
            assert!(copies.is_empty());
        } else {
            assert_eq!((state.value.as_str(), state.number), ("pipelined", Some(4)));
            assert_eq!(copies, BTreeSet::from([load.number.unwrap()]), "as the PTX copies");
        }
    }
}

#[test]
fn buffers_explain_the_shared_bytes_of_the_sweep() {
    let files = texts("3.7.1", &["ttgir", "json"]);
    let mut checked = 0;
    for (path, text) in files.iter().filter(|(path, _)| path.starts_with("3.7.1/matmul_census/sm_90a/")) {
        let options = path.split('/').nth(3).unwrap();
        if !path.contains("ttgir") || options.contains("_d") || options.contains("both") {
            continue;
        }
        let (tile, stages) = (options.split('_').next().unwrap(), options.rsplit_once('s').unwrap().1);
        let [m, n, k] = tile.split('x').map(|side| side.parse::<i64>().unwrap()).collect::<Vec<_>>()[..] else {
            panic!()
        };
        let stages: i64 = stages.parse().unwrap();
        let decisions = decided(text);
        let [buffer] = of_kind(&decisions, DecisionKind::BufferDepth)[..] else { panic!("{path}: one buffer") };
        assert_eq!((buffer.number, buffer.subject.as_str()), (Some(stages), "a (operand A)"), "{path}");
        let metadata: serde_json::Value = serde_json::from_str(&files[&path.replace(".ttgir", ".json")]).unwrap();
        // 2-byte elements: stages of A, one B, or the result on its way out.
        let bytes = (stages * m * k + k * n).max(m * n) * 2;
        assert_eq!(metadata["shared"].as_i64(), Some(bytes), "{path}");
        checked += 1;
    }
    assert!(checked >= 18, "{checked}");
}

#[test]
fn two_stages_and_three_take_the_same_shared_bytes_and_are_different_kernels() {
    let files = texts("3.7.1", &["ttgir", "json"]);
    let build = |stages: u32| {
        let at = format!("3.7.1/matmul_census/sm_90a/128x128x32_w8_s{stages}/matmul_census");
        let metadata: serde_json::Value = serde_json::from_str(&files[&format!("{at}.json")]).unwrap();
        let decisions = decided(&files[&format!("{at}.ttgir")]);
        (metadata["shared"].as_i64().unwrap(), pipelining(&decisions).number.unwrap())
    };
    assert_eq!(build(2), (32_768, 2));
    assert_eq!(build(3), (32_768, 3));
}

#[test]
fn both_operands_are_buffered_when_their_strides_are_known() {
    let files = texts("3.7.1", &["ttgir"]);
    let decisions = decided(&files["3.7.1/matmul_census/sm_90a/128x128x64_w8_s4_both/matmul_census.ttgir"]);
    let buffers = of_kind(&decisions, DecisionKind::BufferDepth);
    let found: Vec<_> = buffers.iter().map(|buffer| (buffer.subject.as_str(), buffer.value.as_str())).collect();
    assert_eq!(found, [("a (operand A)", "4 of 16384 bytes"), ("b (operand B)", "4 of 16384 bytes")]);
}

#[test]
fn every_target_has_its_matrix_instruction() {
    let files = texts("3.7.1", &["ttgir"]);
    let instruction = |target: &str| {
        let decisions = decided(&files[&format!("3.7.1/matmul_census/{target}/128x128x64_w8_s3/matmul_census.ttgir")]);
        let found = of_kind(&decisions, DecisionKind::MatrixInstruction);
        assert_eq!(found.len(), 1, "{found:?}");
        let warps = of_kind(&decisions, DecisionKind::WarpsPerBlock).first().map(|decision| decision.value.clone());
        (found[0].value.clone(), warps)
    };
    let seen: BTreeMap<&str, (String, Option<String>)> =
        ["sm_80", "sm_90a", "sm_100a", "sm_120a", "gfx90a", "gfx942", "gfx950"]
            .map(|target| (target, instruction(target)))
            .into();
    let expected = |value: &str, warps: Option<&str>| (value.to_owned(), warps.map(str::to_owned));
    assert_eq!(seen["sm_80"], expected("mma.sync m16n8", Some("2x4")));
    assert_eq!(seen["sm_120a"], expected("mma.sync m16n8", Some("2x4")));
    assert_eq!(seen["sm_90a"], expected("wgmma m64n128k16", Some("8x1")));
    assert_eq!(seen["sm_100a"], expected("tcgen05.mma m128n128", None));
    assert_eq!(seen["gfx90a"], expected("v_mfma 32x32x8", Some("2x4")));
    assert_eq!(seen["gfx942"], expected("v_mfma 32x32x8", Some("2x4")));
    assert_eq!(seen["gfx950"], expected("v_mfma 32x32x16", Some("2x4")));
}

#[test]
fn every_ttgir_of_the_demo_data_has_its_decisions() {
    let mut rows: BTreeMap<String, usize> = BTreeMap::new();
    each_ttgir(|path, text| {
        let decisions = decided(text);
        let [state] = of_kind(&decisions, DecisionKind::Pipelining)[..] else { panic!("{path}: one state") };
        let specialized = of_kind(&decisions, DecisionKind::WarpSpecialization)[0].number.unwrap();
        let copies = of_kind(&decisions, DecisionKind::TensorCopies)[0].number.unwrap();
        assert_eq!(specialized > 0, text.contains(".warp_specialize"), "{path}");
        assert_eq!(copies > 0, text.contains("async_tma_copy") || text.contains("async_tma_reduce"), "{path}");
        let lines: Vec<&str> = text.lines().collect();
        for decision in
            decisions.iter().filter(|decision| decision.line > 0 && decision.kind != DecisionKind::Alignment)
        {
            let line = lines[decision.line as usize - 1];
            assert!(line.contains(decision.evidence.as_str()), "{path}: {decision:?}");
        }
        let converted: i64 =
            of_kind(&decisions, DecisionKind::Conversions).iter().filter_map(|found| found.number).sum();
        assert_eq!(converted, i64::try_from(text.matches(".convert_layout ").count()).unwrap(), "{path}");
        let kernel = path.split('/').take(3).collect::<Vec<_>>().join("/");
        *rows.entry(format!("{kernel:36} {:14} depth {}", state.value, state.number.unwrap())).or_default() += 1;
    });
    for (row, count) in &rows {
        println!("{row} {count}");
    }
}
