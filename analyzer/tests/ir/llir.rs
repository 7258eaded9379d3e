//! LLVM IR against what its lowering came to: an intrinsic or an assembly statement becomes the instruction it names.

use lowerline_analyzer::{Limits, analyze};
use lowerline_shared::{report::Report, stage::Stage};
use serde_json::Value;

use crate::corpus;

fn report(bytes: &[u8]) -> Report {
    let report = analyze(bytes, &Limits::default()).unwrap();
    assert_eq!(report.stage, Stage::Llir);
    report
}

fn sum(value: &Value, wanted: impl Fn(&str) -> bool) -> u64 {
    value.as_object().unwrap().iter().filter(|(key, _)| wanted(key)).map(|(_, count)| count.as_u64().unwrap()).sum()
}

#[test]
fn matrix_intrinsics_are_the_matrix_instructions_of_the_text() {
    let mut seen = 0;
    corpus::each("llir", |artifact| {
        if !artifact.target().starts_with("gfx") {
            return;
        }
        let report = report(&artifact.bytes);
        let calls: u64 =
            report.intrinsics.iter().filter(|(name, _)| name.contains(".mfma.")).map(|(_, count)| count).sum();
        let text = sum(&artifact.expected()["amdgcn"]["base"], |name| name.starts_with("v_mfma"));
        assert_eq!(calls, text, "{}", artifact.name());
        seen += u64::from(calls > 0);
    });
    assert!(seen > 30, "{seen}");
}

#[test]
fn asynchronous_copies_are_those_of_the_ptx() {
    let mut seen = 0;
    corpus::each("llir", |artifact| {
        if !artifact.target().starts_with("sm_") {
            return;
        }
        let report = report(&artifact.bytes);
        let of = |name: &str, times: u64| {
            times * name.matches("cp.async.c").filter(|_| !name.contains("commit")).count() as u64
        };
        let calls: u64 = report.inline_asm.iter().map(|(text, count)| of(text, *count)).sum::<u64>()
            + report.intrinsics.iter().map(|(name, count)| of(name, *count)).sum::<u64>();
        let ptx = sum(&artifact.expected()["ptx"]["full"], |name| {
            name.starts_with("cp.async.ca") || name.starts_with("cp.async.cg")
        });
        assert_eq!(calls, ptx, "{}", artifact.name());
        seen += u64::from(calls > 0);
    });
    assert!(seen > 30, "{seen}");
}

#[test]
fn every_line_is_understood_and_every_call_has_a_place() {
    corpus::each("llir", |artifact| {
        let name = artifact.name();
        let report = report(&artifact.bytes);
        assert_eq!(report.warnings, [""; 0], "{name}");
        let total: u64 = report.ops.values().sum();
        let functions: u64 = report.functions.iter().map(|function| function.instructions).sum();
        assert_eq!(total, functions, "{name}");
        // The file of the kernel's source is in the table of lines.
        let lines = &report.functions.iter().find(|function| function.kernel).unwrap().source_lines;
        assert!(lines.keys().any(|place| !place.starts_with("standard.py")), "{name}: {lines:?}");
        let loops = report.functions.iter().flat_map(|function| &function.loops).count();
        if artifact.expected()["ttgir"]["ops"].get("scf.for").is_none() {
            assert_eq!(loops, 0, "{name}");
        } else if artifact.kernel != "reduction" {
            // LLVM unrolls the reduction's eight tiles on some targets.
            assert!(loops > 0, "{name}");
        }
    });
}

const IR: &str = "\
source_filename = \"a.ll\"
define internal i32 @helper(i32 %x) #0 !dbg !5 {
  %y = add i32 %x, 1, !dbg !6 ; a comment
  ret i32 %y
}
define ptx_kernel void @k(i32 %n) #1 {
entry:
  %a = call i32 @helper(i32 %n), !dbg !7, !range !9
  br label %exit
exit:
  ret void
}
attributes #0 = { nounwind }
attributes #1 = { nounwind \"x\"=\"y\" }
!5 = distinct !DISubprogram(name: \"k\")
";

fn digest(text: &str) -> String {
    report(text.as_bytes()).normal_digest.unwrap().to_string()
}

#[test]
fn names_places_and_order_do_not_show_in_the_digest() {
    let first = digest(IR);
    let renamed = IR
        .replace("%y", "%12")
        .replace("%a ", "%\"v w\" ")
        .replace("exit", "bb9")
        .replace("helper", "other_name")
        .replace("a.ll", "/tmp/b.ll")
        .replace("!7", "!70")
        .replace(" ; a comment", "");
    assert_eq!(first, digest(&renamed));
    let regrouped = IR.replace("#0", "#7").replace("#1", "#0").replace("#7", "#1");
    assert_eq!(first, digest(&regrouped));
    let at = IR.find("define ptx_kernel").unwrap();
    let end = IR.find("attributes").unwrap();
    let start = IR.find("define internal").unwrap();
    let swapped = format!("{}{}{}{}", &IR[..start], &IR[at..end], &IR[start..at], &IR[end..]);
    assert_eq!(first, digest(&swapped));
    assert_ne!(first, digest(&IR.replace("add i32 %x, 1", "add i32 %x, 2")));
    assert_ne!(first, digest(&IR.replace("\"x\"=\"y\"", "\"x\"=\"z\"")));
}
