//! The parts of one line that carry structure; everything between two tokens is plain text.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `%acc_102` or `%acc_102#10`.
    Value,
    /// `#blocked1`, `#ttg.slice`, `#loc12`.
    Attribute,
    /// `@name` or `@"name"`.
    Symbol,
    /// A string with its quotes.
    Text,
    /// A whole `loc(…)`.
    Location,
    /// An identifier with its dots: `arith.addi`, `tensor`.
    Word,
    /// `(`, `[`, `{` or `<`.
    Open,
    /// `)`, `]`, `}` or `>`.
    Close,
    /// `=`.
    Equals,
    /// `:`; `::` is two.
    Colon,
    /// `,`.
    Comma,
    /// `->`.
    Arrow,
}

/// One token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// What it is.
    pub kind: Kind,
    /// Its text.
    pub text: &'a str,
    /// Offset in the line.
    pub at: usize,
    /// Brackets around it; those of an opening or closing one itself not counted.
    pub depth: u32,
}

impl Token<'_> {
    /// Offset behind it.
    pub const fn end(&self) -> usize {
        self.at + self.text.len()
    }
}

/// Reads one line from left to right.
#[derive(Clone, Debug)]
pub struct Tokens<'a> {
    line: &'a str,
    at: usize,
    depth: u32,
}

/// Bytes that may start a token: everything else is skipped by one table look-up.
const STARTS: [bool; 256] = {
    let mut table = [false; 256];
    let bytes = b"%#@\"()[]{}<>=:,-_";
    let mut n = 0;
    while n < bytes.len() {
        table[bytes[n] as usize] = true;
        n += 1;
    }
    let mut letter = b'a';
    while letter <= b'z' {
        table[letter as usize] = true;
        table[letter.to_ascii_uppercase() as usize] = true;
        letter += 1;
    }
    // A number takes its letters with it: `128x64xf16` holds no word.
    let mut digit = b'0';
    while digit <= b'9' {
        table[digit as usize] = true;
        digit += 1;
    }
    table
};

const fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$')
}

/// Bytes of a name behind `%`, `#`, `@` or `^` (MLIR Language Reference, `suffix-id`; attribute aliases are read by the same
/// rule): `%c-1_i32` is one name.
const fn in_name(byte: u8) -> bool {
    in_word(byte) || byte == b'-'
}

impl<'a> Tokens<'a> {
    /// At the start of a line.
    pub const fn new(line: &'a str) -> Self {
        Self { line, at: 0, depth: 0 }
    }

    /// What has not been read.
    pub fn rest(&self) -> &'a str {
        self.line.get(self.at..).unwrap_or("")
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.line.as_bytes().get(at).copied()
    }

    fn run(&self, mut at: usize, class: fn(u8) -> bool) -> usize {
        while self.byte(at).is_some_and(class) {
            at += 1;
        }
        at
    }

    /// Offset behind a string that starts at `at`; the end of the line when it has no end.
    fn string_end(&self, at: usize) -> usize {
        let mut from = at + 1;
        loop {
            let Some(rest) = self.line.as_bytes().get(from..) else { return self.line.len() };
            match memchr::memchr2(b'"', b'\\', rest) {
                None => return self.line.len(),
                Some(n) if rest.get(n) == Some(&b'"') => return from + n + 1,
                Some(n) => from += n + 2,
            }
        }
    }

    /// Offset behind the bracket that closes the one at `at`; strings are stepped over.
    fn balanced_end(&self, at: usize) -> usize {
        let mut depth = 0_u32;
        let mut from = at;
        while let Some(byte) = self.byte(from) {
            match byte {
                b'"' => {
                    from = self.string_end(from);
                    continue;
                }
                b'(' => depth += 1,
                b')' => {
                    depth -= 1;
                    if depth == 0 {
                        return from + 1;
                    }
                }
                _ => {}
            }
            from += 1;
        }
        self.line.len()
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let at = self.at;
            let byte = self.byte(at)?;
            let mut depth = self.depth;
            let (kind, end) = if !STARTS[usize::from(byte)] {
                self.at += 1;
                continue;
            } else if byte.is_ascii_digit() {
                self.at = self.run(at, in_word);
                continue;
            } else {
                match byte {
                    b'%' => (Kind::Value, self.run(self.run(at + 1, in_name), |b| b == b'#' || b.is_ascii_digit())),
                    b'#' => (Kind::Attribute, self.run(at + 1, in_name)),
                    b'@' if self.byte(at + 1) == Some(b'"') => (Kind::Symbol, self.string_end(at + 1)),
                    b'@' => (Kind::Symbol, self.run(at + 1, in_name)),
                    b'"' => (Kind::Text, self.string_end(at)),
                    b'(' | b'[' | b'{' | b'<' => {
                        self.depth = depth.saturating_add(1);
                        (Kind::Open, at + 1)
                    }
                    b')' | b']' | b'}' | b'>' => {
                        depth = depth.saturating_sub(1);
                        self.depth = depth;
                        (Kind::Close, at + 1)
                    }
                    b'=' => (Kind::Equals, at + 1),
                    b':' => (Kind::Colon, at + 1),
                    b',' => (Kind::Comma, at + 1),
                    b'-' if self.byte(at + 1) == Some(b'>') => (Kind::Arrow, at + 2),
                    b'-' => {
                        self.at += 1;
                        continue;
                    }
                    _ => {
                        let end = self.run(at, in_word);
                        if self.line.get(at..end) == Some("loc") && self.byte(end) == Some(b'(') {
                            (Kind::Location, self.balanced_end(end))
                        } else {
                            (Kind::Word, end)
                        }
                    }
                }
            };
            self.at = end;
            return Some(Token { kind, text: self.line.get(at..end)?, at, depth });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_of_ttgir() {
        let line = r#"%a_1:2 = ttg.x %b#1[%c-1_i32] {k = "} loc("} : tensor<128x64xf16, #blocked> loc("a"(#loc3))"#;
        let tokens: Vec<(Kind, &str, u32)> = Tokens::new(line).map(|t| (t.kind, t.text, t.depth)).collect();
        assert_eq!(
            tokens,
            [
                (Kind::Value, "%a_1", 0),
                (Kind::Colon, ":", 0),
                (Kind::Equals, "=", 0),
                (Kind::Word, "ttg.x", 0),
                (Kind::Value, "%b#1", 0),
                (Kind::Open, "[", 0),
                (Kind::Value, "%c-1_i32", 1),
                (Kind::Close, "]", 0),
                (Kind::Open, "{", 0),
                (Kind::Word, "k", 1),
                (Kind::Equals, "=", 1),
                (Kind::Text, "\"} loc(\"", 1),
                (Kind::Close, "}", 0),
                (Kind::Colon, ":", 0),
                (Kind::Word, "tensor", 0),
                (Kind::Open, "<", 0),
                (Kind::Comma, ",", 1),
                (Kind::Attribute, "#blocked", 1),
                (Kind::Close, ">", 0),
                (Kind::Location, "loc(\"a\"(#loc3))", 0),
            ]
        );
    }

    #[test]
    fn open_ends_end_with_the_line() {
        for line in ["\"abc\\", "loc(((", "%", "#", "@\"x", ")))", "-", "é%é"] {
            assert!(Tokens::new(line).all(|token| token.end() <= line.len()), "{line}");
        }
    }
}
