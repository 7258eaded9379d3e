//! What a page of one commit shows.

use super::query::{InvalidQuery, Query, Values, pairs};
use crate::decision_filter::DecisionFilter;

/// What a commit page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitQuery {
    /// What is asked of decisions; builds that fail one of them are left out.
    pub only: Vec<DecisionFilter>,
}

impl CommitQuery {
    /// Reads the part behind `?` of a page; what cannot be read is left out.
    pub fn parse(query: &str) -> Self {
        Self::read(query).0
    }

    /// Reads the part behind `?` of the API.
    ///
    /// # Errors
    /// The first known parameter whose value cannot be read.
    pub fn parse_strict(query: &str) -> Result<Self, InvalidQuery> {
        let (out, values) = Self::read(query);
        values.finish().map(|()| out)
    }

    fn read(query: &str) -> (Self, Values) {
        let (mut out, mut values) = (Self::default(), Values::default());
        for (key, value) in pairs(query) {
            if key == "only" {
                out.only = values.list(key, value);
            }
        }
        (out, values)
    }

    /// `?…`, or nothing.
    pub fn query(&self) -> String {
        let mut query = Query::default();
        query.list("only", &self.only);
        query.0
    }
}
