//! From a filled [`Stream`] to the functions of a report.

use std::collections::{BTreeMap, HashSet};

use lowerline_shared::{
    family::Family,
    report::{FunctionReport, LoopReport, OpcodeCount, Report, ScopeCounts, Unknown},
};

use crate::{
    AnalyzeError, Budget, operands,
    sass::control,
    scopes::{Blocks, Loops, NONE, blocks, loops, range},
    stream::{Stream, Target},
};

/// Characters of an example line that are kept.
const EXAMPLE_CHARS: usize = 200;

/// Characters of a file name that are kept.
const FILE_NAME_CHARS: usize = 256;

/// Counts by opcode, kept dense for plain ones and reset after each function.
struct Tally {
    plain: Vec<ScopeCounts>,
    touched: Vec<u32>,
    /// Opcodes whose family an operand decided.
    decided: BTreeMap<(u32, Family), ScopeCounts>,
}

/// What one function's blocks and loops are.
pub(crate) struct Shape {
    pub blocks: Blocks,
    pub loops: Loops,
    /// The hot loop, or [`NONE`].
    pub hot: u32,
    /// By loop: whether it is the hot one or lies in it.
    within_hot: Vec<bool>,
    /// Instructions of each loop, those of inner loops included.
    pub sizes: Vec<u64>,
}

impl Shape {
    /// What one instruction of a block adds to each scope.
    fn one(&self, block: usize) -> ScopeCounts {
        let inner = self.loops.of_block.get(block).copied().unwrap_or(NONE);
        ScopeCounts {
            function: 1,
            r#loop: u64::from(inner != NONE),
            hot: u64::from(self.within_hot.get(inner as usize).copied().unwrap_or(false)),
        }
    }

    /// The block of an instruction.
    fn block_of(&self, at: u32) -> usize {
        self.blocks.starts.partition_point(|start| *start <= at).saturating_sub(1)
    }
}

/// Blocks, loops and the hot loop of one function.
pub(crate) fn shape(stream: &Stream<'_>, function: usize, budget: &mut Budget) -> Result<Shape, AnalyzeError> {
    let blocks = blocks(stream, function, budget)?;
    let loops = loops(&blocks, budget)?;
    let mut sizes = vec![0_u64; loops.all.len()];
    let mut tensor = vec![0_u64; loops.all.len()];
    for block in 0..blocks.len() {
        let index = loops.of_block[block];
        if index == NONE {
            continue;
        }
        let (from, to) = (blocks.starts[block], blocks.starts[block + 1]);
        sizes[index as usize] += u64::from(to - from);
        let is_tensor = |(opcode, decided): &(u32, Option<Family>)| {
            decided.unwrap_or(stream.opcodes.class(*opcode).family) == Family::TensorCompute
        };
        tensor[index as usize] += stream.code(from, to).filter(is_tensor).count() as u64;
    }
    // Inner loops come first, so each is complete when it is added to the loop around it.
    let mut holds_tensor_loop = vec![false; loops.all.len()];
    for index in 0..loops.all.len() {
        let parent = loops.all[index].parent as usize;
        if parent < loops.all.len() {
            sizes[parent] += sizes[index];
            tensor[parent] += tensor[index];
            holds_tensor_loop[parent] |= tensor[index] > 0;
        }
    }
    let all = || 0..u32::try_from(loops.all.len()).unwrap_or(NONE);
    let first = |index: u32| std::cmp::Reverse(loops.all[index as usize].header);
    let hot = all()
        .filter(|index| tensor[*index as usize] > 0 && !holds_tensor_loop[*index as usize])
        .max_by_key(|index| (tensor[*index as usize], loops.all[*index as usize].depth, first(*index)))
        .or_else(|| {
            all().max_by_key(|index| (loops.all[*index as usize].depth, sizes[*index as usize], first(*index)))
        });
    let hot = hot.unwrap_or(NONE);
    let mut within_hot = vec![false; loops.all.len()];
    for index in all().rev() {
        let parent = loops.all[index as usize].parent as usize;
        within_hot[index as usize] = index == hot || within_hot.get(parent).copied().unwrap_or(false);
    }
    Ok(Shape { blocks, loops, hot, within_hot, sizes })
}

/// Canonical opcodes of all functions with counts by scope, in order of spelling.
pub(crate) fn histogram(stream: &Stream<'_>, budget: &mut Budget) -> Result<Vec<OpcodeCount>, AnalyzeError> {
    let mut tally = Tally::new(stream);
    for function in 0..stream.functions.len() {
        let shape = shape(stream, function, budget)?;
        count(stream, &shape, &mut tally);
    }
    let rows = tally.take(stream).into_iter();
    let rows = rows.map(|(opcode, family, counts)| OpcodeCount {
        opcode: stream.opcodes.class(opcode).canonical.clone(),
        family,
        counts,
    });
    Ok(sorted(rows.collect()))
}

