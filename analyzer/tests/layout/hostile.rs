//! Text that is wrong, cut or meant to hurt.

use lowerline_analyzer::layout::{Aliases, Axis, Encoding, LayoutError, Shape, Tile, classify, shared_access};

use lowerline_analyzer::{Budget, Limits, layout::notes, mlir::parse as read};
use lowerline_shared::stage::Stage;

use super::cases::{Case, cases};

const BLOCKED: &str =
    "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>";

fn parse(text: &str) -> Result<Encoding, LayoutError> {
    Encoding::parse(text, &Aliases::new())
}

#[test]
fn sizes_that_are_no_power_of_two_are_refused_with_the_reason() {
    let error = Shape::new(&[128, 96]).unwrap_err();
    assert_eq!(error, LayoutError::NotPowerOfTwo { what: "a dimension of the tensor", value: 96 });
    assert!(error.to_string().contains("96, not a power of two"));
    let three = parse(&BLOCKED.replace("[1, 8]", "[1, 3]")).unwrap_err();
    assert_eq!(three, LayoutError::NotPowerOfTwo { what: "sizePerThread", value: 3 });
    assert!(matches!(Shape::new(&[0]), Err(LayoutError::NotPowerOfTwo { .. })));
}

#[test]
fn what_is_not_known_is_named() {
    assert_eq!(parse("#ttg.holographic<{x = 1}>"), Err(LayoutError::UnknownKind("holographic".into())));
    assert_eq!(parse("#mma9"), Err(LayoutError::UnknownAlias("mma9".into())));
    assert_eq!(parse("#ttg.slice<{dim = 1}>"), Err(LayoutError::Field("parent")));
    assert_eq!(
        parse("#ttg.blocked<{sizePerThread = [1"),
        Err(LayoutError::Syntax { at: 32, expected: "a number, true, false, a list or an attribute" })
    );
}

#[test]
fn shapes_are_bounded() {
    assert_eq!(Shape::new(&[1 << 25]), Err(LayoutError::TooLarge { bits: 24 }));
    assert_eq!(Shape::new(&[1 << 13, 1 << 13]), Err(LayoutError::TooLarge { bits: 24 }));
    assert!(matches!(Shape::new(&[2; 6]), Err(LayoutError::Rank { .. })));
    assert!(matches!(
        parse(BLOCKED).unwrap().to_linear(&Shape::new(&[64]).unwrap(), 16),
        Err(LayoutError::Rank { .. })
    ));
    let wide = BLOCKED.replace("[1, 8]", "[16777216, 16777216]");
    assert!(matches!(
        parse(&wide).unwrap().to_linear(&Shape::new(&[64, 64]).unwrap(), 16),
        Err(LayoutError::TooLarge { .. })
    ));
}

#[test]
fn aliases_cannot_grow_without_bound() {
    let itself = Aliases::from([("a", "#a")]);
    assert_eq!(Encoding::parse("#a", &itself), Err(LayoutError::TooDeep));
    let names: Vec<String> = (0..12).map(|index| format!("a{index}")).collect();
    let bodies: Vec<String> =
        (0..12).map(|index| format!("#ttg.x<{{v = [{}]}}>", vec![format!("#a{}", index + 1); 60].join(", "))).collect();
    let laughs: Aliases<'_> = names.iter().map(String::as_str).zip(bodies.iter().map(String::as_str)).collect();
    assert!(matches!(Encoding::parse("#a0", &laughs), Err(LayoutError::TooDeep)));
    let deep = format!("{}#a{}", "#ttg.slice<{dim = 0, parent = ".repeat(100_000), "}>".repeat(100_000));
    assert_eq!(parse(&deep), Err(LayoutError::TooDeep));
}

