//! `lowerline inspect`: what the analyzer sees, without a server.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Read, Write as _},
    path::Path,
};

use lowerline_analyzer::{AnalyzeError, Limits, detect};
use lowerline_shared::{report::Report, stage::Stage};
use serde::Serialize;

use crate::{
    args::Inspect,
    exit::{self, Failure},
    output::{self, escape},
    table,
};

/// One line of `--json`.
#[derive(Serialize)]
struct Line<'a> {
    /// As given, invalid UTF-8 replaced.
    file: &'a str,
    #[serde(flatten)]
    report: &'a Report,
}

/// The bytes of a file, or of stdin for `-`; one byte more than the analyzer takes is enough for it to refuse.
fn read(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    if path == Path::new("-") {
        io::stdin().lock().take(limit).read_to_end(&mut bytes)?;
    } else {
        // Asked before it is opened: opening a pipe waits for whoever writes to it.
        let kind = fs::metadata(path)?;
        if kind.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder; name files"));
        }
        if !kind.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file; pipe it in and name `-`"));
        }
        File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Analyzes by content. Between the MLIR stages, which differ in passes and not in syntax, the ending decides.
fn analyze(path: &Path, bytes: &[u8], limits: &Limits) -> Result<Report, AnalyzeError> {
    let ending = path.extension().and_then(|ending| ending.to_str()).and_then(Stage::from_id);
    let found = detect::detect(bytes)?;
    match ending {
        Some(stage) if detect::same_format(stage, found) => lowerline_analyzer::analyze_as(bytes, stage, limits),
        _ => lowerline_analyzer::analyze(bytes, limits),
    }
}

/// Runs the command.
pub fn run(inspect: &Inspect) -> Result<u8, Failure> {
    let limits = Limits::default();
    let mut out = BufWriter::new(io::stdout().lock());
    let styled = output::styled();
    let mut code = exit::FINE;
    for path in &inspect.files {
        let name = path.to_string_lossy();
        let report = read(path, limits.bytes)
            .map_err(|error| error.to_string())
            .and_then(|bytes| analyze(path, &bytes, &limits).map_err(|error| error.to_string()));
        match report {
            Ok(report) if inspect.json => output::json_line(&mut out, &Line { file: &name, report: &report })?,
            Ok(report) => table::write(&mut out, &name, &report, styled)?,
            Err(reason) => {
                // What is on stdout already belongs to earlier files: keep the two streams in order.
                out.flush()?;
                output::talk(&format!("cannot inspect {}: {}", escape(&name), escape(&reason)));
                code = exit::SOME_UNREADABLE;
            }
        }
    }
    out.flush()?;
    Ok(code)
}
