//! `!dbg !12` to `matmul.py:29`, and to the calls it was inlined at.

use std::collections::HashMap;

use super::line::{Kind, Parts};

/// Scopes followed from a place to its file.
const MAX_SCOPES: usize = 64;
/// Calls around one place that are followed.
const MAX_CALLS: usize = 64;

/// What one numbered node says about places.
#[derive(Clone, Copy, Debug, Default)]
struct Node<'a> {
    line: Option<u32>,
    column: Option<u32>,
    inlined_at: Option<u32>,
    scope: Option<u32>,
    file: Option<u32>,
    filename: Option<&'a str>,
}

/// The debug metadata of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Metadata<'a> {
    nodes: HashMap<u32, Node<'a>>,
}

impl<'a> Metadata<'a> {
    /// Remembers `!12 = !DILocation(line: 29, …)`. Returns whether it was kept.
    pub fn define(&mut self, line: &'a str) -> bool {
        let Some((number, body)) = line.split_once(" = ") else { return false };
        let Some(number) = number.get(1..).and_then(|number| number.parse().ok()) else { return false };
        let body = body.trim_start_matches("distinct ");
        let node = if body.starts_with("!DILocation(") || body.starts_with("!DILexicalBlock") {
            Node {
                line: field(body, "line:"),
                column: field(body, "column:"),
                inlined_at: field(body, "inlinedAt:"),
                scope: field(body, "scope:"),
                file: field(body, "file:"),
                ..Node::default()
            }
        } else if body.starts_with("!DISubprogram(") {
            Node { file: field(body, "file:"), scope: field(body, "scope:"), ..Node::default() }
        } else if body.starts_with("!DIFile(") {
            let name =
                Parts::new(body).find(|(kind, _, _)| *kind == Kind::Text).map(|(_, _, text)| text.trim_matches('"'));
            Node { filename: name, ..Node::default() }
        } else {
            return false;
        };
        self.nodes.insert(number, node);
        true
    }

    /// The places of a location as file, line and column: where the innermost inlined code stands first, then the calls
    /// around it. Empty when the location names no file.
    pub fn frames(&self, location: u32) -> Vec<(&'a str, u32, u32)> {
        let mut frames = Vec::new();
        let mut at = Some(location);
        while let Some(node) = at.and_then(|at| self.nodes.get(&at))
            && frames.len() < MAX_CALLS
            && let Some((line, file)) = node.line.zip(self.file(*node))
        {
            frames.push((file, line, node.column.unwrap_or(0)));
            at = node.inlined_at;
        }
        frames
    }

    /// The file of a location: that of its scope.
    fn file(&self, location: Node<'a>) -> Option<&'a str> {
        let mut at = location;
        for _ in 0..MAX_SCOPES {
            if let Some(file) = at.file.and_then(|file| self.nodes.get(&file)).and_then(|node| node.filename) {
                return Some(file);
            }
            at = *self.nodes.get(&at.scope?)?;
        }
        None
    }
}

/// A number behind `key`, with or without `!`.
fn field(body: &str, key: &str) -> Option<u32> {
    let rest = body.get(body.find(key)? + key.len()..)?.trim_start().trim_start_matches('!');
    let end = rest.bytes().take_while(u8::is_ascii_digit).count();
    rest.get(..end)?.parse().ok()
}

/// The node an instruction's `!dbg` names.
pub(super) fn debug_location(rest: &str) -> Option<u32> {
    let at = memchr::memmem::rfind(rest.as_bytes(), b"!dbg !")?;
    let digits = rest.get(at + 6..)?;
    let end = digits.bytes().take_while(u8::is_ascii_digit).count();
    digits.get(..end)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_takes_its_file_from_its_scope() {
        let mut metadata = Metadata::default();
        for line in [
            "!1 = !DIFile(filename: \"matmul.py\", directory: \"/repo\")",
            "!4 = distinct !DISubprogram(name: \"k\", scope: !1, file: !1, line: 13)",
            "!7 = distinct !DILocation(line: 52, column: 5, scope: !4)",
            "!9 = !DILocation(line: 29, column: 38, scope: !4, inlinedAt: !7)",
        ] {
            assert!(metadata.define(line));
        }
        assert_eq!(metadata.frames(9), [("matmul.py", 29, 38), ("matmul.py", 52, 5)]);
        assert_eq!(metadata.frames(8), []);
        assert_eq!(debug_location("br label %1, !dbg !9, !llvm.loop !3"), Some(9));
    }

    #[test]
    fn scopes_that_name_each_other_end() {
        let mut metadata = Metadata::default();
        metadata.define("!1 = !DILexicalBlock(scope: !2, line: 1)");
        metadata.define("!2 = !DILexicalBlock(scope: !1, line: 1)");
        assert_eq!(metadata.frames(1), []);
        metadata.define("!3 = !DIFile(filename: \"f.py\")");
        metadata.define("!4 = !DILocation(line: 1, scope: !3, file: !3, inlinedAt: !4)");
        assert_eq!(metadata.frames(4).len(), MAX_CALLS);
    }
}
