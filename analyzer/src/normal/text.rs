//! The normal digest of assembly text: tokens without comments, locations and debug sections, names numbered by first
//! use, chunks (functions, globals) in any order.

use std::collections::HashMap;

use lowerline_shared::ids::Digest;
use sha2::{Digest as _, Sha256};

use super::unordered;
use crate::{AnalyzeError, Budget};

/// Bytes collected before they are hashed.
const BUFFER: usize = 8 * 1024;
/// Steps of one token.
const TOKEN_STEPS: u64 = 30;

/// Hashes tokens chunk by chunk.
#[derive(Default)]
pub(crate) struct Chunks<'a> {
    done: Vec<Digest>,
    hasher: Sha256,
    buffer: Vec<u8>,
    names: HashMap<&'a str, u32>,
    empty: bool,
}

impl<'a> Chunks<'a> {
    pub fn new() -> Self {
        Self { empty: true, buffer: Vec::with_capacity(BUFFER), ..Self::default() }
    }

    /// A token as written.
    pub fn token(&mut self, text: &str, budget: &mut Budget) -> Result<(), AnalyzeError> {
        budget.work(TOKEN_STEPS + text.len() as u64)?;
        self.empty = false;
        self.buffer.extend_from_slice(text.as_bytes());
        self.buffer.push(0);
        if self.buffer.len() >= BUFFER {
            self.flush();
        }
        Ok(())
    }

    /// A name that says nothing by itself: its number by first use in this chunk.
    pub fn name(&mut self, kind: u8, text: &'a str, budget: &mut Budget) -> Result<(), AnalyzeError> {
        budget.work(TOKEN_STEPS)?;
        self.empty = false;
        let next = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let number = match self.names.get(text) {
            Some(known) => *known,
            None => {
                budget.store(1)?;
                self.names.insert(text, next);
                next
            }
        };
        self.buffer.push(kind);
        self.buffer.extend_from_slice(&number.to_le_bytes());
        if self.buffer.len() >= BUFFER {
            self.flush();
        }
        Ok(())
    }

    fn flush(&mut self) {
        self.hasher.update(&self.buffer);
        self.buffer.clear();
    }

    /// Ends a chunk; numbering begins anew.
    pub fn cut(&mut self, budget: &mut Budget) -> Result<(), AnalyzeError> {
        if self.empty {
            return Ok(());
        }
        budget.store(1)?;
        self.flush();
        self.done.push(Digest(self.hasher.finalize_reset().into()));
        self.names.clear();
        self.empty = true;
        Ok(())
    }

    /// The digest of all chunks.
    pub fn finish(mut self, budget: &mut Budget) -> Result<Digest, AnalyzeError> {
        self.cut(budget)?;
        Ok(unordered(self.done))
    }
}
