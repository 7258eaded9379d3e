//! What a chart of one series draws: runs of the step line, changes, failed builds; and the arithmetic of its axis.

use crate::{
    api::{Coverage, CoverageRun, Series},
    display,
};

/// A run of built commits with known values: `(position, value)` where the value changes, first position first.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Corners of the line.
    pub corners: Vec<(u32, f64)>,
    /// Last position of the run.
    pub to: u32,
}

/// A value that differs from the last known one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Where.
    pub at: u32,
    /// Last built position before, whose value is `before`.
    pub parent: u32,
    /// The value there.
    pub before: f64,
    /// The value from here on.
    pub now: f64,
}

/// Everything one chart draws.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    /// Pieces of the line; a failed build or a missing one breaks it.
    pub runs: Vec<Run>,
    /// Changes in order.
    pub changes: Vec<Change>,
    /// Failed spans, first and last position.
    pub failed: Vec<(u32, u32)>,
    /// Spans not built, first and last position.
    pub not_built: Vec<(u32, u32)>,
    /// Largest value.
    pub top: f64,
    /// Names of values that are states; empty where values are numbers.
    pub names: Vec<String>,
}

impl Plot {
    /// A value as text.
    pub fn value_text(&self, value: f64) -> String {
        value_text(&self.names, value)
    }
}

/// A value as text: the name of a state, counted from 0, or a number.
#[expect(clippy::float_cmp, reason = "a state is a whole number; a value between two is none of theirs")]
pub fn value_text(names: &[String], value: f64) -> String {
    let named = names.iter().enumerate().find(|(n, _)| *n as f64 == value);
    named.map_or_else(|| display::number(value), |(_, name)| name.replace('_', " "))
}

/// The next larger number that ends an axis well; 1 for nothing.
pub fn round_up(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return 1.0;
    }
    let power = 10.0_f64.powf(value.log10().floor());
    let steps = [1.0, 1.2, 1.6, 2.0, 2.4, 3.2, 4.0, 5.0, 6.0, 8.0];
    steps.into_iter().map(|step| step * power).find(|step| *step >= value).unwrap_or(10.0 * power)
}

/// How a position is covered; what no run covers was not built.
pub fn coverage_at(coverage: &[CoverageRun], at: u32) -> Coverage {
    coverage.iter().find(|run| run.from <= at && at <= run.to).map_or(Coverage::NotBuilt, |run| run.state)
}

/// The value in force at a built position, in the unit of its label; `None` where the measure has none or nothing was built.
pub fn value_at(series: &Series, at: u32) -> Option<f64> {
    if coverage_at(&series.coverage, at) != Coverage::Built {
        return None;
    }
    series.steps.iter().rev().find(|step| step.at <= at)?.value.map(|value| series.measure.read(value))
}

fn run_of(series: &Series, run: CoverageRun) -> Vec<Run> {
    let inside = series.steps.iter().filter(|step| run.from < step.at && step.at <= run.to);
    let mut out: Vec<Run> = Vec::new();
    let mut corners: Vec<(u32, f64)> = value_at(series, run.from).map(|value| (run.from, value)).into_iter().collect();
    for step in inside {
        match step.value {
            Some(value) => corners.push((step.at, series.measure.read(value))),
            None if !corners.is_empty() => {
                out.push(Run { corners: std::mem::take(&mut corners), to: step.at.saturating_sub(1) });
            }
            None => {}
        }
    }
    if !corners.is_empty() {
        out.push(Run { corners, to: run.to });
    }
    out
}

