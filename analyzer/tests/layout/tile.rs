//! Tiles as the viewer draws them.

use lowerline_analyzer::layout::{Aliases, Axis, Encoding, LayoutError, Shape, Tile, definitions, tile::TILE_BITS};

use super::cases::{Case, cases};

fn tile(text: &str, sizes: &[u64]) -> Tile {
    Tile::new(&Encoding::parse(text, &Aliases::new()).unwrap(), &Shape::new(sizes).unwrap(), 16).unwrap()
}

/// PTX ISA, "Matrix fragments for mma.m16n8k16": the accumulator's element c0 of lane L is at row L / 4, column 2 (L % 4);
/// c1 is right of it, c2 and c3 eight rows below.
#[test]
fn an_accumulator_is_where_the_ptx_manual_says() {
    let mma = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>";
    let tile = tile(mma, &[16, 8]);
    for lane in 0..32 {
        for register in 0..4 {
            let (row, column) = (lane / 4 + register / 2 * 8, lane % 4 * 2 + register % 2);
            assert_eq!(tile.index(row, column, Axis::Lane), Some(u64::from(lane)));
            assert_eq!(tile.index(row, column, Axis::Register), Some(u64::from(register)));
        }
    }
    assert_eq!(tile.index(16, 0, Axis::Lane), None);
    assert_eq!(tile.index(0, 8, Axis::Lane), None);
    assert_eq!(tile.copies_bits, 0);
    assert_eq!(
        tile.basis_vectors().iter().map(|basis| basis.element.clone()).collect::<Vec<_>>(),
        [[0, 1], [8, 0], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]
    );
}

#[test]
fn copies_of_elements_are_counted() {
    let blocked = "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>";
    assert_eq!(tile(blocked, &[32]).copies_bits, 2);
    assert_eq!((tile(blocked, &[32]).rows, tile(blocked, &[32]).columns), (1, 32));
    assert_eq!(tile(blocked, &[128]).copies_bits, 0);
}

#[test]
fn every_holder_holds_its_element() {
    let mut drawn = 0;
    for case in cases() {
        let Case::Layout { text, shape, bits, .. } = case else { continue };
        if shape.iter().product::<u64>() > 1 << TILE_BITS {
            continue;
        }
        let encoding = Encoding::parse(&text, &Aliases::new()).unwrap();
        let tile = Tile::new(&encoding, &Shape::new(&shape).unwrap(), bits).unwrap();
        drawn += 1;
        for (row, column) in [(0, 0), (tile.rows - 1, tile.columns - 1), (tile.rows / 2, tile.columns / 3)] {
            let mut index = 0;
            let mut shift = 0;
            for input in tile.layout().inputs() {
                index |= tile.index(row, column, input.axis).unwrap() << shift;
                shift += input.bits;
            }
            let mut element = vec![0; shape.len()];
            let last = element.len() - 1;
            element[last] = u64::from(column);
            if last > 0 {
                element[last - 1] = u64::from(row);
            }
            assert_eq!(tile.layout().coordinates(tile.layout().apply(index)), element, "{text} {shape:?}");
        }
    }
    assert!(drawn > 8_000);
}

#[test]
fn lines_before_a_layout_define_its_aliases() {
    let mma = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>";
    let read = |text: &str| {
        let (aliases, layout) = definitions(text);
        Encoding::parse(layout, &aliases)
    };
    let inline = read(&format!("#ttg.dot_op<{{opIdx = 0, parent = {mma}, kWidth = 2}}>"));
    assert!(inline.is_ok());
    assert_eq!(read(&format!("#mma = {mma}\n\n#ttg.dot_op<{{opIdx = 0,\n  parent = #mma, kWidth = 2}}>\n")), inline);
    assert_eq!(read(&format!("#mma = {mma}")), read(mma));
    assert_eq!(read("#ttg.slice<{dim = 0, parent = #mma}>"), Err(LayoutError::UnknownAlias("mma".to_owned())));
    assert!(read("").is_err());
    assert!(read("#a = ").is_err());
}
