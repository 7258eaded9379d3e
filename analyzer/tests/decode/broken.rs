//! Broken and foreign input: an error or a report that says so, never a panic.

use lowerline_analyzer::{Limits, analyze};

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
    bytes[at] = 61;
    let report = analyze(&bytes, &Limits::default()).unwrap();
    assert_eq!(report.functions.len(), known.functions.len());
    for (found, known) in report.functions.iter().zip(&known.functions) {
        assert_eq!(found.instructions, known.instructions);
        assert!(found.opcodes.keys().all(|name| name.starts_with("unknown(0x")));
    }
    assert!(report.warnings.iter().any(|warning| warning.contains("no table for sm_61")), "{:?}", report.warnings);
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
