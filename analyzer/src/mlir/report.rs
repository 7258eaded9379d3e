//! The report of an MLIR stage.

use std::collections::{BTreeMap, HashMap};

use lowerline_shared::{
    report::{FunctionReport, LoopReport, Report, Resource},
    stage::Stage,
};

use super::{Module, Operation, is_loop, is_tensor_compute, parse::parse};
use crate::{AnalyzeError, Budget};

/// Reads one file of MLIR.
pub fn report(text: &str, stage: Stage, budget: &mut Budget) -> Result<Report, AnalyzeError> {
    let module = parse(text, stage, budget)?;
    let mut report = Report::new(crate::VERSION, stage);
    count_operations(&module, &mut report);
    report.layout_kinds = module.layout_kinds.iter().map(|(kind, count)| ((*kind).to_owned(), *count)).collect();
    for alias in &module.aliases {
        report.layout_aliases.insert(alias.name.to_owned(), alias.kind.to_owned());
        report.layouts.insert(alias.name.to_owned(), alias.body.to_owned());
    }
    report.module_attributes.clone_from(&module.attributes);
    resources(&module.attributes, &mut report);
    if module.operations.iter().any(|operation| operation.name.ends_with(".warp_specialize")) {
        // The attribute counts the default partition only; the partitions' warps come on top at launch.
        report.resources.remove(&Resource::Warps);
    }
    let kernel = module.functions.iter().find(|function| function.public).or(module.functions.first());
    report.arguments = kernel.map(|kernel| kernel.arguments.clone()).unwrap_or_default();
    report.functions = functions(&module, budget)?;
    report.normal_digest = module.normal_digest;
    if stage == Stage::Ttgir {
        report.decisions = crate::decisions::decide(&module);
    }
    if let Some((line, text)) = module.first_not_understood {
        let count = module.not_understood;
        let text = lowerline_shared::ids::shown(text);
        report.warnings.push(format!("{count} lines not understood, the first is line {line}: {text}"));
    }
    Ok(report)
}

/// `%c-1_i32` and its like: the counts that reports are held against leave the operations that define such names out.
fn has_hyphenated_result(module: &Module<'_>, operation: &Operation<'_>) -> bool {
    module.results_of(operation).iter().any(|result| result.name.contains('-'))
}

fn count_operations(module: &Module<'_>, report: &mut Report) {
    let mut counts: HashMap<&str, (u64, u64, u64)> = HashMap::new();
    for operation in module.operations.iter().filter(|operation| operation.name.contains('.')) {
        let count = counts.entry(operation.name).or_default();
        if has_hyphenated_result(module, operation) {
            count.2 += 1;
            continue;
        }
        count.0 += 1;
        count.1 += u64::from(operation.loops > 0);
    }
    let pick = |of: fn(&(u64, u64, u64)) -> u64| -> BTreeMap<String, u64> {
        let listed = counts.iter().map(|(name, count)| ((*name).to_owned(), of(count)));
        listed.filter(|(_, count)| *count > 0).collect()
    };
    report.ops = pick(|count| count.0);
    report.ops_in_loop = pick(|count| count.1);
    report.ops_beyond_reference = pick(|count| count.2);
}

/// Launch parameters that the module's attributes state; the prefix is the dialect's (`ttg`, `triton_gpu`).
fn resources(attributes: &BTreeMap<String, String>, report: &mut Report) {
    for (key, value) in attributes {
        let Some((_, name)) = key.split_once('.') else { continue };
        let number = value.split(':').next().and_then(|number| number.trim().parse::<i64>().ok());
        match (name, number) {
            ("num-warps", Some(warps)) => report.resources.insert(Resource::Warps, warps),
            ("num-ctas", Some(ctas)) => report.resources.insert(Resource::Ctas, ctas),
            ("shared", Some(bytes)) => report.resources.insert(Resource::SharedBytes, bytes),
            ("tensor_memory_size", Some(columns)) => report.resources.insert(Resource::TmemColumns, columns),
            ("target", None) => {
                // `"cuda:90"` does not say whether it is `sm_90` or `sm_90a`, so only AMD's counts as a target.
                report.target = value.trim_matches('"').strip_prefix("hip:").map(str::to_owned);
                None
            }
            _ => None,
        };
    }
}

