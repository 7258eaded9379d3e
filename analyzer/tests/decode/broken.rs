//! Broken and foreign input: an error or a report that says so, never a panic.

use lowerline_analyzer::{AnalyzeError, Limits, analyze, analyze_as};
use lowerline_shared::stage::Stage;

use crate::corpus::files;

fn small() -> Vec<u8> {
    let cubins = files().iter().filter(|file| file.extension() == "cubin");
    cubins.min_by_key(|file| file.bytes.len()).unwrap().bytes.clone()
}

fn section(bytes: &[u8], index: usize) -> usize {
    let table = usize::try_from(u64::from_le_bytes(bytes[0x28..0x30].try_into().unwrap())).unwrap();
    table + index * 64
}

fn sections(bytes: &[u8]) -> usize {
    usize::from(u16::from_le_bytes(bytes[0x3c..0x3e].try_into().unwrap()))
}

#[test]
fn an_unknown_architecture_is_counted_as_unknown() {
    let mut bytes = small();
    let known = analyze(&bytes, &Limits::default()).unwrap();
    // The architecture number is the first or the second byte of the flags, by generation.
    let at = if bytes[7] == 0x41 { 0x31 } else { 0x30 };
    bytes[at] = 72;
    let report = analyze(&bytes, &Limits::default()).unwrap();
    assert_eq!(report.functions.len(), known.functions.len());
    for (found, known) in report.functions.iter().zip(&known.functions) {
        assert_eq!(found.instructions, known.instructions);
        assert!(found.opcodes.keys().all(|name| name.starts_with("unknown(0x")));
    }
    assert!(report.warnings.iter().any(|warning| warning.contains("no table for sm_72")), "{:?}", report.warnings);
    assert_eq!(report.resources, known.resources);
    // Before sm_70 an instruction takes 8 bytes and every fourth word is none, so a count by 16 bytes would be wrong.
    bytes[at] = 61;
    let report = analyze(&bytes, &Limits::default()).unwrap();
    assert_eq!(report.functions.len(), known.functions.len());
    assert!(report.functions.iter().all(|function| function.instructions == 0 && function.opcodes.is_empty()));
    assert!(report.warnings.iter().any(|warning| warning.contains("its code is not counted")), "{:?}", report.warnings);
    assert_eq!(report.resources, known.resources);
}

#[test]
fn every_truncation_is_an_error_or_a_report() {
    let bytes = small();
    for length in (0..bytes.len()).step_by(37) {
        let _ = analyze(&bytes[..length], &Limits::default());
    }
    assert!(analyze(&bytes[..bytes.len() / 2], &Limits::default()).is_err());
}

#[test]
fn sections_past_the_end_overlapping_or_empty() {
    let whole = small();
    for index in 0..sections(&whole) {
        for (field, value) in [(0x18, u64::MAX), (0x18, 0), (0x20, u64::MAX), (0x20, 0), (0x20, 8)] {
            let mut bytes = whole.clone();
            let at = section(&bytes, index) + field;
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
            let _ = analyze(&bytes, &Limits::default());
        }
    }
}

#[test]
fn other_classes_and_byte_orders_are_refused() {
    for (at, value) in [(4, 1), (5, 2)] {
        let mut bytes = small();
        bytes[at] = value;
        assert!(analyze(&bytes, &Limits::default()).is_err());
    }
}

#[test]
fn single_byte_mutations_never_panic() {
    let whole = small();
    // All of the headers, and every 61st byte of the rest.
    let table = section(&whole, 0);
    let places = (0..64).chain(table..whole.len()).chain((64..table).step_by(61));
    let mut bytes = whole.clone();
    for (turn, at) in places.enumerate() {
        bytes[at] ^= [0xFF, 0x01, 0x80][turn % 3];
        let _ = analyze(&bytes, &Limits::default());
        bytes[at] = whole[at];
    }
}

/// Headers of sections with code: type PROGBITS with the flag for instructions.
fn code_sections(bytes: &[u8]) -> Vec<usize> {
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let is_code = |index: &usize| {
        let at = section(bytes, *index);
        bytes[at + 4..at + 8] == 1_u32.to_le_bytes() && number(at + 8) & 4 != 0
    };
    (0..sections(bytes)).filter(is_code).collect()
}

fn instructions(report: &lowerline_shared::report::Report) -> u64 {
    report.functions.iter().map(|function| function.instructions).sum()
}

#[test]
fn a_relocatable_object_counts_like_the_linked_one() {
    let mut bytes = small();
    let linked = analyze(&bytes, &Limits::default()).unwrap();
    bytes[16..18].copy_from_slice(&1_u16.to_le_bytes());
    let report = analyze(&bytes, &Limits::default()).unwrap();
    assert_eq!(report.functions, linked.functions);
}

#[test]
fn code_of_no_length_is_no_instruction() {
    let mut bytes = small();
    for index in code_sections(&bytes) {
        let at = section(&bytes, index) + 0x20;
        bytes[at..at + 8].copy_from_slice(&0_u64.to_le_bytes());
    }
    let report = analyze(&bytes, &Limits::default()).unwrap();
    assert_eq!(instructions(&report), 0);
}

#[test]
fn code_past_the_end_of_the_file_is_an_error_with_its_place() {
    for (field, value) in [(0x18, u64::MAX), (0x20, u64::MAX), (0x20, 1 << 40)] {
        let mut bytes = small();
        let at = section(&bytes, code_sections(&bytes)[0]) + field;
        bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        let error = analyze(&bytes, &Limits::default()).unwrap_err().to_string();
        assert!(error.starts_with("expected the section inside the file at byte"), "{error}");
    }
}

#[test]
fn an_hsaco_sent_as_a_cubin_is_said_to_be_one() {
    let hsaco = files().iter().find(|file| file.extension() == "hsaco").unwrap();
    assert_eq!(
        analyze_as(&hsaco.bytes, Stage::Cubin, &Limits::default()),
        Err(AnalyzeError::WrongStage { declared: Stage::Cubin, found: Stage::Hsaco })
    );
}

#[test]
fn scheduling_fields_of_a_cubin_are_those_of_its_words() {
    let report = analyze(&small(), &Limits::default()).unwrap();
    let kernel = report.functions.iter().find(|function| function.kernel).unwrap();
    // No instruction issues in less than one cycle or more than fifteen, NOPs behind the end included.
    let stall = kernel.control["stall_cycles"].function;
    assert!(stall > 0 && stall <= 15 * kernel.instructions, "{stall}");
}
