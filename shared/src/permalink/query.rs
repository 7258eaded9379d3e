//! The part of an address behind `?`: written in one order, read with a word on what cannot be read.

use std::{fmt::Write as _, str::FromStr};

use super::{decode, encode};
use crate::{
    chart::Theme,
    ids::shown,
    stage::{Scope, Stage},
};

/// Values taken from one list.
const LISTED: usize = 64;

/// A parameter whose value cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{value}` is no value of `{field}`: {expected}")]
pub struct InvalidQuery {
    /// The parameter.
    pub field: String,
    /// What was sent, made safe to show.
    pub value: String,
    /// What would be right.
    pub expected: String,
}

/// The colours that the address of a picture asks for: `theme=dark`; light without.
///
/// # Errors
/// Any other value.
pub fn theme(query: &str) -> Result<Theme, InvalidQuery> {
    let mut values = Values::default();
    let asked = pairs(query).filter(|(key, _)| *key == "theme").last();
    let theme = asked.and_then(|(key, value)| values.one(key, value));
    values.finish().map(|()| theme.unwrap_or_default())
}

/// Makes the two ways of reading a query of one `read`, which returns the query and the [`Values`] it was read by.
macro_rules! readable {
    ($query:ty) => {
        impl $query {
            /// Reads the part behind `?` of a page. What it does not know or cannot read is left out, so that newer links open in
            /// older pages.
            pub fn parse(query: &str) -> Self {
                Self::read(query).0
            }

            /// Reads the part behind `?` of the API.
            ///
            /// # Errors
            /// The first known parameter whose value cannot be read.
            pub fn parse_strict(query: &str) -> Result<Self, $crate::permalink::InvalidQuery> {
                let (out, values) = Self::read(query);
                values.finish().map(|()| out)
            }
        }
    };
}
pub(super) use readable;

/// Query pairs, in order, empty values left out.
#[derive(Default)]
pub(super) struct Query(pub String);

impl Query {
    pub fn put(&mut self, key: &str, value: &str) {
        if !value.is_empty() {
            let sign = if self.0.is_empty() { '?' } else { '&' };
            let _ = write!(self.0, "{sign}{key}={value}");
        }
    }

    pub fn text(&mut self, key: &str, value: Option<&str>) {
        self.put(key, &value.map(encode).unwrap_or_default());
    }

    pub fn list<T: ToString>(&mut self, key: &str, values: &[T]) {
        let values: Vec<String> = values.iter().map(|value| encode(&value.to_string())).collect();
        self.put(key, &values.join(","));
    }

    pub fn scope(&mut self, scope: Scope) {
        self.put("scope", if scope == Scope::default() { "" } else { scope.id() });
    }
}

/// Pairs with a value.
pub(super) fn pairs(query: &str) -> impl Iterator<Item = (&str, &str)> {
    query.split('&').filter_map(|pair| pair.split_once('=')).filter(|(_, value)| !value.is_empty())
}

/// Reads values, and keeps the first that cannot be read.
#[derive(Default)]
pub(super) struct Values(Option<InvalidQuery>);

impl Values {
    /// Whether all could be read.
    pub fn finish(self) -> Result<(), InvalidQuery> {
        self.0.map_or(Ok(()), Err)
    }

    fn refuse(&mut self, field: &str, value: &str, expected: String) {
        self.0.get_or_insert_with(|| InvalidQuery { field: field.to_owned(), value: shown(value), expected });
    }

    pub fn text(&mut self, key: &str, value: &str) -> Option<String> {
        let text = decode(value);
        if text.is_none() {
            self.refuse(key, value, "printable UTF-8, percent-encoded".to_owned());
        }
        text
    }

    pub fn one<T: FromStr<Err: ToString>>(&mut self, key: &str, value: &str) -> Option<T> {
        let text = self.text(key, value)?;
        text.parse().map_err(|error: T::Err| self.refuse(key, &text, error.to_string())).ok()
    }

    pub fn list<T: FromStr<Err: ToString>>(&mut self, key: &str, value: &str) -> Vec<T> {
        if value.split(',').count() > LISTED {
            self.refuse(key, value, format!("at most {LISTED} values"));
        }
        value.split(',').take(LISTED).filter_map(|item| self.one(key, item)).collect()
    }

    pub fn scope(&mut self, value: &str) -> Scope {
        Scope::from_id(value).unwrap_or_else(|| {
            let known: Vec<&str> = Scope::ALL.into_iter().map(Scope::id).collect();
            self.refuse("scope", value, format!("one of {}", known.join(", ")));
            Scope::default()
        })
    }

    pub fn stage(&mut self, value: &str) -> Option<Stage> {
        let stage = Stage::from_id(value);
        if stage.is_none() {
            let known: Vec<&str> = Stage::ALL.into_iter().map(Stage::id).collect();
            self.refuse("stage", value, format!("one of {}", known.join(", ")));
        }
        stage
    }
}
