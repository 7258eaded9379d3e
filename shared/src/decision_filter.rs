//! What is asked of one decision: a state, a number or a range of numbers, as text in URLs.
//!
//! | text | takes |
//! | --- | --- |
//! | `pipelining:inert` | a named state |
//! | `pipelining:!inert` | any other named state |
//! | `buffer_depth:3` | a number |
//! | `buffer_depth:2..4`, `buffer_depth:2..`, `buffer_depth:..4` | a range with both ends in it |

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::decision_measure::{DecisionMeasure, DecisionValue, DecisionValues};

/// A decision and what is asked of it. In JSON it is its text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct DecisionFilter {
    /// Which decision.
    pub measure: DecisionMeasure,
    /// What its value must be.
    pub wanted: Wanted,
}

/// Values a filter takes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wanted {
    /// One state.
    Named(String),
    /// Any state but one.
    Not(String),
    /// Numbers from the first to the second, both in it; `None` is no bound. One of them is there.
    Range(Option<i64>, Option<i64>),
}

/// Text that is no filter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no filter of a decision; try `pipelining:inert`, `pipelining:!inert`, `buffer_depth:3`, `buffer_depth:2..4` or `buffer_depth:2..`"
)]
pub struct InvalidDecisionFilter(String);

impl DecisionFilter {
    /// The filter that takes exactly this value.
    pub fn of(measure: DecisionMeasure, value: &DecisionValue) -> Self {
        let wanted = match value {
            DecisionValue::Number(number) => Wanted::Range(Some(*number), Some(*number)),
            DecisionValue::Named(name) => Wanted::Named(name.clone()),
        };
        Self { measure, wanted }
    }

    /// Whether the values pass; `None` when the decision is not known, which is no "no".
    pub fn takes(&self, values: &DecisionValues) -> Option<bool> {
        Some(match (values.get(self.measure)?, &self.wanted) {
            (DecisionValue::Named(name), Wanted::Named(wanted)) => name == wanted,
            (DecisionValue::Named(name), Wanted::Not(other)) => name != other,
            (DecisionValue::Number(number), Wanted::Range(from, to)) => {
                from.is_none_or(|from| *number >= from) && to.is_none_or(|to| *number <= to)
            }
            _ => false,
        })
    }

    /// As people read it: `Pipelining = inert`.
    pub fn label(&self) -> String {
        format!("{} {}", self.measure.label(), self.wanted.label())
    }
}

impl Wanted {
    /// Without the decision: `= inert`, `≥ 2`.
    pub fn label(&self) -> String {
        let named = |name: &str| DecisionValue::Named(crate::ids::shown(name)).to_string();
        match self {
            Self::Named(name) => format!("= {}", named(name)),
            Self::Not(name) => format!("≠ {}", named(name)),
            Self::Range(Some(from), Some(to)) if from == to => format!("= {from}"),
            Self::Range(Some(from), Some(to)) => format!("{from} to {to}"),
            Self::Range(Some(from), None) => format!("≥ {from}"),
            Self::Range(None, Some(to)) => format!("≤ {to}"),
            Self::Range(None, None) => "known".to_owned(),
        }
    }
}

impl FromStr for DecisionFilter {
    type Err = InvalidDecisionFilter;

    fn from_str(text: &str) -> Result<Self, InvalidDecisionFilter> {
        let invalid = || InvalidDecisionFilter(crate::ids::shown(text));
        let (id, value) = text.split_once(':').ok_or_else(invalid)?;
        let measure = DecisionMeasure::from_id(id).ok_or_else(invalid)?;
        if value.is_empty() || value.len() > 256 || value.contains(char::is_control) {
            return Err(invalid());
        }
        let wanted = if let Some((from, to)) = value.split_once("..") {
            let bound = |text: &str| match text {
                "" => Ok(None),
                number => number.parse().map(Some).map_err(|_| invalid()),
            };
            match (bound(from)?, bound(to)?) {
                (None, None) => return Err(invalid()),
                (Some(from), Some(to)) if from > to => return Err(invalid()),
                (from, to) => Wanted::Range(from, to),
            }
        } else if let Some(other) = value.strip_prefix('!') {
            if other.is_empty() {
                return Err(invalid());
            }
            Wanted::Not(other.to_owned())
        } else if let Ok(number) = value.parse() {
            Wanted::Range(Some(number), Some(number))
        } else {
            Wanted::Named(value.to_owned())
        };
        Ok(Self { measure, wanted })
    }
}

impl From<DecisionFilter> for String {
    fn from(filter: DecisionFilter) -> Self {
        filter.to_string()
    }
}

impl TryFrom<String> for DecisionFilter {
    type Error = InvalidDecisionFilter;

    fn try_from(text: String) -> Result<Self, InvalidDecisionFilter> {
        text.parse()
    }
}

impl fmt::Display for DecisionFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bound = |number: &Option<i64>| number.map_or_else(String::new, |number| number.to_string());
        write!(f, "{}:", self.measure.id())?;
        match &self.wanted {
            Wanted::Named(name) => f.write_str(name),
            Wanted::Not(name) => write!(f, "!{name}"),
            Wanted::Range(Some(from), Some(to)) if from == to => write!(f, "{from}"),
            Wanted::Range(from, to) => write!(f, "{}..{}", bound(from), bound(to)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(text: &str) -> DecisionFilter {
        text.parse().expect("a filter")
    }

    #[test]
    fn every_form_reads_what_it_writes() {
        for text in [
            "pipelining:inert",
            "pipelining:!inert",
            "buffer_depth:3",
            "buffer_depth:2..4",
            "buffer_depth:2..",
            "buffer_depth:..4",
        ] {
            assert_eq!(filter(text).to_string(), text);
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "inert",
            "pipelining:",
            "pipelining:!",
            "no_such:1",
            "buffer_depth:..",
            "buffer_depth:4..2",
            "buffer_depth:a..b",
        ] {
            assert!(text.parse::<DecisionFilter>().is_err(), "{text}");
        }
    }

    #[test]
    fn an_unknown_decision_is_neither_taken_nor_refused() {
        let values = DecisionValues(
            [
                (DecisionMeasure::Pipelining, DecisionValue::Named("inert".to_owned())),
                (DecisionMeasure::BufferDepth, DecisionValue::Number(3)),
            ]
            .into(),
        );
        let takes = |text: &str| filter(text).takes(&values);
        assert_eq!(takes("pipelining:inert"), Some(true));
        assert_eq!(takes("pipelining:pipelined"), Some(false));
        assert_eq!(takes("pipelining:!pipelined"), Some(true));
        assert_eq!(takes("pipelining:!inert"), Some(false));
        assert_eq!(takes("buffer_depth:!inert"), Some(false), "a number is no other state");
        assert_eq!(takes("pipelining:1"), Some(false));
        assert_eq!(takes("buffer_depth:2..3"), Some(true));
        assert_eq!(takes("buffer_depth:3.."), Some(true));
        assert_eq!(takes("buffer_depth:..2"), Some(false));
        assert_eq!(takes("buffers:2"), None);
    }
}
