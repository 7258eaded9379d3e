//! What is fuzzed: any bytes, each format behind a door that lets them in, the decoder's words, and annotations.

use lowerline_analyzer::{
    Limits, analyze, annotate,
    decode::{Decoder, instructions},
    detect::detect,
};
use lowerline_shared::{report::Report, stage::Stage};

/// Names of the targets.
pub const TARGETS: [&str; 10] =
    ["analyze", "ptx", "sass", "amdgcn", "mlir", "llir", "cubin", "hsaco", "decode", "annotate"];

/// The target of a name.
///
/// # Panics
///
/// When there is none.
pub fn target(name: &str) -> fn(&[u8]) {
    match name {
        "analyze" => check,
        "ptx" => ptx,
        "sass" => sass,
        "amdgcn" => amdgcn,
        "mlir" => mlir,
        "llir" => llir,
        "cubin" => cubin,
        "hsaco" => hsaco,
        "decode" => decode,
        "annotate" => annotate,
        _ => panic!("no target {name}; there are {}", TARGETS.join(", ")),
    }
}

const LIMITS: Limits = Limits {
    bytes: 1 << 20,
    instructions: 1 << 18,
    opcodes: 8 << 10,
    functions: 4 << 10,
    entries: 1 << 17,
    steps: 500_000_000,
};

/// Analyzes and checks what every report keeps, whatever the bytes.
fn check(bytes: &[u8]) {
    let Ok(report) = analyze(bytes, &LIMITS) else { return };
    let sum: u64 = report.histogram().iter().map(|row| row.counts.function).sum();
    let mut instructions = 0;
    for function in report.functions.iter().filter(|function| !function.opcodes.is_empty()) {
        instructions += function.instructions;
        assert_eq!(function.opcodes.values().sum::<u64>(), function.instructions);
        assert_eq!(function.families.values().sum::<u64>(), function.instructions);
        for row in &function.canonical {
            assert!(row.counts.function >= row.counts.r#loop && row.counts.r#loop >= row.counts.hot);
        }
    }
    assert_eq!(sum, instructions);
    let json = serde_json::to_string(&report).expect("a report is JSON");
    assert_eq!(serde_json::from_str::<Report>(&json).expect("and reads back"), report);
}

/// Bytes of a format as they are, others as lines in a body of that format.
fn within(stage: Stage, head: &[u8], bytes: &[u8], tail: &[u8]) {
    if detect(bytes) == Ok(stage) { check(bytes) } else { check(&[head, bytes, tail].concat()) }
}

fn ptx(bytes: &[u8]) {
    within(Stage::Ptx, b".version 8.7\n.target sm_90a\n.visible .entry k()\n{\n", bytes, b"\n}\n");
}

fn sass(bytes: &[u8]) {
    within(Stage::Sass, b"\tcode for sm_100a\n\t\tFunction : k\n", bytes, b"\n");
}

fn amdgcn(bytes: &[u8]) {
    let head = b"\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n\t.type k,@function\nk:\n";
    within(Stage::Amdgcn, head, bytes, b"\n");
}

fn mlir(bytes: &[u8]) {
    let head = b"module attributes {\"ttg.num-warps\" = 4 : i32} {\ntt.func public @k() {\n";
    within(Stage::Ttgir, head, bytes, b"\n}\n}\n");
}

fn llir(bytes: &[u8]) {
    within(Stage::Llir, b"define void @k() {\n", bytes, b"\n}\n");
}

fn with_head(bytes: &[u8], magic: &[u8], machine: u16) -> Vec<u8> {
    let mut file = bytes.to_vec();
    for (at, part) in [(0, magic), (18, &machine.to_le_bytes()[..])] {
        if let Some(place) = file.get_mut(at..at + part.len()) {
            place.copy_from_slice(part);
        }
    }
    file
}

fn cubin(bytes: &[u8]) {
    check(&with_head(bytes, b"\x7fELF\x02\x01\x01\x33\x07", 190));
}

fn hsaco(bytes: &[u8]) {
    check(&with_head(bytes, b"\x7fELF\x02\x01\x01\x40\x03", 224));
}

/// The first byte chooses the architecture, the rest are instructions.
fn decode(bytes: &[u8]) {
    const ARCHITECTURES: [u32; 12] = [75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121, 999];
    let Some((choice, code)) = bytes.split_first() else { return };
    let mut decoder = Decoder::new(ARCHITECTURES[usize::from(*choice) % ARCHITECTURES.len()]);
    let found = instructions(&mut decoder, code, 0);
    assert_eq!(found.len(), code.len() / 16);
    for instruction in found {
        let name = &decoder.opcode(instruction.opcode).expect("each instruction has an opcode").name;
        assert!(!name.is_empty());
        let _ = (instruction.operands(name), instruction.guard(name), instruction.word.control().text());
    }
}

/// Every index of an annotation is one of its tables, and no chain of calls is a circle.
fn annotate(bytes: &[u8]) {
    let Ok(stage) = detect(bytes) else { return };
    let Ok(found) = annotate::annotate(stage, bytes, &LIMITS) else { return };
    for (index, place) in found.places.iter().enumerate() {
        assert!((place.file as usize) < found.files.len());
        assert!(place.caller.is_none_or(|caller| (caller as usize) < index));
    }
    for row in &found.rows {
        let block = found.block(row).expect("each row has a block");
        assert!(block.function.is_none_or(|function| (function as usize) < found.functions.len()));
        assert!(block.r#loop.is_none_or(|inner| (inner as usize) < found.loops.len()));
        assert!(row.place.is_none_or(|place| (place as usize) < found.places.len()));
    }
    for inner in &found.loops {
        assert!(inner.parent.is_none_or(|parent| (parent as usize) < found.loops.len()));
    }
}