/// Rows in order; spellings that drifted within one text share one.
fn sorted(mut rows: Vec<OpcodeCount>) -> Vec<OpcodeCount> {
    rows.sort_unstable_by(|a, b| (&a.opcode, a.family).cmp(&(&b.opcode, b.family)));
    rows.dedup_by(|next, kept| {
        let same = next.opcode == kept.opcode && next.family == kept.family;
        if same {
            kept.counts.add(next.counts);
        }
        same
    });
    rows
}

impl Tally {
    fn new(stream: &Stream<'_>) -> Self {
        Self {
            plain: vec![ScopeCounts::default(); stream.opcodes.len()],
            touched: Vec::with_capacity(stream.opcodes.len()),
            decided: BTreeMap::new(),
        }
    }

    /// Opcode, family and counts of what was counted since the last call.
    fn take(&mut self, stream: &Stream<'_>) -> Vec<(u32, Family, ScopeCounts)> {
        let mut rows = Vec::with_capacity(self.touched.len() + self.decided.len());
        for opcode in self.touched.drain(..) {
            let counts = std::mem::take(&mut self.plain[opcode as usize]);
            rows.push((opcode, stream.opcodes.class(opcode).family, counts));
        }
        rows.extend(std::mem::take(&mut self.decided).into_iter().map(|((op, family), counts)| (op, family, counts)));
        rows
    }
}

/// Turns every function of the stream into a report and notes what no family claims. `files` names the files of
/// [`Stream::locations`].
pub(crate) fn functions(
    stream: &Stream<'_>,
    input: &str,
    files: &BTreeMap<u32, String>,
    report: &mut Report,
    budget: &mut Budget,
) -> Result<(), AnalyzeError> {
    let mut tally = Tally::new(stream);
    let (mut unresolved, mut irreducible) = (0, 0);
    for function in 0..stream.functions.len() {
        let shape = shape(stream, function, budget)?;
        unresolved += shape.blocks.unresolved;
        irreducible += shape.loops.irreducible;
        count(stream, &shape, &mut tally);
        report.functions.push(describe(stream, function, &shape, files, &mut tally, budget)?);
    }
    unknown(stream, input, report);
    if unresolved > 0 {
        report
            .warnings
            .push(format!("{unresolved} branch targets are not in the text; loops through them are not seen"));
    }
    if irreducible > 0 {
        report.warnings.push(format!("{irreducible} cycles have two entries and are counted as no loop"));
    }
    Ok(())
}

fn count(stream: &Stream<'_>, shape: &Shape, tally: &mut Tally) {
    for block in 0..shape.blocks.len() {
        let one = shape.one(block);
        for (opcode, decided) in stream.code(shape.blocks.starts[block], shape.blocks.starts[block + 1]) {
            if let Some(family) = decided {
                tally.decided.entry((opcode, family)).or_default().add(one);
                continue;
            }
            let counts = &mut tally.plain[opcode as usize];
            if counts.function == 0 {
                tally.touched.push(opcode);
            }
            counts.add(one);
        }
    }
}

fn describe(
    stream: &Stream<'_>,
    function: usize,
    shape: &Shape,
    files: &BTreeMap<u32, String>,
    tally: &mut Tally,
    budget: &mut Budget,
) -> Result<FunctionReport, AnalyzeError> {
    let (first, end) = (stream.functions[function].first, stream.end(function));
    let mut out = FunctionReport {
        name: stream.functions[function].name.to_owned(),
        kernel: stream.functions[function].kernel,
        instructions: u64::from(end - first),
        trailing_padding: trailing_padding(stream, first, end),
        ..FunctionReport::default()
    };
    let mut canonical: Vec<OpcodeCount> = Vec::new();
    for (opcode, family, counts) in tally.take(stream) {
        // A row is four strings and map entries.
        budget.store(4)?;
        *out.opcodes.entry(stream.opcodes.text(opcode).to_owned()).or_default() += counts.function;
        *out.families.entry(family).or_default() += counts.function;
        out.families_by_scope.entry(family).or_default().add(counts);
        canonical.push(OpcodeCount { opcode: stream.opcodes.class(opcode).canonical.clone(), family, counts });
    }
    out.canonical = sorted(canonical);
    sources(stream, first, end, files, &mut out, budget)?;
    out.loops = loop_reports(stream, function, shape, files, budget)?;
    out.operands = operand_notes(stream, function, shape, &out);
    out.control = controls(stream, shape);
    Ok(out)
}