/// What a series draws.
#[expect(clippy::float_cmp, reason = "a value that moved at all has changed; both come from one decoder")]
pub fn plot(series: &Series) -> Plot {
    let of = |state: Coverage| series.coverage.iter().copied().filter(move |run| run.state == state);
    let spans = |state| of(state).map(|run| (run.from, run.to)).collect();
    let runs: Vec<Run> = of(Coverage::Built).flat_map(|run| run_of(series, run)).collect();
    let mut changes: Vec<Change> = Vec::new();
    let mut last: Option<(u32, f64)> = None;
    for run in &runs {
        for &(at, now) in &run.corners {
            if let Some((end, before)) = last
                && before != now
            {
                // Inside a run the parent is the position before; at its start, the end of the run before.
                let parent = if run.corners.first().is_some_and(|first| first.0 == at) { end } else { at - 1 };
                changes.push(Change { at, parent, before, now });
            }
            last = Some((at, now));
        }
        last = last.map(|(_, value)| (run.to, value));
    }
    let values = runs.iter().flat_map(|run| run.corners.iter().map(|corner| corner.1));
    let top = values.fold(0.0_f64, f64::max);
    Plot {
        runs,
        changes,
        failed: spans(Coverage::Failed),
        not_built: spans(Coverage::NotBuilt),
        top,
        names: series.names.clone(),
    }
}

/// The position under a pointer, `fraction` of the way through a chart that shows `first` to `last` with half a step
/// of room on both sides.
pub fn position_under(fraction: f64, first: u32, last: u32) -> u32 {
    let steps = f64::from(last.saturating_sub(first)) + 1.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the axis")]
    let step = (fraction * steps).floor().clamp(0.0, steps - 1.0) as u32;
    first + step
}

/// Where a position lies, as the fraction [`position_under`] takes.
pub fn fraction_of(at: u32, first: u32, last: u32) -> f64 {
    (f64::from(at.saturating_sub(first)) + 0.5) / (f64::from(last.saturating_sub(first)) + 1.0)
}

/// Positions that get a label: all when there are at most `most`, else evenly spaced ones, the last always.
pub fn labelled(first: u32, last: u32, most: u32) -> Vec<u32> {
    let stride = last.saturating_sub(first) / most.max(1) + 1;
    let mut out: Vec<u32> = (first..=last).rev().step_by(stride as usize).collect();
    out.reverse();
    out
}

