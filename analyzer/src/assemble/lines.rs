//! Where code comes from: source lines of a function and of its loops.

use std::collections::HashSet;

use lowerline_shared::report::{FunctionReport, LoopReport, SourcePlace};

use super::shape::Shape;
use crate::{
    AnalyzeError, Budget,
    scopes::range,
    stream::{Place, Places, Stream, Target},
};

/// Characters of a file name that are kept.
const FILE_NAME_CHARS: usize = 256;

/// Rows of [`FunctionReport::source_places`].
const PLACES: usize = 1_000;

/// Counts instructions by line, and by place with the calls around it.
pub(crate) fn sources(
    stream: &Stream<'_>,
    first: u32,
    end: u32,
    out: &mut FunctionReport,
    budget: &mut Budget,
) -> Result<(), AnalyzeError> {
    let counts = stream.runs(first, end).map(|(from, to, place)| (place, u64::from(to - from))).collect();
    count_places(&stream.places, counts, out, budget)
}

/// Fills lines and places of a report from pairs of place and instructions.
pub(crate) fn count_places(
    places: &Places<'_>,
    mut counts: Vec<(u32, u64)>,
    out: &mut FunctionReport,
    budget: &mut Budget,
) -> Result<(), AnalyzeError> {
    budget.work(40 * counts.len() as u64)?;
    counts.sort_unstable();
    counts.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0 };
        same
    });
    let mut lines: Vec<(u32, u32, u64)> = Vec::with_capacity(counts.len());
    for (number, count) in &counts {
        lines.extend(places.get(*number).map(|place| (place.file, place.line, *count)));
    }
    lines.sort_unstable();
    for same in lines.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        budget.store(1)?;
        let key = format!("{}:{}", base_name(places.path(same[0].0)), same[0].1);
        *out.source_lines.entry(key).or_default() += same.iter().map(|(_, _, count)| count).sum::<u64>();
    }
    counts.sort_unstable_by_key(|(place, count)| (std::cmp::Reverse(*count), *place));
    out.source_places_cut = counts.get(PLACES..).unwrap_or_default().len() as u64;
    for (number, instructions) in counts.into_iter().take(PLACES) {
        let mut frames = places.frames(number).map(|place| shown(places, place));
        let place = frames.next().unwrap_or_default();
        let inlined_at: Vec<String> = frames.collect();
        budget.store(1 + inlined_at.len())?;
        out.source_places.push(SourcePlace { place, inlined_at, instructions });
    }
    Ok(())
}

/// `attention.py:64:33`; without column where the text has none.
fn shown(places: &Places<'_>, place: Place) -> String {
    let Place { file, line, column, .. } = place;
    let file = base_name(places.path(file));
    if column == 0 { format!("{file}:{line}") } else { format!("{file}:{line}:{column}") }
}

/// Loops by position of their header.
pub(super) fn loop_reports(
    stream: &Stream<'_>,
    function: usize,
    shape: &Shape,
    budget: &mut Budget,
) -> Result<Vec<LoopReport>, AnalyzeError> {
    if shape.loops.all.is_empty() {
        return Ok(Vec::new());
    }
    let spans = loop_spans(stream, shape, budget)?;
    let headers = loop_headers(stream, function, shape);
    let mut order: Vec<usize> = (0..shape.loops.all.len()).collect();
    order.sort_unstable_by_key(|index| shape.loops.all[*index].header);
    let report = |index: usize| LoopReport {
        header: headers[index].clone(),
        depth: shape.loops.all[index].depth,
        instructions: shape.sizes[index],
        source: spans[index].iter().max_by_key(|span| span.count).map(|span| span.text(stream)),
        hot: u32::try_from(index) == Ok(shape.hot),
    };
    Ok(order.into_iter().map(report).collect())
}

/// By loop: label or address of its header block.
pub(crate) fn loop_headers(stream: &Stream<'_>, function: usize, shape: &Shape) -> Vec<String> {
    if shape.loops.all.is_empty() {
        return Vec::new();
    }
    let head = &stream.functions[function];
    let transfers = range(&stream.transfers, head.first, stream.end(function), |transfer| transfer.at);
    let targets: HashSet<&str> = transfers
        .iter()
        .filter_map(|transfer| match transfer.target {
            Target::Name(name) => Some(name),
            _ => None,
        })
        .collect();
    let header = |block: u32| {
        let at = shape.blocks.starts[block as usize];
        let labels = range(&stream.labels, at, at.saturating_add(1), |label| label.at);
        // Several labels may stand here: the one that is jumped to names the block, debug labels do not.
        let named = labels.iter().find(|label| targets.contains(label.name)).or(labels.last());
        named.map_or_else(
            || format!("{:#x}", head.base + u64::from(at - head.first) * 16),
            |label| label.name.to_owned(),
        )
    };
    shape.loops.all.iter().map(|known| header(known.header)).collect()
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
    fn text(&self, stream: &Stream<'_>) -> String {
        let name = base_name(stream.places.path(self.file));
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
            if let Some(Place { file, line, .. }) = stream.places.get(location.place) {
                let count = u64::from(until - location.at.max(from));
                merge(own, Span { file, count, low: line, high: line }, budget)?;
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
