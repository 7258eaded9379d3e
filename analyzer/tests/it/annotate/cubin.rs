//! Cubins against `nvdisasm`: lines of the corpus' `-g` texts, and calls as `nvdisasm` 13.5 `-c -gi` printed them.

use std::collections::BTreeMap;

use lowerline_analyzer::{Budget, Limits, decode::cubin_disassembly};
use lowerline_shared::stage::Stage;

use super::{chain, read};
use crate::corpus::files;

/// `address<tab>places`, one a run of instructions, below `function name`.
const CALLS: [(&str, &str); 2] = [
    ("3.9.0/flex_attention/sm_100a/128x64_w8_s2/", include_str!("flex_attention.sm_100a.tsv")),
    ("3.9.0/reduction/sm_100a/b1024_w4_s3/", include_str!("reduction.sm_100a.tsv")),
];

#[test]
fn calls_around_instructions_are_those_nvdisasm_prints() {
    for (folder, expected) in CALLS {
        let is = |path: &str| path.starts_with(folder) && path.ends_with(".cubin");
        let file = files().iter().find(|file| is(&file.path)).unwrap();
        let found = read(file, Stage::Cubin);
        let mut functions: BTreeMap<&str, BTreeMap<u32, &str>> = BTreeMap::new();
        let mut name = "";
        for line in expected.lines() {
            if let Some(function) = line.strip_prefix("function ") {
                name = function;
            } else {
                let (address, places) = line.split_once('\t').unwrap();
                let address = u32::from_str_radix(address, 16).unwrap();
                functions.entry(name).or_default().insert(address, places);
            }
        }
        for row in &found.rows {
            let function = &found.functions[found.block(row).unwrap().function.unwrap() as usize].name;
            let runs = functions.get(function.as_str());
            let run = runs.and_then(|runs| runs.range(..=row.at).next_back());
            assert_eq!(chain(&found, row), run.map_or("", |(_, places)| *places), "{function} {:#x}", row.at);
        }
        assert!(found.places.iter().any(|place| place.caller.is_some()));
    }
}

#[test]
fn lines_of_cubins_are_those_of_their_sass_text() {
    let mut seen = 0;
    for text in files().iter().filter(|file| file.extension() == "lines.sass") {
        let path = text.path.replace(".lines.sass", ".cubin");
        let file = files().iter().find(|file| file.path == path).unwrap();
        let (cubin, sass) = (read(file, Stage::Cubin), read(text, Stage::Sass));
        assert_eq!(cubin.rows.len(), sass.rows.len(), "{path}");
        // Functions of the text may be in another order.
        let by_function = |found: &lowerline_analyzer::annotate::Annotations| {
            let mut rows: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for row in &found.rows {
                let function = found.block(row).unwrap().function.unwrap();
                // Text of `-g` has no calls.
                let place = chain(found, row).split(' ').next().unwrap().to_owned();
                rows.entry(found.functions[function as usize].name.clone()).or_default().push(place);
            }
            rows
        };
        for (name, places) in by_function(&sass) {
            // An assertion of the whole would print thousands of lines.
            assert!(by_function(&cubin)[&name] == places, "{path}: {name}");
        }
        seen += 1;
    }
    assert_eq!(seen, 24);
}

#[test]
fn rows_of_a_cubin_stand_on_the_lines_of_its_disassembly() {
    let file = files().iter().find(|file| file.path.starts_with(CALLS[0].0) && file.extension() == "cubin").unwrap();
    let text = cubin_disassembly(&file.bytes, &mut Budget::new(&Limits::default())).unwrap();
    let addresses: Vec<u32> = read(file, Stage::Cubin).rows.iter().map(|row| row.at).collect();
    let found = read(file, Stage::Cubin).by_line(&text);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(found.rows.len(), addresses.len());
    for (row, address) in found.rows.iter().zip(addresses) {
        assert!(lines[row.at as usize - 1].starts_with(&format!("/*{address:04x}*/")));
    }
}
