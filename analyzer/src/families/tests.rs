use super::*;

fn family(isa: Isa, mnemonic: &str) -> &'static str {
    classify(isa, mnemonic).family.id()
}

#[test]
fn every_pattern_compiles() {
    for isa in [Isa::Ptx, Isa::Sass, Isa::Amdgcn] {
        for (family, pattern) in &Classifier::of(isa).patterns {
            assert!(pattern.compiles(), "{}", family.id());
        }
    }
}

#[test]
fn spelling_drift_shares_one_key() {
    for (isa, spellings) in [
        (Isa::Ptx, ["stmatrix.sync.aligned.x1.m8n8.shared.b16", "stmatrix.sync.aligned.m8n8.x1.shared.b16"]),
        (Isa::Ptx, ["ld.param.u32", "ld.param.b32"]),
        (Isa::Ptx, ["mov.f32", "mov.b32"]),
        (Isa::Ptx, ["ld.shared::cta.v4.u32", "ld.shared.v4.b32"]),
        (Isa::Ptx, ["barrier.sync", "bar.sync"]),
        (Isa::Amdgcn, ["v_add_f32_e32", "v_add_f32_e64"]),
        (Isa::Amdgcn, ["ds_load_b64", "ds_read_b64"]),
        (Isa::Amdgcn, ["global_load_b128", "global_load_dwordx4"]),
        (Isa::Amdgcn, ["v_mfma_f32_32x32x8bf16_1k", "v_mfma_f32_32x32x8_bf16"]),
        (Isa::Amdgcn, ["v_mfma_f32_32x32x8f16", "v_mfma_f32_32x32x8_f16"]),
    ] {
        assert_eq!(canonical(isa, spellings[0]), canonical(isa, spellings[1]));
    }
}

#[test]
fn what_differs_keeps_two_keys() {
    for (isa, spellings) in [
        (Isa::Ptx, ["add.f32", "add.s32"]),
        (Isa::Ptx, ["barrier.cluster.arrive", "bar.arrive"]),
        (Isa::Ptx, ["ld.global.b32", "ld.global.b64"]),
        (Isa::Amdgcn, ["v_mov_b32_dpp", "v_mov_b32_e32"]),
        (Isa::Amdgcn, ["v_mfma_f32_32x32x4bf16_1k", "v_mfma_f32_32x32x4bf16"]),
    ] {
        assert_ne!(canonical(isa, spellings[0]), canonical(isa, spellings[1]));
    }
}

#[test]
fn flow_is_known() {
    assert_eq!(classify(Isa::Ptx, "bra.uni").flow, Flow::Jump);
    assert_eq!(classify(Isa::Sass, "BRA.U").flow, Flow::Jump);
    assert_eq!(classify(Isa::Sass, "RET.REL.NODEC").flow, Flow::Exit);
    assert_eq!(classify(Isa::Amdgcn, "s_cbranch_scc1").flow, Flow::Jump);
    assert_eq!(classify(Isa::Amdgcn, "s_add_i32").flow, Flow::Next);
}

#[test]
fn an_opcode_nobody_knows_is_unknown() {
    assert_eq!(family(Isa::Ptx, "frobnicate.b32"), "unknown");
    assert_eq!(family(Isa::Sass, "ldmatrix"), "unknown");
}
