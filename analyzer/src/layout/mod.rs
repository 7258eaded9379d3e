//! Where every element of a tensor lives: Triton's layouts as linear maps over F2.
//!
//! Reading order: [`axis`] and [`linear`] (the map), [`algebra`] (product, composition, inverse), [`attribute`] (text),
//! [`encoding`] (Triton's kinds), [`conversion`] (what a `convert_layout` costs), [`banks`] (how shared memory serves an
//! access), [`tile`] (elements for drawing), [`ttgir`] (what one file does with them), [`notes`] (the same, to be drawn elsewhere).
//!
//! Sizes must be powers of two; every other size is refused with the reason. Hostile text gives errors, never panics:
//! shapes are bounded to rank 5 and 2^24 elements, nesting to 16.

pub mod algebra;
pub mod attribute;
pub mod axis;
pub mod banks;
pub mod conversion;
pub mod encoding;
pub mod error;
pub mod linear;
mod notes;
pub mod shape;
mod span;
pub mod tile;
pub mod ttgir;

pub use attribute::{Aliases, Attribute, definitions};
pub use axis::{Axis, Extent};
pub use banks::{SharedAccess, shared_access};
pub use conversion::{ConversionClass, classify, satisfies};
pub use encoding::Encoding;
pub use error::LayoutError;
pub use linear::LinearLayout;
pub use notes::notes;
pub use shape::Shape;
pub use tile::{BasisVector, Tile};
