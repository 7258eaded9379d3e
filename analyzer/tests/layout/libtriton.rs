//! Every answer of libtriton, one by one.

use std::collections::BTreeMap;

use super::cases::{Bases, Case, Map, cases};
use lowerline_analyzer::layout::{Aliases, Axis, Encoding, Extent, LinearLayout, Shape, classify, shared_access};

impl Map {
    fn layout(&self) -> LinearLayout {
        let axis = |name: &str| Axis::from_name(name).expect("the script uses known names");
        let inputs: Vec<_> = self.bases.iter().map(|(name, bases)| (axis(name), bases.clone())).collect();
        let outputs: Vec<_> =
            self.outputs.iter().map(|(name, size)| Extent { axis: axis(name), bits: size.trailing_zeros() }).collect();
        LinearLayout::from_bases(&inputs, &outputs).unwrap()
    }
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

/// libtriton looks for lanes that differ by whole rows of banks. Two narrow accesses that differ by a row and by some bytes
/// inside the word escape it, though their words share a bank; those are the only differences, and ours counts more.
#[test]
fn bank_conflicts_are_those_libtriton_counts() {
    let (mut count, mut narrow) = (0, 0);
    for case in cases() {
        let Case::Banks { register, shared, shape, bits, conflicts } = case else { continue };
        count += 1;
        let read = |text: &str| Encoding::parse(text, &Aliases::new()).unwrap();
        let access = shared_access(&read(&register), &read(&shared), &Shape::new(&shape).unwrap(), bits).unwrap();
        if access.conflicts() != conflicts {
            narrow += 1;
            assert!(access.vector_bits < 32, "{access:?}, libtriton {conflicts}: {shape:?} {bits} {register} {shared}");
            assert!(access.conflicts() > conflicts);
        }
    }
    println!("{count} accesses, {narrow} of them narrower than a word and counted higher than libtriton does");
    assert!(count >= 1_000 && narrow * 40 < count, "{narrow} of {count}");
}

#[test]
fn lists_of_blocks_mean_the_block_bases_that_later_releases_print() {
    let mut count = 0;
    for case in cases() {
        let Case::Blocks { blocks, splits, order, bases } = case else { continue };
        count += 1;
        let rank = order.len();
        let (ones, plain) = (vec![1; rank], (0..rank).collect::<Vec<_>>());
        let body =
            format!("sizePerThread = {ones:?}, threadsPerWarp = {ones:?}, warpsPerCTA = {ones:?}, order = {plain:?}");
        let older = format!(
            "#triton_gpu.blocked<{{{body}, CTAsPerCGA = {blocks:?}, CTASplitNum = {splits:?}, CTAOrder = {order:?}}}>"
        );
        let later = format!("#ttg.blocked<{{{body}, CGALayout = {bases:?}}}>");
        let shape = vec![8; rank];
        assert_eq!(linear(&older, &shape, 32).unwrap(), linear(&later, &shape, 32).unwrap(), "{older}");
    }
    assert!(count >= 100, "{count}");
}
