//! Every answer of libtriton, one by one.

use std::collections::BTreeMap;

use lowerline_analyzer::layout::{Aliases, Axis, Encoding, Extent, LinearLayout, Shape, classify};
use serde::Deserialize;

type Bases = BTreeMap<String, Vec<Vec<u32>>>;

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Case {
    Layout { text: String, shape: Vec<u64>, bits: u32, bases: Bases },
    Pair { from: String, to: String, shape: Vec<u64>, bits: u32, bases: Bases, lowered: String },
    Algebra(Box<Algebra>),
    Banks { register: String, shared: String, shape: Vec<u64>, bits: u32, conflicts: u32 },
}

#[derive(Deserialize)]
struct Algebra {
    x: Map,
    y: Map,
    z: Map,
    surjective: bool,
    injective: bool,
    composed: Map,
    product: Map,
    inverse: Option<Map>,
    solved: Option<Map>,
}

#[derive(Deserialize)]
struct Map {
    bases: Vec<(String, Vec<Vec<u32>>)>,
    outputs: Vec<(String, u64)>,
}

impl Map {
    fn layout(&self) -> LinearLayout {
        let axis = |name: &str| Axis::from_name(name).expect("the script uses known names");
        let inputs: Vec<_> = self.bases.iter().map(|(name, bases)| (axis(name), bases.clone())).collect();
        let outputs: Vec<_> =
            self.outputs.iter().map(|(name, size)| Extent { axis: axis(name), bits: size.trailing_zeros() }).collect();
        LinearLayout::from_bases(&inputs, &outputs).unwrap()
    }
}

fn cases() -> Vec<Case> {
    let packed = include_bytes!("../../tables/layouts/cases.jsonl.zst");
    let text = String::from_utf8(zstd::decode_all(packed.as_slice()).unwrap()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn linear(text: &str, shape: &[u64], bits: u32) -> Result<LinearLayout, String> {
    let encoding = Encoding::parse(text, &Aliases::new()).map_err(|error| error.to_string())?;
    encoding.to_linear(&Shape::new(shape).unwrap(), bits).map_err(|error| error.to_string())
}

fn bases_of(layout: &LinearLayout) -> Bases {
    let bases = |axis| layout.bases(axis).iter().map(|basis| basis.iter().map(|&part| part as u32).collect()).collect();
    layout.inputs().iter().map(|input| (input.axis.to_string(), bases(input.axis))).collect()
}

/// Layout kinds of an attribute with their parents: `slice/nvidia_mma`.
fn kinds(text: &str) -> String {
    let kinds = text.split('#').skip(1).filter_map(|part| part.split('<').next()?.split('.').nth(1));
    kinds.collect::<Vec<_>>().join("/")
}

/// A dimension that libtriton leaves out is one of size 1.
fn without_empty(mut bases: Bases) -> Bases {
    bases.retain(|_, vectors| !vectors.is_empty());
    bases
}

#[test]
fn basis_vectors_are_those_of_libtriton() {
    let mut asked: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for case in cases() {
        let Case::Layout { text, shape, bits, bases } = case else { continue };
        let count = asked.entry(kinds(&text)).or_default();
        count.0 += 1;
        let ours = linear(&text, &shape, bits).map(|layout| without_empty(bases_of(&layout)));
        if ours.as_ref() != Ok(&without_empty(bases.clone())) {
            count.1 += 1;
            wrong.push(format!("{text} {shape:?} {bits}\n  ours   {ours:?}\n  theirs {bases:?}"));
        }
    }
    for (kind, (count, wrong)) in &asked {
        println!("{kind:40} {count:6} cases {wrong:6} differ");
    }
    assert!(
        wrong.is_empty(),
        "{} differ, such as\n{}",
        wrong.len(),
        wrong.iter().step_by(wrong.len().div_ceil(12).max(1)).cloned().collect::<Vec<_>>().join("\n")
    );
    assert!(asked.values().map(|(count, _)| count).sum::<usize>() >= 8_000);
}

#[test]
fn products_compositions_and_inverses_are_those_of_libtriton() {
    let mut count = 0;
    for case in cases() {
        let Case::Algebra(case) = case else { continue };
        let (x, y, z) = (case.x.layout(), case.y.layout(), case.z.layout());
        count += 1;
        assert_eq!(x.is_surjective(), case.surjective);
        assert_eq!(x.is_injective(), case.injective);
        assert_eq!(x.compose(&z).unwrap(), case.composed.layout());
        assert_eq!(x.product(&y).unwrap(), case.product.layout());
        assert_eq!(x.invert().ok(), case.inverse.map(|map| map.layout()));
        if let Some(solved) = case.solved {
            let ours = x.invert_and_compose(&y).unwrap();
            assert_eq!(ours, solved.layout());
            assert_eq!(ours.compose(&y).unwrap(), x);
        }
    }
    assert!(count >= 2_000, "{count}");
}

#[test]
fn conversions_between_layouts_are_those_of_libtriton() {
    let mut count = 0;
    for case in cases() {
        let Case::Pair { from, to, shape, bits, bases, .. } = case else { continue };
        count += 1;
        let (from, to) = (linear(&from, &shape, bits).unwrap(), linear(&to, &shape, bits).unwrap());
        let ours = to.invert_and_compose(&from).unwrap();
        assert_eq!(without_empty(bases_of(&ours)), without_empty(bases), "{from:?} to {to:?}");
        assert_eq!(ours.compose(&from).unwrap(), to);
    }
    assert!(count >= 2_000, "{count}");
}

#[test]
fn classes_of_conversions_are_what_triton_lowers_them_to() {
    let mut table: BTreeMap<(String, &str), usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for case in cases() {
        let Case::Pair { from, to, shape, bits, lowered, .. } = case else { continue };
        let class = classify(&linear(&from, &shape, bits).unwrap(), &linear(&to, &shape, bits).unwrap()).unwrap().id();
        if class != lowered {
            wrong.push(format!("{class}, lowered as {lowered}: {shape:?} {bits}\n  {from}\n  {to}"));
        }
        *table.entry((lowered, class)).or_default() += 1;
    }
    println!("lowered by Triton, our class, conversions: {table:#?}");
    assert!(wrong.is_empty(), "{} differ, such as\n{}", wrong.len(), wrong[..wrong.len().min(12)].join("\n"));
    assert!(table.values().sum::<usize>() >= 2_000);
}
