//! One line, one instruction, label, heading or second half of an encoding.

use lowerline_shared::stage::Stage;
use memchr::memchr;

use super::control;
use crate::{
    AnalyzeError, Budget, detect,
    stream::{Keep, Known, Stream, Written},
};

/// Facts of the whole file.
#[derive(Debug, Default)]
pub(crate) struct Header<'a> {
    pub target: Option<&'a str>,
}

struct Scanner<'a, 's> {
    text: &'a str,
    header: Header<'a>,
    stream: &'s mut Stream<'a>,
    /// Names that a `.type name,@function` line announced.
    functions: Vec<&'a str>,
    /// Labels that `.size name,(label - name)` lines put behind the last instruction.
    ends: Vec<&'a str>,
    /// Functions that `cuobjdump -sass` heads below a `code for` line, and the rows of dots it ends them with.
    headings: usize,
    rulers: usize,
    /// Set by a heading, used by the next instruction.
    pending: Option<(&'a str, bool)>,
    /// Frames of the source lines read since the last instruction, the innermost first, and the call that the last of
    /// them names.
    frames: Vec<(u32, u32, u32)>,
    call: Option<(u32, u32, u32)>,
}

/// Reads the whole text.
pub(crate) fn scan<'a>(
    text: &'a str,
    stream: &mut Stream<'a>,
    budget: &mut Budget,
) -> Result<Header<'a>, AnalyzeError> {
    let mut scanner = Scanner {
        text,
        header: Header::default(),
        stream,
        functions: Vec::new(),
        ends: Vec::new(),
        headings: 0,
        rulers: 0,
        pending: None,
        frames: Vec::new(),
        call: None,
    };
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if let Some(next) = scanner.plain(at, budget)? {
            at = next;
            continue;
        }
        let end = memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |found| at + found);
        scanner.line(at, end, budget)?;
        at = end + 1;
    }
    scanner.check_ends(budget)?;
    if scanner.functions.is_empty() {
        scanner.stream.split_called(budget)?;
    }
    Ok(scanner.header)
}

/// First byte at or after `at` that is no space, or `end`.
fn skip_space(bytes: &[u8], at: usize, end: usize) -> usize {
    const SPACES: [u8; 8] = [b' '; 8];
    let mut at = at;
    while at + 8 <= end && bytes[at..at + 8] == SPACES {
        at += 8;
    }
    while at < end && matches!(bytes[at], b' ' | b'\t' | b'\r') {
        at += 1;
    }
    at
}

/// Bytes that end a mnemonic.
const ENDS: [bool; 256] = {
    let mut table = [false; 256];
    let mut at = 0;
    while at < b" ;\t\r\n".len() {
        table[b" ;\t\r\n"[at] as usize] = true;
        at += 1;
    }
    table
};

/// Where `nvdisasm` prints a mnemonic whose address has four digits: `        /*0030*/                   MOV`.
const COLUMN: usize = 35;

/// Whether the line at `from` has an address of four digits, nothing but spaces, and a mnemonic at [`COLUMN`].
#[inline]
fn has_column(bytes: &[u8], from: usize) -> bool {
    let Some(line) = bytes.get(from..).and_then(<[u8]>::first_chunk::<{ COLUMN + 1 }>) else { return false };
    line[..8] == [b' '; 8]
        && line[8..10] == *b"/*"
        && line[10..14].iter().all(u8::is_ascii_hexdigit)
        && line[14..16] == *b"*/"
        && line[16..24] == [b' '; 8]
        && line[24..32] == [b' '; 8]
        && line[27..COLUMN] == [b' '; 8]
        && line[COLUMN].is_ascii_uppercase()
}

