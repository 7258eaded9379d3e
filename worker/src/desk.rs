//! What is kept between questions, and the answers.

use std::{
    collections::{BTreeMap, VecDeque},
    path::Path,
};

use js_sys::{Array, ArrayBuffer, Uint8Array, Uint32Array};
use lowerline_analyzer::{
    diff::{self, Names},
    dropped::{self, Dropped},
};
use lowerline_shared::{
    ids::Digest,
    stage::Stage,
    worker::{Answer, Question},
};
use wasm_bindgen::JsCast as _;
use web_sys::{File, FileReaderSync};

use crate::text;

/// Bytes of blobs that are kept; the page keeps them again when they are asked for later.
const KEPT_BYTES: usize = 128 << 20;

/// An answer with its parts, whose buffers are handed over.
pub struct Reply {
    pub answer: Answer,
    pub parts: Vec<Uint8Array>,
}

impl Reply {
    pub fn new(answer: Answer) -> Self {
        Self { answer, parts: Vec::new() }
    }

    pub fn refused(why: impl Into<String>) -> Self {
        Self::new(Answer::Refused { why: why.into() })
    }

    fn with(mut self, part: &[u8]) -> Self {
        self.parts.push(Uint8Array::from(part));
        self
    }

    fn with_words(mut self, part: &[u32]) -> Self {
        self.parts.push(Uint8Array::new(&Uint32Array::from(part).buffer()));
        self
    }
}

/// Blobs of the server and files of this machine.
#[derive(Default)]
pub struct Desk {
    kept: VecDeque<(Digest, Vec<u8>)>,
    files: BTreeMap<String, File>,
    dropped: Dropped,
}

/// Reads a whole file; a worker may wait for it.
fn read(file: &File) -> Result<Vec<u8>, String> {
    let words = |error: wasm_bindgen::JsValue| {
        let text = error.dyn_ref::<js_sys::Error>().map(|error| String::from(error.message()));
        text.unwrap_or_else(|| "the browser could not read it".to_owned())
    };
    let buffer = FileReaderSync::new().and_then(|reader| reader.read_as_array_buffer(file)).map_err(words)?;
    Ok(Uint8Array::new(&buffer).to_vec())
}

impl Desk {
    /// Answers one question; `progress` is told files done and in all.
    pub fn answer(&mut self, question: Question, parts: &Array, progress: &dyn Fn(u64, u64)) -> Reply {
        match question {
            Question::Keep { digest } => self.keep(digest, parts),
            Question::Read { digest, stage } => match self.bytes(&digest) {
                Some(Ok(bytes)) => match text::read(stage, bytes) {
                    Ok((text, notes, lines)) => {
                        Reply::new(Answer::Text(notes)).with(text.as_bytes()).with_words(&lines)
                    }
                    Err(why) => Reply::refused(why),
                },
                Some(Err(why)) => Reply::refused(why),
                None => Reply::new(Answer::NotKept),
            },
            Question::Align { stage, as_written, a, b } => self.align(stage, as_written, &a, &b),
            Question::Take { paths } => {
                let files = parts.iter().filter_map(|part| part.dyn_into::<File>().ok());
                self.files.extend(paths.into_iter().zip(files));
                Reply::new(Answer::Done)
            }
            Question::Find => self.find(progress),
            Question::Compare { builds, scope } => {
                match self.dropped.compare(&builds, scope, &|path| self.read(path)) {
                    Some(answer) => Reply::new(Answer::Compared(Box::new(answer))),
                    None => Reply::refused("these builds are not there any more: drop the files again"),
                }
            }
            Question::Manifest => {
                let builds = self.dropped.manifests.iter().flatten().cloned().collect();
                Reply::new(Answer::Manifest { builds })
            }
            Question::Bytes { digest } => match self.bytes(&digest) {
                Some(Ok(bytes)) => Reply::new(Answer::Bytes).with(&bytes),
                Some(Err(why)) => Reply::refused(why),
                None => Reply::new(Answer::NotKept),
            },
            Question::Forget => {
                *self = Self { kept: std::mem::take(&mut self.kept), ..Self::default() };
                Reply::new(Answer::Done)
            }
        }
    }

    fn keep(&mut self, digest: Digest, parts: &Array) -> Reply {
        let Ok(buffer) = parts.get(0).dyn_into::<ArrayBuffer>() else { return Reply::refused("no bytes came") };
        self.kept.retain(|(held, _)| *held != digest);
        self.kept.push_back((digest, Uint8Array::new(&buffer).to_vec()));
        // The newest stays whatever its size.
        while self.kept.len() > 2 && self.kept.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() > KEPT_BYTES {
            self.kept.pop_front();
        }
        Reply::new(Answer::Done)
    }

    /// Bytes of a blob; `None` when it is neither kept nor among the files.
    fn bytes(&self, digest: &Digest) -> Option<Result<Vec<u8>, String>> {
        if let Some((_, bytes)) = self.kept.iter().find(|(held, _)| held == digest) {
            return Some(Ok(bytes.clone()));
        }
        Some(self.read(self.dropped.place(digest)?))
    }

    /// A file that was taken.
    fn read(&self, path: &Path) -> Result<Vec<u8>, String> {
        let file = path.to_str().and_then(|path| self.files.get(path));
        file.ok_or_else(|| "it is not there any more".to_owned()).and_then(read)
    }

    fn align(&self, stage: Stage, as_written: bool, a: &Digest, b: &Digest) -> Reply {
        let of = |digest: &Digest| Some(self.bytes(digest)?.and_then(|bytes| text::plain(stage, bytes)));
        let (a, b) = match (of(a), of(b)) {
            (Some(Ok(a)), Some(Ok(b))) => (a, b),
            (Some(Err(why)), _) | (_, Some(Err(why))) => return Reply::refused(why),
            _ => return Reply::new(Answer::NotKept),
        };
        let names = if as_written { Names::Raw } else { Names::Ignored };
        let aligned = diff::align(text::shown_as(stage), names, &a, &b);
        let side = |line: Option<u32>| line.map_or(0, |line| line + 1);
        let words: Vec<u32> = aligned.rows.iter().flat_map(|row| [row.kind as u32, side(row.a), side(row.b)]).collect();
        Reply::new(Answer::Aligned { left_out: aligned.left_out }).with_words(&words)
    }

    fn find(&mut self, progress: &dyn Fn(u64, u64)) -> Reply {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "sizes of files are whole and small"
        )]
        let size = |file: &File| file.size() as u64;
        let list: Vec<(String, u64)> = self.files.iter().map(|(path, file)| (path.clone(), size(file))).collect();
        // A message each file would cost more than a file.
        let step = (list.len() as u64 / 100).max(1);
        let dropped = dropped::find(&list, &|path| self.read(path), &mut |done, total| {
            if done % step == 0 || done == total {
                progress(done, total);
            }
        });
        self.dropped = dropped;
        Reply::new(Answer::Found(self.dropped.found.clone()))
    }
}
