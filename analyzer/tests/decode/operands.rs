//! Our own disassembly against the text `nvdisasm` made of the same cubin.

use std::collections::{BTreeMap, BTreeSet};

use lowerline_analyzer::{Budget, Limits, decode::cubin_disassembly};

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
            // Labels stand for addresses there.
            let (wanted, found) = (operands(printed), operands(code));
            if wanted.is_empty() || wanted.contains("`(") || found.ends_with('…') {
                continue;
            }
            all += 1;
            if !found.is_empty() {
                assert_eq!(found, wanted, "{}: {place:?} {printed}", cubin.path);
                assert_eq!(code.starts_with('@'), printed.starts_with('@'), "{}: {place:?}", cubin.path);
                shown += 1;
            }
        }
    }
    assert!(all > 100_000, "{all}");
    assert!(shown * 100 >= all * 95, "{shown} of {all}");
}
