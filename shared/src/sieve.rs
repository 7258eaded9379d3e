//! What filters of decisions keep of a list, what they leave out, and which further filters the rest offers.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{
    decision_filter::{DecisionFilter, Wanted},
    decision_measure::{DecisionMeasure, DecisionValue, DecisionValues},
    display,
};

/// How one item stands to all filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It passes every filter.
    Kept,
    /// It fails one.
    Refused,
    /// It fails none, and of some the decision is not known.
    Unknown,
}

/// Holds the values of one item against the filters.
pub fn verdict(values: &DecisionValues, only: &[DecisionFilter]) -> Verdict {
    only.iter().fold(Verdict::Kept, |before, filter| match (before, filter.takes(values)) {
        (Verdict::Refused, _) | (_, Some(false)) => Verdict::Refused,
        (_, None) => Verdict::Unknown,
        (before, Some(true)) => before,
    })
}

/// What became of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sieved {
    /// Items left out.
    #[serde(default)]
    pub filtered: u64,
    /// Of these, items of which a decision asked for is not known.
    #[serde(default)]
    pub unknown: u64,
    /// Filters that would leave out some of the rest, each with the number of items it keeps.
    #[serde(default)]
    pub offered: Vec<(DecisionFilter, u64)>,
}

impl Sieved {
    /// Counts one item that was left out.
    pub fn count(&mut self, verdict: Verdict) {
        self.filtered += u64::from(verdict != Verdict::Kept);
        self.unknown += u64::from(verdict == Verdict::Unknown);
    }

    /// What was left out and why, in words; `None` when nothing was.
    pub fn sentence(&self, only: &[DecisionFilter], item: &str) -> Option<String> {
        (self.filtered > 0).then(|| {
            let names: Vec<String> = only.iter().map(DecisionFilter::label).collect();
            let unknown = match self.unknown {
                0 => String::new(),
                number => format!("; of {number} of them a decision asked for is not known"),
            };
            let left_out = display::plural(self.filtered, item);
            format!("Only {item}s with {}: {left_out} left out{unknown}.", names.join(" and "))
        })
    }
}

/// Keeps the items that pass every filter and counts the others.
pub fn sift<T>(items: &mut Vec<T>, only: &[DecisionFilter], values: impl Fn(&T) -> &DecisionValues) -> Sieved {
    let mut sieved = Sieved::default();
    items.retain(|item| {
        let verdict = verdict(values(item), only);
        sieved.count(verdict);
        verdict == Verdict::Kept
    });
    sieved.offered = offered(&items.iter().map(values).collect::<Vec<_>>());
    sieved
}

/// Filters that leave something out, each with the number of items it takes: every value of a decision; where there are more than two
/// values, of numbers also "at least" and of names "anything but".
pub fn offered(items: &[&DecisionValues]) -> Vec<(DecisionFilter, u64)> {
    let mut out = Vec::new();
    for measure in DecisionMeasure::ALL {
        let values: BTreeSet<&DecisionValue> = items.iter().filter_map(|values| values.get(measure)).collect();
        let exact = values.iter().map(|value| DecisionFilter::of(measure, value));
        let others = values.iter().enumerate().filter_map(|(n, value)| match value {
            DecisionValue::Number(number) => (n > 0).then_some(Wanted::Range(Some(*number), None)),
            DecisionValue::Named(name) => Some(Wanted::Not(name.clone())),
        });
        let others = others.map(|wanted| DecisionFilter { measure, wanted }).filter(|_| values.len() > 2);
        for filter in exact.chain(others) {
            let taken = items.iter().filter(|values| filter.takes(values) == Some(true)).count();
            if taken < items.len() {
                out.push((filter, taken as u64));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(names: &[Option<&str>]) -> Vec<DecisionValues> {
        let value = |name: &&str| (DecisionMeasure::Pipelining, DecisionValue::Named((*name).to_owned()));
        names.iter().map(|name| DecisionValues(name.iter().map(value).collect())).collect()
    }

    fn only(texts: &[&str]) -> Vec<DecisionFilter> {
        texts.iter().map(|text| text.parse().expect("a filter")).collect()
    }

    #[test]
    fn what_is_left_out_is_counted_and_what_is_not_known_apart() {
        let mut items = named(&[Some("inert"), Some("pipelined"), None, Some("no_loop"), Some("inert")]);
        let filters = only(&["pipelining:!inert"]);
        let sieved = sift(&mut items, &filters, |values| values);
        assert_eq!(items, named(&[Some("pipelined"), Some("no_loop")]));
        assert_eq!((sieved.filtered, sieved.unknown), (3, 1));
        assert_eq!(
            sieved.sentence(&filters, "build").expect("a sentence"),
            "Only builds with Pipelining ≠ inert: 3 builds left out; of 1 of them a decision asked for is not known."
        );
        let offered: Vec<String> = sieved.offered.iter().map(|(filter, n)| format!("{filter} {n}")).collect();
        assert_eq!(offered, ["pipelining:no_loop 1", "pipelining:pipelined 1"]);
    }

    #[test]
    fn a_refusal_outweighs_what_is_not_known() {
        let [item] = &named(&[Some("inert")])[..] else { panic!("one item") };
        assert_eq!(verdict(item, &[]), Verdict::Kept);
        assert_eq!(verdict(item, &only(&["buffer_depth:2", "pipelining:inert"])), Verdict::Unknown);
        assert_eq!(verdict(item, &only(&["buffer_depth:2", "pipelining:pipelined"])), Verdict::Refused);
        assert_eq!(verdict(item, &only(&["pipelining:pipelined", "buffer_depth:2"])), Verdict::Refused);
    }

    #[test]
    fn three_names_offer_anything_but_one_of_them() {
        let items = named(&[Some("inert"), Some("pipelined"), Some("no_loop"), None]);
        let offered = offered(&items.iter().collect::<Vec<_>>());
        let texts: Vec<String> = offered.iter().map(|(filter, n)| format!("{filter} {n}")).collect();
        assert_eq!(
            texts,
            [
                "pipelining:inert 1",
                "pipelining:no_loop 1",
                "pipelining:pipelined 1",
                "pipelining:!inert 2",
                "pipelining:!no_loop 2",
                "pipelining:!pipelined 2"
            ]
        );
    }
}
