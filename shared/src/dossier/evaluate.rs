//! A dossier against builds.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Assertion, Dossier, Facts, InvalidAssertion, Join, Judged, Place, Reading, Status, Value, Verdict, evidence,
};

/// Judges every assertion. `facts` holds the builds of [`Dossier::needs`]; a build that is not here is given with the
/// reason.
pub fn evaluate(
    dossier: &Dossier,
    facts: &BTreeMap<Place, Result<Facts, String>>,
) -> Result<Verdict, InvalidAssertion> {
    let readings = dossier.readings()?;
    let source = |assertion: &Assertion| dossier.sources.get(&assertion.source).unwrap_or(&assertion.source).clone();
    let assertions = dossier
        .assertion
        .iter()
        .zip(readings)
        .map(|(assertion, readings)| Judged { source: source(assertion), ..judge(assertion, &readings, facts) })
        .collect();
    Ok(Verdict { title: dossier.title.clone(), assertions })
}

fn judge(assertion: &Assertion, readings: &[Reading], facts: &BTreeMap<Place, Result<Facts, String>>) -> Judged {
    let (got, status, why) = match &assertion.not_checkable {
        Some(why) => (None, Status::NotCheckable, why.clone()),
        None => match found(assertion, readings, facts) {
            Ok(got) => {
                let (status, why) = compare(assertion, &got);
                (Some(got), status, why)
            }
            Err(why) => (None, Status::Missing, why),
        },
    };
    let mut figures: Vec<String> = Vec::new();
    for reading in readings {
        let text = reading.figure.to_string();
        if !figures.contains(&text) {
            figures.push(text);
        }
    }
    let places: BTreeSet<&Place> = readings.iter().map(|reading| &reading.place).collect();
    Judged {
        id: assertion.id.clone(),
        source: assertion.source.clone(),
        what: assertion.what.clone(),
        expected: assertion.expected.clone(),
        got,
        status,
        why,
        at: places.into_iter().cloned().collect(),
        figures,
    }
}

fn found(
    assertion: &Assertion,
    readings: &[Reading],
    facts: &BTreeMap<Place, Result<Facts, String>>,
) -> Result<Value, String> {
    let mut values = Vec::with_capacity(readings.len());
    for reading in readings {
        let facts = match facts.get(&reading.place) {
            Some(Ok(facts)) => facts,
            Some(Err(why)) => return Err(format!("{}: {why}", reading.place)),
            None => return Err(format!("{}: no such build", reading.place)),
        };
        values.push(evidence::read(reading, facts).map_err(|why| format!("{}: {why}", reading.place))?);
    }
    joined(assertion.join, values)
}

fn joined(join: Join, mut values: Vec<Value>) -> Result<Value, String> {
    match join {
        Join::List if values.len() == 1 => Ok(values.remove(0)),
        Join::List => Ok(Value::List(values)),
        Join::Distinct => {
            let texts: BTreeSet<String> = values.iter().map(ToString::to_string).collect();
            Ok(Value::count(texts.len() as u64))
        }
        Join::Sum => folded(&values, |sum, value| sum + value),
        Join::Product => folded(&values, |product, value| product * value),
        Join::Difference => folded(&values, |first, value| first - value),
    }
}

/// Counts stay counts.
fn folded(values: &[Value], join: impl Fn(f64, f64) -> f64) -> Result<Value, String> {
    let numbers = values.iter().map(Value::as_number).collect::<Option<Vec<f64>>>();
    let numbers = numbers.ok_or("only numbers can be joined so")?;
    let all = numbers.into_iter().reduce(join).ok_or("there is nothing to join")?;
    let are_counts = values.iter().all(|value| matches!(value, Value::Integer(_)));
    #[expect(clippy::cast_possible_truncation, reason = "counts of real builds are far below 2^53")]
    Ok(if are_counts { Value::Integer(all as i64) } else { Value::Number(all) })
}

fn compare(assertion: &Assertion, got: &Value) -> (Status, String) {
    let note = assertion.why.clone().unwrap_or_default();
    let agrees = |value: &Value| value.agrees(got, assertion.tolerance);
    match &assertion.ours {
        None if agrees(&assertion.expected) => (Status::Reproduced, note),
        None => (Status::Broken, format!("{} was expected, {got} was found", assertion.expected)),
        Some(ours) if agrees(ours) => (Status::Differs, note),
        Some(ours) => (Status::Broken, format!("{ours} is recorded as ours, {got} was found")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{api::BuildStatus, report::Resource};

    fn assertion(id: &str) -> Assertion {
        Assertion {
            id: id.to_owned(),
            source: String::new(),
            what: String::new(),
            expected: Value::Integer(128),
            ours: None,
            why: None,
            not_checkable: None,
            tolerance: 0.0,
            join: Join::List,
            each: Vec::new(),
            commit: None,
            kernel: Some("k".parse().expect("a kernel")),
            target: Some("sm_90a".parse().expect("a target")),
            config: Some("c".parse().expect("a config")),
            stage: None,
            scope: None,
            figure: Some("resource:registers".parse().expect("a figure")),
        }
    }

    fn verdict(assertions: Vec<Assertion>, registers: Option<i64>) -> Vec<Status> {
        let dossier = Dossier {
            title: String::new(),
            project: None,
            sources: BTreeMap::new(),
            defaults: super::super::Where::default(),
            assertion: assertions,
        };
        let place = dossier.needs().expect("valid").into_keys().next();
        let facts = registers.map(|registers| Facts {
            status: BuildStatus::Ok,
            resources: BTreeMap::from([(Resource::Registers, registers)]),
            toolchain: BTreeMap::new(),
            metrics: BTreeMap::new(),
            artifacts: BTreeMap::new(),
        });
        let facts = place.map(|place| (place, facts.ok_or_else(|| "no such build".to_owned())));
        let verdict = evaluate(&dossier, &facts.into_iter().collect()).expect("valid");
        verdict.assertions.iter().map(|judged| judged.status).collect()
    }

    #[test]
    fn an_assertion_is_reproduced_or_broken_or_missing() {
        assert_eq!(verdict(vec![assertion("a")], Some(128)), [Status::Reproduced]);
        assert_eq!(verdict(vec![assertion("a")], Some(127)), [Status::Broken]);
        assert_eq!(verdict(vec![assertion("a")], None), [Status::Missing]);
    }

    #[test]
    fn a_recorded_difference_must_stay_what_it_is() {
        let differs = Assertion { ours: Some(Value::Integer(130)), why: Some("spelling".to_owned()), ..assertion("a") };
        assert_eq!(verdict(vec![differs.clone()], Some(130)), [Status::Differs]);
        assert_eq!(verdict(vec![differs.clone()], Some(128)), [Status::Broken]);
        assert_eq!(verdict(vec![differs], Some(131)), [Status::Broken]);
    }

    #[test]
    fn what_cannot_be_checked_reads_nothing() {
        let open = Assertion { not_checkable: Some("no GPU".to_owned()), kernel: None, ..assertion("a") };
        assert_eq!(verdict(vec![open], None), [Status::NotCheckable]);
    }

    #[test]
    fn two_assertions_of_one_name_are_refused() {
        let dossier = Dossier {
            title: String::new(),
            project: None,
            sources: BTreeMap::new(),
            defaults: super::super::Where::default(),
            assertion: vec![assertion("a"), assertion("a")],
        };
        assert_eq!(dossier.needs().map_err(|error| error.id), Err("a".to_owned()));
    }
}