/// The next position to look at in a direction, out of sorted ones; stays when there is none.
pub fn walk(positions: &[u32], from: Option<u32>, forward: bool) -> Option<u32> {
    match (from, forward) {
        (None, true) => positions.first().copied(),
        (None, false) => positions.last().copied(),
        (Some(from), true) => positions.iter().copied().find(|at| *at > from).or(Some(from)),
        (Some(from), false) => positions.iter().rev().copied().find(|at| *at < from).or(Some(from)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::{api::Step, stage::Stage};

    use super::*;

    /// sm_100a staging of flex_attention over the seven releases: 3.2.0 fails, 0 until 3.4.0, 20 from 3.5.0.
    fn staging() -> Series {
        Series {
            target: "sm_100a".parse().expect("a target"),
            config: "128x64_w8_s2".to_owned(),
            measure: "fragment_staging".parse().expect("a measure"),
            stage: Some(Stage::Sass),
            source: None,
            names: Vec::new(),
            steps: vec![Step { at: 1, value: Some(0.0) }, Step { at: 3, value: Some(20.0) }],
            coverage: vec![
                CoverageRun { from: 0, to: 0, state: Coverage::Failed },
                CoverageRun { from: 1, to: 6, state: Coverage::Built },
            ],
            failures: BTreeMap::new(),
        }
    }

    #[test]
    fn thousandths_are_drawn_as_percent() {
        let mut series = staging();
        series.measure = "resource:occupancy_permille".parse().expect("a measure");
        series.steps = vec![Step { at: 1, value: Some(250.0) }, Step { at: 3, value: Some(375.0) }];
        let drawn = plot(&series);
        assert_eq!(drawn.runs[0].corners, [(1, 25.0), (3, 37.5)]);
        assert_eq!((drawn.changes[0].before, drawn.changes[0].now, drawn.top), (25.0, 37.5, 37.5));
        assert_eq!(value_at(&series, 2), Some(25.0));
    }

    #[test]
    fn states_have_names_and_axes_end_well() {
        let names = ["not_pipelined", "inert"].map(str::to_owned);
        assert_eq!(value_text(&names, 1.0), "inert");
        assert_eq!(value_text(&names, 0.0), "not pipelined");
        assert_eq!(value_text(&names, 7.0), "7");
        assert_eq!(value_text(&[], 1_000.0), "1,000");
        for (value, end) in [(0.0, 1.0), (642.0, 800.0), (393_216.0, 400_000.0), (0.021, 0.024), (1.0, 1.0)] {
            assert!((round_up(value) - end).abs() < 1e-9, "{value}: {}", round_up(value));
        }
    }

    #[test]
    fn a_step_is_a_change_and_a_failed_build_is_a_span() {
        let plot = plot(&staging());
        assert_eq!(plot.runs, [Run { corners: vec![(1, 0.0), (3, 20.0)], to: 6 }]);
        assert_eq!(plot.changes, [Change { at: 3, parent: 2, before: 0.0, now: 20.0 }]);
        assert_eq!(plot.failed, [(0, 0)]);
        assert!((plot.top - 20.0).abs() < f64::EPSILON);
    }

    #[test]
    fn values_hold_until_the_next_step_and_only_where_built() {
        let series = staging();
        assert_eq!(value_at(&series, 0), None);
        assert_eq!(value_at(&series, 2), Some(0.0));
        assert_eq!(value_at(&series, 6), Some(20.0));
        assert_eq!(value_at(&series, 9), None);
    }

    #[test]
    fn a_gap_breaks_the_line_and_the_change_behind_it_names_the_last_built_commit() {
        let mut series = staging();
        series.coverage = vec![
            CoverageRun { from: 0, to: 2, state: Coverage::Built },
            CoverageRun { from: 3, to: 4, state: Coverage::NotBuilt },
            CoverageRun { from: 5, to: 6, state: Coverage::Built },
        ];
        series.steps = vec![Step { at: 0, value: Some(7.0) }, Step { at: 5, value: Some(9.0) }];
        let plot = plot(&series);
        assert_eq!(plot.runs.len(), 2);
        assert_eq!(plot.changes, [Change { at: 5, parent: 2, before: 7.0, now: 9.0 }]);
        assert_eq!(plot.not_built, [(3, 4)]);
    }

    #[test]
    fn a_measure_that_disappears_ends_the_line() {
        let mut series = staging();
        series.steps =
            vec![Step { at: 1, value: Some(3.0) }, Step { at: 4, value: None }, Step { at: 6, value: Some(3.0) }];
        let plot = plot(&series);
        assert_eq!(plot.runs, [Run { corners: vec![(1, 3.0)], to: 3 }, Run { corners: vec![(6, 3.0)], to: 6 },]);
        assert_eq!(plot.changes, []);
    }

    #[test]
    fn a_pointer_finds_the_position_it_is_over() {
        for at in 0..7 {
            assert_eq!(position_under(fraction_of(at, 0, 6), 0, 6), at);
        }
        assert_eq!(position_under(-1.0, 4, 9), 4);
        assert_eq!(position_under(2.0, 4, 9), 9);
    }

    #[test]
    fn labels_fit_and_end_with_the_last_commit() {
        assert_eq!(labelled(0, 6, 7), [0, 1, 2, 3, 4, 5, 6]);
        let many = labelled(0, 9_999, 7);
        assert!(many.len() <= 7, "{many:?}");
        assert_eq!(many.last(), Some(&9_999));
        assert_eq!(labelled(3, 3, 7), [3]);
    }

    #[test]
    fn walking_stops_at_the_ends() {
        assert_eq!(walk(&[1, 3], None, true), Some(1));
        assert_eq!(walk(&[1, 3], Some(1), true), Some(3));
        assert_eq!(walk(&[1, 3], Some(3), true), Some(3));
        assert_eq!(walk(&[1, 3], Some(2), false), Some(1));
        assert_eq!(walk(&[], None, true), None);
    }
}
