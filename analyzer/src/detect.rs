//! What the bytes are, by content and never by name.

use lowerline_shared::stage::Stage;

use crate::{AnalyzeError, fatbin};

/// ELF machine of NVIDIA device code (`EM_CUDA` in LLVM's BinaryFormat/ELF.h).
const EM_CUDA: u16 = 190;
/// ELF machine of AMD device code (`EM_AMDGPU`).
const EM_AMDGPU: u16 = 224;
/// Lines looked at before giving up: debug comments and layout aliases stand before what decides.
const LINES: usize = 4_096;

/// The stage of the content; MLIR is told apart only as far as it says (see [`same_format`]).
pub fn detect(bytes: &[u8]) -> Result<Stage, AnalyzeError> {
    if bytes.is_empty() {
        return Err(AnalyzeError::Empty);
    }
    if bytes.starts_with(b"\x7fELF") {
        // e_machine is little-endian in both vendors' objects (EI_DATA = 1).
        return match bytes.get(18..20).map(|half| u16::from_le_bytes([half[0], half[1]])) {
            Some(EM_CUDA) => Ok(Stage::Cubin),
            Some(EM_AMDGPU) => Ok(Stage::Hsaco),
            _ => Err(AnalyzeError::UnknownStage),
        };
    }
    if fatbin::is_fatbin(bytes) {
        return Err(AnalyzeError::Fatbin);
    }
    let lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).take(LINES);
    let mut mlir = false;
    for line in lines {
        if let Some(stage) = line_stage(line) {
            return Ok(stage);
        }
        mlir |= is_alias(line);
        if is_module(line) || line.starts_with(b"tt.func ") || line.starts_with(b"\"builtin.module\"") {
            // Layouts are chosen from TTGIR on, and the module says for how many warps.
            let chosen = [&b"ttg.num-warps"[..], b"triton_gpu.num-warps"];
            // The generic form has a module's attributes behind its region.
            let head = if line.starts_with(b"\"") { bytes } else { line };
            let laid_out = chosen.iter().any(|key| memchr::memmem::find(head, key).is_some());
            return Ok(if laid_out { Stage::Ttgir } else { Stage::Ttir });
        }
    }
    if mlir { Ok(Stage::Ttir) } else { Err(AnalyzeError::UnknownStage) }
}

/// `module {`, `module @name …` or `module attributes …`; other languages have modules, too.
fn is_module(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"module") else { return false };
    let rest = rest.trim_ascii_start();
    [&b"{"[..], b"@", b"attributes"].iter().any(|head| rest.starts_with(head))
}

/// `#name = #dialect.attribute…`, `#loc1 = loc(…)` or `#map = affine_map<…>`; comments of other languages begin alike.
fn is_alias(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"#") else { return false };
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'_' | b'.' | b'$');
    let name = rest.iter().take_while(is_name).count();
    let value = rest.get(name..).and_then(|rest| rest.strip_prefix(b" = "));
    value.is_some_and(|value| name > 0 && [&b"#"[..], b"loc(", b"affine_"].iter().any(|head| value.starts_with(head)))
}

/// The stage that a trimmed line alone decides.
pub(crate) fn line_stage(line: &[u8]) -> Option<Stage> {
    let starts = |heads: &[&[u8]]| heads.iter().any(|head| line.starts_with(head));
    match line.first()? {
        b'.' if starts(&[b".amdgcn_target", b".amdgpu_target"]) => Some(Stage::Amdgcn),
        b'.' if starts(&[b".version "]) => Some(Stage::Ptx),
        b'.' if starts(&[b".target\tsm_", b".elftype", b".headerflags"]) => Some(Stage::Sass),
        b'/' if starts(&[b"//--------------------- ."]) || is_sass_instruction(line) => Some(Stage::Sass),
        b'c' if starts(&[b"code for sm_"]) => Some(Stage::Sass),
        // Triton writes the name right behind the colon; prose does not.
        b'F' if starts(&[b"Function : "]) || (starts(&[b"Function:"]) && !starts(&[b"Function: "])) => {
            Some(Stage::Sass)
        }
        b';' if starts(&[b"; ModuleID = "]) => Some(Stage::Llir),
        b's' if starts(&[b"source_filename = "]) => Some(Stage::Llir),
        b't' if starts(&[b"target datalayout = ", b"target triple = "]) => Some(Stage::Llir),
        // Shells and makefiles define and declare without a name of LLVM.
        b'd' if starts(&[b"define ", b"declare "]) && memchr::memmem::find(line, b" @").is_some() => Some(Stage::Llir),
        _ => None,
    }
}

