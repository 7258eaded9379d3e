//! `lowerline dossier`: stated figures against builds in folders, without a server.

mod facts;
mod text;

use std::{fs, io::BufWriter, path::Path};

use lowerline_shared::{
    dossier::{Dossier, Status, Verdict, evaluate, position},
    limits,
};

use crate::{
    args::{Dossier as Command, Format},
    exit::{self, Failure},
    find::{self, Findings},
    output::{self, escape},
};

/// Runs the command.
pub fn run(command: &Command) -> Result<u8, Failure> {
    let dossiers = command.files.iter().map(|file| read(file)).collect::<Result<Vec<_>, _>>()?;
    let findings = find::search(&command.builds);
    for unreadable in &findings.unreadable {
        let path = unreadable.path.to_string_lossy();
        output::talk(&format!("cannot read {}: {}", escape(&path), escape(&unreadable.reason)));
    }
    if findings.builds.is_empty() {
        output::talk("no build was found below the folders of --builds");
    }
    let verdicts = command
        .files
        .iter()
        .zip(&dossiers)
        .map(|(file, dossier)| judge(file, dossier, &findings))
        .collect::<Result<Vec<Verdict>, Failure>>()?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    match command.format {
        Format::Json => output::json_pretty(&mut out, &joined(&verdicts))?,
        Format::Text => text::write(&mut out, &verdicts, output::styled())?,
    }
    std::io::Write::flush(&mut out)?;
    let is_alarm = verdicts.iter().flat_map(|verdict| &verdict.assertions).any(|judged| judged.status.is_alarm());
    Ok(if is_alarm {
        exit::ASSERTION
    } else if findings.unreadable.is_empty() {
        exit::FINE
    } else {
        exit::SOME_UNREADABLE
    })
}

/// Reads a dossier. Where it is malformed, line and column are said.
fn read(file: &Path) -> Result<Dossier, Failure> {
    let name = escape(&file.to_string_lossy());
    let usage = |reason: &str| Failure::Usage(format!("cannot use {name}: {reason}"));
    let size = fs::metadata(file).map_err(|error| usage(&error.to_string()))?.len();
    if size > limits::DOSSIER_BYTES {
        return Err(usage(&format!("it has {size} bytes, {} are allowed", limits::DOSSIER_BYTES)));
    }
    let text = fs::read_to_string(file).map_err(|error| usage(&error.to_string()))?;
    let dossier: Dossier = toml::from_str(&text).map_err(|error| {
        let (line, column) = error.span().map_or((1, 1), |span| position(&text, span.start));
        usage(&format!("line {line}, column {column}: {}", error.message()))
    })?;
    dossier.needs().map_err(|error| {
        let (line, column) = position(&text, text.find(&format!("\"{}\"", error.id)).unwrap_or(0));
        usage(&format!("line {line}, column {column}: {error}"))
    })?;
    Ok(dossier)
}

fn judge(file: &Path, dossier: &Dossier, findings: &Findings) -> Result<Verdict, Failure> {
    let invalid = |error| Failure::Usage(format!("cannot use {}: {error}", escape(&file.to_string_lossy())));
    let facts = facts::collect(&dossier.needs().map_err(invalid)?, findings);
    evaluate(dossier, &facts).map_err(invalid)
}

/// All of them as one, in order.
fn joined(verdicts: &[Verdict]) -> Verdict {
    Verdict {
        title: verdicts.iter().map(|verdict| verdict.title.as_str()).collect::<Vec<_>>().join("; "),
        assertions: verdicts.iter().flat_map(|verdict| verdict.assertions.clone()).collect(),
    }
}

/// `61 reproduced, 9 differ, …`
fn counts(verdict: &Verdict) -> String {
    let parts = Status::ALL.into_iter().map(|status| (verdict.count(status), status));
    let parts: Vec<String> =
        parts.filter(|(count, _)| *count > 0).map(|(count, status)| format!("{count} {}", status.label())).collect();
    if parts.is_empty() { "no assertions".to_owned() } else { parts.join(", ") }
}
