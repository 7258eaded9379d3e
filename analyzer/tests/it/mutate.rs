//! Seeded mutations of real artifacts: nothing panics, and what is accepted keeps the laws of a report.

use lowerline_analyzer::{Limits, analyze};
use lowerline_shared::report::Report;

use crate::corpus::files;

/// Mutations of each fixture.
const ROUNDS: u64 = 10_000;
/// Bytes of a fixture that are mutated: longer ones are cut so that the sweep stays a matter of seconds.
const WINDOW: usize = 6 * 1024;

/// SplitMix64 (Steele, Lea, Flood 2014): a sequence that every machine repeats.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound.max(1) as u64).unwrap()
    }
}

/// Words that mean something to some scanner.
const WORDS: [&[u8]; 24] = [
    b"\n",
    b";",
    b"{",
    b"}",
    b"/*",
    b"*/",
    b"//",
    b"\"",
    b":",
    b"::",
    b"@",
    b",",
    b".",
    b"\0",
    b"\xff",
    b"\xc3\xa9",
    b".section ",
    b".loc 1 2 3\n",
    b".entry x(",
    b"/*0000*/ ",
    b"Function : ",
    b"bra l0;\n",
    b"l0:\n",
    b".type k,@function\n",
];

fn mutate(original: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        match random.below(7) {
            0 => bytes[at] = random.next().to_le_bytes()[0],
            1 => bytes[at] ^= 1 << random.below(8),
            2 => bytes.truncate(at.max(1)),
            3 => {
                let to = (at + random.below(200)).min(bytes.len());
                if to - at < bytes.len() {
                    bytes.drain(at..to);
                }
            }
            4 => {
                let to = (at + random.below(200)).min(bytes.len());
                let copy = bytes[at..to].to_vec();
                let place = random.below(bytes.len());
                bytes.splice(place..place, copy);
            }
            _ => {
                let word = WORDS[random.below(WORDS.len())];
                bytes.splice(at..at, word.iter().copied());
            }
        }
    }
    bytes
}

fn check(report: &Report) {
    let sum: u64 = report.histogram().iter().map(|row| row.counts.function).sum();
    let mut instructions = 0;
    for function in &report.functions {
        instructions += function.instructions;
        assert_eq!(function.opcodes.values().sum::<u64>(), function.instructions);
        assert_eq!(function.families.values().sum::<u64>(), function.instructions);
        assert!(function.trailing_padding <= function.instructions);
        for row in &function.canonical {
            assert!(row.counts.function >= row.counts.r#loop && row.counts.r#loop >= row.counts.hot);
        }
        assert!(function.loops.iter().filter(|found| found.hot).count() <= 1);
        assert!(function.source_lines.values().sum::<u64>() <= function.instructions);
    }
    assert_eq!(sum, instructions);
}

fn sweep(extension: &str, fixtures: usize, window: usize) {
    let mut all: Vec<_> = files().iter().filter(|file| file.extension() == extension).collect();
    all.sort_by_key(|file| (file.bytes.len(), &file.path));
    let step = (all.len() / fixtures).max(1);
    let mut accepted = 0_u64;
    for (seed, file) in (0_u64..).zip(all.iter().step_by(step).take(fixtures)) {
        let original = &file.bytes[..file.bytes.len().min(window)];
        let mut random = Random(seed);
        for round in 0..ROUNDS {
            let mutated = mutate(original, &mut random);
            if let Ok(report) = analyze(&mutated, &Limits::default()) {
                check(&report);
                accepted += 1;
                if round % 500 == 0 {
                    let json = serde_json::to_string(&report).unwrap();
                    assert_eq!(serde_json::from_str::<Report>(&json).unwrap(), report);
                }
            }
        }
    }
    // A sweep whose every mutation dies at the door tests the door only.
    assert!(accepted > ROUNDS / 20, "{extension}: {accepted}");
}

#[test]
fn ten_thousand_mutations_of_ptx() {
    // A window of PTX is never closed, so whole small kernels are taken.
    let mut all: Vec<_> = files().iter().filter(|file| file.extension() == "ptx").collect();
    all.sort_by_key(|file| (file.bytes.len(), &file.path));
    let mut accepted = 0;
    for (seed, file) in (0_u64..).zip(all.into_iter().step_by(40).take(2)) {
        let text = String::from_utf8_lossy(&file.bytes);
        let code = text.split("\t.section").next().unwrap().as_bytes();
        let mut random = Random(seed);
        for _ in 0..ROUNDS {
            if let Ok(report) = analyze(&mutate(code, &mut random), &Limits::default()) {
                check(&report);
                accepted += 1;
            }
        }
    }
    assert!(accepted > ROUNDS / 20, "{accepted}");
}

#[test]
fn ten_thousand_mutations_of_sass() {
    sweep("hex.sass", 1, usize::MAX);
    sweep("lines.sass", 1, usize::MAX);
    sweep("cuobjdump.sass", 1, usize::MAX);
    sweep("triton.sass", 1, usize::MAX);
}

#[test]
fn ten_thousand_mutations_of_amdgcn() {
    sweep("amdgcn", 2, WINDOW);
}