fn functions(module: &Module<'_>, budget: &mut Budget) -> Result<Vec<FunctionReport>, AnalyzeError> {
    let mut places: HashMap<&str, Option<String>> = HashMap::new();
    let mut found: Vec<(FunctionReport, Vec<(u32, LoopReport)>)> = Vec::new();
    let mut by_operation: HashMap<u32, usize> = HashMap::new();
    for function in &module.functions {
        by_operation.insert(function.operation, found.len());
        let (name, kernel) = (function.name.to_owned(), function.public);
        found.push((FunctionReport { name, kernel, ..FunctionReport::default() }, Vec::new()));
    }
    // Which function and which loops an operation is in follows from its parent, which stands before it.
    let mut owner: Vec<Option<usize>> = Vec::with_capacity(module.operations.len());
    for (index, operation) in (0_u32..).zip(&module.operations) {
        let inherited = operation.parent.and_then(|parent| owner.get(parent as usize).copied().flatten());
        let of = by_operation.get(&index).copied().or(inherited);
        owner.push(of);
        let Some((report, loops)) = of.and_then(|of| found.get_mut(of)) else { continue };
        if by_operation.contains_key(&index) {
            continue;
        }
        report.instructions += 1;
        if !operation.location.is_empty() {
            budget.work(50)?;
            let place = places
                .entry(operation.location)
                .or_insert_with(|| module.locations.frames(operation.location).first().map(super::Frame::short));
            if let Some(place) = place {
                *report.source_lines.entry(place.clone()).or_default() += 1;
            }
        }
        if is_loop(operation.name) {
            let source = places.get(operation.location).cloned().flatten();
            let header = format!("line {}", operation.line);
            let depth = operation.loops + 1;
            loops.push((index, LoopReport { header, depth, instructions: 0, source, hot: false }));
        }
    }
    fill_loops(module, &owner, &mut found, budget)?;
    Ok(found
        .into_iter()
        .map(|(mut report, loops)| {
            report.loops = loops.into_iter().map(|(_, report)| report).collect();
            report
        })
        .collect())
}

/// Counts what is in each loop and marks the hot one: the innermost that holds tensor compute, else the deepest.
fn fill_loops(
    module: &Module<'_>,
    owner: &[Option<usize>],
    found: &mut [(FunctionReport, Vec<(u32, LoopReport)>)],
    budget: &mut Budget,
) -> Result<(), AnalyzeError> {
    let mut tensor: HashMap<u32, bool> = HashMap::new();
    for (operation, of) in module.operations.iter().zip(owner) {
        if operation.loops == 0 {
            continue;
        }
        budget.work(u64::from(operation.loops) * 20)?;
        let Some((_, loops)) = of.and_then(|of| found.get_mut(of)) else { continue };
        let mut innermost = true;
        let mut at = operation.parent;
        while let Some(parent) = at {
            let Some(around) = module.operations.get(parent as usize) else { break };
            if is_loop(around.name) {
                if let Ok(place) = loops.binary_search_by_key(&parent, |(index, _)| *index)
                    && let Some((_, report)) = loops.get_mut(place)
                {
                    report.instructions += 1;
                }
                *tensor.entry(parent).or_default() |= innermost && is_tensor_compute(operation.name);
                innermost = false;
            }
            at = around.parent;
        }
    }
    for (_, loops) in found {
        let hot = loops.iter_mut().max_by_key(|(index, report)| {
            let holds = tensor.get(index).copied().unwrap_or(false);
            (holds, report.depth, std::cmp::Reverse(*index))
        });
        if let Some((_, report)) = hot {
            report.hot = true;
        }
    }
    Ok(())
}
