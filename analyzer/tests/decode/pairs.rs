//! Pairs (word, printed mnemonic) of cubins that were not used to learn the tables.

use std::{fs, path::PathBuf};

use lowerline_analyzer::decode::{Certainty, Decoder, Word};

/// Lines of `word in hex, tab, mnemonic`.
fn pairs(sm: u32) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/decode/data/sm_{sm}.tsv.zst"));
    let packed = fs::read(path).unwrap();
    String::from_utf8(zstd::stream::decode_all(packed.as_slice()).unwrap()).unwrap()
}

/// Architectures with a table and pairs.
const ARCHITECTURES: [u32; 11] = [75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121];

#[test]
fn nothing_is_named_wrongly_and_nearly_all_is_named_whole() {
    let (mut pairs_of_all, mut unknown_of_all) = (0_u32, 0_u32);
    for sm in ARCHITECTURES {
        let text = pairs(sm);
        let mut decoder = Decoder::new(sm);
        let (mut all, mut whole, mut unknown) = (0_u32, 0_u32, 0_u32);
        for line in text.lines() {
            let (word, expected) = line.split_once('\t').unwrap();
            let id = decoder.decode(Word(u128::from_str_radix(word, 16).unwrap()));
            let found = decoder.opcode(id).unwrap();
            all += 1;
            match found.certainty {
                Certainty::Full => {
                    assert_eq!(found.name, expected, "sm_{sm} {word}");
                    whole += 1;
                }
                Certainty::Base => {
                    assert_eq!(found.name.split('.').next(), expected.split('.').next(), "sm_{sm} {word}");
                }
                Certainty::Unknown => unknown += 1,
            }
        }
        assert!(all > 300, "sm_{sm}: {all} pairs");
        // One pair for each combination of modifiers, however rare, so that the shares by count are higher (COVERAGE.md).
        assert!(whole * 100 >= all * 95, "sm_{sm}: {whole} of {all} whole");
        assert!(unknown * 50 <= all, "sm_{sm}: {unknown} of {all} unknown");
        pairs_of_all += all;
        unknown_of_all += unknown;
    }
    assert!(pairs_of_all > 13_000, "{pairs_of_all}");
    assert!(unknown_of_all * 100 <= pairs_of_all, "{unknown_of_all} of {pairs_of_all} unknown");
}
