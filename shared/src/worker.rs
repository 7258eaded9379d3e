//! What a page asks the worker, and what it answers: the work on whole artifacts is done beside the page, which stays
//! responsive.
//!
//! A question travels as an array `[id, question as JSON, …parts]`, an answer as `[id, answer as JSON, …parts]`; parts are
//! what JSON is no good for (files, bytes, columns of numbers). Several answers may bear one id: all but the last are
//! [`Answer::Progress`].

mod layouts;

use std::collections::BTreeMap;

pub use layouts::{LayoutNotes, LayoutText, LayoutUse, LayoutUseKind};
use serde::{Deserialize, Serialize};

use crate::{
    api::{ArtifactRef, BuildComparison, BuildManifest},
    family::Family,
    ids::Digest,
    stage::{Scope, Stage},
};

/// What a page asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum Question {
    /// Keeps a blob for later questions. Part: its bytes, as an `ArrayBuffer`.
    Keep {
        /// What it is called.
        digest: Digest,
    },
    /// A text and what its lines are. Of a cubin, our disassembly.
    Read {
        /// A blob that is kept, or one of the files taken.
        digest: Digest,
        /// What it was pushed as.
        stage: Stage,
    },
    /// Two texts of one stage side by side.
    Align {
        /// Their stage.
        stage: Stage,
        /// Whether renumbering counts as change.
        as_written: bool,
        /// First text.
        a: Digest,
        /// Second text.
        b: Digest,
    },
    /// Takes files. Parts: a `File` for each path.
    Take {
        /// Paths as dropped, folders separated by `/`.
        paths: Vec<String>,
    },
    /// Makes builds of all files taken and analyzes each artifact.
    Find,
    /// Some of the builds found, side by side.
    Compare {
        /// Places in [`Found::builds`].
        builds: Vec<u32>,
        /// Where counts are taken.
        scope: Scope,
    },
    /// The builds found as a push sends them.
    Manifest,
    /// The bytes of an artifact.
    Bytes {
        /// One of the files taken.
        digest: Digest,
    },
    /// Lets go of all files taken and everything found in them.
    Forget,
}

/// What the worker answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Answer {
    /// It is done.
    Done,
    /// The blob is not kept, or not any more: keep it and ask again.
    NotKept,
    /// Parts: the text as UTF-8, and [`LINE_WORDS`] words a line, as [`LineNote`] packs them.
    Text(TextNotes),
    /// Part: [`ROW_WORDS`] words a row.
    Aligned {
        /// Lines of either side that take no part: location tables, debug sections, blank lines.
        left_out: (u32, u32),
    },
    /// How far a long question is.
    Progress {
        /// Files done.
        done: u64,
        /// Files in all.
        total: u64,
    },
    /// What the files taken are.
    Found(Found),
    /// As a server would answer for one build.
    Compared(Box<BuildComparison>),
    /// Builds to push.
    Manifest {
        /// Those that a description names, as a push sends them.
        builds: Vec<BuildManifest>,
    },
    /// Part: the bytes.
    Bytes,
    /// Why there is no answer, in words for the reader.
    Refused {
        /// What is wrong and what to try.
        why: String,
    },
}

/// A place in source that lines of an artifact come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceNote {
    /// Place in [`TextNotes::files`].
    pub file: u32,
    /// From 1.
    pub line: u32,
    /// As written; 0 when the artifact has none.
    pub column: u32,
    /// Where the call stands that it was inlined at: a place in [`TextNotes::places`].
    pub caller: Option<u32>,
}

/// Instructions of one source line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceCount {
    /// Place in [`TextNotes::files`].
    pub file: u32,
    /// From 1.
    pub line: u32,
    /// Instructions; in IR, operations.
    pub count: u32,
    /// Of these, inside any loop.
    pub in_loop: u32,
}

/// What is known of a text beyond its characters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextNotes {
    /// File names without folders, by which stages of other machines meet.
    pub files: Vec<String>,
    /// Places that lines name.
    pub places: Vec<PlaceNote>,
    /// Functions in file order.
    pub functions: Vec<String>,
    /// Counts by source line, in order of file and line.
    pub sources: Vec<SourceCount>,
    /// Layouts, of TTGIR.
    pub layouts: LayoutNotes,
    /// Why nothing is known of the lines; `None` when something is.
    pub warning: Option<String>,
}

