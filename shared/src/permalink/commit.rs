//! What a page of one commit shows.

use super::query::{Query, Values, pairs, readable};
use crate::decision_filter::DecisionFilter;

/// What a commit page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitQuery {
    /// What is asked of decisions; builds that fail one of them are left out.
    pub only: Vec<DecisionFilter>,
}

readable!(CommitQuery);

impl CommitQuery {
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
