//! What the pages of one kernel show.

use super::query::{Query, Values, pairs, readable};
use crate::{
    decision_filter::DecisionFilter,
    ids::{Rev, TargetName},
    measure::Measure,
    stage::Scope,
};

/// What a lowering page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoweringQuery {
    /// The commit; `None` takes the newest with builds of the kernel, and a link to keep names it.
    pub at: Option<Rev>,
    /// A commit to compare with.
    pub base: Option<Rev>,
    /// Config label; `None` takes the one on most targets.
    pub config: Option<String>,
    /// Where counts are taken.
    pub scope: Scope,
    /// The target whose decisions are shown in full; `None` takes the first.
    pub target: Option<TargetName>,
    /// What is asked of decisions; builds that fail one of them are left out.
    pub only: Vec<DecisionFilter>,
}

/// What a config space shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpaceQuery {
    /// The commit; `None` takes the newest with builds of the kernel, and a link to keep names it.
    pub at: Option<Rev>,
    /// The target; `None` takes the one with most configs.
    pub target: Option<TargetName>,
    /// Measure along the horizontal axis; `None` takes shared bytes.
    pub x: Option<Measure>,
    /// Measure along the vertical axis; `None` takes a metric when there is one, else registers.
    pub y: Option<Measure>,
    /// Knobs of the heat map, rows and columns; fewer than two take those that vary most.
    pub heat: Vec<String>,
    /// Measure that the table is sorted by; `None` sorts by label.
    pub sort: Option<Measure>,
    /// What is asked of decisions; configs that fail one of them are left out.
    pub only: Vec<DecisionFilter>,
}

readable!(LoweringQuery);

impl LoweringQuery {
    fn read(query: &str) -> (Self, Values) {
        let (mut out, mut values) = (Self::default(), Values::default());
        for (key, value) in pairs(query) {
            match key {
                "at" => out.at = values.one(key, value),
                "base" => out.base = values.one(key, value),
                "config" => out.config = values.text(key, value),
                "scope" => out.scope = values.scope(value),
                "target" => out.target = values.one(key, value),
                "only" => out.only = values.list(key, value),
                _ => {}
            }
        }
        (out, values)
    }

    /// `?…`, or nothing.
    pub fn query(&self) -> String {
        let mut query = Query::default();
        query.text("at", self.at.as_ref().map(Rev::as_str));
        query.text("base", self.base.as_ref().map(Rev::as_str));
        query.text("config", self.config.as_deref());
        query.scope(self.scope);
        query.text("target", self.target.as_ref().map(TargetName::as_str));
        query.list("only", &self.only);
        query.0
    }
}

readable!(SpaceQuery);

impl SpaceQuery {
    fn read(query: &str) -> (Self, Values) {
        let (mut out, mut values) = (Self::default(), Values::default());
        for (key, value) in pairs(query) {
            match key {
                "at" => out.at = values.one(key, value),
                "target" => out.target = values.one(key, value),
                "x" => out.x = values.one(key, value),
                "y" => out.y = values.one(key, value),
                "heat" => out.heat = values.list(key, value),
                "sort" => out.sort = values.one(key, value),
                "only" => out.only = values.list(key, value),
                _ => {}
            }
        }
        (out, values)
    }

    /// `?…`, or nothing.
    pub fn query(&self) -> String {
        let text = |measure: &Option<Measure>| measure.as_ref().map(ToString::to_string);
        let mut query = Query::default();
        query.text("at", self.at.as_ref().map(Rev::as_str));
        query.text("target", self.target.as_ref().map(TargetName::as_str));
        query.text("x", text(&self.x).as_deref());
        query.text("y", text(&self.y).as_deref());
        query.list("heat", &self.heat);
        query.text("sort", text(&self.sort).as_deref());
        query.list("only", &self.only);
        query.0
    }
}
