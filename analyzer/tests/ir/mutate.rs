//! Seeded mutations of real artifacts: nothing panics, and what is accepted keeps the laws of a report.

use lowerline_analyzer::{Limits, analyze_as};
use lowerline_shared::{report::Report, stage::Stage};

use crate::corpus;

/// Mutations of each fixture.
const ROUNDS: u32 = 10_000;

/// Xorshift64* (Vigna 2016): a sequence that every machine repeats.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

/// Words that mean something to a parser of these formats.
const WORDS: [&[u8]; 20] = [
    b"\n",
    b"{",
    b"}",
    b"({",
    b"})",
    b"%x",
    b"#loc",
    b" loc(",
    b"\"",
    b"<",
    b">",
    b" = ",
    b":2",
    b"^bb0(%x: i32):\n",
    b"scf.for ",
    b"\xff\xff\xff\xff",
    b"\0",
    b"br label %x\n",
    b"!dbg !1",
    b"; ",
];

fn mutate(original: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len());
        let to = (at + random.below(120)).min(bytes.len());
        match random.below(6) {
            0 => bytes[at] = random.next() as u8,
            1 => bytes[at] ^= 1 << random.below(8),
            2 => drop(bytes.drain(at..to)),
            3 => {
                let copy = bytes[at..to].to_vec();
                let place = random.below(bytes.len());
                drop(bytes.splice(place..place, copy));
            }
            4 => {
                // A word of a table: sizes and offsets at the edges.
                let edges = [0, 1, 0x7f, 0x80, 0xff, 0x7fff_ffff, u64::from(u32::MAX), u64::MAX];
                let edge = edges[random.below(edges.len())].to_le_bytes();
                let end = (at + 8).min(bytes.len());
                bytes[at..end].copy_from_slice(&edge[..end - at]);
            }
            _ => {
                let word = WORDS[random.below(WORDS.len())];
                drop(bytes.splice(at..at, word.iter().copied()));
            }
        }
        if bytes.is_empty() {
            bytes.push(0);
        }
    }
    bytes
}

fn check(report: &Report) {
    for (operation, count) in &report.ops_in_loop {
        assert!(report.ops.get(operation).is_some_and(|all| all >= count), "{operation}");
    }
    for function in &report.functions {
        assert!(function.loops.iter().filter(|found| found.hot).count() <= 1);
        assert!(function.source_lines.values().sum::<u64>() <= function.instructions);
        assert!(function.loops.iter().all(|found| found.instructions <= function.instructions));
    }
    if report.stage == Stage::Llir {
        let instructions: u64 = report.functions.iter().map(|function| function.instructions).sum();
        assert_eq!(report.ops.values().sum::<u64>(), instructions);
    }
    assert!(
        report.intrinsics.values().sum::<u64>()
            <= report.ops.get("call").copied().unwrap_or(0) + report.ops.get("invoke").copied().unwrap_or(0)
    );
    let json = serde_json::to_string(report).unwrap();
    assert_eq!(&serde_json::from_str::<Report>(&json).unwrap(), report);
}

/// Mutates the smallest artifact of a kind that `wanted` likes.
fn sweep(extension: &str, stage: Stage, seed: u64, wanted: impl Fn(&corpus::Artifact) -> bool) {
    let mut fixture: Option<&corpus::Artifact> = None;
    corpus::each(extension, |artifact| {
        let smaller = fixture.is_none_or(|known| artifact.bytes.len() < known.bytes.len());
        if smaller && wanted(artifact) {
            fixture = Some(artifact);
        }
    });
    let fixture = fixture.unwrap();
    let mut random = Random(seed);
    let mut accepted = 0;
    for round in 0..ROUNDS {
        let mutated = mutate(&fixture.bytes, &mut random);
        if let Ok(report) = analyze_as(&mutated, stage, &Limits::default()) {
            accepted += 1;
            if round % 16 == 0 {
                check(&report);
            }
        }
    }
    // A sweep whose every mutation dies at the door tests the door only.
    assert!(accepted > ROUNDS / 20, "{}: {accepted}", fixture.name());
}

#[test]
fn ten_thousand_mutations_of_ttir() {
    sweep("ttir", Stage::Ttir, 1, |_| true);
}

#[test]
fn ten_thousand_mutations_of_ttgir() {
    sweep("ttgir", Stage::Ttgir, 2, |_| true);
    sweep("ttgir", Stage::Ttgir, 3, |artifact| artifact.kernel == "matmul_ws");
}

#[test]
fn ten_thousand_mutations_of_llir() {
    sweep("llir", Stage::Llir, 4, |_| true);
}

#[test]
fn ten_thousand_mutations_of_cubins() {
    sweep("cubin", Stage::Cubin, 5, |artifact| artifact.target() == "sm_90a");
    sweep("cubin", Stage::Cubin, 6, |artifact| artifact.target() == "sm_100a");
}

#[test]
fn ten_thousand_mutations_of_hsacos() {
    sweep("hsaco", Stage::Hsaco, 7, |_| true);
}