fn trailing_padding(stream: &Stream<'_>, first: u32, end: u32) -> u64 {
    let mut at = end;
    while at > first
        && stream
            .code(at - 1, at)
            .all(|(op, decided)| decided.unwrap_or(stream.opcodes.class(op).family) == Family::Padding)
    {
        at -= 1;
    }
    u64::from(end - at)
}

/// Runs of instructions with one location, cut to `first..end`.
fn runs<'s>(stream: &'s Stream<'_>, first: u32, end: u32) -> impl Iterator<Item = (u32, u32, u32, u32)> + 's {
    let inside = range(&stream.locations, first, end, |location| location.at);
    inside.iter().enumerate().filter(|(_, location)| location.line != 0).map(move |(index, location)| {
        let to = inside.get(index + 1).map_or(end, |next| next.at);
        (location.at, to, location.file, location.line)
    })
}

fn file<'f>(files: &'f BTreeMap<u32, String>, index: u32) -> &'f str {
    files.get(&index).map_or("?", String::as_str)
}

fn sources(
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

fn loop_reports(
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

fn operand_notes(
    stream: &Stream<'_>,
    function: usize,
    shape: &Shape,
    out: &FunctionReport,
) -> BTreeMap<String, ScopeCounts> {
    let (first, end) = (stream.functions[function].first, stream.end(function));
    let mut counts: BTreeMap<u32, ScopeCounts> = BTreeMap::new();
    for (at, note) in range(&stream.notes, first, end, |(at, _)| *at) {
        counts.entry(*note).or_default().add(shape.one(shape.block_of(*at)));
    }
    let mut notes: BTreeMap<String, ScopeCounts> =
        counts.into_iter().map(|(note, counts)| (stream.note_names.text(note), counts)).collect();
    for (head, value) in &stream.functions[function].facts {
        notes.entry(format!("{head}{value}")).or_default().function += 1;
    }
    for row in &out.canonical {
        if let Some(note) = operands::mnemonic_note(stream.isa, &row.opcode, row.family) {
            notes.entry(note).or_default().add(row.counts);
        }
    }
    notes
}

fn controls(stream: &Stream<'_>, shape: &Shape) -> BTreeMap<String, ScopeCounts> {
    let mut sums = [ScopeCounts::default(); 4];
    let mut names = [""; 4];
    for block in 0..shape.blocks.len() {
        let one = shape.one(block);
        let (from, to) = (shape.blocks.starts[block] as usize, shape.blocks.starts[block + 1] as usize);
        let words = stream.controls.get(from.min(stream.controls.len())..to.min(stream.controls.len()));
        for fields in words.unwrap_or_default().iter().filter_map(|word| control::fields(*word)) {
            for (index, (name, value)) in fields.into_iter().enumerate() {
                names[index] = name;
                sums[index].add(one.times(value));
            }
        }
    }
    let known = names.into_iter().zip(sums).filter(|(name, _)| !name.is_empty());
    known.map(|(name, counts)| (name.to_owned(), counts)).collect()
}

fn unknown(stream: &Stream<'_>, input: &str, report: &mut Report) {
    let mut example: BTreeMap<&str, usize> = BTreeMap::new();
    for opcode in (0_u32..).take(stream.opcodes.len()) {
        let class = stream.opcodes.class(opcode);
        if class.family == Family::Unknown {
            let offset = example.entry(&class.canonical).or_insert(usize::MAX);
            *offset = (*offset).min(stream.opcodes.offset(opcode));
        }
    }
    if example.is_empty() {
        return;
    }
    for row in report.functions.iter().flat_map(|function| &function.canonical) {
        if row.family == Family::Unknown {
            let offset = example.get(row.opcode.as_str()).copied().unwrap_or(usize::MAX);
            let known = report
                .unknown
                .entry(row.opcode.clone())
                .or_insert_with(|| Unknown { count: 0, example: line_at(input, offset) });
            known.count += row.counts.function;
        }
    }
}

/// The line around a byte offset, trimmed and cut.
fn line_at(input: &str, offset: usize) -> String {
    let bytes = input.as_bytes();
    let Some(behind) = bytes.get(offset..) else { return String::new() };
    let from = memchr::memrchr(b'\n', &bytes[..offset]).map_or(0, |at| at + 1);
    let to = memchr::memchr(b'\n', behind).map_or(bytes.len(), |at| offset + at);
    input.get(from..to).unwrap_or_default().trim().chars().take(EXAMPLE_CHARS).collect()
}

/// The file part of a path, cut where no file system would let it grow: it is repeated for every line.
pub(crate) fn base_name(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.char_indices().nth(FILE_NAME_CHARS).and_then(|(end, _)| name.get(..end)).unwrap_or(name)
}
