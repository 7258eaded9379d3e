//! `loc(…)`: files, names, call sites and fused places, resolved without recursion.

use std::collections::HashMap;

use super::tokens::{Kind, Tokens};

/// Frames of one location; inlining deeper than this is cut.
const MAX_FRAMES: usize = 64;
/// Look-ups for one location: cyclic definitions end here.
const MAX_STEPS: usize = 256;

/// One place of a chain of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Path as written.
    pub file: &'a str,
    /// Line, as written: from 1.
    pub line: u32,
    /// Column, as written: from 0 until Triton 3.7, from 1 on after it.
    pub column: u32,
    /// Name of the Python variable, when the compiler kept it.
    pub name: Option<&'a str>,
}

impl Frame<'_> {
    /// `attention.py:64`: the name people read.
    pub fn short(&self) -> String {
        let file = self.file.rsplit(['/', '\\']).next().unwrap_or(self.file);
        format!("{file}:{}", self.line)
    }
}

/// The `#loc` definitions of a file.
#[derive(Clone, Debug, Default)]
pub struct Locations<'a> {
    by_name: HashMap<&'a str, &'a str>,
}

impl<'a> Locations<'a> {
    /// Remembers `#loc12 = loc(…)`.
    pub(super) fn define(&mut self, name: &'a str, body: &'a str) {
        self.by_name.insert(name, body);
    }

    /// Definitions held.
    pub fn len(&self) -> usize {
        self.by_name.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// The places of a location, the innermost callee first, its callers after it. Empty for an unknown place.
    pub fn frames(&self, location: &'a str) -> Vec<Frame<'a>> {
        let mut frames = Vec::new();
        let mut todo = vec![(location, None)];
        for _ in 0..MAX_STEPS {
            let Some((text, name)) = todo.pop() else { break };
            match read(text) {
                Form::Unknown => {}
                Form::Alias(alias) => todo.extend(self.by_name.get(alias).map(|body| (*body, name))),
                Form::File(frame) if frames.len() < MAX_FRAMES => frames.push(Frame { name, ..frame }),
                Form::File(_) => break,
                // The outermost name is the variable; those below it name the same place again.
                Form::Named(inner_name, inner) => todo.push((inner, name.or(Some(inner_name)))),
                Form::CallSite(inner, outer) => {
                    todo.push((outer, None));
                    todo.push((inner, name));
                }
                Form::First(inner) => todo.push((inner, name)),
            }
        }
        frames
    }
}

enum Form<'a> {
    Unknown,
    Alias(&'a str),
    File(Frame<'a>),
    Named(&'a str, &'a str),
    CallSite(&'a str, &'a str),
    First(&'a str),
}

/// Reads one level of a location, with or without `loc( )` around it.
fn read(text: &str) -> Form<'_> {
    let text = text.trim();
    let text = text.strip_prefix("loc(").and_then(|inner| inner.strip_suffix(')')).unwrap_or(text).trim();
    if text.starts_with('#') {
        return Form::Alias(text);
    }
    if text.starts_with('"') {
        return quoted(text);
    }
    if let Some(inner) = text.strip_prefix("callsite(").and_then(|inner| inner.strip_suffix(')')) {
        let at = Tokens::new(inner).find(|token| token.kind == Kind::Word && token.text == "at" && token.depth == 0);
        return match at.and_then(|at| Some((inner.get(..at.at)?, inner.get(at.end()..)?))) {
            Some((inner, outer)) => Form::CallSite(inner, outer),
            None => Form::Unknown,
        };
    }
    if text.starts_with("fused") {
        let open = Tokens::new(text).find(|token| token.kind == Kind::Open && token.text == "[" && token.depth == 0);
        let inner = open.and_then(|open| text.get(open.end()..)).unwrap_or("");
        let end = Tokens::new(inner)
            .find(|token| token.depth == 0 && matches!(token.kind, Kind::Comma | Kind::Close))
            .map_or(inner.len(), |token| token.at);
        return Form::First(inner.get(..end).unwrap_or(""));
    }
    Form::Unknown
}

/// `"file":1:2`, `"file":1:2 to :3:4` or `"name"(inner)`.
fn quoted(text: &str) -> Form<'_> {
    let Some(string) = Tokens::new(text).next() else { return Form::Unknown };
    let name = string.text.trim_matches('"');
    let rest = text.get(string.end()..).unwrap_or("");
    if let Some(inner) = rest.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        return Form::Named(name, inner);
    }
    let mut numbers = rest.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty()).map(str::parse);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(line)), Some(Ok(column))) => Form::File(Frame { file: name, line, column, name: None }),
        _ => Form::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places<'a>(locations: &Locations<'a>, text: &'a str) -> Vec<(String, Option<&'a str>)> {
        locations.frames(text).iter().map(|frame| (frame.short(), frame.name)).collect()
    }

    #[test]
    fn chains_run_from_callee_to_caller() {
        let mut locations = Locations::default();
        locations.define("#loc3", "loc(\"/opt/standard.py\":43:17)");
        locations.define("#loc66", "loc(\"tiles_m\"(#loc4))");
        locations.define("#loc4", "loc(\"/repo/matmul.py\":17:25)");
        locations.define("#loc116", "loc(callsite(#loc3 at #loc66))");
        let expected = [("standard.py:43".to_owned(), None), ("matmul.py:17".to_owned(), Some("tiles_m"))];
        assert_eq!(places(&locations, "loc(#loc116)"), expected);
        assert_eq!(places(&locations, "loc(fused<\"x\">[#loc4, #loc3])"), [("matmul.py:17".to_owned(), None)]);
        assert_eq!(places(&locations, "loc(unknown)"), []);
    }

    #[test]
    fn cycles_end() {
        let mut locations = Locations::default();
        locations.define("#a", "loc(callsite(#b at #a))");
        locations.define("#b", "loc(\"f.py\":1:1)");
        assert_eq!(locations.frames("loc(#a)").len(), MAX_FRAMES);
        locations.define("#c", "loc(#c)");
        assert_eq!(locations.frames("loc(#c)"), []);
    }
}
