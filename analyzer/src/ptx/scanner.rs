//! Splits PTX into labels, scopes, directives and instructions.

use lowerline_shared::stage::Stage;
use memchr::{memchr, memchr2, memchr3, memmem};

use super::header::{self, Header};
use crate::{
    AnalyzeError, Budget, detect,
    stream::{Keep, Known, Place, Stream, Written, printed_place},
};

/// Open brace scopes at once; compilers need two or three.
const OPEN_SCOPES: usize = 4_096;

struct Scanner<'a, 's> {
    text: &'a str,
    at: usize,
    header: Header<'a>,
    stream: &'s mut Stream<'a>,
    /// Open braces inside a function; the last is the innermost. Empty outside functions.
    open: Vec<u32>,
}

/// Reads the whole text.
pub(crate) fn scan<'a>(
    text: &'a str,
    stream: &mut Stream<'a>,
    budget: &mut Budget,
) -> Result<Header<'a>, AnalyzeError> {
    let mut scanner = Scanner { text, at: 0, header: Header::default(), stream, open: Vec::new() };
    while scanner.space() {
        scanner.statement(budget)?;
    }
    if !scanner.open.is_empty() {
        return Err(AnalyzeError::Truncated { stage: Stage::Ptx, missing: "the closing brace of a function" });
    }
    Ok(scanner.header)
}

/// The place of a `.loc` whose rest is given.
fn place<'a>(
    stream: &mut Stream<'a>,
    own: (u32, u32, u32),
    rest: &'a str,
    budget: &mut Budget,
) -> Result<u32, AnalyzeError> {
    let (attributes, comment) = rest.split_once("//").unwrap_or((rest, ""));
    let (file, line, column) = own;
    if let Some((_, at)) = attributes.split_once("inlined_at") {
        let mut numbers = at.split_ascii_whitespace().map_while(|number| number.parse().ok());
        if let (Some(call_file), Some(call_line), call_column) = (numbers.next(), numbers.next(), numbers.next()) {
            let caller = stream.places.call(call_file, call_line, call_column.unwrap_or(0), budget)?;
            return stream.places.intern(Place { file, line, column, caller }, budget);
        }
    }
    printed_place(stream, own, comment, budget)
}

/// Bytes of mnemonics, labels and directives.
const WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    loop {
        table[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b'%');
        if byte == u8::MAX {
            break table;
        }
        byte += 1;
    }
};

