//! The report of an MLIR stage.

use std::collections::{BTreeMap, HashMap};

use lowerline_shared::{
    report::{FunctionReport, LoopReport, Report, Resource},
    stage::Stage,
};

use super::{
    Module,
    nesting::{NONE, Nesting, nesting},
    parse::parse,
};
use crate::{
    AnalyzeError, Budget, assemble,
    stream::{NOWHERE, Places},
};

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
    if report.functions.is_empty() {
        report.warnings.push("no function was found: arguments, loops and functions are not known".to_owned());
    }
    report.normal_digest = module.normal_digest;
    if stage == Stage::Ttgir {
        report.decisions = crate::decisions::decide(&module);
    }
    if module.branches_back > 0 {
        let count = module.branches_back;
        report
            .warnings
            .push(format!("{count} branches lead back to an earlier block: what they repeat is counted as no loop"));
    }
    if let Some((line, text)) = module.first_not_understood {
        let count = module.not_understood;
        let text = lowerline_shared::ids::shown(text);
        report.warnings.push(format!("{count} lines not understood, the first is line {line}: {text}"));
    }
    Ok(report)
}

fn count_operations(module: &Module<'_>, report: &mut Report) {
    let mut counts: HashMap<&str, (u64, u64)> = HashMap::new();
    for operation in module.operations.iter().filter(|operation| operation.name.contains('.')) {
        let count = counts.entry(operation.name).or_default();
        count.0 += 1;
        count.1 += u64::from(operation.loops > 0);
    }
    let pick = |of: fn(&(u64, u64)) -> u64| -> BTreeMap<String, u64> {
        let listed = counts.iter().map(|(name, count)| ((*name).to_owned(), of(count)));
        listed.filter(|(_, count)| *count > 0).collect()
    };
    report.ops = pick(|count| count.0);
    report.ops_in_loop = pick(|count| count.1);
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
    let nesting = nesting(module, budget)?;
    let mut places = Places::default();
    let place_of = places_of(module, &mut places, budget)?;
    let mut found: Vec<FunctionReport> = module
        .functions
        .iter()
        .map(|function| FunctionReport {
            name: function.name.to_owned(),
            kernel: function.public,
            ..FunctionReport::default()
        })
        .collect();
    let mut counts: Vec<Vec<(u32, u64)>> = vec![Vec::new(); found.len()];
    for (index, of) in nesting.function.iter().enumerate() {
        let Some(report) = found.get_mut(*of as usize) else { continue };
        report.instructions += 1;
        if place_of[index] != NOWHERE {
            counts[*of as usize].push((place_of[index], 1));
        }
    }
    for (report, counts) in found.iter_mut().zip(counts) {
        assemble::count_places(&places, counts, report, budget)?;
    }
    for inside in &nesting.loops {
        let Some(report) = found.get_mut(inside.function as usize) else { continue };
        let operation = &module.operations[inside.operation as usize];
        let place = places.get(place_of[inside.operation as usize]);
        report.loops.push(LoopReport {
            header: format!("line {}", operation.line),
            depth: inside.depth,
            instructions: inside.operations,
            source: place.map(|place| format!("{}:{}", assemble::base_name(places.path(place.file)), place.line)),
            hot: inside.hot,
        });
    }
    count_in_loops(module, &nesting, &mut found, budget)?;
    Ok(found)
}

/// Counts operations by their innermost loop. Loops of one place in the source are one.
fn count_in_loops(
    module: &Module<'_>,
    nesting: &Nesting,
    found: &mut [FunctionReport],
    budget: &mut Budget,
) -> Result<(), AnalyzeError> {
    let mut counts: HashMap<(u32, &str), u64> = HashMap::new();
    for (operation, inner) in module.operations.iter().zip(&nesting.inner) {
        if *inner != NONE && operation.name.contains('.') {
            *counts.entry((*inner, operation.name)).or_default() += 1;
        }
    }
    budget.store(counts.len())?;
    // The reports' loops of a function are in the order of the nesting's.
    let mut before: HashMap<u32, usize> = HashMap::new();
    let place_in_function: Vec<usize> = nesting
        .loops
        .iter()
        .map(|inside| {
            let next = before.entry(inside.function).or_default();
            *next += 1;
            *next - 1
        })
        .collect();
    for ((inner, name), count) in counts {
        let Some(inside) = nesting.loops.get(inner as usize) else { continue };
        let Some(report) = found.get_mut(inside.function as usize) else { continue };
        let Some(of) = report.loops.get(place_in_function[inner as usize]) else { continue };
        let place = of.source.as_ref().unwrap_or(&of.header).clone();
        *report.ops_by_loop.entry(place).or_default().entry(name.to_owned()).or_default() += count;
    }
    Ok(())
}

/// By operation: its place, or [`NOWHERE`]. A location without a file has none.
pub(crate) fn places_of<'a>(
    module: &Module<'a>,
    places: &mut Places<'a>,
    budget: &mut Budget,
) -> Result<Vec<u32>, AnalyzeError> {
    let mut known: HashMap<&str, u32> = HashMap::new();
    let mut out = Vec::with_capacity(module.operations.len());
    for operation in &module.operations {
        if operation.location.is_empty() {
            out.push(NOWHERE);
            continue;
        }
        budget.work(50)?;
        let place = match known.get(operation.location) {
            Some(place) => *place,
            None => {
                budget.store(1)?;
                let mut frames = Vec::new();
                for frame in module.locations.frames(operation.location) {
                    budget.work(50)?;
                    frames.push((places.file(frame.file, budget)?, frame.line, frame.column));
                }
                let place = places.chain(&frames, budget)?;
                known.insert(operation.location, place);
                place
            }
        };
        out.push(place);
    }
    Ok(out)
}
