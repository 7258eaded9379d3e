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

/// Opcodes of each family as the manuals of the three instruction sets list them.
const MEMBERS: &[(&str, Isa, &[&str])] = &[
    ("padding", Isa::Sass, &["NOP"]),
    ("padding", Isa::Amdgcn, &["s_nop", "s_code_end"]),
    (
        "tensor_compute",
        Isa::Ptx,
        &[
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
            "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16",
            "tcgen05.mma.cta_group::1.kind::f16",
            "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32",
        ],
    ),
    (
        "tensor_compute",
        Isa::Sass,
        &[
            "HMMA.16816.F32",
            "IMMA.16832.S8.S8",
            "DMMA.8x8x4",
            "HGMMA.64x128x16.F32",
            "UTCHMMA",
            "UTCQMMA.2CTA",
            "OMMA.SF.16864.F32.E2M1.E2M1.UE8",
        ],
    ),
    (
        "tensor_compute",
        Isa::Amdgcn,
        &["v_mfma_f32_32x32x8_f16", "v_smfmac_f32_16x16x32_f16", "v_wmma_f32_16x16x16_f16"],
    ),
    (
        "fragment_staging",
        Isa::Ptx,
        &[
            "ldmatrix.sync.aligned.m8n8.x4.shared.b16",
            "stmatrix.sync.aligned.m8n8.x1.shared.b16",
            "movmatrix.sync.aligned.m8n8.trans.b16",
        ],
    ),
    ("fragment_staging", Isa::Sass, &["LDSM.16.M88.4", "STSM.16.MT88.4", "MOVM.16.MT88"]),
    ("fragment_staging", Isa::Amdgcn, &["ds_read_b64_tr_b16", "ds_read_b96_tr_b6"]),
    (
        "tmem_movement",
        Isa::Ptx,
        &[
            "tcgen05.ld.sync.aligned.16x32bx2.x64.b32",
            "tcgen05.st.sync.aligned.32x32b.x32.b32",
            "tcgen05.cp.cta_group::1.128x256b",
        ],
    ),
    ("tmem_movement", Isa::Sass, &["LDTM.16dp32bit_t0_t15.x32", "STTM.x16", "UTCCP.T.S.4x32dp128bit"]),
    ("tmem_movement", Isa::Amdgcn, &["v_accvgpr_read_b32", "v_accvgpr_write_b32"]),
    (
        "tmem_management",
        Isa::Ptx,
        &[
            "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32",
            "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned",
        ],
    ),
    ("tmem_management", Isa::Sass, &["UTCATOMSWS.FIND_AND_SET.ALIGN"]),
    (
        "tma_bulk",
        Isa::Ptx,
        &[
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes",
            "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group",
            "tensormap.replace.tile.global_address.shared::cta.b1024.b64",
        ],
    ),
    ("tma_bulk", Isa::Sass, &["UTMALDG.2D", "UTMASTG.2D", "UBLKCP.S.G", "UTMAREDG.2D.ADD"]),
    ("tma_bulk", Isa::Amdgcn, &["tensor_load_to_lds"]),
    ("mbarrier", Isa::Amdgcn, &["ds_atomic_barrier_arrive_rtn_b64"]),
    ("async_copy", Isa::Ptx, &["cp.async.cg.shared.global", "cp.async.ca.shared.global"]),
    ("async_copy", Isa::Sass, &["LDGSTS.E.BYPASS.128"]),
    ("async_copy", Isa::Amdgcn, &["global_load_lds_dwordx4"]),
    ("barrier", Isa::Ptx, &["bar.sync", "barrier.cluster.arrive.aligned"]),
    ("barrier", Isa::Sass, &["BAR.SYNC.DEFER_BLOCKING", "WARPSYNC.ALL", "B2R.RESULT", "UCGABAR_ARV"]),
    ("barrier", Isa::Amdgcn, &["s_barrier"]),
    (
        "mbarrier",
        Isa::Ptx,
        &[
            "mbarrier.init.shared::cta.b64",
            "mbarrier.try_wait.parity.shared.b64",
            "cp.async.mbarrier.arrive.noinc.shared.b64",
        ],
    ),
    ("mbarrier", Isa::Sass, &["SYNCS.PHASECHK.TRANS64.TRYWAIT", "ARRIVES.LDGSTSBAR.64"]),
    (
        "async_wait",
        Isa::Ptx,
        &[
            "cp.async.wait_group",
            "cp.async.commit_group",
            "wgmma.wait_group.sync.aligned",
            "tcgen05.wait::ld.sync.aligned",
            "tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64",
        ],
    ),
    ("async_wait", Isa::Sass, &["LDGDEPBAR", "DEPBAR.LE", "WARPGROUP.ARRIVE", "UTCBAR"]),
    ("async_wait", Isa::Amdgcn, &["s_waitcnt", "s_wait_loadcnt"]),
    (
        "fence",
        Isa::Ptx,
        &[
            "membar.gl",
            "fence.proxy.async.shared::cta",
            "prefetch.global.L2",
            "createpolicy.fractional.L2::evict_last.b64",
        ],
    ),
    ("fence", Isa::Sass, &["MEMBAR.ALL.CTA", "FENCE.VIEW.ASYNC.S", "ERRBAR", "CCTL.IVALL"]),
    ("fence", Isa::Amdgcn, &["buffer_wbl2", "buffer_inv", "s_dcache_inv"]),
    ("register_budget", Isa::Ptx, &["setmaxnreg.inc.sync.aligned.u32"]),
    ("register_budget", Isa::Sass, &["USETMAXREG.DEALLOC.CTAPOOL"]),
    ("register_budget", Isa::Amdgcn, &["s_setprio", "s_setreg_imm32_b32"]),
    (
        "cluster_launch",
        Isa::Ptx,
        &[
            "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128",
            "griddepcontrol.wait",
            "mapa.shared::cluster.u32",
        ],
    ),
    ("cluster_launch", Isa::Sass, &["ACQBULK", "PREEXIT", "UGETNEXTWORKID.SELFCAST"]),
    ("cluster_launch", Isa::Amdgcn, &["s_sendmsg"]),
    ("spill_local", Isa::Ptx, &["ld.local.b32", "st.local.v4.b32"]),
    ("spill_local", Isa::Sass, &["LDL", "STL.128", "LDL.LU"]),
    ("spill_local", Isa::Amdgcn, &["scratch_load_dword", "scratch_store_dwordx4"]),
    ("atomics", Isa::Ptx, &["atom.global.add.f32", "red.global.add.f32"]),
    ("atomics", Isa::Sass, &["ATOMG.E.ADD.F32", "RED.E.ADD.F32", "ATOMS.OR"]),
    ("atomics", Isa::Amdgcn, &["global_atomic_add_f32", "ds_add_u32", "buffer_atomic_pk_add_f16"]),
    ("constant_load", Isa::Ptx, &["ld.param.b64", "ld.const.b32"]),
    ("constant_load", Isa::Sass, &["LDC.64", "ULDC.64", "LDCU.128"]),
    ("constant_load", Isa::Amdgcn, &["s_load_dwordx8", "s_buffer_load_dword"]),
    ("shared_store", Isa::Ptx, &["st.shared.v4.b32", "st.shared::cta.b16"]),
    ("shared_store", Isa::Sass, &["STS.128", "STS"]),
    ("shared_store", Isa::Amdgcn, &["ds_write_b128", "ds_store_b64"]),
    ("shared_load", Isa::Ptx, &["ld.shared.v2.b32", "ld.volatile.shared.b32"]),
    ("shared_load", Isa::Sass, &["LDS.128", "LDS.U16"]),
    ("shared_load", Isa::Amdgcn, &["ds_read_u16", "ds_load_b128"]),
    ("global_load", Isa::Ptx, &["ld.global.v4.b32", "ld.global.L1::evict_first.b32", "ld.b32", "ld.v4.b32"]),
    ("global_load", Isa::Sass, &["LDG.E.128", "LD.E"]),
    ("global_load", Isa::Amdgcn, &["global_load_dwordx4", "buffer_load_ushort", "flat_load_dword"]),
    ("global_store", Isa::Ptx, &["st.global.v4.b32", "st.b64"]),
    ("global_store", Isa::Sass, &["STG.E.128", "ST.E"]),
    ("global_store", Isa::Amdgcn, &["global_store_dwordx2", "buffer_store_short"]),
    ("texture_surface", Isa::Ptx, &["tex.2d.v4.f32.f32", "sust.b.2d.b32.trap"]),
    ("texture_surface", Isa::Sass, &["TEX.SCR.LL", "SUST.D.BA.2D"]),
    ("texture_surface", Isa::Amdgcn, &["image_sample", "exp"]),
    ("warp_exchange", Isa::Ptx, &["shfl.sync.bfly.b32", "vote.sync.ballot.b32", "redux.sync.add.s32", "elect.sync"]),
    ("warp_exchange", Isa::Sass, &["SHFL.BFLY", "VOTE.ANY", "VOTEU.ALL", "REDUX.SUM", "ELECT"]),
    (
        "warp_exchange",
        Isa::Amdgcn,
        &["ds_bpermute_b32", "v_mov_b32_dpp", "v_readfirstlane_b32", "v_permlane32_swap_b32"],
    ),
    ("special_reg", Isa::Sass, &["S2R", "S2UR", "CS2R.32"]),
    ("special_reg", Isa::Amdgcn, &["s_getreg_b32", "s_memtime"]),
    ("special_fn", Isa::Ptx, &["ex2.approx.ftz.f32", "rcp.approx.ftz.f32", "div.full.f32", "sqrt.rn.f32"]),
    ("special_fn", Isa::Sass, &["MUFU.EX2", "FCHK"]),
    ("special_fn", Isa::Amdgcn, &["v_exp_f32_e32", "v_rcp_f32_e32", "v_div_scale_f32"]),
    ("conversion", Isa::Ptx, &["cvt.rn.bf16x2.f32", "cvt.u64.u32"]),
    ("conversion", Isa::Sass, &["F2FP.BF16.F32.PACK_AB", "I2FP.F32.S32", "F2I.TRUNC.NTZ", "FRND.FLOOR"]),
    ("conversion", Isa::Amdgcn, &["v_cvt_f32_f16_e32", "v_floor_f32_e32"]),
    ("fp64", Isa::Ptx, &["add.rn.f64", "fma.rn.f64"]),
    ("fp64", Isa::Sass, &["DADD", "DFMA"]),
    ("fp64", Isa::Amdgcn, &["v_add_f64", "v_fma_f64"]),
    ("fp16_bf16", Isa::Ptx, &["add.rn.f16x2", "fma.rn.bf16x2", "max.f16"]),
    ("fp16_bf16", Isa::Sass, &["HADD2.F32", "HFMA2.BF16_V2", "HMNMX2"]),
    ("fp16_bf16", Isa::Amdgcn, &["v_pk_mul_f16", "v_add_f16_e32", "v_dot2_f32_f16"]),
    ("fp32", Isa::Ptx, &["add.f32", "fma.rn.f32", "max.ftz.f32", "mul.f32x2"]),
    ("fp32", Isa::Sass, &["FADD", "FFMA.FTZ", "FMNMX", "FADD2", "FMNMX3"]),
    ("fp32", Isa::Amdgcn, &["v_add_f32_e32", "v_pk_fma_f32", "v_max3_f32", "v_fmac_f32_e32"]),
    ("predicate_select", Isa::Ptx, &["setp.lt.s32", "selp.b32", "and.pred", "set.eq.u32.s32"]),
    ("predicate_select", Isa::Sass, &["ISETP.GE.AND", "FSETP.GT.AND", "SEL", "FSEL", "PLOP3.LUT", "P2R"]),
    ("predicate_select", Isa::Amdgcn, &["v_cmp_lt_i32_e32", "v_cndmask_b32_e32"]),
    ("data_movement", Isa::Ptx, &["mov.b32", "prmt.b32"]),
    ("data_movement", Isa::Sass, &["MOV", "PRMT", "IMAD.MOV.U32", "R2UR"]),
    ("data_movement", Isa::Amdgcn, &["v_mov_b32_e32", "v_perm_b32", "v_pack_b32_f16"]),
    ("uniform_scalar", Isa::Sass, &["UIADD3", "ULOP3.LUT", "USHF.R.U32.HI", "UMOV", "UISETP.NE.AND"]),
    ("uniform_scalar", Isa::Amdgcn, &["s_add_i32", "s_lshl_b64", "s_and_b32", "s_cmp_eq_u32", "s_mov_b32"]),
    (
        "int_alu",
        Isa::Ptx,
        &["add.s32", "mul.wide.s32", "mad.lo.s32", "shl.b32", "lop3.b32", "bfe.u32", "min.s32", "popc.b32"],
    ),
    ("int_alu", Isa::Sass, &["IADD3", "IMAD.WIDE", "LEA.HI.X", "LOP3.LUT", "SHF.R.U32.HI", "VIADD", "POPC"]),
    (
        "int_alu",
        Isa::Amdgcn,
        &["v_add_u32_e32", "v_lshlrev_b32_e32", "v_and_b32_e32", "v_mad_u64_u32", "v_lshl_add_u64"],
    ),
    ("control_flow", Isa::Ptx, &["bra.uni", "ret", "call.uni", "exit", "nanosleep.u32"]),
    (
        "control_flow",
        Isa::Sass,
        &["BRA", "EXIT", "BSSY.RECONVERGENT", "BSYNC.RECONVERGENT", "CALL.REL.NOINC", "RET.REL.NODEC"],
    ),
    ("control_flow", Isa::Amdgcn, &["s_cbranch_scc1", "s_endpgm", "s_and_saveexec_b64", "s_branch"]),
];

#[test]
fn every_family_has_its_members() {
    for (expected, isa, mnemonics) in MEMBERS {
        for mnemonic in *mnemonics {
            assert_eq!(family(*isa, mnemonic), *expected, "{mnemonic}");
        }
    }
}

#[test]
fn every_family_with_patterns_of_an_instruction_set_has_a_member_here() {
    for info in Family::ALL.into_iter().map(Family::info) {
        for isa in [Isa::Ptx, Isa::Sass, Isa::Amdgcn] {
            let tested = MEMBERS.iter().any(|(family, of, _)| *family == info.id && *of == isa);
            assert_eq!(tested, !isa.patterns(info).is_empty(), "{} {isa:?}", info.id);
        }
    }
}