impl<'a> Scanner<'a, '_> {
    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    fn peek(&self) -> u8 {
        self.bytes().get(self.at).copied().unwrap_or(0)
    }

    /// Moves to the next byte that is neither space nor comment; `false` at the end.
    fn space(&mut self) -> bool {
        let bytes = self.bytes();
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' | b';' => self.at += 1,
                b'/' if bytes.get(self.at + 1) == Some(&b'/') => self.line_end(),
                b'/' if bytes.get(self.at + 1) == Some(&b'*') => {
                    self.at =
                        memmem::find(&bytes[self.at + 2..], b"*/").map_or(bytes.len(), |end| self.at + 2 + end + 2);
                }
                _ => return true,
            }
        }
        false
    }

    fn line_end(&mut self) {
        let bytes = self.bytes();
        self.at = memchr(b'\n', &bytes[self.at..]).map_or(bytes.len(), |end| self.at + end);
    }

    /// One past the word that begins here. `::` belongs to a word, a single `:` ends it.
    fn word_end(&self) -> usize {
        let bytes = self.bytes();
        let mut at = self.at;
        loop {
            while at < bytes.len() && WORD[usize::from(bytes[at])] {
                at += 1;
            }
            if bytes.get(at..at + 2) != Some(b"::") {
                return at;
            }
            at += 2;
        }
    }

    /// The text up to the `;` that ends this statement, and moves behind it. Comments and strings may hold `;`.
    fn through_semicolon(&mut self, from: usize) -> &'a str {
        let bytes = self.bytes();
        let mut at = from;
        let end = loop {
            match memchr3(b';', b'/', b'"', bytes.get(at..).unwrap_or_default()) {
                None => break bytes.len(),
                Some(found) => {
                    at += found;
                    match bytes[at] {
                        b';' => break at,
                        b'"' => at = memchr(b'"', &bytes[at + 1..]).map_or(bytes.len(), |end| at + 1 + end + 1),
                        _ => match bytes.get(at + 1) {
                            Some(b'/') => at = memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end),
                            Some(b'*') => {
                                at = memmem::find(&bytes[at..], b"*/").map_or(bytes.len(), |end| at + end + 2);
                            }
                            _ => at += 1,
                        },
                    }
                }
            }
        };
        self.at = (end + 1).min(bytes.len());
        &self.text[from.min(end)..end]
    }

    fn statement(&mut self, budget: &mut Budget) -> Result<(), AnalyzeError> {
        match self.peek() {
            b'.' => self.directive(budget),
            b'{' if !self.open.is_empty() => {
                self.at += 1;
                self.open_scope(budget)
            }
            b'}' if !self.open.is_empty() => {
                self.at += 1;
                self.open.pop();
                Ok(())
            }
            byte if !self.open.is_empty() && (byte == b'@' || WORD[usize::from(byte)]) => self.instruction(budget),
            _ => Err(self.foreign()),
        }
    }

    fn foreign(&self) -> AnalyzeError {
        let line = self.text[self.at..].lines().next().unwrap_or_default().trim();
        let outside = self.open.is_empty();
        match detect::line_stage(line.as_bytes()) {
            Some(second) if second != Stage::Ptx => {
                AnalyzeError::TwoStages { first: Stage::Ptx, second, offset: self.at }
            }
            _ if outside && (line.starts_with("module") || line.starts_with('#')) => {
                AnalyzeError::TwoStages { first: Stage::Ptx, second: Stage::Ttir, offset: self.at }
            }
            _ => AnalyzeError::Malformed {
                stage: Stage::Ptx,
                offset: self.at,
                what: if outside { "a directive was expected outside functions" } else { "a statement was expected" },
            },
        }
    }

    fn open_scope(&mut self, budget: &mut Budget) -> Result<(), AnalyzeError> {
        if self.open.len() >= OPEN_SCOPES {
            return Err(AnalyzeError::TooMany { what: "nested scopes", limit: OPEN_SCOPES });
        }
        budget.store(1)?;
        let scope = u32::try_from(self.stream.scopes.len()).unwrap_or(u32::MAX);
        self.stream.scopes.push(self.open.last().copied().unwrap_or(0));
        self.open.push(scope);
        Ok(())
    }

    fn scope(&self) -> u32 {
        self.open.last().copied().unwrap_or(0)
    }

    fn instruction(&mut self, budget: &mut Budget) -> Result<(), AnalyzeError> {
        let start = self.at;
        let guarded = self.peek() == b'@';
        if guarded {
            self.at += 1;
            while matches!(self.peek(), b'!' | b' ' | b'\t') {
                self.at += 1;
            }
            self.at = self.word_end();
            self.space();
        }
        let from = self.at;
        let known = self.stream.known(self.bytes(), from);
        let end = known.map_or_else(|| self.word_end(), Known::end);
        if end == from {
            self.at = from;
            return Err(self.foreign());
        }
        let mnemonic = &self.text[from..end];
        self.at = end;
        if !guarded {
            while matches!(self.peek(), b' ' | b'\t') {
                self.at += 1;
            }
            if self.peek() == b':' {
                self.at += 1;
                return self.label(mnemonic, budget);
            }
        }
        let looks = match known {
            Some(known) => self.stream.push_known(known, start, budget)?,
            None => self.stream.push(mnemonic, start, budget)?,
        };
        if looks {
            let operands = self.through_semicolon(end);
            let written = Written { mnemonic, operands, comment: "", guarded, offset: start };
            let scope = self.scope();
            return self.stream.look(&written, scope, budget);
        }
        // Operands are skipped: `;` or the start of a comment, whichever comes first.
        let bytes = self.bytes();
        match memchr2(b';', b'/', &bytes[end..]) {
            Some(found) if bytes[end + found] == b';' => self.at = end + found + 1,
            _ => {
                self.through_semicolon(end);
            }
        }
        Ok(())
    }

    fn label(&mut self, name: &'a str, budget: &mut Budget) -> Result<(), AnalyzeError> {
        let after = self.text[self.at..].trim_start();
        if let Some(rest) = after.strip_prefix(".branchtargets") {
            let from = self.text.len() - rest.len();
            let list = self.through_semicolon(from);
            let targets: Vec<&str> = list.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
            budget.store(targets.len() + 1)?;
            self.stream.tables.push((name, targets));
            return Ok(());
        }
        let scope = self.scope();
        self.stream.label(name, scope, budget)
    }

    fn directive(&mut self, budget: &mut Budget) -> Result<(), AnalyzeError> {
        budget.work(20)?;
        if self.stream.keep == Keep::Counts
            && matches!(self.bytes()[self.at..], [b'.', b'l', b'o', b'c', b' ' | b'\t', ..])
        {
            self.line_end();
            return Ok(());
        }
        let end = self.word_end();
        let word = &self.text[self.at..end];
        let from = end;
        match word {
            ".loc" => {
                self.at = from;
                self.loc(budget)
            }
            ".version" | ".target" | ".address_size" | ".file" => {
                self.at = from;
                self.line_end();
                let rest = &self.text[from..self.at];
                self.header.line(word, rest, self.stream, budget)
            }
            ".visible" | ".weak" | ".extern" | ".common" => {
                self.at = from;
                Ok(())
            }
            ".local" if !self.open.is_empty() => {
                // `.local .align 16 .b8 __local_depot0[32];`: LLVM keeps a function's stack in one array of bytes.
                let declared = self.through_semicolon(from);
                let bytes = declared.contains(".b8").then(|| declared.rsplit_once('[')).flatten();
                match bytes.and_then(|(_, size)| size.trim_end_matches(']').trim().parse().ok()) {
                    Some(bytes) => self.stream.fact(".local bytes=", bytes, budget),
                    None => Ok(()),
                }
            }
            ".entry" | ".func" if self.open.is_empty() => self.function(word == ".entry", from, budget),
            ".section" => {
                let close = memchr(b'}', &self.bytes()[from..]);
                self.at = from
                    + 1
                    + close.ok_or(AnalyzeError::Truncated {
                        stage: Stage::Ptx,
                        missing: "the closing brace of a section",
                    })?;
                Ok(())
            }
            _ => {
                self.through_semicolon(from);
                Ok(())
            }
        }
    }

    /// `.loc file line column [, function_name label, inlined_at file line column]`, and behind it, in a comment, the
    /// place as LLVM prints it. There is no `;`: the line ends the statement.
    ///
    /// Until Triton 3.7 only the comment tells of calls; from 3.9 on only the attribute does (PTX ISA 11.5.2).
    fn loc(&mut self, budget: &mut Budget) -> Result<(), AnalyzeError> {
        let numbers = [self.integer(), self.integer(), self.integer()];
        let from = self.at;
        self.line_end();
        let rest = &self.text[from..self.at];
        budget.work(20 + rest.len() as u64)?;
        let [Some(file), Some(line), column] = numbers else { return Ok(()) };
        let place = place(self.stream, (file, line, column.unwrap_or(0)), rest, budget)?;
        self.stream.places.remember(place, budget)?;
        self.stream.location(place, budget)
    }

    fn integer(&mut self) -> Option<u32> {
        while matches!(self.peek(), b' ' | b'\t') {
            self.at += 1;
        }
        let mut value: Option<u32> = None;
        while self.peek().is_ascii_digit() {
            value = Some(value.unwrap_or(0).checked_mul(10)?.checked_add(u32::from(self.peek() - b'0'))?);
            self.at += 1;
        }
        value
    }

    /// `.entry name (…) bounds {` or a declaration that ends in `;`.
    fn function(&mut self, kernel: bool, from: usize, budget: &mut Budget) -> Result<(), AnalyzeError> {
        let bytes = self.bytes();
        let (mut at, mut depth) = (from, 0_usize);
        let stop = loop {
            match bytes.get(at) {
                None => {
                    return Err(AnalyzeError::Truncated { stage: Stage::Ptx, missing: "the body of a function" });
                }
                Some(b'(') => depth += 1,
                Some(b')') => depth = depth.saturating_sub(1),
                Some(b'{' | b';') if depth == 0 => break at,
                Some(b'/') if bytes.get(at + 1) == Some(&b'/') => {
                    at = memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end);
                }
                Some(_) => {}
            }
            at += 1;
        };
        budget.work((stop - from) as u64)?;
        let head = &self.text[from..stop];
        self.at = stop + 1;
        if bytes[stop] == b';' {
            return Ok(());
        }
        // A function may name its return value first: `.func (.param .b32 r) name (…)`.
        let behind = match head.trim_start().strip_prefix('(') {
            Some(rest) => rest.split_once(')').map_or("", |(_, rest)| rest),
            None => head,
        };
        let name = behind.trim_start().split(|c: char| c == '(' || c.is_whitespace()).next().unwrap_or_default();
        if name.is_empty() || name.len() > lowerline_shared::limits::KERNEL_NAME_BYTES {
            return Err(AnalyzeError::Malformed {
                stage: Stage::Ptx,
                offset: from,
                what: "a function name of 1 to 20,480 bytes was expected",
            });
        }
        if kernel {
            self.header.bounds(behind);
        }
        self.stream.function(name, kernel, 0, budget)?;
        for (directive, head) in [(".maxnreg", ".maxnreg registers="), (".minnctapersm", ".minnctapersm blocks=")] {
            if let Some(value) = header::number_behind(behind, directive) {
                self.stream.fact(head, value, budget)?;
            }
        }
        self.open_scope(budget)
    }
}
