//! Searching lines of artifacts for what a reader types or a link names.

use crate::stage::Stage;

/// Whether a character can belong to the same mnemonic as its neighbour.
fn joins(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '$'))
}

/// Whether a line holds a needle. A quote at either end of the needle stands for a border: `"LDSM.16.M88"` is neither in
/// `LDSM.16.M88.4` nor in `ULDSM.16.M88`.
pub fn holds(line: &str, needle: &str) -> bool {
    let (from_start, rest) = needle.strip_prefix('"').map_or((false, needle), |rest| (true, rest));
    let (to_end, word) = rest.strip_suffix('"').map_or((false, rest), |word| (true, word));
    if word.is_empty() {
        return line.contains(needle);
    }
    line.match_indices(word).any(|(at, _)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        let after = line.get(at + word.len()..).and_then(|after| after.chars().next());
        let is_inside = (from_start && joins(before)) || (to_end && joins(after));
        !is_inside
    })
}

/// What finds the lines of an opcode in the text of a stage. LLVM writes how an AMD instruction is encoded behind its name,
/// which counts leave out.
pub fn of_opcode(stage: Stage, opcode: &str) -> String {
    match stage {
        Stage::Amdgcn => format!("\"{opcode}"),
        _ => format!("\"{opcode}\""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opcode_is_found_whole() {
        let line = "        /*0a10*/              @!P0 LDSM.16.M88 R8, [R3] ;";
        assert!(holds(line, &of_opcode(Stage::Sass, "LDSM.16.M88")));
        for other in ["LDSM.16", "DSM.16.M88", "LDSM.16.M8"] {
            assert!(!holds(line, &of_opcode(Stage::Sass, other)), "{other}");
        }
        assert!(!holds("  ULDSM.16.M88.4 R8", "\"LDSM.16.M88\""));
        assert!(holds("  ULDSM.16.M88.4, LDSM.16.M88 R8", "\"LDSM.16.M88\""), "a second one on the line");
        assert!(holds("\tv_add_u32_e32 v1, v2, v3", &of_opcode(Stage::Amdgcn, "v_add_u32")));
        assert!(!holds("\tpk_v_add_u32 v1", &of_opcode(Stage::Amdgcn, "v_add_u32")));
    }

    #[test]
    fn what_a_reader_types_is_found_anywhere() {
        assert!(holds("ldmatrix.sync", "matrix") && !holds("ldmatrix.sync", "mma"));
        assert!(holds("say \"", "\"") && holds("empty \"\"", "\"\"") && !holds("none", "\""));
    }
}
