//! Fatbins: said to be one, and taken apart.

use lowerline_analyzer::{
    AnalyzeError, Limits, analyze,
    fatbin::{Kind, Packing, members},
};

/// A block of members as `fatbinary` lays them out: (kind, architecture, flags, payload, inflated size).
pub fn block(parts: &[(u16, u32, u64, &[u8], u64)]) -> Vec<u8> {
    let mut body = Vec::new();
    for (kind, sm, flags, payload, inflated) in parts {
        let padded = payload.len().next_multiple_of(8);
        let mut head = [0_u8; 64];
        head[0..2].copy_from_slice(&kind.to_le_bytes());
        head[2..4].copy_from_slice(&0x101_u16.to_le_bytes());
        head[4..8].copy_from_slice(&64_u32.to_le_bytes());
        head[8..16].copy_from_slice(&(padded as u64).to_le_bytes());
        let packed = if *flags == 0 { 0 } else { payload.len() };
        head[16..20].copy_from_slice(&u32::try_from(packed).unwrap().to_le_bytes());
        head[28..32].copy_from_slice(&sm.to_le_bytes());
        head[40..48].copy_from_slice(&flags.to_le_bytes());
        head[56..64].copy_from_slice(&inflated.to_le_bytes());
        body.extend_from_slice(&head);
        body.extend_from_slice(payload);
        body.resize(body.len() + padded - payload.len(), 0);
    }
    let mut out = vec![0x50, 0xED, 0x55, 0xBA, 0x01, 0x00, 0x10, 0x00];
    out.extend_from_slice(&(body.len() as u64).to_le_bytes());
    out.extend_from_slice(&body);
    out
}

#[test]
fn a_fatbin_is_said_to_be_one() {
    let bytes = block(&[(2, 90, 0, b"\x7fELF", 4)]);
    assert_eq!(analyze(&bytes, &Limits::default()), Err(AnalyzeError::Fatbin));
}

#[test]
fn members_have_kind_target_and_packing() {
    let bytes = block(&[(1, 80, 0x8000, b"zstd", 90), (2, 90, 0x2000, b"lz4..", 80), (2, 100, 0, b"plain678", 8)]);
    let found = members(&bytes).unwrap();
    let view: Vec<_> = found.iter().map(|m| (m.kind, m.sm, m.packing, m.payload, m.inflated)).collect();
    let expected = [
        (Kind::Ptx, 80, Packing::Zstd, &b"zstd"[..], 90),
        (Kind::Cubin, 90, Packing::Lz4, b"lz4..", 80),
        (Kind::Cubin, 100, Packing::Plain, b"plain678", 8),
    ];
    assert_eq!(view, expected);
    let mut two = bytes.clone();
    two.extend_from_slice(&bytes);
    assert_eq!(members(&two).unwrap().len(), 6);
}

#[test]
fn a_member_that_leaves_the_file_is_named_by_its_place() {
    let bytes = block(&[(2, 90, 0, b"12345678", 8), (2, 100, 0, b"12345678", 8)]);
    assert_eq!(members(&bytes[..bytes.len() - 1]), Err(AnalyzeError::BadFatbin { offset: 0 }));
    for (at, value) in [(4, 63_u8), (8, 200)] {
        let mut broken = bytes.clone();
        broken[16 + 64 + 8 + at] = value;
        assert_eq!(members(&broken), Err(AnalyzeError::BadFatbin { offset: 16 + 72 }), "{at}");
    }
    for length in 0..bytes.len() {
        let _ = members(&bytes[..length]);
    }
}
