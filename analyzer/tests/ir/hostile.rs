//! Broken and hostile files of the binary and IR formats, each with its exact error.

use std::fmt::Write as _;

use lowerline_analyzer::{Limits, analyze};

use crate::elf_file::{AMD, NVIDIA, Section, file, function, section};

fn error(bytes: &[u8]) -> String {
    analyze(bytes, &Limits::default()).map_or_else(|error| error.to_string(), |report| format!("accepted {report:?}"))
}

/// A cubin with one kernel `k` of 16 bytes, with further sections behind.
fn cubin(value: u64, more: &[Section]) -> Vec<u8> {
    let mut symbols = vec![0; 24];
    symbols.extend(function(1, 1, value));
    let mut sections = vec![
        section(".text.k", 1, &[0; 16]),
        Section { link: 3, ..section(".symtab", 2, &symbols) },
        section(".strtab", 3, b"\0k\0"),
    ];
    sections.extend_from_slice(more);
    file(NVIDIA, &sections)
}

/// An hsaco whose only note has this payload.
fn hsaco(payload: &[u8]) -> Vec<u8> {
    let mut note = Vec::new();
    for word in [7, payload.len() as u32, 32] {
        note.extend_from_slice(&word.to_le_bytes());
    }
    note.extend_from_slice(b"AMDGPU\0\0");
    note.extend_from_slice(payload);
    note.resize(note.len().next_multiple_of(4), 0);
    file(AMD, &[section(".note", 7, &note)])
}

/// The file that makes `object`'s own decompression touch 8 GiB: a header that claims them.
fn claims_eight_gib() -> Vec<u8> {
    let mut header = Vec::new();
    header.extend_from_slice(&1_u32.to_le_bytes());
    header.extend_from_slice(&0_u32.to_le_bytes());
    header.extend_from_slice(&(8_u64 << 30).to_le_bytes());
    header.extend_from_slice(&1_u64.to_le_bytes());
    header.extend_from_slice(b"x\x9c");
    let compressed = Section { flags: 0x800, ..section(".debug_info", 1, &header) };
    let mut bytes = file(NVIDIA, &[compressed]);
    // The name of the names table is not needed: cut what is beyond 312 bytes by sharing the first name's end.
    let table = bytes.len() - 3 * 64;
    let names = b"\0.debug_info\0";
    let at = 64 + header.len();
    bytes.splice(at..table, names.iter().copied());
    let table = (at + names.len()) as u64;
    bytes[40..48].copy_from_slice(&table.to_le_bytes());
    let last = bytes.len() - 64;
    bytes[last..last + 4].copy_from_slice(&0_u32.to_le_bytes());
    bytes[last + 32..last + 40].copy_from_slice(&(names.len() as u64).to_le_bytes());
    bytes.resize(312, 0);
    bytes
}

#[test]
fn a_claim_of_eight_gib_costs_nothing() {
    let bytes = claims_eight_gib();
    assert_eq!(bytes.len(), 312);
    assert_eq!(error(&bytes), "expected no compressed section at byte 64");
}

