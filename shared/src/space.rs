//! A config space: which configs are dead, which are the same kernel, what that costs, and how to leave them out.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use serde_json::Value;

mod judge;

pub use judge::{judge, narrow};

use crate::{
    api::{BuildStatus, SpaceConfig, SpaceResponse},
    comparison::unique,
    decision_measure::DecisionMeasure,
    family::Family,
    ids::shown,
    measure::{Level, Measure},
    report::Resource,
    table::{Cell, Table},
};

/// Name of the metric that holds the seconds of a compile.
pub const COMPILE_SECONDS: &str = "compile_seconds";

/// Constants, options and attributes by name: everything an author can turn.
pub fn knobs(config: &SpaceConfig) -> BTreeMap<String, String> {
    let parts = [&config.constexprs, &config.options, &config.attributes];
    parts.into_iter().flatten().map(|(name, value)| (name.clone(), knob_text(value))).collect()
}

fn knob_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The value of a measure in a config; `None` where it is not known or no number.
pub fn value(config: &SpaceConfig, measure: &Measure) -> Option<f64> {
    let count = match measure {
        Measure::Resource(resource) => return config.resources.get(resource).map(|value| resource.read(*value)),
        Measure::Decision(decision) => config.values.number(*decision),
        Measure::Instructions(Level::Machine) => config.instructions,
        Measure::Family(Family::TensorCompute, Level::Machine) => config.tensor_compute,
        Measure::Metric(name) => return config.metrics.get(name).copied(),
        _ => None,
    };
    count.map(|count| count as f64)
}

/// Measures with a value in any config, by name, metrics first.
pub fn measures(configs: &[SpaceConfig]) -> Vec<(Measure, String)> {
    let names: BTreeSet<&String> = configs.iter().flat_map(|config| config.metrics.keys()).collect();
    let metrics = names.into_iter().map(|name| (Measure::Metric(name.clone()), name.clone()));
    let counts = [
        (Measure::Instructions(Level::Machine), "Instructions".to_owned()),
        (Measure::Family(Family::TensorCompute, Level::Machine), Family::TensorCompute.info().label.to_owned()),
    ];
    let resources = Resource::ALL.map(|resource| (Measure::Resource(resource), resource.label().to_owned()));
    let decisions = DecisionMeasure::ALL.map(|decision| (Measure::Decision(decision), decision.label().to_owned()));
    metrics
        .chain(resources)
        .chain(counts)
        .chain(decisions)
        .filter(|(measure, _)| configs.iter().any(|config| value(config, measure).is_some()))
        .collect()
}

/// What is looked at first: throughput, another metric, registers.
pub fn first_measure(configs: &[SpaceConfig]) -> Measure {
    let is_metric = |measure: &Measure| matches!(measure, Measure::Metric(name) if name != COMPILE_SECONDS);
    let mut metrics: Vec<Measure> =
        measures(configs).into_iter().map(|(measure, _)| measure).filter(is_metric).collect();
    metrics.sort_by_key(|measure| *measure != Measure::Metric("tflops".to_owned()));
    metrics.into_iter().next().unwrap_or(Measure::Resource(Resource::Registers))
}

/// Indices of configs by a measure, largest first, those without one last; as they stand without a measure.
pub fn order(configs: &[SpaceConfig], by: Option<&Measure>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..configs.len()).collect();
    if let Some(measure) = by {
        let key = |n: &usize| value(&configs[*n], measure);
        order.sort_by(|a, b| key(b).partial_cmp(&key(a)).unwrap_or(std::cmp::Ordering::Equal));
    }
    order
}

/// One cell of a heat map: two knobs fixed, the others free.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatCell {
    /// Configs in it.
    pub configs: u64,
    /// Of these, dead or failed ones.
    pub useless: u64,
    /// Largest value of the measure.
    pub best: Option<f64>,
}

/// A heat map over two knobs.
#[derive(Clone, Debug, PartialEq)]
pub struct Heat {
    /// Names of the knobs: rows, columns.
    pub knobs: (String, String),
    /// Values of the first knob.
    pub rows: Vec<String>,
    /// Values of the second knob.
    pub columns: Vec<String>,
    /// By row and column.
    pub cells: Vec<Vec<HeatCell>>,
    /// Least and largest value in any cell.
    pub range: Option<(f64, f64)>,
}

