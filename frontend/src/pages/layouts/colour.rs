//! Colours of indices: what is near has a near hue, neighbours differ in lightness.

use lowerline_analyzer::layout::Axis;

use super::model::Built;

/// What may colour a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// A hardware dimension.
    Axis(Axis),
    /// The bank of shared memory that holds the element.
    Bank,
}

/// Banks of shared memory, each 4 bytes wide.
const BANKS: u32 = 32;

impl By {
    /// As in the address.
    pub fn id(self) -> String {
        match self {
            Self::Axis(axis) => axis.to_string(),
            Self::Bank => "bank".to_owned(),
        }
    }

    /// What a layout can be coloured by: its hardware dimensions that have more than one index, and banks.
    pub fn choices(built: &Built) -> Vec<Self> {
        let inputs = built.linear.inputs().iter().filter(|extent| extent.bits > 0);
        let mut choices: Vec<Self> = inputs.map(|extent| Self::Axis(extent.axis)).collect();
        if choices.contains(&Self::Axis(Axis::Offset)) {
            choices.insert(0, Self::Bank);
        }
        choices
    }

    /// The choice of an address; otherwise the lane, or what the layout has instead.
    pub fn of(id: &str, built: &Built) -> Option<Self> {
        let choices = Self::choices(built);
        let named = choices.iter().copied().find(|choice| choice.id() == id);
        named
            .or_else(|| choices.contains(&Self::Axis(Axis::Lane)).then_some(Self::Axis(Axis::Lane)))
            .or(choices.first().copied())
    }

    /// The index of every element, row by row, and how many indices there are.
    pub fn indices(self, built: &Built) -> (Vec<u32>, u32) {
        match self {
            Self::Axis(axis) => (built.tile.indices(axis), 1 << built.linear.input_bits(axis).min(31)),
            Self::Bank => {
                let offsets = built.tile.indices(Axis::Offset);
                (offsets.into_iter().map(|offset| bank(offset, built.bits)).collect(), BANKS)
            }
        }
    }
}

/// The bank of an element offset.
pub fn bank(offset: u32, bits: u32) -> u32 {
    let word = u64::from(offset) * u64::from(bits) / 32;
    u32::try_from(word % u64::from(BANKS)).unwrap_or(0)
}

/// Red, green, blue of an index among `count`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of 255")]
pub fn rgb(index: u32, count: u32) -> [u8; 3] {
    let count = count.max(1);
    let hue = f64::from(index % count) / f64::from(count) * 330.0;
    let lightness = if index.is_multiple_of(2) { 0.80 } else { 0.66 };
    let saturation = 0.52;
    let chroma = (1.0 - f64::abs(2.0 * lightness - 1.0)) * saturation;
    let part = |n: f64| {
        let k = (n + hue / 30.0) % 12.0;
        let value = lightness - chroma / 2.0 * f64::min(k - 3.0, 9.0 - k).clamp(-1.0, 1.0);
        (value * 255.0).round() as u8
    };
    [part(0.0), part(8.0), part(4.0)]
}