#[test]
fn broken_cubins_have_their_errors() {
    let whole = cubin(0, &[]);
    assert!(error(&whole).starts_with("accepted"));
    let mut patched: Vec<(Vec<u8>, &str)> = vec![
        (whole[..60].to_vec(), "expected a 64-bit little-endian ELF file for this GPU at byte 0"),
        (cubin(32, &[]), "expected the function inside its section at byte 64"),
        (cubin(u64::MAX, &[]), "expected the function inside its section at byte 64"),
        (
            cubin(0, &[section(".nv.info", 0x7000_0000, &[4, 0x2f, 8, 0, 1])]),
            "expected a whole .nv.info entry at byte 131",
        ),
        (cubin(0, &[section(".nv.info", 0x7000_0000, &[9, 0, 0, 0])]), "expected a whole .nv.info entry at byte 131"),
        (cubin(0, &[section(".note.nv.tkinfo", 7, &[1; 20])]), "expected a whole note at byte 131"),
        (file(NVIDIA, &vec![section(".x", 1, b"x"); 5_000]), "expected at most 4096 sections at byte 20075"),
        (file(NVIDIA, &[section(".symtab", 2, &vec![0; 24 * 65_537])]), "expected at most 65536 symbols at byte 64"),
    ];
    let table = |bytes: &[u8]| u64::from_le_bytes(bytes[40..48].try_into().unwrap()) as usize;
    let mut patch = |offset: fn(usize) -> usize, with: &[u8], expected| {
        let mut bytes = whole.clone();
        let at = offset(table(&bytes));
        bytes[at..at + with.len()].copy_from_slice(with);
        patched.push((bytes, expected));
    };
    patch(|_| 40, &u64::MAX.to_le_bytes(), "expected a section table inside the file at byte 18446744073709551615");
    patch(|_| 62, &99_u16.to_le_bytes(), "expected a name of at most 20480 bytes at byte 64");
    patch(|_| 7, &[0], "expected a 64-bit little-endian ELF file for this GPU at byte 7");
    patch(|_| 8, &[9], "expected a 64-bit little-endian ELF file for this GPU at byte 7");
    patch(|_| 4, &[1], "expected a 64-bit little-endian ELF file for this GPU at byte 0");
    patch(|_| 5, &[2], "expected a 64-bit little-endian ELF file for this GPU at byte 0");
    patch(|table| table + 64 + 32, &u64::MAX.to_le_bytes(), "expected the section inside the file at byte 64");
    patch(|table| table + 64, &u32::MAX.to_le_bytes(), "expected a name of at most 20480 bytes at byte 64");
    for (bytes, expected) in patched {
        assert_eq!(error(&bytes), expected);
    }
}

#[test]
fn sections_that_share_their_bytes_stop_at_the_size_of_the_file() {
    let attributes = [2, 0x4c, 1, 0].repeat(50_000);
    let mut bytes = cubin(0, &vec![section(".nv.info", 0x7000_0000, &attributes); 3]);
    // All three point at the first one's bytes; the file keeps room for one.
    let table = u64::from_le_bytes(bytes[40..48].try_into().unwrap()) as usize;
    let first: [u8; 8] = bytes[table + 4 * 64 + 24..][..8].try_into().unwrap();
    for n in 5..7 {
        bytes[table + n * 64 + 24..][..8].copy_from_slice(&first);
    }
    let from = u64::from_le_bytes(first) as usize + attributes.len();
    bytes.drain(from..from + 2 * attributes.len());
    let moved = (table - 2 * attributes.len()) as u64;
    bytes[40..48].copy_from_slice(&moved.to_le_bytes());
    let names = moved as usize + 7 * 64 + 24;
    let at = u64::from_le_bytes(bytes[names..][..8].try_into().unwrap()) - 2 * attributes.len() as u64;
    bytes[names..][..8].copy_from_slice(&at.to_le_bytes());
    assert_eq!(error(&bytes), "expected sections that do not overlap at byte 131");
}

#[test]
fn broken_hsacos_have_their_errors() {
    let cases: [(Vec<u8>, &str); 7] = [
        (hsaco(&[0x90]), "expected AMDGPU metadata as a MessagePack map at byte 64"),
        (hsaco(&[0x81]), "expected AMDGPU metadata as a MessagePack map at byte 64"),
        (
            hsaco(&[0x81, 0xa1, b'x', 0xdd, 0xff, 0xff, 0xff, 0xff]),
            "expected AMDGPU metadata as a MessagePack map at byte 64",
        ),
        (
            hsaco(&[&[0x81, 0xae][..], b"amdhsa.kernels", &[0xdf, 0xff, 0xff, 0xff, 0xff]].concat()),
            "expected AMDGPU metadata as a MessagePack map at byte 64",
        ),
        (
            hsaco(&[&[0x81, 0xae][..], b"amdhsa.kernels", &[0xdd, 0xff, 0xff, 0xff, 0xff]].concat()),
            "expected AMDGPU metadata as a MessagePack map at byte 64",
        ),
        (file(AMD, &[section(".note", 7, &[0; 11])]), "expected a whole note at byte 64"),
        (file(AMD, &[section(".note", 7, &[0xff; 12])]), "expected a whole note at byte 64"),
    ];
    for (bytes, expected) in cases {
        assert_eq!(error(&bytes), expected);
    }
    // Arrays within arrays: skipped by counting, not by calling.
    let deep = [&[0x81, 0xa1, b'x'][..], &[0x91; 1 << 20], &[0xc0]].concat();
    assert!(error(&hsaco(&deep)).starts_with("accepted"));
}

