//! Every layout, conversion and shared access of the demo data.

use std::collections::{BTreeMap, HashMap};

use lowerline_analyzer::{
    Budget, Limits,
    layout::{
        Encoding, LayoutError, Shape, classify, definitions, notes,
        ttgir::{accesses, aliases, buffers_of, conversions, element_bits},
    },
    mlir::{parse, types::shaped},
};
use lowerline_shared::{
    permalink::LayoutsQuery,
    stage::Stage,
    worker::{LayoutUse, LayoutUseKind},
};

use super::cases::{Case, cases, each_ttgir};

fn answers() -> HashMap<(String, u32), String> {
    let answer = |case| match case {
        Case::Corpus { path, line, lowered } => Some(((path, line), lowered)),
        _ => None,
    };
    cases().into_iter().filter_map(answer).collect()
}

#[test]
fn every_conversion_is_classed_as_triton_lowers_it() {
    let answers = answers();
    let mut total = 0;
    let mut table: BTreeMap<(String, &str), (usize, usize)> = BTreeMap::new();
    each_ttgir(|path, text| {
        let module = parse(text, Stage::Ttgir, &mut Budget::new(&Limits::default())).unwrap();
        for conversion in conversions(&module) {
            let class = conversion.class.as_ref().unwrap_or_else(|error| panic!("{path}:{}: {error}", conversion.line));
            total += 1;
            let row = table.entry((path.split('/').next().unwrap().to_owned(), class.id())).or_default();
            row.0 += 1;
            row.1 += usize::from(conversion.loops > 0);
            let lowered = answers.get(&(path.to_owned(), conversion.line));
            assert_eq!(Some(class.id()), lowered.map(String::as_str), "{path}:{}", conversion.line);
        }
    });
    for ((version, class), (count, in_loop)) in &table {
        println!("{version:6} {class:12} {count:4} conversions, {in_loop:3} in a loop");
    }
    assert_eq!(total, 262, "as `grep -c convert_layout` counts them");
}

#[test]
fn every_layout_of_every_type_has_basis_vectors() {
    let mut table: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut barriers = 0;
    let mut refused: BTreeMap<String, usize> = BTreeMap::new();
    each_ttgir(|path, text| {
        let module = parse(text, Stage::Ttgir, &mut Budget::new(&Limits::default())).unwrap();
        let aliases = aliases(&module);
        for operation in &module.operations {
            for found in shaped(operation.types()) {
                if found.layout.is_empty() || found.kind.ends_with("tensordesc") {
                    continue;
                }
                let encoding = Encoding::parse(found.layout, &aliases)
                    .unwrap_or_else(|error| panic!("{path}: {error}: {found:?}"));
                let row = table.entry(encoding.kind()).or_default();
                let (buffers, shape) = match buffers_of(&found, &encoding) {
                    Ok(found) => found,
                    // An array of three barriers is no tensor.
                    Err(LayoutError::NotPowerOfTwo { value: 3, .. }) if found.element == "i64" => {
                        barriers += 1;
                        continue;
                    }
                    Err(error) => panic!("{path}: {error}: {found:?}"),
                };
                let bits = element_bits(found.element).unwrap();
                match encoding.to_linear(&shape, bits) {
                    Ok(_) => row.0 += 1,
                    Err(error) => *refused.entry(format!("{error}: {found:?}")).or_default() += 1,
                }
                row.1 += usize::from(buffers > 1);
            }
        }
    });
    for (kind, (count, arrays)) in &table {
        println!("{kind:30} {count:6} with basis vectors, {arrays:4} of them arrays of buffers");
    }
    println!("{barriers} arrays of three barriers");
    assert!(refused.is_empty(), "{refused:#?}");
}

#[test]
fn accesses_to_shared_memory_have_their_bank_conflicts_counted() {
    let mut table: BTreeMap<String, usize> = BTreeMap::new();
    each_ttgir(|_, text| {
        let module = parse(text, Stage::Ttgir, &mut Budget::new(&Limits::default())).unwrap();
        for access in accesses(&module) {
            let found = match access.access {
                Ok(found) => format!("{} bits a lane, {} extra wavefronts", found.vector_bits, found.conflicts()),
                Err(error) => error.to_string(),
            };
            *table.entry(format!("{:18} {found}", access.operation)).or_default() += 1;
        }
    });
    for (found, count) in &table {
        println!("{count:5} {found}");
    }
    assert!(table.values().sum::<usize>() > 0);
}

