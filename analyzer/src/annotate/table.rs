//! Filling of the tables that all stages share.

use std::collections::HashMap;

use lowerline_shared::stage::Stage;

use super::{Annotations, Place, Row};
use crate::{
    AnalyzeError, Budget,
    assemble::base_name,
    stream::{NOWHERE, Places},
};

impl Annotations {
    /// Nothing yet.
    pub(super) const fn new(stage: Stage) -> Self {
        Self {
            stage,
            files: Vec::new(),
            places: Vec::new(),
            functions: Vec::new(),
            loops: Vec::new(),
            blocks: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Pays for rows before they are made: two of them are as large as an entry of another kind.
    pub(super) fn reserve(&mut self, rows: usize, budget: &mut Budget) -> Result<(), AnalyzeError> {
        budget.store(rows.div_ceil(2))?;
        budget.work(10 * rows as u64)?;
        self.rows.reserve_exact(rows);
        Ok(())
    }

    /// Takes over all places; their numbers stay, since a place stands behind its caller in both tables.
    pub(super) fn take_places(&mut self, places: &Places<'_>, budget: &mut Budget) -> Result<(), AnalyzeError> {
        budget.store(places.len())?;
        let mut files: HashMap<u32, u32> = HashMap::new();
        let mut by_path: HashMap<&str, u32> = HashMap::new();
        for place in places.all() {
            let file = match files.get(&place.file) {
                Some(known) => *known,
                None => {
                    let path = full_path(places, places.path(place.file));
                    let next = u32::try_from(self.files.len()).unwrap_or(u32::MAX);
                    let index = *by_path.entry(path).or_insert(next);
                    if index == next {
                        self.files.push(path.to_owned());
                    }
                    files.insert(place.file, index);
                    index
                }
            };
            let caller = some(place.caller);
            self.places.push(Place { file, line: place.line, column: place.column, caller });
        }
        Ok(())
    }

    /// Numbers of lines instead of offsets in a text.
    pub(super) fn offsets_to_lines(&mut self, text: &str) {
        self.rows.sort_by_key(|row| row.at);
        let mut ends = memchr::memchr_iter(b'\n', text.as_bytes()).peekable();
        let mut line = 1;
        for row in &mut self.rows {
            while ends.next_if(|end| *end < row.at as usize).is_some() {
                line += 1;
            }
            row.at = line;
        }
    }

    /// The row of one instruction.
    pub(super) fn push(&mut self, row: Row) {
        self.rows.push(row);
    }
}

/// An index, or none.
pub(super) fn some(index: u32) -> Option<u32> {
    (index != NOWHERE).then_some(index)
}

/// A bare name is the one path of the artifact that ends in it, where there is exactly one.
fn full_path<'a>(places: &Places<'a>, path: &'a str) -> &'a str {
    if path.contains(['/', '\\']) {
        return path;
    }
    let mut same = places.numbered().filter(|numbered| base_name(numbered) == path);
    match (same.next(), same.next()) {
        (Some(one), None) => one,
        _ => path,
    }
}
