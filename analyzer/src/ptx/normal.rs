//! The normal digest of PTX.

use lowerline_shared::ids::Digest;
use memchr::{memchr, memmem};

use crate::{AnalyzeError, Budget, normal::text::Chunks};

/// Labels that only debug sections name (LLVM's temporary symbols).
const DEBUG_LABELS: [&str; 4] = ["$L__tmp", "$L__func_", "$L__info_", "$L__sec"];

/// Equal for texts that differ in comments, locations, debug sections, register and label numbers or function order.
pub(super) fn digest(text: &str, budget: &mut Budget) -> Result<Digest, AnalyzeError> {
    let mut chunks = Chunks::new();
    let bytes = text.as_bytes();
    let (mut at, mut braces, mut parens) = (0, 0_usize, 0_usize);
    while let Some(byte) = bytes.get(at).copied() {
        let line_end = || memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end);
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => at += 1,
            b'/' if bytes.get(at + 1) == Some(&b'/') => at = line_end(),
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = memmem::find(&bytes[at..], b"*/").map_or(bytes.len(), |end| at + end + 2);
            }
            b'"' => {
                let end = memchr(b'"', &bytes[at + 1..]).map_or(bytes.len(), |end| at + 1 + end + 1);
                chunks.token(&text[at..end], budget)?;
                at = end;
            }
            _ if is_word(byte) => {
                let end = word_end(bytes, at);
                let word = &text[at..end];
                match word {
                    ".loc" | ".file" => at = line_end(),
                    ".section" => at = memchr(b'}', &bytes[at..]).map_or(bytes.len(), |close| at + close + 1),
                    // How many registers of a kind are declared follows from the code.
                    ".reg" => at = memchr(b';', &bytes[at..]).map_or(bytes.len(), |end| at + end + 1),
                    _ => {
                        at = end;
                        if word.starts_with("$L__") && DEBUG_LABELS.iter().any(|head| word.starts_with(head)) {
                            at += usize::from(bytes.get(at) == Some(&b':'));
                        } else if is_numbered(word) {
                            chunks.name(b'%', word, budget)?;
                        } else {
                            chunks.token(word, budget)?;
                        }
                        if braces == 0 && matches!(word, ".version" | ".target" | ".address_size") {
                            let end = memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end);
                            let value = text[at..end].split("//").next().unwrap_or_default();
                            chunks.token(value.trim(), budget)?;
                            chunks.cut(budget)?;
                            at = end;
                        }
                    }
                }
            }
            _ => {
                let width = text[at..].chars().next().map_or(1, char::len_utf8);
                chunks.token(&text[at..at + width], budget)?;
                at += width;
                match byte {
                    b'{' => braces += 1,
                    b'}' => braces = braces.saturating_sub(1),
                    b'(' => parens += 1,
                    b')' => parens = parens.saturating_sub(1),
                    _ => {}
                }
                // `= {1, 2};` ends with its `;`, a function with its brace.
                if braces == 0 && parens == 0 && (byte == b';' || (byte == b'}' && !initializer(bytes, at))) {
                    chunks.cut(budget)?;
                }
            }
        }
    }
    chunks.finish(budget)
}

/// Whether `;` follows the closing brace.
fn initializer(bytes: &[u8], at: usize) -> bool {
    bytes[at..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b';')
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b'%')
}

fn word_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    loop {
        while bytes.get(at).is_some_and(|byte| is_word(*byte)) {
            at += 1;
        }
        if bytes.get(at..at + 2) != Some(b"::") {
            return at.max(from + 1);
        }
        at += 2;
    }
}

/// Virtual registers (`%rd12`) and LLVM's block labels (`$L__BB0_2`); not special registers (`%tid.x`, `%clock64`).
fn is_numbered(word: &str) -> bool {
    if word.starts_with("$L__BB") {
        return true;
    }
    let Some(name) = word.as_bytes().strip_prefix(b"%") else { return false };
    let letters = name.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    let (letters, digits) = name.split_at(letters);
    !digits.is_empty()
        && digits.iter().all(u8::is_ascii_digit)
        && matches!(letters, b"p" | b"r" | b"rd" | b"rs" | b"rc" | b"rq" | b"f" | b"fd" | b"h" | b"hh" | b"b")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    fn of(text: &str) -> Digest {
        digest(text, &mut Budget::new(&Limits::default())).expect("within the limits")
    }

    const A: &str = ".version 8.7\n.target sm_90a\n.visible .entry k(\n.param .u64 k_0\n)\n{\n\t.reg .b32 %r<5>;\n\
        $L__BB0_1:\n\tadd.s32 %r1, %r2, 1;\n\t@%p1 bra $L__BB0_1;\n\tret;\n}\n";

    #[test]
    fn names_numbers_and_debug_text_do_not_show() {
        let b = ".version 8.7 // made elsewhere\n.target sm_90a\n.visible .entry k(\n\t.param .u64 k_0\n)\n{\n\
            \t.reg .b32 %r<9>;\n\t.loc 1 2 3 // a.py:2\n$L__tmp4:\n$L__BB0_7:\n\t// begin inline asm\n\tadd.s32 %r7, %r3, 1;\n\
            \t@%p2 bra $L__BB0_7;\n\tret;\n}\n\t.file 1 \"/home/a.py\"\n\t.section .debug_abbrev\n\t{\n.b8 1\n\t}\n";
        assert_eq!(of(A), of(b));
    }

    #[test]
    fn operands_and_constants_show() {
        assert_ne!(of(A), of(&A.replace("%r2, 1", "%r2, 2")));
        assert_ne!(of(A), of(&A.replace("%r1, %r2", "%r1, %r1")));
        assert_ne!(of(A), of(&A.replace("add.s32", "sub.s32")));
        assert_ne!(of(A), of(&A.replace("sm_90a", "sm_90")));
    }

    #[test]
    fn functions_may_change_places() {
        let (f, g) = (".func f()\n{\n\tret;\n}\n", ".func g()\n{\n\ttrap;\n}\n");
        assert_eq!(of(&format!("{f}{g}")), of(&format!("{g}{f}")));
    }
}
