//! TTIR and TTGIR against the oracle's counts, and against themselves between releases.

use std::collections::BTreeMap;

use lowerline_analyzer::{AnalyzeError, Budget, Limits, analyze, mlir};
use lowerline_shared::{
    report::{FunctionReport, Report, Resource},
    stage::Stage,
};
use serde_json::Value;

use crate::corpus::{self, Artifact};

fn report(artifact: &Artifact, stage: Stage) -> Report {
    let text = std::str::from_utf8(&artifact.bytes).unwrap();
    mlir::report(text, stage, &mut Budget::new(&Limits::default())).unwrap()
}

fn counts(value: &Value) -> BTreeMap<String, u64> {
    value.as_object().unwrap().iter().map(|(key, count)| (key.clone(), count.as_u64().unwrap())).collect()
}

fn texts(value: &Value) -> BTreeMap<String, String> {
    value.as_object().unwrap().iter().map(|(key, text)| (key.clone(), text.as_str().unwrap().to_owned())).collect()
}

/// Adds what the oracle could not read: its pattern takes no `-` in a result's name, and MLIR's grammar (`suffix-id`) does.
/// Each such operation is `%name-more[, %name…] = operation …` on a line of its own.
fn with_hyphenated(mut ops: BTreeMap<String, u64>, text: &str) -> (BTreeMap<String, u64>, bool) {
    let mut any = false;
    for line in text.lines().map(str::trim_start).filter(|line| line.starts_with('%')) {
        let Some((results, rest)) = line.split_once(" = ") else { continue };
        if results.contains('-') {
            let operation = rest.split([' ', '(']).next().unwrap();
            *ops.entry(operation.to_owned()).or_default() += 1;
            any = true;
        }
    }
    (ops, any)
}

#[test]
fn operations_and_layouts_equal_the_oracle() {
    let mut seen = 0;
    let mut hyphenated = 0;
    for (extension, stage) in [("ttir", Stage::Ttir), ("ttgir", Stage::Ttgir)] {
        corpus::each(extension, |artifact| {
            let name = artifact.name();
            let report = report(artifact, stage);
            let expected = &artifact.expected()[extension];
            let text = std::str::from_utf8(&artifact.bytes).unwrap();
            let (ops, more) = with_hyphenated(counts(&expected["ops"]), text);
            assert_eq!(report.ops, ops, "{name}");
            hyphenated += usize::from(more);
            assert_eq!(report.layout_kinds, counts(&expected["layout_kinds"]), "{name}");
            assert_eq!(report.layout_aliases, texts(&expected["layout_aliases"]), "{name}");
            assert_eq!(report.module_attributes, texts(&expected["module_attributes"]), "{name}");
            assert_eq!(report.warnings, [""; 0], "{name}");
            seen += 1;
        });
    }
    assert_eq!((seen, hyphenated), (484, 114));
}

#[test]
fn every_operand_has_a_definition_and_every_operation_a_place() {
    for extension in ["source", "ttir", "glir", "ttgir"] {
        corpus::each(extension, |artifact| {
            let name = artifact.name();
            let text = std::str::from_utf8(&artifact.bytes).unwrap();
            let module = mlir::parse(text, Stage::Ttgir, &mut Budget::new(&Limits::default())).unwrap();
            assert_eq!(module.not_understood, 0, "{name} {:?}", module.first_not_understood);
            for operation in &module.operations {
                for operand in module.operands_of(operation) {
                    assert!(operand.definition.is_some(), "{name}: {operation:?}");
                }
                assert!(operation.location.starts_with("loc("), "{name}: {operation:?}");
                // The closing brace of a module has no place of its own.
                let _ = module.locations.frames(operation.location);
            }
            assert!(module.functions.iter().any(|function| function.public), "{name}");
        });
    }
}

