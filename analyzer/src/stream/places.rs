//! Source places of one artifact: file, line, column and the call they were inlined at, each kept once.

use std::collections::{BTreeMap, HashMap};

use super::Stream;
use crate::{AnalyzeError, Budget};

/// No place, or no call around one.
pub(crate) const NOWHERE: u32 = u32::MAX;
/// Set in file numbers that name an entry of [`Places::names`]; clear in those that a `.file` directive gives.
const NAMED: u32 = 1 << 31;
/// Calls around one place that are followed; deeper inlining is cut.
pub(crate) const MAX_CALLS: usize = 64;

/// One place in source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    /// Number that [`Places::path`] turns into a path.
    pub file: u32,
    /// From 1; 0 is code the compiler made.
    pub line: u32,
    /// As written; 0 where the text has none.
    pub column: u32,
    /// The call this was inlined at: an earlier place, or [`NOWHERE`].
    pub caller: u32,
}

/// All places, by number.
#[derive(Default)]
pub(crate) struct Places<'a> {
    all: Vec<Place>,
    index: HashMap<Place, u32>,
    /// The place that was met last with this file, line and column: what `inlined_at` of PTX refers to.
    latest: HashMap<(u32, u32, u32), u32>,
    names: Vec<&'a str>,
    by_name: HashMap<&'a str, u32>,
    numbered: BTreeMap<u32, &'a str>,
}

impl<'a> Places<'a> {
    /// The number of a place. Its caller must be known before, so no chain is a circle.
    pub fn intern(&mut self, place: Place, budget: &mut Budget) -> Result<u32, AnalyzeError> {
        let next = u32::try_from(self.all.len()).unwrap_or(NOWHERE);
        let number = match self.index.get(&place) {
            Some(known) => *known,
            None => {
                // A place and its key.
                budget.store(2)?;
                self.index.insert(place, next);
                self.all.push(place);
                next
            }
        };
        Ok(number)
    }

    /// Numbers a chain of calls whose innermost frame is first: (file, line, column).
    pub fn chain(&mut self, frames: &[(u32, u32, u32)], budget: &mut Budget) -> Result<u32, AnalyzeError> {
        let mut caller = NOWHERE;
        let inner = frames.get(..frames.len().min(MAX_CALLS)).unwrap_or_default();
        for (file, line, column) in inner.iter().rev().copied() {
            caller = self.intern(Place { file, line, column, caller }, budget)?;
        }
        Ok(caller)
    }

    /// Remembers a place as the one that a later `inlined_at` of its line and column means.
    pub fn remember(&mut self, number: u32, budget: &mut Budget) -> Result<(), AnalyzeError> {
        if let Some(place) = self.get(number)
            && self.latest.insert((place.file, place.line, place.column), number).is_none()
        {
            budget.store(1)?;
        }
        Ok(())
    }

    /// The place a call stands at; a place without callers when the text has not named it before.
    pub fn call(&mut self, file: u32, line: u32, column: u32, budget: &mut Budget) -> Result<u32, AnalyzeError> {
        match self.latest.get(&(file, line, column)) {
            Some(known) => Ok(*known),
            None => self.intern(Place { file, line, column, caller: NOWHERE }, budget),
        }
    }

    /// The number of a file that is named by path.
    pub fn file(&mut self, path: &'a str, budget: &mut Budget) -> Result<u32, AnalyzeError> {
        let next = u32::try_from(self.names.len()).unwrap_or(u32::MAX) | NAMED;
        let number = match self.by_name.get(path) {
            Some(known) => *known,
            None => {
                budget.store(1)?;
                self.by_name.insert(path, next);
                self.names.push(path);
                next
            }
        };
        Ok(number)
    }

    /// Takes a `.file` directive.
    pub fn number(&mut self, number: u32, path: &'a str, budget: &mut Budget) -> Result<(), AnalyzeError> {
        budget.store(1)?;
        self.numbered.insert(number, path);
        Ok(())
    }

