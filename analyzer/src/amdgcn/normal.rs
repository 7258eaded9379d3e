//! The normal digest of AMDGCN text: instructions and kernel directives without comments, locations, debug sections and
//! label numbers. Register names are kept: they are the machine's.

use lowerline_shared::ids::Digest;

use crate::{AnalyzeError, Budget, normal::text::Chunks};

/// Labels that only debug sections name.
const DEBUG_LABELS: [&str; 4] = [".Ltmp", ".Lfunc_", ".Lsec", ".Lcu"];

/// Equal for texts that differ in comments, locations, debug sections, label numbers or function order.
pub(super) fn digest(text: &str, budget: &mut Budget) -> Result<Digest, AnalyzeError> {
    let mut chunks = Chunks::new();
    let mut debug = false;
    for line in text.lines() {
        let code = line.split(';').next().unwrap_or_default().trim();
        budget.work(20)?;
        if code.starts_with(".section") || code == ".text" {
            debug = code.contains(".debug_") || code.contains(".note.GNU-stack") || code.contains(".comment");
        }
        let place = [".loc", ".file", ".cfi_", ".ident"].iter().any(|head| code.starts_with(head));
        if debug || code.is_empty() || place {
            continue;
        }
        if let Some(label) = code.strip_suffix(':') {
            if !DEBUG_LABELS.iter().any(|head| label.starts_with(head)) {
                name_or_token(label, &mut chunks, budget)?;
            }
            continue;
        }
        if code.starts_with(".type") && code.ends_with("@function") {
            chunks.cut(budget)?;
        }
        // The size of a function is a difference of debug labels.
        if code.starts_with(".size") {
            continue;
        }
        for word in code.split([' ', '\t', ',']).filter(|word| !word.is_empty()) {
            name_or_token(word, &mut chunks, budget)?;
        }
        chunks.token("\n", budget)?;
    }
    chunks.finish(budget)
}

fn name_or_token<'a>(word: &'a str, chunks: &mut Chunks<'a>, budget: &mut Budget) -> Result<(), AnalyzeError> {
    if word.starts_with(".LBB") { chunks.name(b'.', word, budget) } else { chunks.token(word, budget) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    fn of(text: &str) -> Digest {
        digest(text, &mut Budget::new(&Limits::default())).expect("within the limits")
    }

    #[test]
    fn labels_and_locations_do_not_show() {
        let plain = "k:\n.LBB0_1:\n\ts_add_i32 s0, s1, 1\n\ts_cbranch_scc1 .LBB0_1\n";
        let other = "k: ; @k\n.LBB0_4: ; =>Loop\n.Ltmp3:\n\t.loc 1 2 3 ; a.py:2\n\ts_add_i32 s0,  s1, 1\n\
            \ts_cbranch_scc1 .LBB0_4\n\t.section .debug_info,\"\",@progbits\n\t.long 3\n";
        assert_eq!(of(plain), of(other));
        assert_ne!(of(plain), of(&plain.replace("s1, 1", "s1, 2")));
    }
}