/// The heat map of a measure. Knobs that are not named or do not vary are replaced by those with most values. `None` when fewer than two
/// knobs vary.
pub fn heat(configs: &[SpaceConfig], named: &[String], measure: &Measure) -> Option<Heat> {
    let mut varied = varied(configs);
    let place = |name: &str| named.iter().position(|asked| asked == name).unwrap_or(usize::MAX);
    varied.sort_by_key(|(name, values)| (place(name), std::cmp::Reverse(values.len())));
    let mut varied = varied.into_iter();
    let (first, rows) = varied.next()?;
    let (second, columns) = varied.next()?;
    let mut cells = vec![vec![HeatCell::default(); columns.len()]; rows.len()];
    for config in configs {
        let knobs = knobs(config);
        let at = |name: &str, values: &[String]| {
            knobs.get(name).and_then(|value| values.iter().position(|other| other == value))
        };
        let Some((row, column)) = at(&first, &rows).zip(at(&second, &columns)) else { continue };
        let cell = &mut cells[row][column];
        cell.configs += 1;
        cell.useless += u64::from(skip_reason(config).is_some() && config.same_as.is_none());
        if let Some(value) = value(config, measure) {
            cell.best = Some(cell.best.map_or(value, |best: f64| best.max(value)));
        }
    }
    let values = || cells.iter().flatten().filter_map(|cell| cell.best);
    let range = values().min_by(f64::total_cmp).zip(values().max_by(f64::total_cmp));
    Some(Heat { knobs: (first, second), rows, columns, cells, range })
}

/// The heat map as a table that leaves the page: a line for each value of the first knob.
pub fn heat_table(heat: &Heat, title: String) -> Table {
    let (first, second) = &heat.knobs;
    let heads = heat.columns.iter().map(|value| format!("{} {}", shown(second), shown(value)));
    let rows = heat.rows.iter().zip(&heat.cells).map(|(value, cells)| {
        let head = std::iter::once(Cell::Text(shown(value)));
        head.chain(cells.iter().map(|cell| cell.best.map_or(Cell::Nothing, Cell::Number))).collect()
    });
    Table {
        title,
        columns: unique(std::iter::once(shown(first)).chain(heads).collect()),
        rows: rows.collect(),
        ..Table::default()
    }
}

/// Knobs that have more than one value in the space, each with its values in order of size.
pub fn varied(configs: &[SpaceConfig]) -> Vec<(String, Vec<String>)> {
    let mut values: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for config in configs {
        for (name, value) in knobs(config) {
            values.entry(name).or_default().insert(value);
        }
    }
    let mut out: Vec<(String, Vec<String>)> = values
        .into_iter()
        .filter(|(_, values)| values.len() > 1)
        .map(|(name, values)| (name, sorted(values)))
        .collect();
    out.sort_by_key(|(name, _)| name.to_lowercase());
    out
}

fn sorted(values: BTreeSet<String>) -> Vec<String> {
    let mut values: Vec<String> = values.into_iter().collect();
    values.sort_by(|a, b| match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => a.total_cmp(&b),
        _ => a.cmp(b),
    });
    values
}

/// Why a config need not be compiled again; `None` for one worth keeping.
pub fn skip_reason(config: &SpaceConfig) -> Option<String> {
    if config.status.is_some_and(|status| status != BuildStatus::Ok) {
        return Some("did not compile".to_owned());
    }
    if let Some(why) = &config.unlaunchable {
        return Some(why.clone());
    }
    let from = config.same_from.map(|stage| format!(" from {} on", stage.label())).unwrap_or_default();
    config.same_as.as_ref().map(|first| format!("the same kernel as {first}{from}"))
}

/// Configs to leave out and why.
pub fn skip_table(answer: &SpaceResponse) -> Table {
    let varied = varied(&answer.configs);
    let mut columns = vec!["Config".to_owned()];
    columns.extend(varied.iter().map(|(name, _)| name.clone()));
    columns.push("Why".to_owned());
    let rows = answer.configs.iter().filter_map(|config| {
        let why = skip_reason(config)?;
        let knobs = knobs(config);
        let mut row = vec![Cell::Text(config.config.clone())];
        row.extend(varied.iter().map(|(name, _)| knob_cell(knobs.get(name))));
        row.push(Cell::Text(why));
        Some(row)
    });
    Table {
        title: format!("{} on {} at {}: configs to skip", answer.kernel.name, answer.target, answer.commit.name()),
        note: answer.summary.sentence.clone(),
        link: String::new(),
        rows: rows.collect(),
        columns,
    }
}

fn knob_cell(text: Option<&String>) -> Cell {
    match text {
        None => Cell::Nothing,
        Some(text) => text.parse().map_or_else(|_| Cell::Text(text.clone()), Cell::Count),
    }
}