/// Where the mnemonic of such a line begins, and whether a guard stands before it.
#[inline]
fn mnemonic_at(bytes: &[u8], from: usize) -> Option<(usize, bool)> {
    if has_column(bytes, from) {
        return Some((from + COLUMN, false));
    }
    let address = bytes[from..].strip_prefix(b"        /*")?;
    let digits = address.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let behind = address[digits..].strip_prefix(b"*/").filter(|_| digits > 0)?;
    let mut code = skip_space(bytes, bytes.len() - behind.len(), bytes.len());
    let guarded = bytes.get(code) == Some(&b'@');
    if guarded {
        let length = bytes[code..].iter().take_while(|byte| !ENDS[usize::from(**byte)]).count();
        code = skip_space(bytes, code + length, bytes.len());
    }
    bytes.get(code).is_some_and(u8::is_ascii_uppercase).then_some((code, guarded))
}

impl<'a> Scanner<'a, '_> {
    /// The line that nearly all lines are, `        /*0030*/    MOV R1, R2 ;`, read without looking for its end first.
    /// Returns where the next line begins; `None` leaves the line to [`Self::line`].
    #[inline]
    fn plain(&mut self, from: usize, budget: &mut Budget) -> Result<Option<usize>, AnalyzeError> {
        let bytes = self.text.as_bytes();
        if self.pending.is_some() || !self.frames.is_empty() || self.stream.functions.is_empty() {
            return Ok(None);
        }
        let Some((code, guarded)) = mnemonic_at(bytes, from) else { return Ok(None) };
        // Other control characters than these do not end a mnemonic here.
        let ends = |known: &Known| bytes.get(known.end()).is_some_and(|byte| ENDS[usize::from(*byte)]);
        let (mnemonic, at, looks) = if let Some(known) = self.stream.known(bytes, code).filter(ends) {
            (&self.text[code..known.end()], known.end(), self.stream.push_known(known, code, budget)?)
        } else {
            let length = bytes[code..].iter().take_while(|byte| !ENDS[usize::from(**byte)]).count();
            let mnemonic = &self.text[code..code + length];
            (mnemonic, code + length, self.stream.push(mnemonic, code, budget)?)
        };
        let end = memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |found| at + found);
        if looks {
            let stop = memchr(b';', &bytes[at..end]).map_or(end, |found| at + found);
            let operands = &self.text[at..stop];
            let written = Written { mnemonic, operands, comment: "", guarded, offset: code };
            self.stream.look(&written, 0, budget)?;
        }
        Ok(Some(end + 1))
    }

    fn line(&mut self, from: usize, end: usize, budget: &mut Budget) -> Result<(), AnalyzeError> {
        let bytes = self.text.as_bytes();
        let start = skip_space(bytes, from, end);
        match bytes.get(start..end).and_then(<[u8]>::first) {
            None => Ok(()),
            Some(b'/') => self.slash(start, end, budget),
            Some(b'.') => self.directive(start, end, budget),
            Some(b'-' | b'0'..=b'9') if is_control(&bytes[start..end]) => {
                let code = skip_space(bytes, start + CONTROL_BYTES, end);
                self.instruction(None, code, end, budget)?;
                if let Some(word) = control::from_text(&bytes[start..start + CONTROL_BYTES]) {
                    self.stream.control(word);
                }
                Ok(())
            }
            Some(_) => self.other(start, end, budget),
        }
    }

    /// `/*0030*/ instruction`, the second half of an encoding, a source line, or a ruler.
    fn slash(&mut self, start: usize, end: usize, budget: &mut Budget) -> Result<(), AnalyzeError> {
        let bytes = self.text.as_bytes();
        let line = &bytes[start..end];
        if line.get(1) != Some(&b'*') {
            return match line.strip_prefix(b"//## File ") {
                Some(_) => self.source(&self.text[start + 10..end], budget),
                None => Ok(()),
            };
        }
        let mut digits = 0;
        while line.get(2 + digits).is_some_and(u8::is_ascii_hexdigit) {
            digits += 1;
        }
        let behind = 2 + digits;
        if digits == 0 || line.get(behind) != Some(&b'*') || line.get(behind + 1) != Some(&b'/') {
            // `/* 0x… */` alone is the second half of an encoding.
            if let Some(upper) = line.strip_prefix(b"/* 0x").and_then(encoding) {
                self.stream.control(control::from_encoding(upper));
            }
            return Ok(());
        }
        let code = skip_space(bytes, start + behind + 2, end);
        self.instruction(Some((start + 2, start + behind)), code, end, budget)
    }

    fn instruction(
        &mut self,
        address: Option<(usize, usize)>,
        code: usize,
        end: usize,
        budget: &mut Budget,
    ) -> Result<(), AnalyzeError> {
        let bytes = self.text.as_bytes();
        let mut at = code;
        // A dual-issue brace of older machines is no part of the instruction.
        if bytes.get(at) == Some(&b'{') {
            at = skip_space(bytes, at + 1, end);
        }
        let guarded = at < end && bytes[at] == b'@';
        if guarded {
            while at < end && !matches!(bytes[at], b' ' | b'\t') {
                at += 1;
            }
            at = skip_space(bytes, at, end);
        }
        let from = at;
        while at < end && !matches!(bytes[at], b' ' | b';' | b'\t' | b'\r') {
            at += 1;
        }
        if at == from || !bytes[from].is_ascii_uppercase() {
            return Ok(());
        }
        if self.pending.is_some() || self.stream.functions.is_empty() {
            let (name, kernel) = self.pending.take().unwrap_or(("", true));
            let hex = address.and_then(|(from, to)| self.text.get(from..to));
            let base = hex.and_then(|hex| u64::from_str_radix(hex, 16).ok()).unwrap_or(0);
            self.stream.function(name, kernel, base, budget)?;
        }
        if !self.frames.is_empty() {
            self.place(budget)?;
        }
        let mnemonic = &self.text[from..at];
        if self.stream.push(mnemonic, from, budget)? {
            let stop = memchr(b';', &bytes[at..end]).map_or(end, |found| at + found);
            let written = Written { mnemonic, operands: &self.text[at..stop], comment: "", guarded, offset: from };
            self.stream.look(&written, 0, budget)?;
        }
        Ok(())
    }

    /// `"path", line N[ inlined at "path", line N]`. With `-gi` one line follows another from callee to caller, and each
    /// but the last names the next.
    fn source(&mut self, rest: &'a str, budget: &mut Budget) -> Result<(), AnalyzeError> {
        if self.stream.keep == Keep::Counts {
            return Ok(());
        }
        budget.work(20 + rest.len() as u64)?;
        let (own, call) = match rest.split_once(" inlined at ") {
            Some((own, call)) => (own, Some(call)),
            None => (rest, None),
        };
        let own = self.frame(own, budget)?;
        if self.call.is_none() {
            self.frames.clear();
        }
        self.frames.extend(own);
        self.call = match call {
            Some(call) => self.frame(call, budget)?,
            None => None,
        };
        Ok(())
    }

    /// `"path", line N`; line 0 where no number stands.
    fn frame(&mut self, text: &'a str, budget: &mut Budget) -> Result<Option<(u32, u32, u32)>, AnalyzeError> {
        let mut parts = text.splitn(3, '"');
        let (Some(""), Some(path), Some(tail)) = (parts.next(), parts.next(), parts.next()) else { return Ok(None) };
        let line = tail
            .split_once("line ")
            .and_then(|(_, line)| line.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u32>().ok());
        Ok(Some((self.stream.places.file(path, budget)?, line.unwrap_or(0), 0)))
    }

    /// The source lines read so far hold from the next instruction on.
    fn place(&mut self, budget: &mut Budget) -> Result<(), AnalyzeError> {
        let call = self.call.take();
        self.frames.extend(call);
        let place = self.stream.places.chain(&self.frames, budget)?;
        self.frames.clear();
        self.stream.location(place, budget)
    }

    fn directive(&mut self, start: usize, end: usize, budget: &mut Budget) -> Result<(), AnalyzeError> {
        budget.work(20)?;
        let line = self.text[start..end].trim_ascii_end();
        let code = line.split("//").next().unwrap_or_default().trim_ascii_end();
        if let Some(label) = code.strip_suffix(':') {
            // `.text.name:` repeats the function's own label.
            return if label.starts_with(".text.") { Ok(()) } else { self.stream.label(label, 0, budget) };
        }
        if code.len() > 3 && code.bytes().all(|byte| byte == b'.') {
            self.rulers += usize::from(self.headings > self.rulers);
            return Ok(());
        }
        let mut words = code.split_ascii_whitespace();
        match (words.next(), words.next()) {
            (Some(".target"), Some(target)) => self.header.target = self.header.target.or(Some(target)),
            (Some(".type"), Some(rest)) => {
                if let Some(name) = rest.strip_suffix(",@function") {
                    budget.store(1)?;
                    self.functions.push(name);
                }
            }
            (Some(".size"), Some(_)) => {
                let end = code.split_once(",(").and_then(|(_, rest)| rest.split_once(" - "));
                if let Some((label, _)) = end {
                    budget.store(1)?;
                    self.ends.push(label);
                }
            }
            (Some(".other"), Some(rest)) => {
                if let Some((name, flags)) = rest.split_once(',')
                    && flags.contains("STO_CUDA_ENTRY")
                {
                    self.pending = Some((name, true));
                }
            }
            (Some(".amdgcn_target" | ".amdgpu_target"), Some(_)) => {
                return Err(AnalyzeError::TwoStages { first: Stage::Sass, second: Stage::Amdgcn, offset: start });
            }
            (Some(".version"), Some(_)) => {
                return Err(AnalyzeError::TwoStages { first: Stage::Sass, second: Stage::Ptx, offset: start });
            }
            _ => {}
        }
        Ok(())
    }

    /// A text that stops before the end label of a function would count too little.
    fn check_ends(&self, budget: &mut Budget) -> Result<(), AnalyzeError> {
        if self.rulers < self.headings {
            return Err(AnalyzeError::Truncated { stage: Stage::Sass, missing: "the row of dots behind a function" });
        }
        for end in &self.ends {
            let place = self.stream.labels.iter().rev().position(|label| label.name == *end);
            let function = || self.stream.functions.iter().any(|function| function.name == *end);
            budget.work(4 * place.unwrap_or(self.stream.labels.len()) as u64 + 4)?;
            if place.is_none() && !function() {
                return Err(AnalyzeError::Truncated { stage: Stage::Sass, missing: "the end label of a function" });
            }
        }
        Ok(())
    }

    fn other(&mut self, start: usize, end: usize, budget: &mut Budget) -> Result<(), AnalyzeError> {
        budget.work(20)?;
        let line = self.text[start..end].trim_ascii_end();
        let code = line.split("//").next().unwrap_or_default().trim_ascii_end();
        if let Some(name) = code.strip_prefix("Function : ").or_else(|| code.strip_prefix("Function:")) {
            self.pending = Some((name.trim(), true));
            self.headings += usize::from(self.header.target.is_some());
        } else if let Some(target) = code.strip_prefix("code for ") {
            if self.header.target.is_some_and(|first| first != target) {
                return Err(AnalyzeError::Malformed {
                    stage: Stage::Sass,
                    offset: start,
                    what: "code for a second target; split the text at its `code for` lines",
                });
            }
            self.header.target = Some(target);
        } else if let Some(name) = code.strip_suffix(':') {
            if self.functions.last() == Some(&name) {
                let kernel = matches!(self.pending, Some((pending, true)) if pending == name);
                self.pending = Some((name, kernel));
            } else {
                return self.stream.label(name, 0, budget);
            }
        } else if let Some(second) = detect::head_stage(code.as_bytes())
            && second != Stage::Sass
        {
            return Err(AnalyzeError::TwoStages { first: Stage::Sass, second, offset: start });
        }
        Ok(())
    }
}

/// The 16 hex digits at the start.
fn encoding(text: &[u8]) -> Option<u64> {
    let digits = std::str::from_utf8(text.get(..16)?).ok()?;
    u64::from_str_radix(digits, 16).ok()
}

/// Bytes of `02:-:-:Y:d`.
const CONTROL_BYTES: usize = 10;

/// Triton's control fields: wait mask, read barrier, write barrier, yield, stall.
fn is_control(line: &[u8]) -> bool {
    line.len() > CONTROL_BYTES && [2, 4, 6, 8].iter().all(|at| line[*at] == b':')
}
