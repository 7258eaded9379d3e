//! Loops that take a jump table or a `CALL` within the kernel to see: `flow/flow.cu`, compiled by CUDA 13, its cubins and two
//! forms of their text. Loops by a program of its own over the text of `nvdisasm`, which names the targets.

use std::{fs, path::Path};

use lowerline_analyzer::{Limits, analyze};
use lowerline_shared::{family::Family, report::Report};

use crate::{corpus::files, counts};

/// Function, instructions, and of each loop its instructions and depth in text order.
type Expected = [(&'static str, u64, &'static [(u64, u32)])];

const SM_80: &Expected =
    &[("dispatch", 128, &[(97, 1)]), ("nested", 200, &[(194, 1), (180, 2), (90, 3)]), ("sqrt", 32, &[])];
const SM_90: &Expected =
    &[("dispatch", 128, &[(99, 1)]), ("nested", 197, &[(189, 1), (174, 2), (86, 3)]), ("sqrt", 35, &[])];

fn read(name: &str) -> Report {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/flow").join(name);
    analyze(&fs::read(path).unwrap(), &Limits::default()).unwrap()
}

fn check(name: &str, expected: &Expected) -> Report {
    let report = read(name);
    let mut functions: Vec<_> = report.functions.iter().collect();
    // The helper has its address for a name where the text has no symbols.
    functions.sort_by_key(|function| (!function.kernel, function.name.clone()));
    assert_eq!(functions.len(), expected.len(), "{name}");
    for (function, (kernel, instructions, loops)) in functions.iter().zip(expected) {
        let found: Vec<(u64, u32)> = function.loops.iter().map(|found| (found.instructions, found.depth)).collect();
        assert_eq!((function.instructions, &*found), (*instructions, *loops), "{name} {kernel}");
        assert!(!function.kernel || function.name == *kernel, "{name} {}", function.name);
    }
    report
}

#[test]
fn switches_and_calls_within_a_kernel_are_jumps() {
    for (sm, expected) in [("sm_80", SM_80), ("sm_90", SM_90)] {
        for form in ["cubin", "sass"] {
            let report = check(&format!("flow.{sm}.{form}"), expected);
            assert_eq!(report.warnings.iter().filter(|text| text.contains("branch")).count(), 0, "{sm} {form}");
        }
        let report = check(&format!("flow.{sm}.cuobjdump.sass"), expected);
        assert!(report.warnings[0].contains("where 4 indirect branches go"), "{:?}", report.warnings);
    }
}

/// Partitions of a warp-specialized kernel are the cases of one switch. PTX, whose loops are those of LLVM, says which
/// tensor operations repeat.
#[test]
fn matrix_instructions_of_a_warp_specialized_kernel_are_in_its_loops() {
    let mut seen = 0;
    for file in files().iter().filter(|file| file.path.contains("matmul_ws/sm_100a/")) {
        if !["ptx", "cubin", "sass"].contains(&file.extension()) {
            continue;
        }
        let report = counts::report(file);
        let counts =
            report.functions.iter().filter_map(|function| function.families_by_scope.get(&Family::TensorCompute));
        for counts in counts {
            assert_eq!((counts.function, counts.r#loop), (8, 8), "{}", file.path);
            seen += 1;
        }
    }
    assert_eq!(seen, 15);
}
