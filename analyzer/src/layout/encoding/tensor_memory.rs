//! Tensor memory of Blackwell: 128 rows (lanes) by columns.

use super::{
    super::{
        attribute::{Attribute, Value},
        axis::{Axis, Extent},
        error::LayoutError,
        linear::LinearLayout,
        shape::Shape,
    },
    block::exponent,
    blocked::demand_rank,
    fields, tile,
};

/// `tensor_memory_encoding`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMemory {
    /// Rows of one instruction's result as a power of two: 6 or 7.
    pub rows: u32,
    /// Columns of one instruction's result, as a power of two.
    pub columns: u32,
    /// Columns from one element to the next, as a power of two; `None` when the text only says that elements are not
    /// packed (`unpacked = true`, releases before 3.6): then an element takes a column of 32 bits.
    pub stride: Option<u32>,
    /// How many blocks share the rows and the columns, as powers of two.
    pub splits: (u32, u32),
    /// Whether two blocks work on one instruction.
    pub is_paired: bool,
}

impl TensorMemory {
    pub(super) fn read(attribute: &Attribute<'_>) -> Result<Self, LayoutError> {
        let fields = &attribute.fields;
        let rows = fields::power(fields, "blockM")?;
        if !(6..=7).contains(&rows) {
            return Err(LayoutError::Field("blockM"));
        }
        let stride = match (fields.get("colStride"), fields.get("unpacked")) {
            (Some(_), _) => Some(fields::power(fields, "colStride")?),
            (None, Some(Value::Bool(true))) => None,
            (None, Some(Value::Bool(false))) => Some(0),
            _ => return Err(LayoutError::Field("colStride")),
        };
        let split = |name| exponent(fields::number_or(fields, name, 1)?, name);
        Ok(Self {
            rows,
            columns: fields::power(fields, "blockN")?,
            stride,
            splits: (split("CTASplitM")?, split("CTASplitN")?),
            is_paired: fields::flag(fields, "twoCTAs")?,
        })
    }

    pub(super) fn to_linear(&self, shape: &Shape, element_bits: u32) -> Result<LinearLayout, LayoutError> {
        demand_rank(2, shape)?;
        let (split_rows, split_columns) = self.splits;
        let (Some(rows), Some(columns)) =
            (shape.dim(0).checked_sub(split_rows), shape.dim(1).checked_sub(split_columns))
        else {
            return Err(LayoutError::Invalid("the tensor is smaller than the split over blocks"));
        };
        if self.is_paired && self.rows == 6 && split_rows == 1 {
            return self.shared_by_pair(shape, columns, element_bits);
        }
        self.part(rows, columns, element_bits)?
            .product(&LinearLayout::identity(split_rows, Axis::Column, Axis::Dim(0)))?
            .product(&LinearLayout::identity(split_columns, Axis::Column, Axis::Dim(1)))
    }

    /// Columns between elements, as a power of two.
    fn gap(&self, element_bits: u32) -> Result<LinearLayout, LayoutError> {
        let stride = match self.stride {
            Some(stride) => stride,
            None => 5_u32.saturating_sub(exponent(element_bits, "the size of an element")?),
        };
        Ok(LinearLayout::zeros(stride, Axis::Column, Axis::Dim(1)))
    }

    /// Two blocks compute 128 rows, 64 each; a block has the left half of the columns in its lower 64 lanes and the right
    /// half in the upper ones.
    fn shared_by_pair(&self, shape: &Shape, columns: u32, element_bits: u32) -> Result<LinearLayout, LayoutError> {
        let (rows, wide) = (shape.dim(0), self.columns.min(columns));
        let (Some(more_rows), Some(half)) = (rows.checked_sub(7), wide.checked_sub(1)) else {
            return Err(LayoutError::Invalid("the tensor is smaller than the instruction of two blocks"));
        };
        let one = self
            .gap(element_bits)?
            .product(&LinearLayout::identity(6, Axis::Row, Axis::Dim(0)))?
            .product(&LinearLayout::identity(half, Axis::Column, Axis::Dim(1)))?
            .product(&LinearLayout::identity(1, Axis::Row, Axis::Dim(1)))?
            .product(&LinearLayout::identity(1 + more_rows, Axis::Column, Axis::Dim(0)))?
            .product(&LinearLayout::identity(columns - wide, Axis::Column, Axis::Dim(1)))?
            .product(&LinearLayout::identity(self.splits.1, Axis::Column, Axis::Dim(1)))?;
        in_row_column_order(&tile::in_standard_order(&one)?)
    }

