//! IR against a second, naive reading of its own metadata.

use std::collections::BTreeMap;

use lowerline_shared::stage::Stage;

use super::{chain, read, reported, sums};
use crate::{corpus::files, counts::report};

fn number_behind(text: &str, key: &str) -> Option<String> {
    let rest = text.split_once(key)?.1.trim_start_matches('!');
    Some(rest.chars().take_while(char::is_ascii_digit).collect())
}

fn plain(file: &str, line: &str, column: &str) -> String {
    let file = file.rsplit('/').next().unwrap();
    if column == "0" { format!("{file}:{line}") } else { format!("{file}:{line}:{column}") }
}

#[test]
fn instructions_of_llvm_ir_come_from_their_debug_locations() {
    let mut inlined = 0;
    for file in files().iter().filter(|file| file.extension() == "llir").step_by(3) {
        let text = std::str::from_utf8(&file.bytes).unwrap();
        let nodes: BTreeMap<&str, &str> = text
            .lines()
            .filter(|line| line.starts_with('!'))
            .filter_map(|line| line.strip_prefix('!')?.split_once(" = "))
            .collect();
        let file_of = |location: &str| {
            let mut at = number_behind(location, "scope: ").unwrap();
            loop {
                let scope = nodes[at.as_str()];
                match number_behind(scope, "file: ") {
                    Some(file) => break nodes[file.as_str()].split('"').nth(1).unwrap(),
                    None => at = number_behind(scope, "scope: ").unwrap(),
                }
            }
        };
        let found = read(file, Stage::Llir);
        for (number, line) in (1_u32..).zip(text.lines()) {
            let Some(row) = found.on_line(number).first() else { continue };
            let mut frames = Vec::new();
            let mut at = number_behind(line, "!dbg ");
            while let Some(node) = at {
                let location = nodes[node.as_str()];
                let number = |key| number_behind(location, key).unwrap_or_else(|| "0".to_owned());
                frames.push(plain(file_of(location), &number("line: "), &number("column: ")));
                at = number_behind(location, "inlinedAt: ");
            }
            if frames.first().is_some_and(|frame| frame.contains(":0:") || frame.ends_with(":0")) {
                frames.clear();
            }
            inlined += usize::from(frames.len() > 1);
            assert_eq!(chain(&found, row), frames.join(" "), "{} line {number}", file.path);
        }
    }
    assert!(inlined > 1_000, "{inlined}");
}

/// The places of a location, resolved by textual substitution of `#loc` names.
fn expand(text: &str, names: &BTreeMap<&str, &str>) -> Vec<String> {
    let inner = text.strip_prefix("loc(").and_then(|text| text.strip_suffix(')')).unwrap_or(text).trim();
    if let Some(body) = names.get(inner) {
        return expand(body, names);
    }
    if let Some(site) = inner.strip_prefix("callsite(").and_then(|site| site.strip_suffix(')')) {
        let (callee, caller) = site.split_once(" at ").unwrap();
        return [expand(callee, names), expand(caller, names)].concat();
    }
    if let Some(list) = inner.strip_prefix("fused[") {
        return expand(list.split([',', ']']).next().unwrap(), names);
    }
    let Some(quoted) = inner.strip_prefix('"') else { return Vec::new() };
    let (name, rest) = quoted.split_once('"').unwrap();
    if let Some(place) = rest.strip_prefix('(') {
        return expand(place.strip_suffix(')').unwrap(), names);
    }
    let mut numbers = rest.trim_start_matches(':').split(':');
    let (line, column) = (numbers.next().unwrap(), numbers.next().unwrap());
    let column: String = column.chars().take_while(char::is_ascii_digit).collect();
    vec![plain(name, line, &column)]
}

#[test]
fn operations_of_mlir_come_from_their_locations() {
    let (mut seen, mut inlined) = (0, 0);
    for (extension, stage) in [("source", Stage::Source), ("ttir", Stage::Ttir), ("ttgir", Stage::Ttgir)] {
        for file in files().iter().filter(|file| file.extension() == extension).step_by(4) {
            let text = std::str::from_utf8(&file.bytes).unwrap();
            let names: BTreeMap<&str, &str> = text
                .lines()
                .filter(|line| line.starts_with("#loc"))
                .filter_map(|line| line.split_once(" = "))
                .collect();
            let found = read(file, stage);
            for (number, line) in (1_u32..).zip(text.lines()) {
                let line = line.trim();
                let [row] = found.on_line(number) else { continue };
                // Operations with regions have their location behind the last region.
                if line.ends_with('{') || !line.ends_with("))") && !line.contains(" loc(#") {
                    continue;
                }
                let Some((_, location)) = line.rsplit_once(" loc(") else { continue };
                let frames = expand(&format!("loc({location}"), &names);
                seen += 1;
                inlined += usize::from(frames.len() > 1);
                assert_eq!(chain(&found, row), frames.join(" "), "{} line {number}", file.path);
            }
        }
    }
    assert!(seen > 5_000 && inlined > 1_000, "{seen} {inlined}");
}

#[test]
fn loops_and_lines_of_ir_are_those_of_the_report() {
    for (extension, stage) in [("ttir", Stage::Ttir), ("ttgir", Stage::Ttgir), ("llir", Stage::Llir)] {
        for file in files().iter().filter(|file| file.extension() == extension).step_by(7) {
            let (families, loops, lines) = sums(&read(file, stage));
            assert!(families.is_empty());
            assert_eq!((families, loops, lines), reported(&report(file)), "{}", file.path);
        }
    }
}
