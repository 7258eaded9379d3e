//! Basic blocks of one function and the edges between them.

use std::{borrow::Cow, collections::HashMap};

use super::inferred;
use crate::{
    AnalyzeError, Budget,
    families::Isa,
    operands::sass_target,
    stream::{Stream, Target, Transfer},
};

/// Blocks in text order; block 0 is the entry.
pub(crate) struct Blocks {
    /// First instruction of each block, absolute; one more entry for the end.
    pub starts: Vec<u32>,
    /// `successors[offsets[b]..offsets[b + 1]]` are those of block `b`.
    offsets: Vec<u32>,
    successors: Vec<u32>,
    /// Transfers whose target no label or address of the function matches.
    pub unresolved: u64,
    /// Indirect branches whose targets the text does not say.
    pub inferred: u64,
}

impl Blocks {
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    pub fn successors(&self, block: u32) -> &[u32] {
        let at = |index: u32| self.offsets.get(index as usize).map_or(0, |offset| *offset as usize);
        self.successors.get(at(block)..at(block + 1)).unwrap_or_default()
    }
}

/// Names visible in a function: the label of an inner brace scope hides an outer one.
struct Names<'a, 's> {
    stream: &'s Stream<'a>,
    labels: HashMap<(u32, &'a str), u32>,
}

impl<'a> Names<'a, '_> {
    fn find(&self, scope: u32, name: &'a str, budget: &mut Budget) -> Result<Option<u32>, AnalyzeError> {
        let mut scope = scope;
        loop {
            budget.work(30)?;
            if let Some(at) = self.labels.get(&(scope, name)) {
                return Ok(Some(*at));
            }
            match self.stream.scopes.get(scope as usize) {
                Some(parent) if *parent < scope => scope = *parent,
                _ => return Ok(None),
            }
        }
    }
}

/// Splits a function into blocks.
pub(crate) fn blocks(stream: &Stream<'_>, function: usize, budget: &mut Budget) -> Result<Blocks, AnalyzeError> {
    let (first, end) = (stream.functions.get(function).map_or(0, |function| function.first), stream.end(function));
    let base = stream.functions.get(function).map_or(0, |function| function.base);
    let mut transfers = Cow::Borrowed(range(&stream.transfers, first, end, |transfer| transfer.at));
    let calls = range(&stream.calls, first, end, |call| call.jump.at);
    let inside = |at: u32| (first..end).contains(&at);
    let mut targets: Vec<(u32, Option<u32>)> = Vec::with_capacity(transfers.len());
    if !transfers.is_empty() || !calls.is_empty() {
        let labels = range(&stream.labels, first, end.saturating_add(1), |label| label.at);
        budget.work(40 * labels.len() as u64)?;
        let mut names = Names { stream, labels: HashMap::with_capacity(labels.len()) };
        for label in labels {
            names.labels.entry((label.scope, label.name)).or_insert(label.at);
        }
        for call in calls {
            let mut to = Vec::with_capacity(1);
            resolve(&names, &call.jump, 0, first, base, &mut to, budget)?;
            // The entry itself is called by recursion.
            if to.iter().all(|(_, at)| at.is_some_and(|at| inside(at) && at != first)) {
                transfers.to_mut().push(call.jump);
            }
        }
        if let Cow::Owned(all) = &mut transfers {
            budget.store(all.len())?;
            all.sort_by_key(|transfer| transfer.at);
        }
        let tail = (stream.isa == Isa::Sass).then(|| stream.padding_from(first, end));
        for (index, transfer) in (0_u32..).zip(transfers.iter()) {
            let from = targets.len();
            resolve(&names, transfer, index, first, base, &mut targets, budget)?;
            // `BRA .` before the padding ends the code and is no loop.
            if tail == Some(transfer.at + 1) && targets.last() == Some(&(index, Some(transfer.at))) {
                targets.truncate(from);
            }
        }
    }
    let mut starts: Vec<u32> = targets.iter().filter_map(|(_, target)| *target).filter(|at| inside(*at)).collect();
    starts.extend(transfers.iter().map(|transfer| transfer.at + 1).filter(|at| inside(*at)));
    starts.push(first);
    starts.sort_unstable();
    starts.dedup();
    budget.work(30 * starts.len() as u64)?;
    budget.store(starts.len())?;
    starts.push(end);

    let block_of = |at: u32| starts.partition_point(|start| *start <= at).saturating_sub(1);
    let count = starts.len() - 1;
    let mut edges: Vec<(u32, u32)> = Vec::with_capacity(count * 2);
    let (mut unresolved, mut unknown) = (0, Vec::new());
    let mut next_target = targets.iter().peekable();
    let mut next_transfer = (0_u32..).zip(transfers.iter()).peekable();
    for block in 0..count {
        let last = starts[block + 1].saturating_sub(1);
        let mut falls = true;
        while let Some((index, transfer)) = next_transfer.next_if(|(_, transfer)| transfer.at <= last) {
            falls = transfer.conditional;
            while let Some((_, target)) = next_target.next_if(|(of, _)| *of == index) {
                match target.filter(|at| inside(*at)) {
                    Some(at) => edges.push((index_of(block), index_of(block_of(at)))),
                    None if stream.isa == Isa::Sass && transfer.target == Target::Unknown => {
                        unknown.push(index_of(block));
                    }
                    None => unresolved += 1,
                }
            }
        }
        if falls && block + 1 < count {
            edges.push((index_of(block), index_of(block + 1)));
        }
    }
    inferred::infer(&mut edges, &unknown, count, budget)?;
    let mut offsets = vec![0_u32; count + 1];
    for (from, _) in &edges {
        offsets[*from as usize + 1] += 1;
    }
    for block in 0..count {
        offsets[block + 1] += offsets[block];
    }
    // Edges are in block order, so they already lie in rows.
    let successors = edges.into_iter().map(|(_, to)| to).collect();
    Ok(Blocks { starts, offsets, successors, unresolved, inferred: unknown.len() as u64 })
}

