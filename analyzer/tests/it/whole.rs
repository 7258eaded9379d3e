//! One text, one artifact: several kernels, two stages in one file, and ends that are missing.

use lowerline_analyzer::{Limits, analyze};
use lowerline_shared::report::{Report, Resource};

use crate::corpus::files;

fn read(text: &str) -> Result<Report, String> {
    analyze(text.as_bytes(), &Limits::default()).map_err(|error| error.to_string())
}

fn first(extension: &str) -> &'static str {
    let file = files().iter().find(|file| file.extension() == extension).unwrap();
    std::str::from_utf8(&file.bytes).unwrap()
}

/// Keys as LLVM writes them; the largest of each is what an hsaco's report says.
#[test]
fn of_several_kernels_in_amdgcn_text_the_largest_resource_counts_and_a_warning_says_so() {
    let kernel = |name: &str, registers: u32, stack: u32| {
        format!(
            "  - .args:\n      - .name: x\n    .name: {name}\n    .private_segment_fixed_size: {stack}\n    .symbol: {name}.kd\n    .vgpr_count: {registers}\n"
        )
    };
    let text = |kernels: &str| {
        format!(
            "\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n\t.amdgpu_metadata\n---\namdhsa.kernels:\n{kernels}...\n\t.end_amdgpu_metadata\n"
        )
    };
    let two = read(&text(&(kernel("a", 48, 0) + &kernel("b", 12, 356)))).unwrap();
    assert_eq!((two.resources[&Resource::Registers], two.resources[&Resource::StackBytes]), (48, 356));
    assert_eq!(two.warnings, ["2 kernels: each resource is the largest of them"]);
    assert_eq!(read(&text(&kernel("a", 48, 0))).unwrap().warnings, [""; 0]);
}

#[test]
fn a_place_in_ptx_does_not_reach_into_the_next_function() {
    let body = |name: &str, threads: u32, loc: &str| {
        format!(
            ".visible .entry {name}()\n.reqntid {threads}, 1, 1\n{{\n{loc}$L__{name}:\nadd.s32 %r1, %r1, 1;\n@%p1 bra $L__{name};\nret;\n}}\n"
        )
    };
    let head = ".version 8.7\n.target sm_90a\n.address_size 64\n";
    let file = ".file 1 \"x.cu\"\n";
    let report = read(&format!("{head}{}{}{file}", body("a", 32, ".loc 1 77 3\n"), body("b", 64, ""))).unwrap();
    let sources: Vec<_> = report.functions.iter().map(|function| function.loops[0].source.as_deref()).collect();
    assert_eq!(sources, [Some("x.cu:77"), None]);
    assert_eq!(report.resources[&Resource::Threads], 64);
    assert_eq!(report.warnings, ["2 kernels: each resource is the largest of them"]);
}

#[test]
fn two_stages_in_one_file_are_refused() {
    for (a, b) in [("amdgcn", "ttgir"), ("amdgcn", "ttir"), ("sass", "ttgir"), ("sass", "ttir"), ("sass", "amdgcn")] {
        let error = read(&format!("{}\n{}", first(a), first(b))).unwrap_err();
        let second = if b == "ttgir" { "ttir" } else { b };
        assert!(error.starts_with(&format!("the file is {a} and {second} at once (offset ")), "{a} {b}: {error}");
    }
    for (a, b) in [("ttir", "ttgir"), ("ttgir", "ttir")] {
        let error = read(&format!("{}\n{}", first(a), first(b))).unwrap_err();
        assert!(error.ends_with("one module, and this is a second"), "{error}");
    }
}

#[test]
fn a_listing_of_two_targets_is_refused() {
    let text = first("cuobjdump.sass");
    let from = text.find("code for sm_").unwrap();
    let target = text[from..].split_whitespace().nth(2).unwrap();
    let error = read(&format!("{text}\n{}", text.replace(target, "sm_75"))).unwrap_err();
    assert!(error.ends_with("code for a second target; split the text at its `code for` lines"), "{error}");
    assert!(read(&format!("{text}\n{text}")).is_ok());
}

/// Cuts behind a line inside the first function: the rest of it would be missing from the counts.
#[test]
fn a_text_that_ends_inside_a_function_is_refused() {
    for (extension, begin, end, error) in [
        ("amdgcn", "@function", "\t.size\t", "amdgcn ends too early: the `.size` of a function is missing"),
        (
            "cuobjdump.sass",
            "Function : ",
            "\t\t....",
            "sass ends too early: the row of dots behind a function is missing",
        ),
    ] {
        let text = first(extension);
        let from = text.find(begin).unwrap();
        let to = from + text[from..].find(end).unwrap();
        let lines: Vec<usize> = text[from..to].match_indices('\n').map(|(at, _)| from + at + 1).collect();
        let code = lines.len() / 4;
        for cut in lines[code..].iter().step_by(lines.len() / 20) {
            assert_eq!(read(&text[..*cut]).unwrap_err(), error, "{extension} {cut}");
        }
    }
}

/// Assembly written by hand: metadata in front, no `.size`. Its last instruction tells it from a cut text.
#[test]
fn amdgcn_text_without_sizes_is_read_when_its_code_ends_as_code_does() {
    let text = |last: &str| {
        format!(
            "\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n\t.amdgpu_metadata\n---\namdhsa.kernels:\n  - .name: k\n    .symbol: k.kd\n...\n\t.end_amdgpu_metadata\n\t.type k,@function\nk:\n\tv_add_f32 v0, v1, v2\n\t{last}\n"
        )
    };
    let report = read(&text("s_endpgm")).unwrap();
    assert_eq!(report.warnings, ["1 functions have no `.size` behind them: a cut text would look like this"]);
    let error = read(&text("s_waitcnt vmcnt(0)")).unwrap_err();
    assert_eq!(error, "amdgcn ends too early: the `.size` of a function is missing");
}
