//! Measures: whatever can be plotted, as text in URLs.
//!
//! | text | measure |
//! | --- | --- |
//! | `fragment_staging` | a family at machine level: SASS on NVIDIA, AMDGCN on AMD |
//! | `fragment_staging@ptx` | a family at a named stage |
//! | `instructions`, `instructions@ptx` | all instructions but padding |
//! | `sass:LDSM` | an opcode of a stage and everything below it (`LDSM.16.M88`), by whole dot-separated parts |
//! | `resource:registers` | a resource |
//! | `decision:pipelining` | a decision of the compiler: a number or a named state |
//! | `metric:tflops` | a number from outside |

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{decision_measure::DecisionMeasure, family::Family, report::Resource, stage::Stage, target::Vendor};

/// At which level a count is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// SASS on NVIDIA, AMDGCN on AMD.
    Machine,
    /// One stage.
    Stage(Stage),
}

impl Level {
    /// The stage counted for a vendor. The AMD counterpart of a NVIDIA stage does not exist, so it stays as named.
    pub const fn stage(self, vendor: Vendor) -> Stage {
        match (self, vendor) {
            (Self::Stage(stage), _) => stage,
            (Self::Machine, Vendor::Amd) => Stage::Amdgcn,
            (Self::Machine, _) => Stage::Sass,
        }
    }
}

/// Anything that can be plotted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Measure {
    /// A family count.
    Family(Family, Level),
    /// All instructions but padding.
    Instructions(Level),
    /// An opcode or opcode prefix of a stage.
    Opcode(Stage, String),
    /// A resource.
    Resource(Resource),
    /// A decision of the compiler.
    Decision(DecisionMeasure),
    /// An uploaded number.
    Metric(String),
}

impl Measure {
    /// A value in the unit of its label: see [`Resource::read`].
    pub fn read(&self, value: f64) -> f64 {
        match self {
            Self::Resource(Resource::OccupancyPermille) => value / 10.0,
            _ => value,
        }
    }
}

/// Text that names no measure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` names no measure; try `fragment_staging`, `fence@ptx`, `sass:LDSM`, `resource:registers`, `decision:pipelining` or `metric:tflops`"
)]
pub struct InvalidMeasure(pub String);

impl FromStr for Measure {
    type Err = InvalidMeasure;

    fn from_str(text: &str) -> Result<Self, InvalidMeasure> {
        let invalid = || InvalidMeasure(crate::ids::shown(text));
        let named =
            |name: &str| !name.is_empty() && name.len() <= 256 && !name.contains(|c: char| c.is_control() || c == ',');
        if let Some((head, rest)) = text.split_once(':') {
            return match head {
                "resource" => Resource::from_id(rest).map(Self::Resource).ok_or_else(invalid),
                "decision" => DecisionMeasure::from_id(rest).map(Self::Decision).ok_or_else(invalid),
                "metric" if named(rest) => Ok(Self::Metric(rest.to_owned())),
                _ => match Stage::from_id(head) {
                    Some(stage) if stage.has_families() && named(rest) => Ok(Self::Opcode(stage, rest.to_owned())),
                    _ => Err(invalid()),
                },
            };
        }
        let (id, level) = match text.split_once('@') {
            None => (text, Level::Machine),
            Some((id, stage)) => match Stage::from_id(stage) {
                Some(stage) if stage.has_families() => (id, Level::Stage(stage)),
                _ => return Err(invalid()),
            },
        };
        if id == "instructions" {
            return Ok(Self::Instructions(level));
        }
        Family::from_id(id).map(|family| Self::Family(family, level)).ok_or_else(invalid)
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (id, level) = match self {
            Self::Opcode(stage, opcode) => return write!(f, "{}:{opcode}", stage.id()),
            Self::Resource(resource) => return write!(f, "resource:{}", resource.id()),
            Self::Decision(decision) => return write!(f, "decision:{}", decision.id()),
            Self::Metric(name) => return write!(f, "metric:{name}"),
            Self::Family(family, level) => (family.id(), level),
            Self::Instructions(level) => ("instructions", level),
        };
        match level {
            Level::Machine => f.write_str(id),
            Level::Stage(stage) => write!(f, "{id}@{}", stage.id()),
        }
    }
}

impl TryFrom<String> for Measure {
    type Error = InvalidMeasure;
    fn try_from(text: String) -> Result<Self, InvalidMeasure> {
        text.parse()
    }
}

impl From<Measure> for String {
    fn from(measure: Measure) -> Self {
        measure.to_string()
    }
}

/// Whether an opcode is `prefix` itself or lies below it: `LDSM` covers `LDSM.16.M88`, not `LDSMX`.
pub fn covers(prefix: &str, opcode: &str) -> bool {
    opcode.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || rest.starts_with('_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_reads_what_it_writes() {
        for text in [
            "fragment_staging",
            "fence@ptx",
            "instructions",
            "sass:LDSM",
            "ptx:bar.sync",
            "resource:registers",
            "decision:pipelining",
            "metric:tflops",
        ] {
            assert_eq!(text.parse::<Measure>().expect(text).to_string(), text);
        }
        for text in
            ["", "nothing", "fence@cubin", "ttir:tt.load", "resource:luck", "decision:luck", "sass:", "sass:a,b"]
        {
            assert!(text.parse::<Measure>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_prefix_covers_whole_parts_only() {
        assert!(covers("LDSM", "LDSM.16.M88.4"));
        assert!(covers("ULOP3.LUT", "ULOP3.LUT"));
        assert!(!covers("LDS", "LDSM.16.M88.4"));
        assert!(covers("v_mfma", "v_mfma_f32_32x32x8_f16"));
    }
}
