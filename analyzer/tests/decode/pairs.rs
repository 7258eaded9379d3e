//! Pairs (word, printed mnemonic): of libraries that were not used to learn the tables, and of generated kernels.

use std::{fs, path::PathBuf};

use lowerline_analyzer::decode::{Certainty, Decoder, Word};

/// Lines of `word in hex, tab, mnemonic`.
fn pairs(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/decode/data/{name}.tsv.zst"));
    let packed = fs::read(path).unwrap();
    String::from_utf8(zstd::stream::decode_all(packed.as_slice()).unwrap()).unwrap()
}

/// Architectures with a table and pairs.
const ARCHITECTURES: [u32; 11] = [75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121];

#[derive(Debug, Default)]
struct Counts {
    all: u32,
    whole: u32,
    unknown: u32,
}

/// Holds the decoder against the pairs of a file; a wrong name fails.
fn held_against(name: &str, sm: u32) -> Counts {
    let mut decoder = Decoder::new(sm);
    let mut counts = Counts::default();
    for line in pairs(name).lines() {
        let (word, expected) = line.split_once('\t').unwrap();
        let id = decoder.decode(Word(u128::from_str_radix(word, 16).unwrap()));
        let found = decoder.opcode(id).unwrap();
        counts.all += 1;
        match found.certainty {
            Certainty::Full => {
                assert_eq!(found.name, expected, "sm_{sm} {word}");
                counts.whole += 1;
            }
            Certainty::Base => {
                assert_eq!(found.name.split('.').next(), expected.split('.').next(), "sm_{sm} {word}");
            }
            Certainty::Unknown => counts.unknown += 1,
        }
    }
    counts
}

#[test]
fn nothing_is_named_wrongly_and_nearly_all_is_named_whole() {
    let mut sum = Counts::default();
    for sm in ARCHITECTURES {
        let Counts { all, whole, unknown } = held_against(&format!("sm_{sm}"), sm);
        assert!(all > 300, "sm_{sm}: {all} pairs");
        // One pair for each combination of modifiers, however rare, so that the shares by count are higher (COVERAGE.md).
        assert!(whole * 100 >= all * 95, "sm_{sm}: {whole} of {all} whole");
        assert!(unknown * 50 <= all, "sm_{sm}: {unknown} of {all} unknown");
        sum.all += all;
        sum.unknown += unknown;
    }
    assert!(sum.all > 13_000, "{sum:?}");
    assert!(sum.unknown * 100 <= sum.all, "{sum:?}");
}

/// Words of kernels the tables were learnt from, and of others that mix their statements at random (`derive/mixed.py`).
#[test]
fn words_of_generated_kernels_are_never_named_wrongly() {
    for sm in ARCHITECTURES {
        for name in ["generated", "mixed"] {
            let Counts { all, whole, unknown } = held_against(&format!("{name}_sm_{sm}"), sm);
            assert!(all > 900, "{name} sm_{sm}: {all} pairs");
            assert!(whole * 100 >= all * 99, "{name} sm_{sm}: {whole} of {all} whole");
            assert!(unknown * 1000 <= all * 3, "{name} sm_{sm}: {unknown} of {all} unknown");
        }
    }
}
