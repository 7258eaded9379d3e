//! Lines of a text as the alignment sees them.

use std::borrow::Cow;

use lowerline_shared::stage::Stage;

use super::{
    Names,
    keys::{self, Key},
};

/// One line that takes part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'t> {
    /// 0-based number in the file.
    pub(super) number: u32,
    /// As written, without trailing white space.
    pub(super) text: &'t str,
    pub(super) key: Key,
}

/// A run of lines: one function, or what stands between functions.
#[derive(Debug)]
pub(super) struct Part<'t> {
    /// Function name; `""` before the first function.
    pub(super) name: &'t str,
    pub(super) lines: Vec<Line<'t>>,
}

/// A text cut into parts, and how many lines were left out.
#[derive(Debug)]
pub(super) struct Cut<'t> {
    pub(super) parts: Vec<Part<'t>>,
    pub(super) left_out: u32,
}

/// Cuts a text. A line number beyond `u32` cannot occur: inputs are bounded far below 4 GiB.
pub(super) fn cut(stage: Stage, names: Names, text: &str) -> Cut<'_> {
    let aliases = keys::aliases(text);
    let mut parts = vec![Part { name: "", lines: Vec::new() }];
    let mut left_out = 0;
    for (number, line) in text.lines().enumerate() {
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        let text = line.trim_end();
        let key = if names == Names::Raw {
            let line = keys::hash(text);
            Some(Key { line, mnemonic: line })
        } else {
            code(stage, text).map(|code| keys::key(stage, &code, &aliases))
        };
        let Some(key) = key else {
            left_out += 1;
            continue;
        };
        if let Some(name) = function_name(stage, text) {
            parts.push(Part { name, lines: Vec::new() });
        }
        if let Some(part) = parts.last_mut() {
            part.lines.push(Line { number, text, key });
        }
    }
    Cut { parts, left_out }
}

/// The part of a line that means something; `None` for blank lines, locations and debug directives.
fn code(stage: Stage, line: &str) -> Option<Cow<'_, str>> {
    let line = line.trim_start();
    let code = match stage {
        Stage::Source | Stage::Ttir | Stage::Glir | Stage::Ttgir => {
            if line.starts_with("#loc") {
                return None;
            }
            without_loc(line)
        }
        Stage::Llir => {
            if line.starts_with('!') || line.starts_with("source_filename") || line.starts_with("; ModuleID") {
                return None;
            }
            Cow::Borrowed(line.split(", !dbg").next().unwrap_or(line).split(" ;").next().unwrap_or(line))
        }
        Stage::Ptx => {
            if [".loc", ".file", ".b8", ".b16", ".b32", ".b64", "//"].iter().any(|skip| line.starts_with(skip)) {
                return None;
            }
            Cow::Borrowed(line.split("//").next().unwrap_or(line))
        }
        Stage::Sass => sass_code(line)?,
        Stage::Amdgcn => {
            if [".loc", ".file", ".Ltmp", ";", ".cfi", ".byte", ".short", ".long", ".quad", ".asciz"]
                .iter()
                .any(|skip| line.starts_with(skip))
            {
                return None;
            }
            fold_ranges(line.split(';').next().unwrap_or(line))
        }
        Stage::Cubin | Stage::Hsaco => return None,
    };
    (!code.trim().is_empty()).then_some(code)
}

/// Drops every `loc(…)` with its nested parentheses.
fn without_loc(line: &str) -> Cow<'_, str> {
    if !line.contains("loc(") {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("loc(") {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let mut depth = 0_u32;
        let mut quoted = false;
        let end = from.bytes().enumerate().find_map(|(n, byte)| {
            match byte {
                b'"' => quoted = !quoted,
                b'(' if !quoted => depth += 1,
                b')' if !quoted => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return Some(n + 1);
                    }
                }
                _ => {}
            }
            None
        });
        rest = end.and_then(|end| from.get(end..)).unwrap_or("");
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Drops `/*address*/` and encoding comments, Triton's control-code prefix, and source line comments.
fn sass_code(line: &str) -> Option<Cow<'_, str>> {
    if line.starts_with("//") || line.starts_with(".headerflags") || line.starts_with(".align") {
        return None;
    }
    // `02:-:-:Y:d  ISETP…`: five fields before two blanks.
    let line = match line.split_once("  ") {
        Some((control, rest)) if control.split(':').count() == 5 => rest,
        _ => line,
    };
    if !line.contains("/*") {
        return Some(Cow::Borrowed(line));
    }
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, from)) = rest.split_once("/*") {
        out.push_str(before);
        rest = from.split_once("*/").map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    Some(Cow::Owned(out))
}

/// `v[12:15]` → `v[4]`: the width of a register range stays, its numbers go.
fn fold_ranges(line: &str) -> Cow<'_, str> {
    if !line.contains('[') {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, from)) = rest.split_once('[') {
        out.push_str(before);
        out.push('[');
        let Some((inside, after)) = from.split_once(']') else {
            rest = from;
            break;
        };
        match inside.split_once(':').map(|(low, high)| (low.trim().parse::<u32>(), high.trim().parse::<u32>())) {
            Some((Ok(low), Ok(high))) => out.push_str(&high.saturating_sub(low).saturating_add(1).to_string()),
            _ => out.push_str(inside),
        }
        out.push(']');
        rest = after;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The function a line opens.
fn function_name(stage: Stage, line: &str) -> Option<&str> {
    let line = line.trim_start();
    let word = |text: &str| {
        text.len() - text.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.')).len()
    };
    let named = |text: &'_ str| text.get(..word(text)).map(str::len).filter(|len| *len > 0);
    let take = |at: usize| line.get(at..).and_then(|rest| named(rest).and_then(|len| rest.get(..len)));
    match stage {
        Stage::Source | Stage::Ttir | Stage::Glir | Stage::Ttgir => {
            (line.starts_with("tt.func") || line.starts_with("llvm.func")).then(|| take(line.find('@')? + 1))?
        }
        Stage::Llir => line.starts_with("define").then(|| take(line.find('@')? + 1))?,
        Stage::Ptx => [".entry ", ".func "].iter().find_map(|mark| take(line.find(mark)? + mark.len())),
        Stage::Sass => [".text.", "Function : ", "Function:"]
            .iter()
            .find_map(|mark| line.strip_prefix(mark).map(|rest| rest.trim_end_matches(':').trim())),
        Stage::Amdgcn => line.split_once("; @").map(|(_, name)| name.trim()),
        Stage::Cubin | Stage::Hsaco => None,
    }
}
