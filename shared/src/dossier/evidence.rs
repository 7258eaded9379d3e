//! From what is known of a build to the value of a figure.

use std::collections::BTreeMap;

use super::{Figure, Reading, Value, figure::matches};
use crate::{
    api::{BuildStatus, Toolchain},
    decision::Decision,
    ids::Digest,
    measure::{Measure, covers},
    report::{OpcodeCount, Report, Resources},
    stage::{Scope, Stage},
};

/// What is known of one artifact.
#[derive(Clone, Debug)]
pub struct ArtifactFacts {
    /// SHA-256 of its bytes.
    pub digest: Digest,
    /// Its lines, as `wc -l` counts them; `None` for binaries, and where nobody asked.
    pub lines: Option<u64>,
    /// What the analyzer found.
    pub report: Report,
}

impl ArtifactFacts {
    /// Lines of an artifact, as `wc -l` counts them.
    pub fn lines_of(bytes: &[u8]) -> u64 {
        bytes.split(|byte| *byte == b'\n').skip(1).count() as u64
    }
}

/// What is known of one build.
#[derive(Clone, Debug)]
pub struct Facts {
    /// How it ended.
    pub status: BuildStatus,
    /// Resources of the build, from the compiler's metadata and its binary.
    pub resources: Resources,
    /// Tool → version.
    pub toolchain: Toolchain,
    /// Numbers from outside.
    pub metrics: BTreeMap<String, f64>,
    /// Artifacts that were read.
    pub artifacts: BTreeMap<Stage, ArtifactFacts>,
}

/// The value of a reading, or what is missing for it.
pub(super) fn read(reading: &Reading, facts: &Facts) -> Result<Value, String> {
    match &reading.figure {
        Figure::Status => return Ok(Value::Text(status(facts.status).to_owned())),
        Figure::Tool(name) => {
            let version = facts.toolchain.get(name).ok_or_else(|| format!("no version of `{name}` is recorded"))?;
            return Ok(Value::Text(version.clone()));
        }
        Figure::Measure(Measure::Metric(name)) => {
            let value = facts.metrics.get(name).ok_or_else(|| format!("the build has no metric `{name}`"))?;
            return Ok(Value::Number(*value));
        }
        Figure::Measure(Measure::Resource(resource)) if reading.stage.is_none() => {
            let value = facts.resources.get(resource);
            return value.copied().map(Value::Integer).ok_or_else(|| format!("{} is not known", resource.label()));
        }
        _ => {}
    }
    let stage = reading.stage.ok_or("no stage is named")?;
    let artifact = facts.artifacts.get(&stage).ok_or_else(|| format!("the build has no {}", stage.label()))?;
    of_artifact(reading, artifact)
}

fn of_artifact(reading: &Reading, artifact: &ArtifactFacts) -> Result<Value, String> {
    let report = &artifact.report;
    let histogram = |wanted: &dyn Fn(&OpcodeCount) -> bool| {
        let rows = report.functions.iter().flat_map(|function| &function.canonical);
        rows.filter(|row| wanted(row)).map(|row| row.counts.get(reading.scope)).sum::<u64>()
    };
    Ok(match &reading.figure {
        Figure::Lines => Value::count(artifact.lines.ok_or("a binary has no lines")?),
        Figure::Digest => Value::Text(artifact.digest.to_string()),
        Figure::NormalDigest => {
            Value::Text(report.normal_digest.ok_or("this stage has no identity of meaning")?.to_string())
        }
        Figure::Target => Value::Text(report.target.clone().ok_or("the artifact does not say its target")?),
        Figure::Mnemonic(pattern) => {
            if reading.scope != Scope::Function {
                return Err("mnemonics as written are counted in whole functions only; use a measure".to_owned());
            }
            let opcodes = report.functions.iter().flat_map(|function| &function.opcodes);
            Value::count(opcodes.filter(|(opcode, _)| matches(pattern, opcode)).map(|(_, count)| count).sum())
        }
        Figure::Op(pattern) => {
            let ops = match reading.scope {
                Scope::Function => &report.ops,
                Scope::Loop | Scope::Hot => &report.ops_in_loop,
            };
            Value::count(ops.iter().filter(|(op, _)| matches(pattern, op)).map(|(_, count)| count).sum())
        }
        Figure::Layout(pattern) => {
            Value::count(report.layouts.values().filter(|body| matches(pattern, body)).count() as u64)
        }
        Figure::Layouts => Value::List(layouts(report)),
        Figure::Decision(kind, subject) => decisions(report, reading, |decision| {
            (decision.kind == *kind && (subject.is_empty() || decision.subject == *subject))
                .then(|| Value::Text(decision.value.clone()))
        })?,
        Figure::DecisionNumber(kind, subject) => decisions(report, reading, |decision| {
            let wanted = decision.kind == *kind && (subject.is_empty() || decision.subject == *subject);
            decision.number.filter(|_| wanted).map(Value::Integer)
        })?,
        Figure::Argument(name, attribute) => {
            let argument = report.arguments.iter().find(|argument| argument.name == *name);
            let argument = argument.ok_or_else(|| format!("there is no argument `{name}`"))?;
            argument.attributes.get(attribute).map_or(Value::Text("none".to_owned()), |value| number_or_text(value))
        }
        Figure::Measure(Measure::Family(family, _)) => Value::count(histogram(&|row| row.family == *family)),
        Figure::Measure(Measure::Opcode(_, prefix)) => Value::count(histogram(&|row| covers(prefix, &row.opcode))),
        Figure::Measure(Measure::Instructions(_)) => match reading.scope {
            Scope::Function => Value::count(report.functions.iter().map(|function| function.instructions).sum()),
            Scope::Loop | Scope::Hot => Value::count(histogram(&|_| true)),
        },
        Figure::Measure(Measure::Resource(resource)) => {
            let value = report.resources.get(resource).copied();
            Value::Integer(value.ok_or_else(|| format!("{} is not known", resource.label()))?)
        }
        Figure::Measure(Measure::Metric(_)) | Figure::Status | Figure::Tool(_) => {
            return Err("this is no figure of an artifact".to_owned());
        }
        Figure::Measure(Measure::Decision(_)) => {
            return Err("write `decision:` or `decision_number:` for it".to_owned());
        }
    })
}

const fn status(status: BuildStatus) -> &'static str {
    match status {
        BuildStatus::Ok => "ok",
        BuildStatus::Error => "error",
        BuildStatus::Crash => "crash",
    }
}

/// Kinds without their dialect.
fn layouts(report: &Report) -> Vec<Value> {
    let mut kinds: Vec<&str> =
        report.layout_kinds.keys().map(|kind| kind.rsplit_once('.').map_or(kind.as_str(), |(_, kind)| kind)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.into_iter().map(|kind| Value::Text(kind.to_owned())).collect()
}

fn decisions(report: &Report, reading: &Reading, wanted: impl Fn(&Decision) -> Option<Value>) -> Result<Value, String> {
    let mut found: Vec<Value> = report.decisions.iter().filter_map(wanted).collect();
    match found.len() {
        0 => Err(format!("the artifact shows no `{}`", reading.figure)),
        1 => Ok(found.remove(0)),
        _ => Ok(Value::List(found)),
    }
}

/// `16 : i32` is 16.
fn number_or_text(attribute: &str) -> Value {
    let head = attribute.split_whitespace().next().unwrap_or_default();
    head.parse().map_or_else(|_| Value::Text(attribute.to_owned()), Value::Integer)
}
