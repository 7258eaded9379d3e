//! A verdict for people: alarms first said in the head, then every assertion with its source.

use std::io::{self, Write};

use lowerline_shared::dossier::{Judged, Status, Value, Verdict};

use super::counts;
use crate::output::escape;

fn bold(text: &str, styled: bool) -> String {
    if styled { format!("\u{1b}[1m{}\u{1b}[0m", escape(text)) } else { escape(text) }
}

/// Writes all verdicts.
pub fn write(out: &mut impl Write, verdicts: &[Verdict], styled: bool) -> io::Result<()> {
    for (n, verdict) in verdicts.iter().enumerate() {
        if n > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}: {}", bold(&verdict.title, styled), counts(verdict))?;
        let mut source = "";
        for judged in &verdict.assertions {
            if judged.source != source {
                source = &judged.source;
                writeln!(out, "\n{}", bold(source, styled))?;
            }
            assertion(out, judged, styled)?;
        }
        let alarms: Vec<&str> = verdict
            .assertions
            .iter()
            .filter(|judged| judged.status.is_alarm())
            .map(|judged| judged.id.as_str())
            .collect();
        if !alarms.is_empty() {
            writeln!(out, "\nto be looked at: {}", escape(&alarms.join(", ")))?;
        }
    }
    Ok(())
}

fn assertion(out: &mut impl Write, judged: &Judged, styled: bool) -> io::Result<()> {
    let status = judged.status.label();
    let status = if judged.status.is_alarm() { bold(status, styled) } else { status.to_owned() };
    let expected = escape(&judged.expected.to_string());
    let figures = match (&judged.got, judged.status) {
        (Some(_), Status::Reproduced) => expected,
        (Some(got), _) => format!("stated {expected}, found {}", escape(&got.to_string())),
        (None, _) if judged.expected == Value::Text(String::new()) => String::new(),
        (None, _) => format!("stated {expected}"),
    };
    writeln!(out, "  {status}  {}  {}", escape(&judged.id), escape(&judged.what))?;
    if !figures.is_empty() {
        writeln!(out, "      {figures}")?;
    }
    if !judged.why.is_empty() {
        writeln!(out, "      {}", escape(&judged.why))?;
    }
    Ok(())
}
