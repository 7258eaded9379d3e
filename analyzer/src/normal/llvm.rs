//! The normal digest of LLVM IR: no debug metadata, comments or file names; locals by first mention; attribute groups by
//! their bodies; functions in any order, a callee by its body.

use std::collections::HashMap;

use lowerline_shared::ids::Digest;
use sha2::{Digest as _, Sha256};

use super::unordered;
use crate::{
    AnalyzeError, Budget,
    llir::{Kind, Parts},
};

#[derive(Default)]
struct Part<'a> {
    hasher: Sha256,
    name: &'a str,
    globals: Vec<&'a str>,
}

/// The digest of a file.
pub(crate) fn digest(text: &str, budget: &mut Budget) -> Result<Digest, AnalyzeError> {
    let mut groups = HashMap::new();
    for line in text.lines().filter(|line| line.starts_with("attributes #")) {
        budget.store(2)?;
        if let Some((name, body)) = line.split_once(" = ") {
            groups.insert(name.trim_start_matches("attributes "), body);
        }
    }
    let mut parts = vec![Part::default()];
    let mut locals = HashMap::new();
    let mut line_out = Vec::new();
    let mut in_body = false;
    for raw in text.lines() {
        budget.work(20 + raw.len() as u64)?;
        let line = raw.trim_ascii();
        let skipped = ["!", ";", "#dbg_", "declare ", "attributes ", "source_filename"];
        if line.is_empty() || skipped.iter().any(|head| line.starts_with(head)) {
            continue;
        }
        if line.starts_with("define ") {
            in_body = true;
            budget.store(4)?;
            parts.push(Part::default());
            locals.clear();
        }
        let at = if in_body { parts.len() - 1 } else { 0 };
        if let Some(part) = parts.get_mut(at) {
            write(line, in_body, part, &mut locals, &groups, &mut line_out, budget)?;
        }
        in_body &= line != "}";
    }
    let mut bare = HashMap::new();
    let mut finished = Vec::with_capacity(parts.len());
    for part in parts {
        let digest = Digest(part.hasher.finalize().into());
        bare.insert(part.name, digest);
        finished.push((digest, part.globals));
    }
    let whole = finished.into_iter().map(|(digest, globals)| {
        let mut hasher = Sha256::new();
        hasher.update(digest.0);
        for global in globals {
            match bare.get(global) {
                Some(callee) => hasher.update(callee.0),
                None => hasher.update(global.as_bytes()),
            }
        }
        Digest(hasher.finalize().into())
    });
    Ok(unordered(whole.collect()))
}

/// Hashes one line.
fn write<'a>(
    line: &'a str,
    in_body: bool,
    part: &mut Part<'a>,
    locals: &mut HashMap<&'a str, u32>,
    groups: &HashMap<&str, &str>,
    out: &mut Vec<u8>,
    budget: &mut Budget,
) -> Result<(), AnalyzeError> {
    out.clear();
    let mut copied = 0;
    if let Some(label) = crate::llir::label(line).filter(|_| in_body) {
        number(label, locals, out, budget)?;
        copied = label.len();
    }
    let mut dropping = false;
    for (kind, at, text) in Parts::new(line) {
        let plain = line.get(copied..at).unwrap_or("");
        match kind {
            Kind::Text => continue,
            // The node behind `!dbg`, `!llvm.loop` and the like is a number; `!dbg` itself goes with it.
            Kind::Metadata => {
                out.extend_from_slice(plain.trim_end_matches([' ', ',']).as_bytes());
                let numbered = text.get(1..).is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
                if text != "!dbg" && !numbered {
                    out.extend_from_slice(text.as_bytes());
                }
                dropping = true;
            }
            Kind::Comment => {
                out.extend_from_slice(plain.trim_end().as_bytes());
                copied = line.len();
                break;
            }
            Kind::Local => {
                out.extend_from_slice(plain.as_bytes());
                number(text.trim_start_matches('%').trim_matches('"'), locals, out, budget)?;
            }
            Kind::Global => {
                out.extend_from_slice(plain.as_bytes());
                out.push(b'@');
                let name = text.trim_start_matches('@').trim_matches('"');
                if in_body && part.name.is_empty() {
                    part.name = name;
                } else {
                    budget.store(1)?;
                    part.globals.push(name);
                }
            }
            Kind::Group => {
                out.extend_from_slice(plain.as_bytes());
                let body = groups.get(text).copied().unwrap_or(text);
                budget.work(body.len() as u64)?;
                out.extend_from_slice(body.as_bytes());
            }
        }
        copied = at + text.len();
    }
    let rest = line.get(copied..).unwrap_or("");
    out.extend_from_slice(if dropping { rest.trim().as_bytes() } else { rest.as_bytes() });
    out.push(b'\n');
    part.hasher.update(&out);
    Ok(())
}

/// Writes a local by its first mention in the function.
fn number<'a>(
    name: &'a str,
    locals: &mut HashMap<&'a str, u32>,
    out: &mut Vec<u8>,
    budget: &mut Budget,
) -> Result<(), AnalyzeError> {
    let next = u32::try_from(locals.len()).unwrap_or(u32::MAX);
    let number = if let Some(number) = locals.get(name) {
        *number
    } else {
        budget.store(2)?;
        locals.insert(name, next);
        next
    };
    out.push(b'%');
    out.extend_from_slice(&number.to_le_bytes());
    Ok(())
}