/// Words of [`Answer::Text`] a line.
pub const LINE_WORDS: usize = 3;
/// Words of [`Answer::Aligned`] a row: its kind, then its line on either side plus one, 0 for none.
pub const ROW_WORDS: usize = 3;

/// Deepest loop that a band tells apart.
pub const DEEPEST: u32 = 255;

/// What one line of a text is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineNote {
    /// Where it comes from: a place in [`TextNotes::places`].
    pub place: Option<u32>,
    /// Family of its first instruction; `None` for IR and for lines without one.
    pub family: Option<Family>,
    /// Depth of its loop, 0 outside, at most [`DEEPEST`].
    pub depth: u32,
    /// Whether it lies in the hot loop.
    pub hot: bool,
    /// Place in [`TextNotes::functions`].
    pub function: Option<u32>,
}

const HOT: u32 = 1 << 8;
const FAMILY_SHIFT: u32 = 16;

const fn optional(word: u32) -> Option<u32> {
    word.checked_sub(1)
}

impl LineNote {
    /// As words.
    pub fn pack(self) -> [u32; LINE_WORDS] {
        let family = self.family.map_or(0, |family| family as u32 + 1);
        let band = self.depth.min(DEEPEST) | if self.hot { HOT } else { 0 } | family << FAMILY_SHIFT;
        [self.place.map_or(0, |place| place + 1), band, self.function.map_or(0, |function| function + 1)]
    }

    /// Of words; what is of another version reads as unknown.
    pub fn unpack(words: [u32; LINE_WORDS]) -> Self {
        let [place, band, function] = words;
        let family = optional(band >> FAMILY_SHIFT).and_then(|family| Family::ALL.get(family as usize).copied());
        Self {
            place: optional(place),
            family,
            depth: band & DEEPEST,
            hot: band & HOT != 0,
            function: optional(function),
        }
    }
}

/// A build found among files of this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundBuild {
    /// Name of the kernel.
    pub kernel: String,
    /// Target; empty when no file says.
    pub target: String,
    /// Config label, or the name of the file when nothing describes the build.
    pub config: String,
    /// What was dropped: the outermost folder, or the file itself.
    pub root: String,
    /// Its artifacts in lowering order.
    pub artifacts: Vec<ArtifactRef>,
    /// The compiler's words when the build failed.
    pub failed: Option<String>,
    /// Instructions of its lowest stage that has some.
    pub instructions: Option<u64>,
    /// What was cut, skipped or not understood in its artifacts.
    pub warnings: Vec<String>,
}

/// Everything that became of the files taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Builds by kernel, target, config and what was dropped.
    pub builds: Vec<FoundBuild>,
    /// Files that are no artifact or could not be read, each with the reason.
    pub left_out: Vec<(String, String)>,
    /// Builds that were there twice with the same bytes.
    pub duplicates: u64,
    /// Sentences about how builds were told apart.
    pub notes: Vec<String>,
    /// Files looked at.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Files by what they are: a stage's id, `description` for metadata, `left out`.
    pub kinds: BTreeMap<String, u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reads_what_it_packs() {
        let known =
            LineNote { place: Some(0), family: Some(Family::Padding), depth: 3, hot: true, function: Some(70_000) };
        for note in [known, LineNote::default(), LineNote { depth: 255, ..known }] {
            assert_eq!(LineNote::unpack(note.pack()), note);
        }
        assert_eq!(LineNote { depth: 300, ..known }.pack()[1] & 0x1ff, 255 | 256);
        assert_eq!(LineNote::unpack([0, 99 << 16, 0]).family, None);
    }

    #[test]
    fn questions_and_answers_are_json() {
        let question = Question::Align { stage: Stage::Sass, as_written: true, a: Digest([1; 32]), b: Digest([2; 32]) };
        let text = serde_json::to_string(&question).expect("JSON");
        assert_eq!(serde_json::from_str::<Question>(&text).expect("a question"), question);
        let told = [
            Answer::Refused { why: "x".to_owned() },
            Answer::Manifest { builds: Vec::new() },
            Answer::Text(TextNotes::default()),
            Answer::Found(Found::default()),
            Answer::Aligned { left_out: (1, 2) },
            Answer::Bytes,
        ];
        for answer in told {
            let text = serde_json::to_string(&answer).expect("JSON");
            assert_eq!(serde_json::from_str::<Answer>(&text).expect("an answer"), answer);
        }
    }
}
