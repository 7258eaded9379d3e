//! Pairs (word, printed mnemonic) of cubins that were not used to learn the tables.

use std::{fs, path::PathBuf};

use lowerline_analyzer::decode::{Certainty, Decoder, Word};

/// Lines of `word in hex, tab, mnemonic`.
fn pairs(sm: u32) -> Option<String> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/decode/data/sm_{sm}.tsv.zst"));
    let packed = fs::read(path).ok()?;
    Some(String::from_utf8(zstd::stream::decode_all(packed.as_slice()).unwrap()).unwrap())
}

#[test]
fn nothing_is_named_wrongly_and_nearly_all_is_named_whole() {
    let mut seen = 0;
    for sm in [75, 80, 86, 89, 90, 100, 103, 110, 120, 121] {
        let Some(text) = pairs(sm) else { continue };
        let mut decoder = Decoder::new(sm);
        let (mut all, mut whole) = (0_u32, 0_u32);
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
                Certainty::Unknown => {}
            }
        }
        assert!(all > 1_000, "sm_{sm}: {all} pairs");
        // One pair for each combination of modifiers, however rare, so the share by count is higher (COVERAGE.md).
        assert!(f64::from(whole) >= 0.8 * f64::from(all), "sm_{sm}: {whole} of {all}");
        seen += 1;
    }
    assert!(seen > 0);
}