#[test]
fn broken_ir_has_its_errors() {
    let nested = |depth: usize| format!("module {{\n{}{}}}\n", "scf.if %a {\n".repeat(depth), "}\n".repeat(depth));
    assert!(error(nested(1_023).as_bytes()).starts_with("accepted"));
    let cases: [(String, &str); 8] = [
        (nested(1_024), "malformed ttir at offset 12285: at most 1024 regions inside each other"),
        (nested(1_000_000), "malformed ttir at offset 12285: at most 1024 regions inside each other"),
        ("module {\n  tt.func public @k() {\n".to_owned(), "ttir ends too early: the end of a region is missing"),
        ("module {\n}\n.version 8.7\n".to_owned(), "the file is ttir and ptx at once (offset 11)"),
        ("module {\n}\ndefine void @f() {\n}\n".to_owned(), "the file is ttir and llir at once (offset 11)"),
        ("define void @f() {\n  ret void\n".to_owned(), "llir ends too early: the end of a function is missing"),
        (
            "define void @f() {\n  ret void\n}\n.version 8.7\n".to_owned(),
            "the file is llir and ptx at once (offset 32)",
        ),
        ("module {\n\0}\n".to_owned(), "ttir must be UTF-8 text without NUL; byte 9 is not"),
    ];
    for (text, expected) in cases {
        assert_eq!(error(text.as_bytes()), expected);
    }
    assert_eq!(error(b"; ModuleID = 'x'\n\xff\n"), "llir must be UTF-8 text without NUL; byte 17 is not");
}

#[test]
fn more_than_the_limits_is_refused() {
    let bounded = Limits { entries: 1 << 19, ..Limits::default() };
    let error = |bytes: &[u8]| analyze(bytes, &bounded).unwrap_err().to_string();
    let operations = format!("module {{\n{}}}\n", "a.b\n".repeat(400_000));
    assert_eq!(error(operations.as_bytes()), "more than 524288 entries");
    let operands = format!("module {{\na.b {}\n}}\n", "%a,".repeat(1 << 20));
    assert_eq!(error(operands.as_bytes()), "more than 524288 entries");
    let mut labels = "define void @f() {\n".to_owned();
    for n in 0..600_000 {
        let _ = writeln!(labels, "{n}:");
    }
    assert_eq!(error(labels.as_bytes()), "more than 524288 entries");
    let slow = Limits { steps: 1_000, ..Limits::default() };
    let refused = analyze(operations.as_bytes(), &slow).unwrap_err();
    assert_eq!(refused.to_string(), "the analysis would take more than 1000 steps");
}

#[test]
fn odd_but_honest_text_is_read() {
    for text in [
        "module {\n}\n",
        "module {\n  a.b loc(#loc)\n}\n#loc = loc(#loc)\n",
        "module {\n  %r:4294967295 = a.b %r#99999999999\n}\n",
        "#a = #ttg.slice<{parent = #a}>\nmodule {\n  a.b : tensor<4xf32, #a>\n}\n",
        "module {\n  \"a.b\"(((((((((\n}\n",
        "module {\n  ^bb0(%x: f32):\n  a.b %x : !t<\u{e9}>\n}\n",
        "define void @f() {\n  switch i8 %x, label %a [\n    i8 0, label %a\n  ]\na:\n  br label %a\n}\n",
    ] {
        let bytes = text.as_bytes();
        assert!(error(bytes).starts_with("accepted"), "{text}: {}", error(bytes));
    }
}
