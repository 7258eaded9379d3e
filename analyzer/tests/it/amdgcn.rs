//! Forms of LLVM's text for AMD that the corpus' targets do not have: RDNA's dual issue and clauses.

use std::collections::BTreeMap;

use lowerline_analyzer::{Limits, analyze};
use lowerline_shared::{family::Family, report::Report};

fn read(body: &str) -> Report {
    let text = format!(
        "\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx1100\"\n\t.text\n\t.type\tk,@function\nk:\n{body}\ts_endpgm\n\
         .Lfunc_end0:\n\t.size\tk, .Lfunc_end0-k\n\t.amdhsa_kernel k\n\t.end_amdhsa_kernel\n"
    );
    analyze(text.as_bytes(), &Limits::default()).unwrap()
}

#[test]
fn both_halves_of_a_dual_instruction_are_counted() {
    let report = read(
        "\tv_dual_mov_b32 v249, v0 :: v_dual_mov_b32 v8, 0\n\
         \tv_dual_mov_b32 v15, v8 :: v_dual_lshlrev_b32 v142, 3, v249\n\
         \tv_dual_mul_f32 v1, v2, v3 :: v_dual_add_f32 v4, v5, v6\n",
    );
    let counted: BTreeMap<&str, u64> =
        report.functions[0].opcodes.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    let halves = [
        ("s_endpgm", 1),
        ("v_dual_add_f32", 1),
        ("v_dual_lshlrev_b32", 1),
        ("v_dual_mov_b32", 3),
        ("v_dual_mul_f32", 1),
    ];
    assert_eq!(counted, BTreeMap::from(halves));
    assert_eq!(report.functions[0].families.get(&Family::Unknown), None);
}

#[test]
fn a_clause_of_reloads_is_spill_traffic() {
    let report = read(
        "\tbuffer_store_dword v1, off, s[8:11], 0 offset:316 ; 4-byte Folded Spill\n\
         \ts_clause 0x1                            ; 8-byte Folded Reload\n\
         \tbuffer_load_dword v6, off, s[8:11], 0 offset:312\n\
         \tbuffer_load_dword v7, off, s[8:11], 0 offset:316\n\
         \tbuffer_load_dword v9, off, s[4:7], 0\n\
         \ts_clause 0x1\n\
         \tbuffer_load_dword v10, off, s[4:7], 0\n\
         \tbuffer_load_dword v11, off, s[4:7], 0\n",
    );
    let families = &report.functions[0].families;
    assert_eq!((families[&Family::SpillLocal], families[&Family::GlobalLoad]), (3, 3));
}

#[test]
fn a_return_is_no_unknown_branch() {
    assert_eq!(read("\ts_setpc_b64 s[30:31]\n").warnings, [""; 0]);
    assert_eq!(read("\ts_setpc_b64 s[4:5]\n").warnings.len(), 1);
}
