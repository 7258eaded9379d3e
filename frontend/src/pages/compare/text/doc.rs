//! Texts as the worker reads them, and pairs of them as it aligns them.

use std::{cell::RefCell, collections::HashMap, collections::VecDeque, sync::Arc};

use lowerline_analyzer::diff::{Row, RowKind};
use lowerline_shared::{
    ids::Digest,
    stage::Stage,
    worker::{
        Answer, LINE_WORDS, LayoutNotes, LayoutUse, LineNote, PlaceNote, Question, ROW_WORDS, SourceCount, TextNotes,
    },
};

use crate::{
    blobs::{Blobs, ask, failed},
    fetch::Failure,
    worker,
};

/// A place in source by which texts meet: file name and line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// Without folder.
    pub file: String,
    /// From 1.
    pub line: u32,
}

/// One text with what is known of its lines.
pub struct Doc {
    /// What it was pushed as.
    pub stage: Stage,
    text: String,
    starts: Vec<u32>,
    notes: TextNotes,
    lines: Vec<u32>,
    counts: HashMap<Source, SourceCount>,
}

impl Doc {
    fn new(stage: Stage, text: String, notes: TextNotes, lines: Vec<u32>) -> Self {
        let mut starts = vec![0];
        starts.extend(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| index(at + 1)));
        if starts.last().is_some_and(|start| *start as usize == text.len()) {
            starts.pop();
        }
        let mut counts: HashMap<Source, SourceCount> = HashMap::new();
        for count in &notes.sources {
            let Some(file) = notes.files.get(count.file as usize) else { continue };
            // One name may stand for a path and for itself.
            let entry = counts.entry(Source { file: file.clone(), line: count.line });
            let sum = entry.or_insert(SourceCount { count: 0, in_loop: 0, ..*count });
            sum.count += count.count;
            sum.in_loop += count.in_loop;
        }
        Self { stage, text, starts, notes, lines, counts }
    }

    /// How many lines it has.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// A line, from 0; empty behind the end.
    pub fn line(&self, number: usize) -> &str {
        let Some(start) = self.starts.get(number).map(|start| *start as usize) else { return "" };
        let end = self.starts.get(number + 1).map_or(self.text.len(), |end| *end as usize);
        self.text.get(start..end).unwrap_or_default().trim_end_matches(['\n', '\r'])
    }

    /// What a line is, from 0.
    pub fn note(&self, number: usize) -> LineNote {
        let words = self.lines.get(number * LINE_WORDS..).and_then(|words| words.first_chunk());
        words.copied().map(LineNote::unpack).unwrap_or_default()
    }

    fn place(&self, number: usize) -> Option<PlaceNote> {
        self.notes.places.get(self.note(number).place? as usize).copied()
    }

    fn source_of(&self, place: PlaceNote) -> Option<Source> {
        Some(Source { file: self.notes.files.get(place.file as usize)?.clone(), line: place.line })
    }

    /// Where a line comes from, from 0.
    pub fn source(&self, number: usize) -> Option<Source> {
        self.source_of(self.place(number)?)
    }

    /// `attention.py:50:13 ← attention.py:120:5`: the place of a line and the calls it was inlined through.
    pub fn chain(&self, number: usize) -> Option<String> {
        const CALLS: usize = 8;
        let mut place = self.place(number);
        let mut parts = Vec::new();
        while let Some(at) = place {
            if parts.len() == CALLS {
                parts.push("…".to_owned());
                break;
            }
            let file = self.notes.files.get(at.file as usize).map_or("?", String::as_str);
            let column = if at.column > 0 { format!(":{}", at.column) } else { String::new() };
            parts.push(format!("{file}:{}{column}", at.line));
            place = at.caller.and_then(|caller| self.notes.places.get(caller as usize)).copied();
        }
        (!parts.is_empty()).then(|| parts.join(" ← "))
    }

    /// Function of a line.
    pub fn function(&self, number: usize) -> Option<&str> {
        self.notes.functions.get(self.note(number).function? as usize).map(String::as_str)
    }

    /// Instructions of a source line.
    pub fn count(&self, source: &Source) -> Option<SourceCount> {
        self.counts.get(source).copied()
    }

    /// Every source line that has instructions here.
    pub fn sources(&self) -> impl Iterator<Item = (&Source, &SourceCount)> {
        self.counts.iter()
    }

    /// Lines that come from a place, from 0, in order.
    pub fn lines_from(&self, source: &Source) -> Vec<usize> {
        let places: Vec<bool> =
            self.notes.places.iter().map(|place| self.source_of(*place).as_ref() == Some(source)).collect();
        let comes = |number: &usize| {
            self.note(*number).place.and_then(|place| places.get(place as usize)).copied().unwrap_or_default()
        };
        (0..self.len()).filter(comes).collect()
    }

    /// All its layouts.
    pub const fn layouts(&self) -> &LayoutNotes {
        &self.notes.layouts
    }

    /// What a line does with layouts, from 0.
    pub fn layout_uses(&self, number: usize) -> impl Iterator<Item = &LayoutUse> {
        self.notes.layouts.of_line(u32::try_from(number + 1).unwrap_or(u32::MAX))
    }

    /// Why nothing is known of the lines.
    pub fn warning(&self) -> Option<&str> {
        self.notes.warning.as_deref()
    }
}

