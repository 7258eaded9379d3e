//! Cubins against `cuobjdump -res-usage`, hsacos against the metadata of their assembly text.

use lowerline_analyzer::elf::{Abi, Cubin, Hsaco, cubin_report, hsaco_report};
use lowerline_shared::report::Resource;

use crate::corpus;

#[test]
fn cubin_resources_equal_cuobjdump() {
    let mut seen = 0;
    corpus::each("cubin", |artifact| {
        let name = artifact.name();
        let cubin = Cubin::parse(&artifact.bytes).unwrap();
        let (elf, usage) = (&artifact.expected()["cubin"], &artifact.expected()["cubin_resources"]);
        assert_eq!(cubin.target, artifact.target(), "{name}");
        assert_eq!(u64::from(cubin.sm), elf["sm"], "{name}");
        let abi = if cubin.abi == Abi::V7 { 7 } else { 8 };
        assert_eq!(elf["abi_version"], abi, "{name}");
        assert_eq!(elf["embeds_ptx_text"], cubin.ptx.is_some(), "{name}");
        assert_eq!(cubin.kernels.len(), usage.as_object().unwrap().len(), "{name}");
        for kernel in &cubin.kernels {
            let usage = &usage[&kernel.name];
            assert_eq!(usage["REG"], kernel.registers.unwrap(), "{name}");
            assert_eq!(elf["registers"][&kernel.name], kernel.registers.unwrap(), "{name}");
            assert_eq!(usage["STACK"], kernel.stack_bytes.unwrap(), "{name}");
            assert_eq!(elf["frame"][&kernel.name], kernel.frame_bytes.unwrap(), "{name}");
            assert_eq!(usage["SHARED"], kernel.shared_bytes.unwrap_or(0), "{name}");
            assert_eq!(elf["text_bytes"][&kernel.name], kernel.code_bytes, "{name}");
            // Barrier 0 is what `bar.sync 0` takes, so a kernel has one exactly when its PTX synchronizes.
            let ptx = &artifact.expected()["ptx"]["base"];
            let synchronizes = ["bar", "barrier"].iter().any(|base| ptx.get(*base).is_some());
            assert_eq!(kernel.barriers.map(|count| count > 0), Some(synchronizes), "{name}");
            let warps = artifact.expected()["metadata"]["num_warps"].as_u64().unwrap();
            if artifact.kernel != "matmul_ws" && artifact.target() != "sm_100a" {
                assert_eq!(kernel.threads, Some(warps * 32), "{name}");
            }
        }
        let report = cubin_report(&artifact.bytes).unwrap();
        assert_eq!(report.target.as_deref(), Some(artifact.target()));
        assert_eq!(report.warnings, [""; 0]);
        seen += 1;
    });
    assert_eq!(seen, 171);
}

#[test]
fn functions_of_a_cubin_split_as_nvdisasm_splits_them() {
    corpus::each("cubin", |artifact| {
        let name = artifact.name();
        let cubin = Cubin::parse(&artifact.bytes).unwrap();
        let mut functions = std::collections::BTreeMap::new();
        for section in &cubin.code {
            for function in &section.functions {
                assert_eq!(function.bytes.len() % 16, 0, "{name}");
                functions.insert(function.name.clone(), function.bytes.len() as u64 / 16);
            }
        }
        let listed = artifact.expected()["sass"]["functions"].as_object().unwrap();
        let listed: std::collections::BTreeMap<String, u64> =
            listed.iter().map(|(name, count)| (name.clone(), count.as_u64().unwrap())).collect();
        assert_eq!(functions, listed, "{name}");
    });
}

#[test]
fn the_assembler_of_a_cubin_is_the_one_the_build_recorded() {
    let mut named = 0;
    corpus::each("cubin", |artifact| {
        let report = cubin_report(&artifact.bytes).unwrap();
        if let Some(version) = report.toolchain.get("ptxas") {
            let recorded = ["12.8.93", "12.8.61", "12.9.86", "13.1.80", "13.4.59"];
            assert!(recorded.contains(&version.as_str()), "{}: {version}", artifact.name());
            named += 1;
        }
    });
    // All cubins of ABI version 8.
    assert_eq!(named, 82);
}

#[test]
fn hsaco_resources_equal_the_metadata_of_the_text() {
    let mut seen = 0;
    corpus::each("hsaco", |artifact| {
        let name = artifact.name();
        let text = &artifact.expected()["amdgcn"]["metadata"];
        let hsaco = Hsaco::parse(&artifact.bytes).unwrap();
        assert_eq!(hsaco.target.as_deref(), Some(artifact.target()), "{name}");
        let [kernel] = &hsaco.kernels[..] else { panic!("{name}") };
        for (key, value) in [
            ("vgpr_count", kernel.vgprs),
            ("agpr_count", kernel.agprs),
            ("sgpr_count", kernel.sgprs),
            ("vgpr_spill_count", kernel.vgpr_spills),
            ("sgpr_spill_count", kernel.sgpr_spills),
            ("group_segment_fixed_size", kernel.lds_bytes),
            ("private_segment_fixed_size", kernel.private_bytes),
            ("max_flat_workgroup_size", kernel.max_threads),
        ] {
            assert_eq!(text[key].as_i64(), value, "{name} {key}");
        }
        let report = hsaco_report(&artifact.bytes).unwrap();
        assert_eq!(report.resources.get(&Resource::Registers).copied(), kernel.vgprs);
        seen += 1;
    });
    assert_eq!(seen, 83);
}

/// `cuobjdump -res-usage` prints `STACK:UNKNOWN` for 0xFFFFFFFF in `EIATTR_MIN_STACK_SIZE`.
#[test]
fn a_stack_without_bound_is_unknown_and_no_number() {
    corpus::each("cubin", |artifact| {
        if artifact.version != "3.9.0" {
            return;
        }
        let mut bytes = artifact.bytes.clone();
        let entries: Vec<usize> =
            bytes.windows(4).enumerate().filter(|(_, four)| *four == [4, 0x12, 8, 0]).map(|(at, _)| at).collect();
        for at in &entries {
            bytes[at + 8..at + 12].fill(0xFF);
        }
        let (before, after) = (cubin_report(&artifact.bytes).unwrap(), cubin_report(&bytes).unwrap());
        assert!(before.resources.contains_key(&Resource::StackBytes) && !entries.is_empty());
        assert_eq!(after.resources.get(&Resource::StackBytes), None, "{}", artifact.name());
        let warning = "stack bytes of 1 of 1 kernels are unknown: recursion and calls by address have no bound";
        assert_eq!(after.warnings, [warning]);
    });
}