/// What the page about layouts makes of an address.
fn drawn(query: &LayoutsQuery, text: &str) -> (Encoding, Shape) {
    let sizes: Vec<u64> = query.shape.split('x').map(|size| size.parse().unwrap()).collect();
    let (aliases, layout) = definitions(text);
    (Encoding::parse(layout, &aliases).unwrap_or_else(|error| panic!("{error}: {text}")), Shape::new(&sizes).unwrap())
}

#[test]
fn the_address_of_a_conversion_alone_says_the_class_that_triton_lowers_it_to() {
    let answers = answers();
    let mut conversions = 0;
    each_ttgir(|path, text| {
        let module = parse(text, Stage::Ttgir, &mut Budget::new(&Limits::default())).unwrap();
        let notes = notes(text, &module);
        assert!(notes.uses.is_sorted_by_key(|found| found.line), "{path}");
        let is_conversion = |found: &&LayoutUse| found.kind == LayoutUseKind::Conversion;
        for found in notes.uses.iter().filter(is_conversion) {
            let query = LayoutsQuery::parse(notes.query(found).query().trim_start_matches('?'));
            let linear = |text: &str| {
                let (encoding, shape) = drawn(&query, text);
                encoding.to_linear(&shape, query.bits.unwrap()).unwrap()
            };
            let class = classify(&linear(&query.a), &linear(&query.b)).unwrap();
            let lowered = answers.get(&(path.to_owned(), found.line));
            assert_eq!(Some(class.id()), lowered.map(String::as_str), "{path}:{}: {query:?}", found.line);
            assert_eq!(class.label(), found.says, "{path}:{}", found.line);
            // The line is the one that a reader sees, and it names both layouts.
            let line = text.lines().nth(found.line as usize - 1).unwrap();
            let [a, b] = [Some(found.a), found.b].map(|place| notes.layout(place.unwrap()).unwrap().name.as_str());
            assert!(line.contains(".convert_layout") && line.contains(a) && line.contains(b), "{path}: {line}");
            conversions += 1;
        }
    });
    assert_eq!(conversions, 262, "as `grep -c convert_layout` counts them");
}

#[test]
fn every_layout_of_the_demo_data_is_noted_once_at_its_definition_and_can_be_drawn() {
    let mut drawn_ones = 0;
    each_ttgir(|path, text| {
        let module = parse(text, Stage::Ttgir, &mut Budget::new(&Limits::default())).unwrap();
        let notes = notes(text, &module);
        let layouts: Vec<&LayoutUse> = notes.uses.iter().filter(|found| found.kind == LayoutUseKind::Layout).collect();
        for found in &layouts {
            let layout = notes.layout(found.a).unwrap();
            let line = text.lines().nth(found.line as usize - 1).unwrap();
            if layout.name.contains('<') {
                assert!(line.contains(&layout.name), "{path}: {line}");
            } else {
                assert!(line.starts_with(&format!("{} = ", layout.name)), "{path}: {line}");
            }
            match &found.why {
                None => {
                    let (encoding, shape) = drawn(&notes.query(found), &layout.text);
                    encoding.to_linear(&shape, found.bits.unwrap()).unwrap();
                    // Release 3.2 writes `shared` where later ones write `swizzled_shared`.
                    assert!(layout.text.contains(&format!(".{}<", found.says)), "{path}: {found:?}");
                    drawn_ones += 1;
                }
                Some(why) => assert!(why.contains("is 3, not a power of two"), "{path}: {why}, {found:?}"),
            }
        }
        let names: std::collections::HashSet<u32> = layouts.iter().map(|found| found.a).collect();
        assert_eq!(names.len(), layouts.len(), "{path}: no layout twice");
        assert_eq!(names.len(), notes.layouts.len(), "{path}: no layout without its line");
    });
    assert!(drawn_ones > 0);
}