#[test]
fn arguments_state_their_divisibility() {
    let mut seen = 0;
    corpus::each("ttir", |artifact| {
        if artifact.version != "3.7.1" || artifact.kernel != "matmul_census" || !artifact.build.contains("_d") {
            return;
        }
        let asked: u64 = artifact.build.rsplit("_d").next().unwrap().parse().unwrap();
        let report = report(artifact, Stage::Ttir);
        let stated = |name: &str| {
            let argument = report.arguments.iter().find(|argument| argument.name == name).unwrap();
            argument.attributes.get("tt.divisibility").map(|value| value.split(' ').next().unwrap().parse::<u64>())
        };
        let expected = if asked == 1 { None } else { Some(Ok(asked)) };
        assert_eq!(stated("a_ptr"), expected, "{}", artifact.name());
        assert_eq!(report.arguments.first().map(|argument| argument.r#type.as_str()), Some("!tt.ptr<f16>"));
        seen += 1;
    });
    assert_eq!(seen, 9);
}

#[test]
fn launch_parameters_are_those_of_the_metadata() {
    corpus::each("ttgir", |artifact| {
        let report = report(artifact, Stage::Ttgir);
        let metadata = &artifact.expected()["metadata"];
        if report.ops.contains_key("ttg.warp_specialize") {
            assert_eq!(report.resources.get(&Resource::Warps), None);
        } else {
            assert_eq!(report.resources.get(&Resource::Warps).copied(), metadata["num_warps"].as_i64());
        }
        assert_eq!(report.resources.get(&Resource::Ctas).copied(), metadata["num_ctas"].as_i64());
        if artifact.target().starts_with("gfx") {
            assert_eq!(report.target.as_deref(), Some(artifact.target()));
        }
    });
}

#[test]
fn loops_are_those_of_the_source() {
    corpus::each("ttgir", |artifact| {
        let report = report(artifact, Stage::Ttgir);
        let loops: usize = report.functions.iter().map(|function| function.loops.len()).sum();
        assert_eq!(loops as u64, report.ops.get("scf.for").copied().unwrap_or(0), "{}", artifact.name());
        let hot = report.functions.iter().flat_map(|function| &function.loops).filter(|found| found.hot).count();
        assert_eq!(hot, usize::from(loops > 0), "{}", artifact.name());
    });
}

#[test]
fn the_pipelined_census_keeps_three_buffers() {
    corpus::each("ttgir", |artifact| {
        if (artifact.version.as_str(), artifact.kernel.as_str()) != ("3.7.1", "matmul") {
            return;
        }
        if artifact.build != "sm_90a/128x128x64_w8_s3" {
            return;
        }
        let text = std::str::from_utf8(&artifact.bytes).unwrap();
        let module = mlir::parse(text, Stage::Ttgir, &mut Budget::new(&Limits::default())).unwrap();
        let buffers: Vec<_> = module
            .operations
            .iter()
            .filter(|operation| operation.name == "ttg.local_alloc")
            .flat_map(|operation| mlir::types::shaped(operation.result_types()))
            .map(|found| found.shape)
            .collect();
        assert_eq!(buffers, [[3, 128, 64], [3, 64, 128]].map(|shape| shape.map(Some).to_vec()));
        let dot = module.operations.iter().find(|operation| operation.name == "ttng.warp_group_dot").unwrap();
        assert_eq!(dot.loops, 1);
        let first = module.producer(module.operands_of(dot)[0]).unwrap();
        assert_eq!(first.name, "ttg.memdesc_index");
        let place = module.locations.frames(dot.location)[0];
        assert_eq!((place.short().as_str(), place.name), ("matmul.py:37", Some("acc")));
    });
}

/// Normal digests by version, for one kernel and build.
type Digests = BTreeMap<(String, String), BTreeMap<String, String>>;

fn digests(extension: &str, stage: Stage) -> Digests {
    let mut all = Digests::new();
    corpus::each(extension, |artifact| {
        let digest = report(artifact, stage).normal_digest.unwrap().to_string();
        let key = (artifact.kernel.clone(), artifact.build.clone());
        all.entry(key).or_default().insert(artifact.version.clone(), digest);
    });
    all
}

fn equal(all: &Digests, a: &str, b: &str) -> (usize, Vec<String>) {
    let mut same = 0;
    let mut different = Vec::new();
    for ((kernel, build), versions) in all {
        match (versions.get(a), versions.get(b)) {
            (Some(a), Some(b)) if a == b => same += 1,
            (Some(_), Some(_)) => different.push(format!("{kernel}/{build}")),
            _ => {}
        }
    }
    (same, different)
}

#[test]
fn ttir_is_normal_equal_where_only_names_and_places_moved() {
    let all = digests("ttir", Stage::Ttir);
    let none = Vec::<String>::new();
    let (same, different) = equal(&all, "3.4.0", "3.5.0");
    assert!(same > 10 && !different.iter().any(|build| build.starts_with("flex_attention")), "{different:?}");
    assert_eq!(equal(&all, "3.5.0", "3.5.1").1, none);
    assert_eq!(equal(&all, "3.5.1", "3.7.1"), (30, none));
}

#[test]
fn ttgir_of_3_5_0_and_3_5_1_is_normal_equal() {
    let all = digests("ttgir", Stage::Ttgir);
    let (same, different) = equal(&all, "3.5.0", "3.5.1");
    assert_eq!(different, Vec::<String>::new());
    assert!(same > 20, "{same}");
}

const IR: &str = "\
#blocked = #ttg.blocked<{sizePerThread = [1]}>
#blocked1 = #ttg.slice<{dim = 0, parent = #blocked}>
#loc = loc(\"/a/k.py\":1:0)
module attributes {\"ttg.num-warps\" = 4 : i32} {
  tt.func private @helper(%x: tensor<4xf32, #blocked1> loc(\"x\"(#loc))) -> f32 {
    %y = \"tt.reduce\"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32 loc(#loc), %b: f32 loc(#loc)):
      %c = arith.addf %a, %b : f32 loc(#loc)
      tt.reduce.return %c : f32 loc(#loc)
    }) : (tensor<4xf32, #blocked1>) -> f32 loc(#loc)
    tt.return %y : f32 loc(#loc)
  } loc(#loc)
  tt.func public @k(%p: i32 {tt.divisibility = 16 : i32} loc(#loc)) {
    %z = tt.splat %p : i32 -> tensor<4xf32, #blocked1> loc(#loc)
    %r = tt.call @helper(%z) : (tensor<4xf32, #blocked1>) -> f32 loc(#loc)
    tt.return loc(#loc)
  } loc(#loc)
} loc(#loc)
";

fn digest(text: &str) -> String {
    let report = mlir::report(text, Stage::Ttgir, &mut Budget::new(&Limits::default())).unwrap();
    assert_eq!(report.warnings, [""; 0]);
    report.normal_digest.unwrap().to_string()
}

#[test]
fn names_places_numbering_and_order_do_not_show_in_the_digest() {
    let first = digest(IR);
    let moved = IR
        .replace("/a/k.py\":1:0", "/elsewhere/other.py\":77:3")
        .replace("%y", "%result_12")
        .replace("%c ", "%p ")
        .replace("%c :", "%p :")
        .replace("#blocked1", "#layout")
        .replace("helper", "helper__3")
        .replace("@k", "@renamed");
    assert_eq!(first, digest(&moved));
    let (helper, kernel) = (IR.find("  tt.func private").unwrap(), IR.find("  tt.func public").unwrap());
    let end = IR.rfind("} loc").unwrap();
    let swapped = format!("{}{}{}{}", &IR[..helper], &IR[kernel..end], &IR[helper..kernel], &IR[end..]);
    assert_eq!(first, digest(&swapped));
    // Aliases may stand behind the module.
    let at = IR.find("#loc = ").unwrap();
    assert_eq!(first, digest(&format!("{}{}", &IR[at..], &IR[..at])));
}

#[test]
fn what_a_program_does_shows_in_the_digest() {
    let first = digest(IR);
    for (from, to) in [
        ("arith.addf %a, %b", "arith.addf %b, %a"),
        ("arith.addf", "arith.mulf"),
        ("axis = 0", "axis = 1"),
        ("sizePerThread = [1]", "sizePerThread = [2]"),
        ("tt.divisibility = 16", "tt.divisibility = 8"),
        ("\"ttg.num-warps\" = 4", "\"ttg.num-warps\" = 8"),
        ("@helper(%z)", "@outside(%z)"),
    ] {
        assert_ne!(first, digest(&IR.replace(from, to)), "{from}");
    }
}

#[test]
fn a_kernel_compiled_from_another_folder_is_normal_equal() {
    let mut seen = 0;
    corpus::each("ttgir", |artifact| {
        if artifact.version != "3.7.1" {
            return;
        }
        let text = std::str::from_utf8(&artifact.bytes).unwrap();
        assert_eq!(digest(text), digest(&text.replace("/repo/kernels/", "/home/someone/x/")), "{}", artifact.name());
        seen += 1;
    });
    assert!(seen > 60, "{seen}");
}

fn analyzed(text: &str) -> Result<Report, AnalyzeError> {
    analyze(text.as_bytes(), &Limits::default())
}

#[test]
fn names_may_hold_hyphens_dots_and_dollars() {
    let text = "#lay-out = #ttg.blocked<{order = [0]}>\n\
        module attributes {\"ttg.num-warps\" = 4 : i32} {\n  tt.func public @k-1(%arg-x: i32, %7: i32) {\n\
        %c-1_i32 = arith.constant -1 : i32\n    %t$1.x-2, %_-$:2 = \"my.three\"(%c-1_i32, %arg-x) : (i32, i32) -> (i32, i32, i32)\n\
        cf.br ^bb-1(%_-$#1 : i32)\n  ^bb-1(%v-0: i32):\n    %-3 = arith.addi %v-0, %7 : i32\n    tt.return\n  }\n}\n";
    let report = analyzed(text).unwrap();
    let ops: BTreeMap<&str, u64> = report.ops.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    let expected = ["arith.addi", "arith.constant", "cf.br", "my.three", "tt.func", "tt.return"].map(|name| (name, 1));
    assert_eq!(ops, BTreeMap::from(expected));
    assert_eq!(report.warnings, [""; 0]);
    assert_eq!((report.functions[0].name.as_str(), report.arguments[0].name.as_str()), ("k-1", "arg-x"));
    assert_eq!(report.layout_aliases["lay-out"], "ttg.blocked");
    let module = mlir::parse(text, Stage::Ttgir, &mut Budget::new(&Limits::default())).unwrap();
    for operation in &module.operations {
        assert!(module.operands_of(operation).iter().all(|operand| operand.definition.is_some()), "{operation:?}");
    }
}

/// The same module in both of MLIR's forms has the same content.
#[test]
fn the_generic_form_says_what_the_pretty_form_says() {
    let pretty = "module attributes {\"ttg.num-warps\" = 4 : i32, ttg.target = \"cuda:90\"} {\n\
        tt.func public @k(%arg0: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %arg1: i32) attributes {noinline = false} {\n\
        %0 = arith.constant 0 : i32\n    scf.for %arg2 = %0 to %arg1 step %0 : i32 {\n\
        tt.store %arg0, %arg2 : !tt.ptr<f16>\n      scf.yield\n    } {tt.num_stages = 3 : i32}\n    tt.return\n  }\n}\n";
    let generic = "\"builtin.module\"() ({\n  \"tt.func\"() <{arg_attrs = [{tt.divisibility = 16 : i32}, {}], \
        function_type = (!tt.ptr<f16>, i32) -> (), sym_name = \"k\", sym_visibility = \"public\"}> ({\n\
        ^bb0(%arg0: !tt.ptr<f16>, %arg1: i32):\n    %0 = \"arith.constant\"() <{value = 0 : i32}> : () -> i32\n\
        \"scf.for\"(%0, %arg1, %0) ({\n    ^bb0(%arg2: i32):\n\
        \"tt.store\"(%arg0, %arg2) : (!tt.ptr<f16>, i32) -> ()\n      \"scf.yield\"() : () -> ()\n\
        }) {tt.num_stages = 3 : i32} : (i32, i32, i32) -> ()\n    \"tt.return\"() : () -> ()\n\
        }) {noinline = false} : () -> ()\n}) {\"ttg.num-warps\" = 4 : i32, ttg.target = \"cuda:90\"} : () -> ()\n";
    let (pretty, mut generic) = (analyzed(pretty).unwrap(), analyzed(generic).unwrap());
    // What the pretty form writes as a word without a dialect has one here.
    assert_eq!(generic.ops.remove("builtin.module"), Some(1));
    assert_eq!((generic.stage, &generic.ops, &generic.ops_in_loop), (pretty.stage, &pretty.ops, &pretty.ops_in_loop));
    assert_eq!(generic.module_attributes, pretty.module_attributes);
    assert_eq!(generic.arguments, pretty.arguments);
    assert_eq!(generic.resources, pretty.resources);
    let shape = |report: &Report| {
        let functions = report.functions.iter();
        let loops = |function: &FunctionReport| {
            function.loops.iter().map(|found| (found.depth, found.instructions)).collect::<Vec<_>>()
        };
        functions.map(|f| (f.name.clone(), f.kernel, f.instructions, loops(f))).collect::<Vec<_>>()
    };
    assert_eq!(shape(&generic), shape(&pretty));
    assert_eq!(generic.functions[0].loops.len(), 1);
}

/// An early `return` leads forward; the second function reuses the label of the first.
#[test]
fn a_branch_back_is_said_and_one_forward_is_not() {
    let function = |name: &str, first: &str, second: &str| {
        format!(
            "  tt.func @{name}(%c: i1) {{\n    cf.br ^bb1\n  ^bb1:  // pred: ^bb0\n    cf.cond_br %c, ^{first}, ^{second}\n  ^bb2:  // pred: ^bb1\n    tt.return\n  ^bb3:\n    tt.return\n  }}\n"
        )
    };
    let module = |second: &str| format!("module {{\n{}{second}}}\n", function("a", "bb2", "bb3"));
    assert_eq!(analyzed(&module(&function("b", "bb2", "bb3"))).unwrap().warnings, [""; 0]);
    let looping = analyzed(&module(&function("b", "bb1", "bb3"))).unwrap();
    let said = "1 branches lead back to an earlier block: what they repeat is counted as no loop";
    assert_eq!(looping.warnings, [said]);
}

#[test]
fn what_is_no_whole_module_is_said() {
    let aliases = "#blocked = #ttg.blocked<{order = [0]}>\n#loc = loc(unknown)\n";
    assert_eq!(
        analyzed(aliases).unwrap_err().to_string(),
        "ttir ends too early: the module behind its aliases is missing"
    );
    let module = "module attributes {\"ttg.num-warps\" = 4 : i32} {\n}\n";
    assert_eq!(
        analyzed(module).unwrap().warnings,
        ["no function was found: arguments, loops and functions are not known"]
    );
    let odd = module.replace("\n}", "\ntt.func @k() {\ntt.return\n}\n}");
    let odd = analyzed(&format!("#only a word\n!and another\n{odd}")).unwrap();
    assert_eq!(odd.warnings, ["2 lines not understood, the first is line 1: #only a word"]);
    let cr = "module {\n  tt.func @k() {\n  }\n}\n";
    assert_eq!(
        analyzed(&cr.replace('\n', "\r")).unwrap_err().to_string(),
        "malformed ttir at offset 8: lines end with a lone CR here; write them with LF or CR LF"
    );
    assert_eq!(analyzed(&cr.replace('\n', "\r\n")).unwrap().functions, analyzed(cr).unwrap().functions);
}
