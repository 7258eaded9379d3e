use std::process::Command;

use serde_json::json;

use super::*;
use crate::{
    api::{BuildStatus, CommitSummary, KernelSummary, SameKernel, SpaceSummary},
    decision_measure::DecisionValue,
    ids::Digest,
    sieve::Sieved,
    stage::Stage,
};

fn config(stages: i64, divisibility: i64, kernel: u8) -> SpaceConfig {
    let object = |value: Value| serde_json::from_value(value).expect("an object");
    SpaceConfig {
        config: format!("s{stages}_d{divisibility}"),
        constexprs: object(json!({ "BLOCK_M": 128, "EVEN": true, "KIND": "a\"b" })),
        options: object(json!({ "num_warps": 8, "num_stages": stages })),
        attributes: object(json!({ "divisibility": divisibility })),
        status: Some(BuildStatus::Ok),
        kernel_digest: Some(Digest([kernel; 32])),
        metrics: [(COMPILE_SECONDS.to_owned(), 2.0)].into(),
        ..SpaceConfig::default()
    }
}

/// Three kernels at divisibility 16, one of them too large, and one kernel for all stages at divisibility 1.
fn answer() -> SpaceResponse {
    let mut dead = config(5, 16, 9);
    dead.unlaunchable = Some("262144 bytes of shared memory per block, 232448 at most".to_owned());
    let mut configs = vec![
        config(2, 16, 1),
        config(3, 16, 2),
        config(4, 16, 2),
        dead,
        config(1, 1, 7),
        config(2, 1, 7),
        config(3, 1, 7),
    ];
    configs[0].resources.insert(Resource::Registers, 254);
    configs[1].resources.insert(Resource::StackBytes, 8);
    let summary = judge(&mut configs, Some(255));
    SpaceResponse {
        kernel: KernelSummary {
            name: "matmul".parse().expect("a name"),
            key: "matmul".to_owned(),
            targets: Vec::new(),
            configs: Vec::new(),
        },
        commit: CommitSummary {
            sha: "a".repeat(40).parse().expect("a hash"),
            tag: None,
            position: 0,
            subject: String::new(),
            author: None,
            committed_at: 0,
            branch: "main".to_owned(),
            parent: None,
            toolchain: BTreeMap::new(),
        },
        target: "sm_90a".parse().expect("a target"),
        targets: Vec::new(),
        shared_limit: Some(232_448),
        register_limit: Some(255),
        configs,
        summary,
        left_out: 0,
        sieved: Sieved::default(),
    }
}

#[test]
fn equal_kernels_name_the_knob_that_changes_nothing() {
    let answer = answer();
    let SpaceSummary { dead, duplicates, spilling, at_ceiling, same, .. } = &answer.summary;
    assert_eq!((*dead, *duplicates, *spilling, *at_ceiling), (1, 3, 1, 1));
    let named = |labels: &[&str]| SameKernel {
        configs: labels.iter().map(|label| (*label).to_owned()).collect(),
        inert: vec!["num_stages".to_owned()],
    };
    assert_eq!(same, &[named(&["s3_d16", "s4_d16"]), named(&["s1_d1", "s2_d1", "s3_d1"])]);
    assert_eq!(
        answer.summary.sentence,
        "Compiling 7 configs took 14 s. 4 of them (57.1 %, 8 s) were for nothing: 1 cannot be launched, 3 are the same \
         kernel as another."
    );
}

#[test]
fn an_empty_space_costs_nothing() {
    assert_eq!(judge(&mut [], Some(255)).sentence, "There is no config here.");
}

#[test]
fn exports_name_what_to_skip_and_why() {
    let answer = answer();
    let table = skip_table(&answer);
    assert_eq!(table.columns, ["Config", "divisibility", "num_stages", "Why"]);
    assert_eq!(table.rows.len(), 4);
    assert!(table.csv().contains("s4_d16,16,4,the same kernel as s3_d16"), "{}", table.csv());
    assert_eq!(super::table(&answer).rows.len(), 7);
}

