//! `lowerline inspect`: what the analyzer sees, without a server.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Read, Write},
    path::Path,
};

use lowerline_analyzer::{AnalyzeError, Budget, Limits, decode, detect, fatbin::is_fatbin};
use lowerline_shared::{report::Report, stage::Stage};
use serde::Serialize;

use crate::{
    args::Inspect,
    exit::{self, Failure},
    fatbin,
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

/// Writes what was asked of one artifact.
fn show(
    out: &mut impl Write,
    inspect: &Inspect,
    (path, name): (&Path, &str),
    bytes: &[u8],
    limits: &Limits,
) -> Result<(), Failure> {
    let unreadable = |error: AnalyzeError| Failure::Unreadable(error.to_string());
    if inspect.disasm {
        let text = decode::cubin_disassembly(bytes, &mut Budget::new(limits)).map_err(unreadable)?;
        writeln!(out, "// {}", escape(name))?;
        for line in text.lines() {
            writeln!(out, "{}", escape(line))?;
        }
        return Ok(());
    }
    let report = analyze(path, bytes, limits).map_err(unreadable)?;
    if inspect.json {
        output::json_line(out, &Line { file: name, report: &report })?;
    } else {
        table::write(out, name, &report, output::styled())?;
    }
    Ok(())
}

/// Shows a file, or each member of a fatbin.
fn file(out: &mut impl Write, inspect: &Inspect, path: &Path, limits: &Limits) -> Result<(), Failure> {
    let name = path.to_string_lossy();
    let bytes = read(path, limits.bytes).map_err(|error| Failure::Unreadable(error.to_string()))?;
    if !is_fatbin(&bytes) {
        return show(out, inspect, (path, &name), &bytes, limits);
    }
    for member in fatbin::members(&bytes, limits).map_err(Failure::Unreadable)? {
        if !(inspect.disasm && member.stage == Stage::Ptx) {
            show(out, inspect, (path, &format!("{name}#{}", member.label)), &member.bytes, limits)?;
        }
    }
    Ok(())
}

/// Runs the command.
pub fn run(inspect: &Inspect) -> Result<u8, Failure> {
    let limits = Limits::default();
    let mut out = BufWriter::new(io::stdout().lock());
    let mut code = exit::FINE;
    for path in &inspect.files {
        match file(&mut out, inspect, path, &limits) {
            Ok(()) => {}
            Err(Failure::Unreadable(reason)) => {
                // What is on stdout already belongs to earlier files: keep the two streams in order.
                out.flush()?;
                output::talk(&format!("cannot inspect {}: {}", escape(&path.to_string_lossy()), escape(&reason)));
                code = exit::SOME_UNREADABLE;
            }
            Err(other) => return Err(other),
        }
    }
    out.flush()?;
    Ok(code)
}
