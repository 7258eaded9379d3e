//! Where every element of a tile lives, for drawing.

use super::{axis::Axis, encoding::Encoding, error::LayoutError, linear::LinearLayout, shape::Shape, span::Span};

/// Most elements of a tile that is drawn.
pub const TILE_BITS: u32 = 18;

/// A plane of a tensor, with the hardware index of each element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tile {
    layout: LinearLayout,
    /// Rows.
    pub rows: u32,
    /// Columns.
    pub columns: u32,
    /// Packed hardware index of the first holder of each element, row by row.
    holders: Vec<u64>,
    /// How many hardware indices hold each element, as a power of two.
    pub copies_bits: u32,
}

/// One basis vector: where one bit of a hardware index leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BasisVector {
    /// The dimension of the bit.
    pub axis: Axis,
    /// The index that has only this bit: 1, 2, 4, ….
    pub index: u64,
    /// Coordinates of the element, first dimension first.
    pub element: Vec<u64>,
}

impl Tile {
    /// The tile of a tensor of rank 1 (one row) or 2; of higher ranks, the plane at index 0 of the leading dimensions.
    pub fn new(encoding: &Encoding, shape: &Shape, element_bits: u32) -> Result<Self, LayoutError> {
        let sizes = shape.bits();
        let column_bits = sizes.last().copied().unwrap_or(0);
        let row_bits = sizes.len().checked_sub(2).and_then(|dim| sizes.get(dim)).copied().unwrap_or(0);
        if row_bits + column_bits > TILE_BITS {
            return Err(LayoutError::TooLarge { bits: TILE_BITS });
        }
        let layout = encoding.to_linear(shape, element_bits)?;
        let span = Span::of(&layout.columns);
        // Packed elements have their first dimension lowest: rows, then columns, behind any leading dimensions.
        let leading: u32 = sizes.iter().sum::<u32>() - row_bits - column_bits;
        let holder = |bit: u32| span.express(1 << bit).ok_or(LayoutError::NotSurjective);
        let rows = (0..row_bits).map(|bit| holder(leading + bit)).collect::<Result<Vec<_>, _>>()?;
        let columns = (0..column_bits).map(|bit| holder(leading + row_bits + bit)).collect::<Result<Vec<_>, _>>()?;
        let along = sums(&columns);
        let down = sums(&rows);
        let holders = down.iter().flat_map(|row| along.iter().map(move |column| row ^ column)).collect();
        let input_bits: u32 = layout.inputs().iter().map(|extent| extent.bits).sum();
        let copies_bits = input_bits - span.rank();
        Ok(Self { layout, rows: 1 << row_bits, columns: 1 << column_bits, holders, copies_bits })
    }

    /// Index of the element's first holder along one hardware dimension (register, lane, …); 0 when the layout has no such
    /// dimension, `None` outside the tile.
    pub fn index(&self, row: u32, column: u32, axis: Axis) -> Option<u64> {
        if column >= self.columns {
            return None;
        }
        let packed = *self.holders.get(row as usize * self.columns as usize + column as usize)?;
        Some(super::axis::field(self.layout.inputs(), axis).map_or(0, |found| found.of(packed)))
    }

    /// The index along one hardware dimension of every element, row by row.
    pub fn indices(&self, axis: Axis) -> Vec<u32> {
        let found = super::axis::field(self.layout.inputs(), axis);
        let narrow = |packed: u64| found.map_or(0, |found| u32::try_from(found.of(packed)).unwrap_or(u32::MAX));
        self.holders.iter().map(|&packed| narrow(packed)).collect()
    }

    /// The basis vectors, lowest bit of the first dimension first.
    pub fn basis_vectors(&self) -> Vec<BasisVector> {
        let of = |axis: Axis| {
            let bases = self.layout.bases(axis).into_iter().enumerate();
            bases.map(move |(bit, element)| BasisVector { axis, index: 1 << bit, element })
        };
        self.layout.inputs().iter().flat_map(|extent| of(extent.axis)).collect()
    }

    /// The layout drawn.
    pub const fn layout(&self) -> &LinearLayout {
        &self.layout
    }
}

/// The XOR of every subset, in order of the subset's number.
fn sums(vectors: &[u64]) -> Vec<u64> {
    let mut sums = vec![0];
    for vector in vectors {
        let upper: Vec<u64> = sums.iter().map(|sum| sum ^ vector).collect();
        sums.extend(upper);
    }
    sums
}
