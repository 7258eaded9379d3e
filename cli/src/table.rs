//! A report for people: one block a file, counts right-aligned, nothing cut in silence.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use lowerline_shared::{
    family::Family,
    report::{FunctionReport, Report, Resource, ScopeCounts},
    stage::Stage,
};

use crate::output::escape;

/// Rows of a list before the rest is only counted; `--json` has all.
const ROWS: usize = 24;

/// Bold text on a styled terminal.
fn bold(text: &str, styled: bool) -> String {
    if styled { format!("\u{1b}[1m{}\u{1b}[0m", escape(text)) } else { escape(text) }
}

/// Name and count pairs, largest first.
fn counts<'a>(out: &mut impl Write, title: &str, rows: impl Iterator<Item = (&'a str, u64)>) -> io::Result<()> {
    let mut rows: Vec<(&str, u64)> = rows.collect();
    if rows.is_empty() {
        return Ok(());
    }
    rows.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    writeln!(out, "  {title}")?;
    for (name, count) in rows.iter().take(ROWS) {
        writeln!(out, "    {count:>8}  {}", escape(name))?;
    }
    if let Some(rest) = rows.get(ROWS..).filter(|rest| !rest.is_empty()) {
        let sum: u64 = rest.iter().map(|(_, count)| count).sum();
        writeln!(out, "    {sum:>8}  in {} more; --json has all", rest.len())?;
    }
    Ok(())
}

fn pairs(out: &mut impl Write, title: &str, rows: &BTreeMap<String, String>) -> io::Result<()> {
    if !rows.is_empty() {
        writeln!(out, "  {title}")?;
        for (key, value) in rows {
            writeln!(out, "    {} = {}", escape(key), escape(value))?;
        }
    }
    Ok(())
}

fn families(out: &mut impl Write, function: &FunctionReport) -> io::Result<()> {
    if function.families.is_empty() {
        return Ok(());
    }
    writeln!(out, "  {:>8} {:>8} {:>8}  family", "function", "loop", "hot")?;
    for (family, count) in &function.families {
        let scopes = function.families_by_scope.get(family).copied();
        let ScopeCounts { r#loop, hot, .. } = scopes.unwrap_or_default();
        let shown = |count: u64| scopes.map_or_else(|| "–".to_owned(), |_| count.to_string());
        writeln!(out, "  {count:>8} {:>8} {:>8}  {}", shown(r#loop), shown(hot), family_name(*family))?;
    }
    Ok(())
}

fn family_name(family: Family) -> &'static str {
    family.info().label
}

/// What a stage calls its lines.
fn unit(stage: Stage) -> &'static str {
    match stage {
        Stage::Source | Stage::Ttir | Stage::Glir | Stage::Ttgir => "operations",
        _ => "instructions",
    }
}

fn function(out: &mut impl Write, function: &FunctionReport, unit: &str, styled: bool) -> io::Result<()> {
    let kind = if function.kernel { "kernel" } else { "helper" };
    let padding = match function.trailing_padding {
        0 => String::new(),
        padding => format!(", {padding} of them padding"),
    };
    writeln!(out, "{kind} {}: {} {unit}{padding}", bold(&function.name, styled), function.instructions)?;
    families(out, function)?;
    counts(out, "opcodes", function.opcodes.iter().map(|(name, count)| (name.as_str(), *count)))?;
    for found in &function.loops {
        let hot = if found.hot { ", hot" } else { "" };
        let source = found.source.as_deref().map(|source| format!(" from {}", escape(source))).unwrap_or_default();
        writeln!(
            out,
            "  loop {} at depth {}: {} {unit}{source}{hot}",
            escape(&found.header),
            found.depth,
            found.instructions
        )?;
    }
    if !function.operands.is_empty() {
        writeln!(out, "  {:>8} {:>8} {:>8}  operand", "function", "loop", "hot")?;
        for (name, count) in &function.operands {
            writeln!(out, "  {:>8} {:>8} {:>8}  {}", count.function, count.r#loop, count.hot, escape(name))?;
        }
    }
    counts(out, "source lines", function.source_lines.iter().map(|(line, count)| (line.as_str(), *count)))
}

/// Writes one report.
pub fn write(out: &mut impl Write, file: &str, report: &Report, styled: bool) -> io::Result<()> {
    writeln!(out, "{}", bold(file, styled))?;
    let target = report.target.as_deref().map(|target| format!(" for {}", escape(target))).unwrap_or_default();
    let source =
        report.source.as_deref().map(|source| format!(", counted from {}", escape(source))).unwrap_or_default();
    writeln!(out, "{}{target}{source}", report.stage.label())?;
    pairs(out, "toolchain", &report.toolchain)?;
    if !report.resources.is_empty() {
        writeln!(out, "  resources")?;
        for resource in Resource::ALL {
            if let Some(value) = report.resources.get(&resource) {
                let value = match resource {
                    Resource::OccupancyPermille => resource.text(*value),
                    _ => value.to_string(),
                };
                writeln!(out, "    {value:>8}  {}", resource.label())?;
            }
        }
    }
    for found in &report.functions {
        function(out, found, unit(report.stage), styled)?;
    }
    counts(out, "operations", report.ops.iter().map(|(name, count)| (name.as_str(), *count)))?;
    counts(out, "operations in loops", report.ops_in_loop.iter().map(|(name, count)| (name.as_str(), *count)))?;
    counts(out, "intrinsics", report.intrinsics.iter().map(|(name, count)| (name.as_str(), *count)))?;
    counts(out, "inline assembly", report.inline_asm.iter().map(|(text, count)| (text.as_str(), *count)))?;
    counts(out, "layout kinds", report.layout_kinds.iter().map(|(name, count)| (name.as_str(), *count)))?;
    pairs(out, "layouts", if report.layouts.is_empty() { &report.layout_aliases } else { &report.layouts })?;
    pairs(out, "module attributes", &report.module_attributes)?;
    if !report.arguments.is_empty() {
        writeln!(out, "  arguments")?;
        for argument in &report.arguments {
            let attributes: Vec<String> =
                argument.attributes.iter().map(|(key, value)| format!("{} = {}", escape(key), escape(value))).collect();
            let attributes =
                if attributes.is_empty() { String::new() } else { format!(" {{{}}}", attributes.join(", ")) };
            writeln!(out, "    {}: {}{attributes}", escape(&argument.name), escape(&argument.r#type))?;
        }
    }
    for (opcode, unknown) in &report.unknown {
        writeln!(
            out,
            "  unknown {} {} times, as in: {}",
            escape(opcode),
            unknown.count,
            escape(unknown.example.trim())
        )?;
    }
    for warning in &report.warnings {
        writeln!(out, "  warning: {}", escape(warning))?;
    }
    if let Some(digest) = report.normal_digest {
        writeln!(out, "  normal digest {digest}")?;
    }
    writeln!(out)
}
