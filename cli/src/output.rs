//! What reaches the terminal: data on stdout, talk on stderr, foreign text without its control characters.
//!
//! A kernel's name is chosen by whoever wrote the artifact. Printed raw it could move the cursor, rewrite the screen or
//! fill the clipboard, so every line passes [`escape`], and JSON passes [`json_line`].

use std::io::{self, Write as _};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};

/// Characters a terminal or a reader's eye may act on: C0, DEL, C1 and the bidirectional controls.
fn acts_on_a_terminal(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text with such characters as `\u{…}`; line breaks included, nothing cut.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if acts_on_a_terminal(c) { out.extend(c.escape_unicode()) } else { out.push(c) }
    }
    out
}

/// One line on stderr. An error there has nowhere to go.
pub fn talk(line: &str) {
    // Messages of several lines are ours to break; what is foreign in them is escaped line by line.
    for line in line.lines() {
        let _ = writeln!(io::stderr().lock(), "{}", escape(line));
    }
}

/// Whether stdout may be styled: a terminal, `NO_COLOR` unset or empty, and a terminal that knows how.
pub fn styled() -> bool {
    use std::io::IsTerminal as _;
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    !no_color && !dumb && io::stdout().is_terminal()
}

/// JSON strings in which the characters of [`escape`] are `\uXXXX`: the same value, harmless on a terminal.
struct Harmless<F>(F);

/// Passes every call on but the one that writes text.
impl<F: Formatter> Formatter for Harmless<F> {
    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((at, c)) = rest.char_indices().find(|(_, c)| acts_on_a_terminal(*c)) {
            let (plain, behind) = rest.split_at(at);
            writer.write_all(plain.as_bytes())?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = behind.get(c.len_utf8()..).unwrap_or_default();
        }
        writer.write_all(rest.as_bytes())
    }

    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}

/// One JSON value and a line break.
pub fn json_line<T: Serialize>(out: &mut impl io::Write, value: &T) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut *out, Harmless(CompactFormatter)))?;
    out.write_all(b"\n")
}

/// One JSON value, indented, and a line break.
pub fn json_pretty<T: Serialize>(out: &mut impl io::Write, value: &T) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut *out, Harmless(PrettyFormatter::new())))?;
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_text_cannot_move_a_cursor() {
        assert_eq!(escape("a\u{1b}[2Jb\u{7f}\u{9b}31m\u{202e}c\n"), "a\\u{1b}[2Jb\\u{7f}\\u{9b}31m\\u{202e}c\\u{a}");
        assert_eq!(escape("grüße"), "grüße");
    }

    #[test]
    fn json_holds_the_same_value_without_control_characters() {
        let name = "a\u{1b}]52;c;aGk=\u{7}\u{9b}2J\u{7f}\u{202e}\"\\ü\u{1f600}";
        let mut bytes = Vec::new();
        json_line(&mut bytes, &name).expect("a vector takes all");
        let text = String::from_utf8(bytes).expect("JSON is UTF-8");
        assert!(!text.trim_end().chars().any(acts_on_a_terminal), "{text:?}");
        assert_eq!(serde_json::from_str::<String>(&text).expect("valid JSON"), name);
    }
}
