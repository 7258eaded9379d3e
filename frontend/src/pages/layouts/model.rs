//! From the texts of the address to tiles.

use std::sync::Arc;

use lowerline_analyzer::layout::{Encoding, LinearLayout, Shape, Tile, definitions};
use lowerline_shared::permalink::LayoutsQuery;

/// Example of an empty address: the left operand of a Hopper matrix product as it comes from global memory.
pub const SHAPE: &str = "128x64";
pub const TEXT: &str =
    "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>";
pub const BITS: u32 = 16;

/// What is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    pub a: Option<Side>,
    pub b: Option<Side>,
    pub shape: Shape,
    pub bits: u32,
}

/// One layout.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// As typed.
    pub text: String,
    /// Read and built; otherwise why not, in words.
    pub tile: Result<Arc<Built>, String>,
}

/// A layout of a shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    pub encoding: Encoding,
    pub linear: LinearLayout,
    pub tile: Tile,
    pub bits: u32,
}

/// Both sides, or what is wrong with the shape.
pub fn drawn(query: &LayoutsQuery) -> Result<Drawn, String> {
    let text = if query.shape.is_empty() { SHAPE } else { &query.shape };
    let sizes = text
        .split(['x', 'X', '×', ',', ' '])
        .filter(|size| !size.is_empty())
        .map(|size| size.parse().map_err(|_| format!("`{size}` is no size; write a shape such as 128x64")))
        .collect::<Result<Vec<u64>, _>>()?;
    let shape = Shape::new(&sizes).map_err(|error| sentence(&error.to_string()))?;
    let bits = query.bits.unwrap_or(BITS);
    let side = |text: &str| Side { text: text.to_owned(), tile: built(text, &shape, bits).map(Arc::new) };
    let a = side(if query.a.trim().is_empty() { TEXT } else { &query.a });
    let b = (!query.b.trim().is_empty()).then(|| side(&query.b));
    Ok(Drawn { a: Some(a), b, shape, bits })
}

fn built(text: &str, shape: &Shape, bits: u32) -> Result<Built, String> {
    let (aliases, layout) = definitions(text);
    let encoding = Encoding::parse(layout, &aliases).map_err(|error| sentence(&error.to_string()))?;
    let build = || {
        let tile = Tile::new(&encoding, shape, bits)?;
        Ok::<_, lowerline_analyzer::layout::LayoutError>((tile.layout().clone(), tile))
    };
    let (linear, tile) = build().map_err(|error| sentence(&error.to_string()))?;
    Ok(Built { encoding, linear, tile, bits })
}

/// Errors are written to stand inside a sentence; here they are one.
fn sentence(error: &str) -> String {
    let mut letters = error.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}