/// Blocks are fewer than instructions, which fit 32 bits.
fn index_of(block: usize) -> u32 {
    u32::try_from(block).unwrap_or(u32::MAX)
}

fn resolve<'a>(
    names: &Names<'a, '_>,
    transfer: &Transfer<'a>,
    index: u32,
    first: u32,
    base: u64,
    targets: &mut Vec<(u32, Option<u32>)>,
    budget: &mut Budget,
) -> Result<(), AnalyzeError> {
    let at_address = |address: u64| {
        // An instruction of sm_70 and later takes 16 bytes.
        let offset = address.checked_sub(base).map(|bytes| bytes / 16).and_then(|index| u32::try_from(index).ok());
        offset.and_then(|offset| first.checked_add(offset))
    };
    match transfer.target {
        Target::Exit => {}
        Target::Unknown => targets.push((index, None)),
        Target::Name(name) => targets.push((index, names.find(transfer.scope, name, budget)?)),
        Target::Address(address) => targets.push((index, at_address(address))),
        Target::List(list) => {
            for target in list.split(',') {
                budget.store(1)?;
                let found = match sass_target(target.trim()) {
                    Target::Name(name) => names.find(transfer.scope, name, budget)?,
                    Target::Address(address) => at_address(address),
                    _ => None,
                };
                targets.push((index, found));
            }
        }
        Target::Table(table) => {
            budget.work(4 * names.stream.tables.len() as u64)?;
            match names.stream.tables.iter().find(|(name, _)| *name == table) {
                Some((_, list)) => {
                    for name in list {
                        // Every branch of a file may name one table of all its labels.
                        budget.store(1)?;
                        targets.push((index, names.find(transfer.scope, name, budget)?));
                    }
                }
                None => targets.push((index, None)),
            }
        }
    }
    budget.store(1)
}

/// The part of a list sorted by position that lies in `first..end`.
pub(crate) fn range<T>(list: &[T], first: u32, end: u32, at: impl Fn(&T) -> u32) -> &[T] {
    let from = list.partition_point(|item| at(item) < first);
    let to = list.partition_point(|item| at(item) < end);
    list.get(from..to).unwrap_or_default()
}
