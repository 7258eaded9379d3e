//! Values of figures.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a source states, or what was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// Yes or no.
    Bool(bool),
    /// A count.
    Integer(i64),
    /// A measured number.
    Number(f64),
    /// A name.
    Text(String),
    /// Several, in order.
    List(Vec<Value>),
}

impl Value {
    /// A count; numbers beyond what is stored as one become the largest.
    pub fn count(count: u64) -> Self {
        Self::Integer(i64::try_from(count).unwrap_or(i64::MAX))
    }

    /// The number, when it is one.
    pub const fn as_number(&self) -> Option<f64> {
        match self {
            Self::Integer(number) => Some(*number as f64),
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// Equal, numbers within `tolerance` of `self` as a share of it.
    pub fn agrees(&self, other: &Self, tolerance: f64) -> bool {
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) if tolerance <= 0.0 => a == b,
            (Self::List(a), Self::List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.agrees(b, tolerance))
            }
            _ => match (self.as_number(), other.as_number()) {
                (Some(a), Some(b)) => (a - b).abs() <= tolerance.max(1e-9) * a.abs(),
                (None, None) => self == other,
                _ => false,
            },
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{}", if *value { "yes" } else { "no" }),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Number(number) => {
                let text = format!("{number:.3}");
                f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
            }
            Self::Text(text) => f.write_str(text),
            Self::List(values) => {
                for (n, value) in values.iter().enumerate() {
                    if n > 0 {
                        f.write_str(if matches!(value, Self::List(_)) { "; " } else { ", " })?;
                    }
                    write!(f, "{value}")?;
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_measured_numbers_have_room() {
        assert!(!Value::Integer(100).agrees(&Value::Integer(101), 0.0));
        assert!(Value::Integer(100).agrees(&Value::Number(101.0), 0.02));
        assert!(!Value::Integer(100).agrees(&Value::Number(103.0), 0.02));
        assert!(!Value::Integer(1).agrees(&Value::Text("1".to_owned()), 0.5));
    }

    #[test]
    fn values_read_as_people_write_them() {
        let list = Value::List(vec![Value::Integer(70), Value::Number(43.399), Value::Number(2.5), Value::Bool(true)]);
        assert_eq!(list.to_string(), "70, 43.399, 2.5, yes");
    }
}