/// Texts are below 4 GiB: a blob has at most `INFLATED_BYTES`.
fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Both texts and how they align.
pub struct Pair {
    /// First text.
    pub a: Arc<Doc>,
    /// Second text.
    pub b: Arc<Doc>,
    /// Rows in reading order of the first.
    pub rows: Vec<Row>,
    /// Lines that take no part, of each.
    pub left_out: (u32, u32),
}

impl Pair {
    /// How many rows are of one kind.
    pub fn count(&self, kind: RowKind) -> usize {
        self.rows.iter().filter(|row| row.kind == kind).count()
    }
}

/// Texts held for the next view of them.
const HELD: usize = 6;

/// Newest last.
type Held = VecDeque<((Digest, Stage), Arc<Doc>)>;

thread_local! {
    static DOCS: RefCell<Held> = const { RefCell::new(VecDeque::new()) };
}

/// Reads a text.
pub async fn read(blobs: Blobs, stage: Stage, digest: Digest) -> Result<Arc<Doc>, Failure> {
    let held = |docs: &VecDeque<((Digest, Stage), Arc<Doc>)>| {
        docs.iter().find(|(key, _)| *key == (digest, stage)).map(|(_, doc)| doc.clone())
    };
    if let Some(doc) = DOCS.with_borrow(held) {
        return Ok(doc);
    }
    // Starts beside the download, not after it.
    worker::warm_up();
    let reply = ask(blobs, &Question::Read { digest, stage }, &[digest]).await?;
    let Answer::Text(notes) = &reply.answer else { return Err(failed("This text could not be read.".to_owned())) };
    let text = String::from_utf8(reply.bytes(0)).map_err(|error| failed(error.to_string()))?;
    let doc = Arc::new(Doc::new(stage, text, notes.clone(), reply.words(1)));
    DOCS.with_borrow_mut(|docs| {
        docs.push_back(((digest, stage), doc.clone()));
        while docs.len() > HELD {
            docs.pop_front();
        }
    });
    Ok(doc)
}

/// Aligns two texts of one stage.
pub async fn align(blobs: Blobs, stage: Stage, as_written: bool, a: Digest, b: Digest) -> Result<Pair, Failure> {
    let (doc_a, doc_b) = (read(blobs, stage, a).await?, read(blobs, stage, b).await?);
    let reply = ask(blobs, &Question::Align { stage, as_written, a, b }, &[a, b]).await?;
    let Answer::Aligned { left_out } = reply.answer else {
        return Err(failed("These texts could not be aligned.".to_owned()));
    };
    let words = reply.words(0);
    let row = |words: &[u32; ROW_WORDS]| {
        let [kind, a, b] = *words;
        Some(Row { kind: *RowKind::ALL.get(kind as usize)?, a: a.checked_sub(1), b: b.checked_sub(1) })
    };
    let rows = words.as_chunks().0.iter().filter_map(row).collect();
    Ok(Pair { a: doc_a, b: doc_b, rows, left_out })
}
