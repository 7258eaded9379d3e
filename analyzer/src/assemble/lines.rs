//! Where code comes from: source lines of a function and of its loops.

use std::collections::{BTreeMap, HashSet};

use lowerline_shared::report::{FunctionReport, LoopReport};

use super::shape::Shape;
use crate::{
    AnalyzeError, Budget,
    scopes::range,
    stream::{Stream, Target},
};

/// Characters of a file name that are kept.
const FILE_NAME_CHARS: usize = 256;

/// Runs of instructions with one location, cut to `first..end`.
fn runs<'s>(stream: &'s Stream<'_>, first: u32, end: u32) -> impl Iterator<Item = (u32, u32, u32, u32)> + 's {
    let inside = range(&stream.locations, first, end, |location| location.at);
    inside.iter().enumerate().filter(|(_, location)| location.line != 0).map(move |(index, location)| {
        let to = inside.get(index + 1).map_or(end, |next| next.at);
        (location.at, to, location.file, location.line)
    })
}

fn file(files: &BTreeMap<u32, String>, index: u32) -> &str {
    files.get(&index).map_or("?", String::as_str)
}

/// Counts instructions by line.
pub(super) fn sources(
    stream: &Stream<'_>,
    first: u32,
    end: u32,
    files: &BTreeMap<u32, String>,
    out: &mut FunctionReport,
    budget: &mut Budget,
) -> Result<(), AnalyzeError> {
    let mut all: Vec<(u32, u32, u64)> =
        runs(stream, first, end).map(|(from, to, file, line)| (file, line, u64::from(to - from))).collect();
    budget.work(20 * all.len() as u64)?;
    all.sort_unstable();
    for same in all.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        budget.store(1)?;
        let key = format!("{}:{}", file(files, same[0].0), same[0].1);
        *out.source_lines.entry(key).or_default() += same.iter().map(|(_, _, count)| count).sum::<u64>();
    }
    Ok(())
}

/// Loops by position of their header.
pub(super) fn loop_reports(
    stream: &Stream<'_>,
    function: usize,
    shape: &Shape,
    files: &BTreeMap<u32, String>,
    budget: &mut Budget,
) -> Result<Vec<LoopReport>, AnalyzeError> {
    let head = &stream.functions[function];
    if shape.loops.all.is_empty() {
        return Ok(Vec::new());
    }
    let spans = loop_spans(stream, shape, budget)?;
    let transfers = range(&stream.transfers, head.first, stream.end(function), |transfer| transfer.at);
    let targets: HashSet<&str> = transfers
        .iter()
        .filter_map(|transfer| match transfer.target {
            Target::Name(name) => Some(name),
            _ => None,
        })
        .collect();
    let mut order: Vec<usize> = (0..shape.loops.all.len()).collect();
    order.sort_unstable_by_key(|index| shape.loops.all[*index].header);
    let report = |index: usize| {
        let known = shape.loops.all[index];
        let at = shape.blocks.starts[known.header as usize];
        let labels = range(&stream.labels, at, at.saturating_add(1), |label| label.at);
        // Several labels may stand here: the one that is jumped to names the block, debug labels do not.
        let named = labels.iter().find(|label| targets.contains(label.name)).or(labels.last());
        let header = named.map_or_else(
            || format!("{:#x}", head.base + u64::from(at - head.first) * 16),
            |label| label.name.to_owned(),
        );
        LoopReport {
            header,
            depth: known.depth,
            instructions: shape.sizes[index],
            source: spans[index].iter().max_by_key(|span| span.count).map(|span| span.text(files)),
            hot: u32::try_from(index) == Ok(shape.hot),
        }
    };
    Ok(order.into_iter().map(report).collect())
}

/// Lines of one file that a loop's instructions come from.
#[derive(Clone, Copy)]
struct Span {
    file: u32,
    count: u64,
    low: u32,
    high: u32,
}

impl Span {
    fn text(&self, files: &BTreeMap<u32, String>) -> String {
        let name = file(files, self.file);
        if self.low == self.high {
            format!("{name}:{}", self.low)
        } else {
            format!("{name}:{}-{}", self.low, self.high)
        }
    }
}

/// By loop: its spans, those of inner loops included.
fn loop_spans(stream: &Stream<'_>, shape: &Shape, budget: &mut Budget) -> Result<Vec<Vec<Span>>, AnalyzeError> {
    let mut spans: Vec<Vec<Span>> = vec![Vec::new(); shape.loops.all.len()];
    for block in 0..shape.blocks.len() {
        let Some(own) = spans.get_mut(shape.loops.of_block[block] as usize) else { continue };
        let (from, to) = (shape.blocks.starts[block], shape.blocks.starts[block + 1]);
        // The location in force at the block's start was set before it.
        let before = stream.locations.partition_point(|location| location.at <= from).saturating_sub(1);
        let inside = stream.locations.get(before..).unwrap_or_default();
        for (index, location) in inside.iter().take_while(|location| location.at < to).enumerate() {
            let until = inside.get(index + 1).map_or(to, |next| next.at.min(to));
            if location.line != 0 {
                let count = u64::from(until - location.at.max(from));
                merge(own, Span { file: location.file, count, low: location.line, high: location.line }, budget)?;
            }
        }
    }
    for index in 0..spans.len() {
        let parent = shape.loops.all[index].parent as usize;
        if parent < spans.len() {
            for span in spans[index].clone() {
                merge(&mut spans[parent], span, budget)?;
            }
        }
    }
    Ok(spans)
}

fn merge(into: &mut Vec<Span>, span: Span, budget: &mut Budget) -> Result<(), AnalyzeError> {
    budget.work(into.len() as u64 + 1)?;
    match into.iter_mut().find(|known| known.file == span.file) {
        Some(known) => {
            known.count += span.count;
            known.low = known.low.min(span.low);
            known.high = known.high.max(span.high);
        }
        None => {
            budget.store(1)?;
            into.push(span);
        }
    }
    Ok(())
}

/// The file part of a path, cut where no file system would let it grow: it is repeated for every line.
pub(crate) fn base_name(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.char_indices().nth(FILE_NAME_CHARS).and_then(|(end, _)| name.get(..end)).unwrap_or(name)
}