/// A generator that needs no seed from outside.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// Mostly another number for one of the text's, which still reads; sometimes anything anywhere.
fn mutate(text: &mut String, draw: &mut Draw) {
    const NUMBERS: [&str; 12] = ["0", "1", "2", "3", "4", "8", "16", "64", "128", "1024", "16777216", "99999999999"];
    const PIECES: [&str; 14] = ["0", "3", "[", "]", "{", "}", "<", ">", ",", "=", "#", "-1", "true", "é"];
    let digits: Vec<usize> = text.match_indices(|letter: char| letter.is_ascii_digit()).map(|(at, _)| at).collect();
    if draw.below(8) > 0 && !digits.is_empty() {
        let at = digits[draw.below(digits.len())];
        text.replace_range(at..=at, NUMBERS[draw.below(NUMBERS.len())]);
        return;
    }
    let at = draw.below(text.len() + 1);
    let at = (at..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap();
    let end = (at + draw.below(4)..=text.len()).find(|&end| text.is_char_boundary(end)).unwrap_or(text.len());
    text.replace_range(at..end, PIECES[draw.below(PIECES.len())]);
}

#[test]
fn mutated_attributes_give_layouts_or_errors() {
    let texts: Vec<String> = cases()
        .into_iter()
        .filter_map(|case| match case {
            Case::Layout { text, .. } => Some(text),
            _ => None,
        })
        .collect();
    let mut draw = Draw(0x9E37_79B9_7F4A_7C15);
    let shapes: Vec<Shape> = [
        vec![1],
        vec![64],
        vec![128, 64],
        vec![1, 1],
        vec![16, 256],
        vec![2, 32, 32],
        vec![4096, 4096],
        vec![2, 2, 2, 2, 2],
    ]
    .iter()
    .map(|sizes| Shape::new(sizes).unwrap())
    .collect();
    let blocked = parse(BLOCKED).unwrap();
    let mut outcomes = [0_usize; 3];
    for _ in 0..60_000 {
        let mut text = texts[draw.below(texts.len())].clone();
        for _ in 0..=draw.below(3) {
            mutate(&mut text, &mut draw);
        }
        let Ok(encoding) = parse(&text) else {
            outcomes[0] += 1;
            continue;
        };
        let shape = &shapes[draw.below(shapes.len())];
        let bits = [0, 1, 4, 8, 16, 32, 64, 12, u32::MAX][draw.below(9)];
        let Ok(layout) = encoding.to_linear(shape, bits) else {
            outcomes[1] += 1;
            continue;
        };
        outcomes[2] += 1;
        assert!(layout.is_surjective(), "{text} {shape:?}");
        let _ = shared_access(&blocked, &encoding, shape, bits);
        let _ = shared_access(&encoding, &blocked, shape, bits);
        if let Ok(other) = blocked.to_linear(shape, bits) {
            let _ = classify(&layout, &other);
            let _ = classify(&other, &layout);
        }
        if let Ok(tile) = Tile::new(&encoding, shape, bits) {
            assert!(tile.index(0, 0, Axis::Register).is_some());
        }
    }
    println!("refused by syntax, refused for the shape, laid out: {outcomes:?}");
    assert!(outcomes.iter().all(|&count| count > 1_000), "{outcomes:?}");
}

/// Aliases that name the next one twice, and thousands of layouts that name the first of them.
#[test]
fn notes_of_layouts_do_not_grow_with_what_they_name() {
    let mut text: String =
        (0..64).map(|n| format!("#a{n} = #ttg.slice<{{dim = 0, parent = #a{0}, x = #a{0}}}>\n", n + 1)).collect();
    text.push_str("#loop = #ttg.slice<{dim = 0, parent = #loop}>\nmodule {\n  tt.func public @k() {\n");
    let add = |text: &mut String, layout: &str| {
        text.push_str(&format!("    %c = ttg.convert_layout %b : tensor<64xf32, {layout}> -> tensor<64xf32, #loop>\n"));
    };
    (0..2_000).for_each(|n| add(&mut text, &format!("#ttg.slice<{{dim = {n}, parent = #a0}}>")));
    text.push_str("    tt.return\n  }\n}\n");
    let module = read(&text, Stage::Ttgir, &mut Budget::new(&Limits::default())).unwrap();
    let notes = notes(&text, &module);
    assert_eq!(notes.layouts.len(), 1_024);
    // 1,023 of them beside `#loop`; the others stand in a type and in a conversion.
    assert_eq!(notes.left_out, 2 * (2_000 - 1_023));
    assert!(notes.layouts.iter().all(|layout| layout.text.len() < 17 << 10 && layout.text.lines().count() <= 33));
    let own = notes.layouts.iter().find(|layout| layout.name == "#loop").unwrap();
    assert_eq!(own.text, "#loop = #ttg.slice<{dim = 0, parent = #loop}>");
    assert!(notes.uses.iter().all(|found| found.why.is_some()), "none of them can be drawn");
}