/// The stage that a trimmed line begins, MLIR included: its first lines are no instruction of another stage.
pub(crate) fn head_stage(line: &[u8]) -> Option<Stage> {
    let mlir =
        [&b"module {"[..], b"module attributes ", b"module @", b"\"builtin.module\"", b"tt.func ", b"#loc = loc("];
    line_stage(line).or_else(|| mlir.iter().any(|head| line.starts_with(head)).then_some(Stage::Ttir))
}

/// `/*0a10*/` and more behind it.
fn is_sass_instruction(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"/*") else { return false };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    digits >= 4 && rest[digits..].starts_with(b"*/") && rest.len() > digits + 3
}

/// Whether two stages are one format: MLIR stages differ in passes, not in syntax, so a sender's word decides between
/// `source`, `ttir`, `glir` and `ttgir`.
pub const fn same_format(a: Stage, b: Stage) -> bool {
    const fn mlir(stage: Stage) -> bool {
        matches!(stage, Stage::Source | Stage::Ttir | Stage::Glir | Stage::Ttgir)
    }
    a as u8 == b as u8 || (mlir(a) && mlir(b))
}

/// Checks that text is text.
pub(crate) fn text(bytes: &[u8], stage: Stage) -> Result<&str, AnalyzeError> {
    let text =
        std::str::from_utf8(bytes).map_err(|error| AnalyzeError::NotText { stage, offset: error.valid_up_to() })?;
    // Postgres' text type cannot hold NUL, and no compiler writes it.
    if let Some(offset) = memchr::memchr(0, bytes) {
        return Err(AnalyzeError::NotText { stage, offset });
    }
    // As one single line, most of the file would be the comment or the operation it begins with.
    match memchr::memchr2(b'\n', b'\r', bytes) {
        Some(offset) if bytes[offset] == b'\r' && memchr::memchr(b'\n', bytes).is_none() => {
            Err(AnalyzeError::Malformed {
                stage,
                offset,
                what: "lines end with a lone CR here; write them with LF or CR LF",
            })
        }
        _ => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_decides() {
        let cases: [(&[u8], Result<Stage, AnalyzeError>); 9] = [
            (b"//\n// Generated\n.version 8.7\n.target sm_90a\n", Ok(Stage::Ptx)),
            (b"\t.target\tsm_100a\n", Ok(Stage::Sass)),
            (b"\n\tcode for sm_80\n", Ok(Stage::Sass)),
            (b"Function:k\n--:-:-:-:1\tNOP;\n", Ok(Stage::Sass)),
            (b"        /*0000*/                   NOP ;\n", Ok(Stage::Sass)),
            (b"\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n", Ok(Stage::Amdgcn)),
            (b"#loc = loc(unknown)\nmodule {\n", Ok(Stage::Ttir)),
            (b"module attributes {\"ttg.num-warps\" = 4 : i32} {\n", Ok(Stage::Ttgir)),
            (b"hello\n", Err(AnalyzeError::UnknownStage)),
        ];
        for (bytes, expected) in cases {
            assert_eq!(detect(bytes), expected, "{}", String::from_utf8_lossy(bytes));
        }
    }

    /// Files that lie about in folders of code and look like an artifact for a line.
    #[test]
    fn code_and_prose_of_others_is_no_stage() {
        let cases = [
            "module.exports = 1;\n",
            "module Main where\n",
            "# rate = 3\nprint(rate)\n",
            "#rate = 3\n",
            "# loc = somewhere\n",
            "#location of the file\n",
            "declare -a names=(\"$@\")\n",
            "define HELP\nall of it\nendef\n",
            "Function: what it does\n",
            "modules = []\n",
        ];
        for text in cases {
            assert_eq!(detect(text.as_bytes()), Err(AnalyzeError::UnknownStage), "{text}");
        }
        let aliases = "#blocked = #ttg.blocked<{}>\n#loc1 = loc(\"a.py\":1:2)\n";
        assert_eq!(detect(aliases.as_bytes()), Ok(Stage::Ttir));
        assert_eq!(detect(b"define void @k(ptr %0) {\n"), Ok(Stage::Llir));
        assert_eq!(detect(b"module @name {\n"), Ok(Stage::Ttir));
    }

    #[test]
    fn a_sender_decides_only_between_stages_of_one_format() {
        assert!(same_format(Stage::Source, Stage::Ttir));
        assert!(!same_format(Stage::Ptx, Stage::Sass));
    }
}
