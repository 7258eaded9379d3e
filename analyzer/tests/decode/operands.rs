//! Our own disassembly against the text `nvdisasm` made of the same cubin.

use std::collections::{BTreeMap, BTreeSet};

use lowerline_analyzer::{
    Budget, Limits,
    decode::{Decoder, cubin_disassembly, disassembly, instructions},
};

use crate::cubins::both;

/// By function and address: the instruction with its guard and operands.
type Listing<'t> = BTreeMap<(&'t str, &'t str), String>;

/// `.text.name:` begins a function; comments, `.reuse` and the final semicolon are no operands.
fn theirs(text: &str) -> Listing<'_> {
    let mut out = Listing::new();
    let mut function = "";
    for line in text.lines() {
        let line = line.trim();
        if let Some(name) = line.strip_prefix(".text.").and_then(|rest| rest.strip_suffix(':')) {
            function = name;
        } else if let Some((address, code)) = line.strip_prefix("/*").and_then(|rest| rest.split_once("*/")) {
            let code = code.split("(*").next().unwrap().trim().trim_end_matches(';').trim();
            let words: Vec<&str> = code.split_whitespace().collect();
            out.insert((function, address), words.join(" ").replace(".reuse", ""));
        }
    }
    out
}

/// Lines are address, control codes, instruction, and behind two spaces a source line. A helper stands behind the kernel
/// in whose section it is, so a name that is no section belongs to the one before.
fn ours<'t>(text: &'t str, sections: &BTreeSet<&str>) -> Listing<'t> {
    let mut out = Listing::new();
    let mut function = "";
    for line in text.lines() {
        if let Some((address, rest)) = line.strip_prefix("/*").and_then(|rest| rest.split_once("*/ ")) {
            let code = rest.split_once("  ").unwrap().1.split("  //").next().unwrap();
            out.insert((function, address), code.to_owned());
        } else if let Some(name) = line.strip_suffix(':').filter(|name| sections.contains(name)) {
            function = name;
        }
    }
    out
}

fn guard(code: &str) -> Option<&str> {
    code.split(' ').next().filter(|word| word.starts_with('@'))
}

fn disassembled(sm: u32, word: u128) -> String {
    let mut decoder = Decoder::new(sm);
    let code = instructions(&mut decoder, &word.to_le_bytes(), 0);
    let text = disassembly(&decoder, &code, |_| None);
    text.split_once("  ").unwrap().1.trim_end().to_owned()
}

/// One word for each key and first part of a mnemonic of `pairs.rs`, with the guard `nvdisasm` prints.
#[test]
fn guards_name_the_register_file_that_is_printed() {
    let packed = include_bytes!("data/guards.tsv.zst");
    let text = String::from_utf8(zstd::stream::decode_all(packed.as_slice()).unwrap()).unwrap();
    let (mut known, mut uniform) = (0, 0);
    for line in text.lines() {
        let [sm, word, expected] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let code = disassembled(sm.parse().unwrap(), u128::from_str_radix(word, 16).unwrap());
        let found = guard(&code).unwrap();
        if found != "@…" {
            assert_eq!(found, expected, "{line}: {code}");
            known += 1;
            uniform += u32::from(found.contains('U'));
        }
    }
    assert!(known >= 1_850 && uniform >= 250, "{known} {uniform} of {}", text.lines().count());
}

/// `nvdisasm` prints `USEL UR18, UR4, URZ, UP1` and its like. The corpus has this only with two equal registers, from which
/// nobody can tell where either stands.
#[test]
fn a_register_that_was_never_told_from_another_is_not_printed() {
    for (word, printed) in [
        (0x000f_e400_0880_0000_0000_00ff_0412_7287, "USEL UR18, UR4, URZ, UP1"),
        (0x000f_e200_0880_0000_0000_00ff_0905_7287, "USEL UR5, UR9, URZ, UP1"),
        (0x000f_e200_0880_0000_0000_00ff_040e_7287, "USEL UR14, UR4, URZ, UP1"),
    ] {
        let code = disassembled(100, word);
        assert!(code == "USEL" || code == printed, "{code}");
    }
}

fn operands(code: &str) -> &str {
    let code = if code.starts_with('@') { code.split_once(' ').map_or("", |(_, rest)| rest) } else { code };
    code.split_once(' ').map_or("", |(_, rest)| rest)
}

#[test]
fn operands_that_are_shown_are_those_printed_and_few_are_missing() {
    let (mut all, mut shown) = (0_u32, 0_u32);
    for (cubin, text) in both() {
        let listing = cubin_disassembly(&cubin.bytes, &mut Budget::new(&Limits::default())).unwrap();
        let theirs = theirs(std::str::from_utf8(&text.bytes).unwrap());
        let ours = ours(&listing, &theirs.keys().map(|(section, _)| *section).collect());
        assert_eq!(ours.len(), theirs.len(), "{}", cubin.path);
        for (place, printed) in &theirs {
            let code = ours.get(place).unwrap_or_else(|| panic!("{}: {place:?}", cubin.path));
            assert_eq!(guard(code), guard(printed), "{}: {place:?}", cubin.path);
            // Labels stand for addresses there.
            let (wanted, found) = (operands(printed), operands(code));
            if wanted.is_empty() || wanted.contains("`(") || found.ends_with('…') {
                continue;
            }
            all += 1;
            if !found.is_empty() {
                assert_eq!(found, wanted, "{}: {place:?} {printed}", cubin.path);
                shown += 1;
            }
        }
    }
    assert!(all > 100_000, "{all}");
    assert!(shown * 100 >= all * 95, "{shown} of {all}");
}
