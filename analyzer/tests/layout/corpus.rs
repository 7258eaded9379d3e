//! Every layout, conversion and shared access of the demo data.

use std::collections::{BTreeMap, HashMap};

use lowerline_analyzer::{
    Budget, Limits,
    layout::{
        Encoding, LayoutError,
        ttgir::{accesses, aliases, buffers_of, conversions, element_bits},
    },
    mlir::{parse, types::shaped},
};
use lowerline_shared::stage::Stage;

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