/// The function runs on objects as `triton.Config` has them: `kwargs`, `num_warps`, `num_stages`.
#[test]
fn python_leaves_out_dead_and_duplicate_configs() {
    let script = python(&answer())
        + r#"
class Config:
    def __init__(self, kwargs, num_warps, num_stages):
        self.kwargs, self.num_warps, self.num_stages = kwargs, num_warps, num_stages

tile = {"BLOCK_M": 128, "EVEN": True, "KIND": 'a"b'}
space = [Config(tile, 8, stages) for stages in (1, 2, 3, 4, 5)]
assert [config.num_stages for config in prune(space, {})] == [1, 2, 3], prune(space, {})
assert [config.num_warps for config in prune([Config(tile, 4, 4)], {}, M=1)] == [4]
assert len(prune([Config(tile, 8, 5)], {})) == 1, "an empty list leaves nothing to run"
"#;
    let run = Command::new("python3").arg("-c").arg(&script).output().expect("python3 is installed");
    assert!(run.status.success(), "{}\n{script}", String::from_utf8_lossy(&run.stderr));
    assert!(script.contains("# 2 more, for other arguments, are left out."), "{script}");
}

#[test]
fn a_heat_map_fixes_two_knobs_and_keeps_the_best() {
    let mut answer = answer();
    for (n, config) in answer.configs.iter_mut().enumerate() {
        config.metrics.insert("tflops".to_owned(), 100.0 + n as f64);
    }
    let measure = first_measure(&answer.configs);
    assert_eq!(measure.to_string(), "metric:tflops");
    let heat = heat(&answer.configs, &["divisibility".to_owned()], &measure).expect("two knobs vary");
    assert_eq!((heat.knobs.0.as_str(), heat.knobs.1.as_str()), ("divisibility", "num_stages"));
    assert_eq!(
        (heat.rows, heat.columns),
        (
            vec!["1".into(), "16".into()],
            vec!["1", "2", "3", "4", "5"].into_iter().map(String::from).collect::<Vec<_>>()
        )
    );
    assert_eq!(heat.cells[0][0], HeatCell { configs: 1, useless: 0, best: Some(104.0) });
    assert_eq!(heat.cells[1][4], HeatCell { configs: 1, useless: 1, best: Some(103.0) });
    assert_eq!(heat.cells[1][0], HeatCell::default());
    assert_eq!(heat.range, Some((100.0, 106.0)));
    assert_eq!(order(&answer.configs, Some(&measure))[0], 6);
}

#[test]
fn a_narrowed_space_keeps_its_marks_and_counts_what_it_leaves_out() {
    let mut answer = answer();
    for (n, config) in answer.configs.iter_mut().enumerate() {
        let state = if n < 4 { "pipelined" } else { "inert" };
        if n != 3 {
            config.values.0.insert(DecisionMeasure::Pipelining, DecisionValue::Named(state.to_owned()));
        }
    }
    let mut whole = answer.clone();
    narrow(&mut answer, &[]);
    whole.sieved.offered = answer.sieved.offered.clone();
    assert_eq!(answer, whole, "no filter leaves nothing out");
    let offered = whole.sieved.offered.into_iter();
    let offered: Vec<(String, u64)> = offered.map(|(filter, n)| (filter.to_string(), n)).collect();
    assert_eq!(offered, [("pipelining:inert".to_owned(), 3), ("pipelining:pipelined".to_owned(), 3)]);
    narrow(&mut answer, &["pipelining:inert".parse().expect("a filter")]);
    assert_eq!((answer.configs.len(), answer.sieved.filtered, answer.sieved.unknown), (3, 4, 1));
    assert_eq!((answer.summary.configs, answer.summary.duplicates), (3, 2));
    assert!(
        answer.summary.sentence.starts_with("Compiling 3 configs took 6 s. 2 of them"),
        "{}",
        answer.summary.sentence
    );
}

#[test]
fn duplicates_say_from_which_stage_on() {
    let stages = |digests: [u8; 3]| -> BTreeMap<Stage, Digest> {
        [Stage::Ttir, Stage::Ttgir, Stage::Ptx].into_iter().zip(digests.map(|n| Digest([n; 32]))).collect()
    };
    let mut configs = vec![config(2, 16, 1), config(3, 16, 1), config(4, 16, 1), config(5, 16, 1)];
    for (config, digests) in configs.iter_mut().zip([[1, 2, 3], [1, 2, 3], [1, 9, 3], [9, 2, 3]]) {
        config.meanings = stages(digests);
    }
    judge(&mut configs, None);
    let from: Vec<Option<Stage>> = configs.iter().map(|config| config.same_from).collect();
    assert_eq!(from, [None, Some(Stage::Ttir), Some(Stage::Ptx), Some(Stage::Ttgir)]);
    assert_eq!(skip_reason(&configs[2]).as_deref(), Some("the same kernel as s2_d16 from PTX on"));
}
