//! Where every element of a tensor lives: Triton's layouts as linear maps over F2.
//!
//! Reading order: [`axis`] and [`linear`] (the map), [`algebra`] (product, composition, inverse), [`attribute`] (text),
//! [`encoding`] (Triton's kinds), [`conversion`] (what a `convert_layout` costs).
//!
//! Sizes must be powers of two; every other size is refused with the reason. Hostile text gives errors, never panics:
//! shapes are bounded to rank 5 and 2^24 elements, nesting to 16.

pub mod algebra;
pub mod attribute;
pub mod axis;
pub mod conversion;
pub mod encoding;
pub mod error;
pub mod linear;
pub mod shape;
mod span;

pub use attribute::{Aliases, Attribute};
pub use axis::{Axis, Extent};
pub use conversion::{ConversionClass, classify, satisfies};
pub use encoding::Encoding;
pub use error::LayoutError;
pub use linear::LinearLayout;
pub use shape::Shape;