    /// The path of a file; `?` for a number that no directive explains.
    pub fn path(&self, file: u32) -> &'a str {
        let named = file.checked_sub(NAMED).and_then(|index| self.names.get(index as usize));
        named.or_else(|| self.numbered.get(&file)).copied().unwrap_or("?")
    }

    /// A place by number.
    pub fn get(&self, number: u32) -> Option<Place> {
        self.all.get(number as usize).copied()
    }

    /// How many there are; numbers are below it.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// All of them by number; a caller stands before what is inlined at it.
    pub fn all(&self) -> &[Place] {
        &self.all
    }

    /// Paths of `.file` directives.
    pub fn numbered(&self) -> impl Iterator<Item = &'a str> {
        self.numbered.values().copied()
    }

    /// A place and the calls around it, the innermost first.
    pub fn frames(&self, number: u32) -> impl Iterator<Item = Place> {
        let mut at = number;
        let next = move || {
            let place = self.get(at)?;
            at = place.caller;
            Some(place)
        };
        std::iter::from_fn(next).take(MAX_CALLS)
    }
}

/// The place of a `.loc` line: its own numbers, and the calls that the comment behind it prints.
pub(crate) fn printed_place<'a>(
    stream: &mut Stream<'a>,
    (file, line, column): (u32, u32, u32),
    comment: &'a str,
    budget: &mut Budget,
) -> Result<u32, AnalyzeError> {
    let places = &mut stream.places;
    let mut frames = vec![];
    if comment.contains(" @[ ") {
        for (name, line, column) in printed(comment).skip(1) {
            frames.push((places.file(name, budget)?, line, column));
        }
    }
    let caller = places.chain(&frames, budget)?;
    places.intern(Place { file, line, column, caller }, budget)
}

/// The frames of a comment as LLVM prints a location: `a.py:36:18 @[ a.py:64:33 @[ b.py:94:70 ] ]`, the innermost first.
/// Empty when the text is no such thing.
fn printed(comment: &str) -> impl Iterator<Item = (&str, u32, u32)> {
    comment.split(" @[ ").take(MAX_CALLS).map_while(|frame| {
        let frame = frame.trim_matches([' ', ']', '\t', '\r']);
        let (rest, last) = frame.rsplit_once(':')?;
        let last = last.parse().ok()?;
        // LLVM leaves a column of 0 out.
        let line = rest.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
        Some(line.map_or((rest, last, 0), |(file, line)| (file, line, last)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    #[test]
    fn a_printed_location_is_read_from_the_inside_out() {
        let frames: Vec<_> = printed("attention.py:36:18 @[ attention.py:64:33 @[ b c.py:94:70 ] ]").collect();
        assert_eq!(frames, [("attention.py", 36, 18), ("attention.py", 64, 33), ("b c.py", 94, 70)]);
        assert_eq!(printed("a.py:36 @[ a.py:64:33 ]").collect::<Vec<_>>(), [("a.py", 36, 0), ("a.py", 64, 33)]);
        assert_eq!(printed("begin inline asm").count(), 0);
        assert_eq!(printed(":0:0").collect::<Vec<_>>(), [("", 0, 0)]);
    }

    #[test]
    fn a_call_means_the_place_named_last() {
        let budget = &mut Budget::new(&Limits::default());
        let mut places = Places::default();
        let outer = places.intern(Place { file: 1, line: 93, column: 21, caller: NOWHERE }, budget).expect("room");
        let inner = places.intern(Place { file: 1, line: 63, column: 25, caller: outer }, budget).expect("room");
        places.remember(inner, budget).expect("room");
        assert_eq!(places.call(1, 63, 25, budget), Ok(inner));
        let lines: Vec<u32> = places.frames(inner).map(|place| place.line).collect();
        assert_eq!(lines, [63, 93]);
    }
}
