//! `!dbg !12` to `matmul.py:29`.

use std::collections::HashMap;

use super::line::{Kind, Parts};

/// Scopes followed from a place to its file.
const MAX_SCOPES: usize = 64;

/// What one numbered node says about places.
#[derive(Clone, Copy, Debug, Default)]
struct Node<'a> {
    line: Option<u32>,
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
                scope: field(body, "scope:"),
                file: field(body, "file:"),
                filename: None,
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

    /// The line of a location, in the file of its scope: where the innermost inlined code stands.
    pub fn place(&self, location: u32) -> Option<String> {
        let start = self.nodes.get(&location)?;
        let line = start.line?;
        let mut at = *start;
        for _ in 0..MAX_SCOPES {
            if let Some(file) = at.file.and_then(|file| self.nodes.get(&file)).and_then(|node| node.filename) {
                return Some(format!("{}:{line}", file.rsplit(['/', '\\']).next().unwrap_or(file)));
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
            "!9 = !DILocation(line: 29, column: 38, scope: !4, inlinedAt: !7)",
        ] {
            assert!(metadata.define(line));
        }
        assert_eq!(metadata.place(9).as_deref(), Some("matmul.py:29"));
        assert_eq!(metadata.place(8), None);
        assert_eq!(debug_location("br label %1, !dbg !9, !llvm.loop !3"), Some(9));
    }

    #[test]
    fn scopes_that_name_each_other_end() {
        let mut metadata = Metadata::default();
        metadata.define("!1 = !DILexicalBlock(scope: !2, line: 1)");
        metadata.define("!2 = !DILexicalBlock(scope: !1, line: 1)");
        assert_eq!(metadata.place(1), None);
    }
}