/// Every config with what it takes and what was measured.
pub fn table(answer: &SpaceResponse) -> Table {
    let varied = varied(&answer.configs);
    let metrics: BTreeSet<&String> = answer.configs.iter().flat_map(|config| config.metrics.keys()).collect();
    let mut columns = vec!["Config".to_owned()];
    columns.extend(varied.iter().map(|(name, _)| name.clone()));
    columns.extend(RESOURCES.map(|resource| resource.label().to_owned()));
    columns.extend(["Pipelining", "Instructions"].map(str::to_owned));
    columns.extend(metrics.iter().map(|name| (*name).clone()));
    columns.push("Note".to_owned());
    let rows = answer.configs.iter().map(|config| {
        let knobs = knobs(config);
        let mut row = vec![Cell::Text(config.config.clone())];
        row.extend(varied.iter().map(|(name, _)| knob_cell(knobs.get(name))));
        row.extend(RESOURCES.map(|resource| Cell::resource(resource, config.resources.get(&resource).copied())));
        let state = config.values.get(DecisionMeasure::Pipelining);
        row.push(state.map_or(Cell::Nothing, |state| Cell::Text(state.to_string())));
        row.push(Cell::count(config.instructions));
        row.extend(
            metrics.iter().map(|name| config.metrics.get(*name).map_or(Cell::Nothing, |value| Cell::Number(*value))),
        );
        row.push(skip_reason(config).map_or(Cell::Nothing, Cell::Text));
        row
    });
    Table {
        title: format!("{} on {} at {}", answer.kernel.name, answer.target, answer.commit.name()),
        note: answer.summary.sentence.clone(),
        link: String::new(),
        rows: rows.collect(),
        columns,
    }
}

/// Resources that the table of configs shows.
pub const RESOURCES: [Resource; 4] =
    [Resource::SharedBytes, Resource::Registers, Resource::StackBytes, Resource::OccupancyPermille];

/// A function for `triton.autotune(prune_configs_by={"early_config_prune": prune})` that leaves out what [`skip_reason`] names.
///
/// Argument attributes are no part of a `triton.Config`, so only configs with the attributes that most of the space has are named;
/// how many others were found is said in the text.
pub fn python(answer: &SpaceResponse) -> String {
    let attributes = usual_attributes(&answer.configs);
    let skipped: Vec<(&SpaceConfig, String)> =
        answer.configs.iter().filter_map(|config| Some((config, skip_reason(config)?))).collect();
    let (usual, other): (Vec<_>, Vec<_>) =
        skipped.into_iter().partition(|(config, _)| &config.attributes == attributes);
    let mut out = format!(
        "# Configs of {} that are dead or duplicate on {} at {}.\n",
        comment(answer.kernel.name.as_str()),
        answer.target,
        answer.commit.sha
    );
    if !attributes.is_empty() {
        let pairs: Vec<String> =
            attributes.iter().map(|(name, value)| format!("{name} = {}", knob_text(value))).collect();
        let _ = writeln!(out, "# They hold for arguments with {}.", comment(&pairs.join(", ")));
    }
    if !other.is_empty() {
        let _ = writeln!(out, "# {} more, for other arguments, are left out.", other.len());
    }
    out += "SKIP = [\n";
    for (config, why) in usual {
        let pairs = config.constexprs.iter().chain(&config.options);
        let pairs: Vec<String> = pairs
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| format!("{}: {}", literal(&Value::from(name.as_str())), literal(value)))
            .collect();
        let _ = writeln!(out, "    {{{}}},  # {}", pairs.join(", "), comment(&why));
    }
    out += "]\n\n\n";
    out += "def prune(configs, named_args, **kwargs):\n";
    out += "    def is_skipped(config):\n";
    out += "        known = {**vars(config), **config.kwargs}\n";
    out +=
        "        return any(all(known.get(name, value) == value for name, value in skip.items()) for skip in SKIP)\n\n";
    out += "    # An empty list would leave nothing to run.\n";
    out += "    return [config for config in configs if not is_skipped(config)] or configs\n\n\n";
    out += "# @triton.autotune(configs=..., key=..., prune_configs_by={\"early_config_prune\": prune})\n";
    out
}

fn usual_attributes(configs: &[SpaceConfig]) -> &BTreeMap<String, Value> {
    static NONE: BTreeMap<String, Value> = BTreeMap::new();
    let number = |of: &BTreeMap<String, Value>| configs.iter().filter(|config| &config.attributes == of).count();
    // The first of several equally frequent ones, so that the text does not depend on chance.
    configs.iter().map(|config| &config.attributes).rev().max_by_key(|of| number(of)).unwrap_or(&NONE)
}

/// Text that stays inside a comment of one line.
fn comment(text: &str) -> String {
    shown(text).chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A JSON value as Python writes it.
fn literal(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        // JSON's escapes are Python's, but for surrogate pairs, which serde_json never writes.
        Value::String(text) => Value::from(text.as_str()).to_string(),
        Value::Array(items) => format!("[{}]", items.iter().map(literal).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let pairs =
                fields.iter().map(|(name, value)| format!("{}: {}", Value::from(name.as_str()), literal(value)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
    }
}

#[cfg(test)]
mod tests;
