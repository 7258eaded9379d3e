//! One line of LLVM IR.

/// What stands between two pieces of plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `%12`, `%.frozen`, `%"a b"`.
    Local,
    /// `@name`.
    Global,
    /// `!12`, `!dbg`.
    Metadata,
    /// `#3`.
    Group,
    /// A string with its quotes.
    Text,
    /// `;` and all behind it.
    Comment,
}

/// Reads the names and strings of one line.
#[derive(Clone, Debug)]
pub(crate) struct Parts<'a> {
    line: &'a str,
    at: usize,
}

const fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'$' | b'.' | b'_' | b'\\')
}

impl<'a> Parts<'a> {
    pub const fn new(line: &'a str) -> Self {
        Self { line, at: 0 }
    }

    /// LLVM writes a quote within a string as `\22`, so the next quote ends it.
    fn string_end(&self, at: usize) -> usize {
        let rest = self.line.as_bytes().get(at + 1..).unwrap_or_default();
        memchr::memchr(b'"', rest).map_or(self.line.len(), |n| at + 1 + n + 1)
    }
}

impl<'a> Iterator for Parts<'a> {
    /// Kind, offset, text.
    type Item = (Kind, usize, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.line.as_bytes();
        loop {
            let at = self.at;
            let kind = match bytes.get(at)? {
                b'%' => Kind::Local,
                b'@' => Kind::Global,
                b'!' => Kind::Metadata,
                b'#' => Kind::Group,
                b'"' => Kind::Text,
                b';' => Kind::Comment,
                _ => {
                    self.at += 1;
                    continue;
                }
            };
            let end = match kind {
                Kind::Comment => self.line.len(),
                Kind::Text => self.string_end(at),
                Kind::Local | Kind::Global if bytes.get(at + 1) == Some(&b'"') => self.string_end(at + 1),
                _ => {
                    let name = bytes.get(at + 1..).unwrap_or_default();
                    at + 1 + name.iter().take_while(|byte| in_name(**byte)).count()
                }
            };
            self.at = end;
            return Some((kind, at, self.line.get(at..end)?));
        }
    }
}

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Instruction<'a> {
    /// `add`, `call`, `getelementptr`.
    pub opcode: &'a str,
    /// Behind the opcode.
    pub rest: &'a str,
}

/// Reads an instruction of a function's body; `None` for anything else.
pub(super) fn instruction(line: &str) -> Option<Instruction<'_>> {
    let mut text = line;
    if line.starts_with('%') {
        let (_, _, name) = Parts::new(line).next()?;
        text = line.get(name.len()..)?.trim_start().strip_prefix('=')?.trim_start();
    }
    let (mut opcode, mut rest) = word(text);
    if matches!(opcode, "tail" | "musttail" | "notail") {
        (opcode, rest) = word(rest.trim_start());
    }
    let is_opcode = opcode.starts_with(|c: char| c.is_ascii_lowercase()) && (rest.is_empty() || rest.starts_with(' '));
    is_opcode.then_some(Instruction { opcode, rest })
}

fn word(text: &str) -> (&str, &str) {
    let end = text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// The name of a block: `165:` or `.lr.ph:`.
pub(crate) fn label(line: &str) -> Option<&str> {
    if line.starts_with('"') {
        let end = line.get(1..)?.find('"')? + 2;
        return line.get(end..)?.starts_with(':').then_some(line.get(1..end - 1)?);
    }
    let end = line.bytes().take_while(|byte| in_name(*byte)).count();
    (end > 0 && line.get(end..)?.starts_with(':')).then_some(line.get(..end)?)
}

/// What a call calls: an intrinsic's name, inline assembly, or nothing of interest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Callee<'a> {
    /// `llvm.nvvm.barrier0`.
    Intrinsic(&'a str),
    /// Assembly text as written between its quotes.
    Assembly(&'a str),
    /// A function or pointer.
    Other,
}

/// The callee of a `call`, given what stands behind the opcode.
pub(super) fn callee(rest: &str) -> Callee<'_> {
    for (kind, at, text) in Parts::new(rest) {
        match kind {
            Kind::Global => {
                let name = text.trim_start_matches('@').trim_matches('"');
                return if name.starts_with("llvm.") { Callee::Intrinsic(name) } else { Callee::Other };
            }
            Kind::Text => {
                let before = rest.get(..at).unwrap_or("");
                if before.split_ascii_whitespace().any(|word| word == "asm") {
                    return Callee::Assembly(text.trim_matches('"'));
                }
            }
            // A call through a pointer names a local before its arguments do.
            Kind::Local => return Callee::Other,
            _ => {}
        }
    }
    Callee::Other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_labels_and_callees() {
        let line = "%12 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !12";
        let read = instruction(line).expect("a call");
        assert_eq!((read.opcode, callee(read.rest)), ("call", Callee::Intrinsic("llvm.nvvm.read.ptx.sreg.ctaid.x")));
        let read = instruction("call void asm sideeffect \"bar.sync 0;\", \"r\"(i32 %1) #3").expect("a call");
        assert_eq!(callee(read.rest), Callee::Assembly("bar.sync 0;"));
        assert_eq!(instruction("ret void").map(|read| read.opcode), Some("ret"));
        assert_eq!(instruction("i8 0, label %5"), Some(Instruction { opcode: "i8", rest: " 0, label %5" }));
        assert_eq!(label("165:    ; preds = %.lr.ph"), Some("165"));
        assert_eq!(label("._crit_edge:"), Some("._crit_edge"));
        assert_eq!(label("add:i"), Some("add"));
        assert_eq!(instruction("}"), None);
    }
}