    /// The part of one block.
    fn part(&self, rows: u32, columns: u32, element_bits: u32) -> Result<LinearLayout, LayoutError> {
        let wide = self.columns.min(columns);
        if rows < self.rows {
            return Err(LayoutError::Invalid("the tensor has fewer rows than the instruction"));
        }
        let gap = self.gap(element_bits)?;
        let one = if self.rows == 6 { half(rows, columns, wide)? } else { full(wide)? };
        let one = tile::in_standard_order(&gap.product(&one)?)?;
        let one = in_row_column_order(&one)?;
        let rest = |dim: u8, wanted: u32| wanted.saturating_sub(one.output_bits(Axis::Dim(dim)));
        one.product(&LinearLayout::identity(rest(0, rows), Axis::Column, Axis::Dim(0)))?
            .product(&LinearLayout::identity(rest(1, columns), Axis::Column, Axis::Dim(1)))
    }
}

/// Instructions of 64 rows use 16 of every 32 rows of the memory; the other 16 hold the next tile, if there is one.
fn half(rows: u32, columns: u32, wide: u32) -> Result<LinearLayout, LayoutError> {
    let (next, outputs) = if rows > 6 {
        (vec![64, 0], (7, wide))
    } else if columns > wide {
        (vec![0, 1 << wide], (6, wide + 1))
    } else {
        (vec![0, 0], (6, wide))
    };
    let mut row_bases: Vec<Vec<u32>> = (0..4).map(|bit| vec![1 << bit, 0]).collect();
    row_bases.extend([next, vec![16, 0], vec![32, 0]]);
    let column_bases = (0..wide).map(|bit| vec![0, 1 << bit]).collect();
    let outputs = [Extent { axis: Axis::Dim(0), bits: outputs.0 }, Extent { axis: Axis::Dim(1), bits: outputs.1 }];
    LinearLayout::from_bases(&[(Axis::Row, row_bases), (Axis::Column, column_bases)], &outputs)
}

fn full(wide: u32) -> Result<LinearLayout, LayoutError> {
    LinearLayout::identity(7, Axis::Row, Axis::Dim(0)).product(&LinearLayout::identity(
        wide,
        Axis::Column,
        Axis::Dim(1),
    ))
}

/// `tensor_memory_scales_encoding`: scale factors of block-scaled instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMemoryScales {
    /// How many blocks share the rows and the columns, as powers of two.
    pub splits: (u32, u32),
}

impl TensorMemoryScales {
    pub(super) fn read(attribute: &Attribute<'_>) -> Result<Self, LayoutError> {
        let split = |name| exponent(fields::number_or(&attribute.fields, name, 1)?, name);
        Ok(Self { splits: (split("CTASplitM")?, split("CTASplitN")?) })
    }

    pub(super) fn to_linear(&self, shape: &Shape) -> Result<LinearLayout, LayoutError> {
        demand_rank(2, shape)?;
        let (split_rows, split_columns) = self.splits;
        let (Some(rows), Some(columns)) =
            (shape.dim(0).checked_sub(split_rows), shape.dim(1).checked_sub(split_columns))
        else {
            return Err(LayoutError::Invalid("the tensor is smaller than the split over blocks"));
        };
        // PTX ISA, "Scale factor A layout": 32 rows, repeated for each of four warps; 4 bytes a column, two groups.
        let one = LinearLayout::identity(5, Axis::Row, Axis::Dim(0))
            .product(&LinearLayout::zeros(2, Axis::Row, Axis::Dim(0)))?
            .product(&LinearLayout::identity(2, Axis::Column, Axis::Dim(1)))?
            .product(&LinearLayout::identity(1, Axis::Column, Axis::Dim(0)))?
            .product(&LinearLayout::identity(rows.saturating_sub(6), Axis::Column, Axis::Dim(0)))?
            .product(&LinearLayout::identity(columns.saturating_sub(2), Axis::Column, Axis::Dim(1)))?;
        tile::not_larger(&one, &Shape::from_bits(vec![rows, columns])?)?
            .product(&LinearLayout::identity(split_rows, Axis::Column, Axis::Dim(0)))?
            .product(&LinearLayout::identity(split_columns, Axis::Column, Axis::Dim(1)))
    }
}

/// Rows before columns on the input side, as Triton lists them.
fn in_row_column_order(layout: &LinearLayout) -> Result<LinearLayout, LayoutError> {
    let inputs = [Axis::Row, Axis::Column]
        .map(|axis| layout.bases_as_u32(axis).map(|bases| (axis, bases)))
        .into_iter()
        .collect::<Result<Vec<_>, _>>()?;
    LinearLayout::from_bases(&inputs, layout.outputs())
}
