//! One line, one instruction, label, directive or comment.

use std::collections::HashSet;

use lowerline_shared::stage::Stage;
use memchr::{memchr, memmem};

use super::metadata::Metadata;
use crate::{
    AnalyzeError, Budget, detect,
    stream::{Keep, Stream, Written, printed_place},
};

/// Facts of the whole file.
#[derive(Debug, Default)]
pub(crate) struct Facts<'a> {
    pub target: Option<&'a str>,
    pub code_object: Option<&'a str>,
    pub metadata: Metadata,
    /// Functions without a `.size` behind them that still end as code does.
    pub unsized_functions: usize,
}

struct Scanner<'a, 's> {
    text: &'a str,
    facts: Facts<'a>,
    stream: &'s mut Stream<'a>,
    /// Names that a `.type name,@function` line announced.
    functions: HashSet<&'a str>,
    /// Functions whose `.size` was read: LLVM writes it behind the last instruction.
    sized: HashSet<&'a str>,
    /// Names that `.amdhsa_kernel` declares: those are entries.
    kernels: HashSet<&'a str>,
    /// Instructions left of a clause that has a comment, and the comment.
    clause: Option<(u32, &'a str)>,
}

/// Reads the whole text.
pub(crate) fn scan<'a>(text: &'a str, stream: &mut Stream<'a>, budget: &mut Budget) -> Result<Facts<'a>, AnalyzeError> {
    let mut scanner = Scanner {
        text,
        facts: Facts::default(),
        stream,
        functions: HashSet::new(),
        sized: HashSet::new(),
        kernels: HashSet::new(),
        clause: None,
    };
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let end = memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |found| at + found);
        if memmem_starts(&bytes[at..end], b"\t.amdgpu_metadata") {
            at = scanner.metadata(end, budget)?;
            continue;
        }
        scanner.line(at, end, budget)?;
        at = end + 1;
    }
    for index in 0..scanner.stream.functions.len() {
        let name = scanner.stream.functions[index].name;
        if !scanner.sized.contains(name) {
            // Assembly written by hand may lack it, and has its metadata in front of the code then.
            if scanner.facts.metadata.kernels == 0 || !scanner.stream.exits_at_end(index) {
                return Err(AnalyzeError::Truncated { stage: Stage::Amdgcn, missing: "the `.size` of a function" });
            }
            scanner.facts.unsized_functions += 1;
        }
        scanner.stream.functions[index].kernel = scanner.kernels.contains(name);
    }
    Ok(scanner.facts)
}

fn memmem_starts(line: &[u8], head: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(head.trim_ascii_start())
}

impl<'a> Scanner<'a, '_> {
    /// Reads the YAML block and returns the offset behind it.
    fn metadata(&mut self, from: usize, budget: &mut Budget) -> Result<usize, AnalyzeError> {
        const END: &[u8] = b".end_amdgpu_metadata";
        let Some(length) = memmem::find(&self.text.as_bytes()[from..], END) else {
            return Err(AnalyzeError::Truncated { stage: Stage::Amdgcn, missing: ".end_amdgpu_metadata" });
        };
        budget.work(length as u64)?;
        for line in self.text[from..from + length].lines() {
            self.facts.metadata.line(line);
        }
        Ok(from + length + END.len())
    }

    fn line(&mut self, from: usize, end: usize, budget: &mut Budget) -> Result<(), AnalyzeError> {
        let bytes = self.text.as_bytes();
        let mut at = from;
        while at < end && matches!(bytes[at], b' ' | b'\t' | b'\r') {
            at += 1;
        }
        let start = at;
        match bytes.get(at..end).and_then(<[u8]>::first) {
            None | Some(b';') => return Ok(()),
            Some(b'/') if bytes[at..end].starts_with(b"//") => return Ok(()),
            Some(b'.') => return self.directive(start, end, budget),
            Some(_) => {}
        }
        while at < end && !matches!(bytes[at], b' ' | b'\t' | b':' | b';' | b'\r') {
            at += 1;
        }
        let word = &self.text[start..at];
        if bytes.get(at) == Some(&b':') && at < end {
            return self.label(word, budget);
        }
        if start == from || !bytes[start].is_ascii_lowercase() {
            return self.foreign(start, end);
        }
        if self.stream.functions.is_empty() {
            return Ok(());
        }
        let rest = &self.text[at..end];
        if word == "s_clause" {
            self.clause(rest);
            self.stream.push(word, start, budget)?;
            return Ok(());
        }
        let shared = self.clause.as_mut().and_then(|(left, comment)| {
            *left = left.checked_sub(1)?;
            Some(*comment)
        });
        if self.stream.push(word, start, budget)? {
            let (operands, own) = rest.split_once(';').unwrap_or((rest, ""));
            let comment = if own.trim().is_empty() { shared.unwrap_or(own) } else { own };
            let written = Written { mnemonic: word, operands, comment, guarded: false, offset: start };
            self.stream.look(&written, 0, budget)?;
        }
        // Of two operations in one encoding (VOPD) each counts.
        if word.starts_with("v_dual_")
            && let Some(second) = rest.find(":: ")
        {
            let start = at + second + 3;
            let word = self.text[start..end].split_ascii_whitespace().next().unwrap_or_default();
            if !word.is_empty() {
                self.stream.push(word, start, budget)?;
            }
        }
        Ok(())
    }

    /// `s_clause 0x1 ; 8-byte Folded Reload`: the clause has one instruction more than the number, and the comment of the
    /// spill stands here instead of behind each of them.
    fn clause(&mut self, rest: &'a str) {
        let (operands, comment) = rest.split_once(';').unwrap_or((rest, ""));
        let operands = operands.trim();
        let number = match operands.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => operands.parse().ok(),
        };
        self.clause = number.filter(|_| !comment.trim().is_empty()).map(|number| (number.saturating_add(1), comment));
    }

    fn foreign(&self, start: usize, end: usize) -> Result<(), AnalyzeError> {
        match detect::head_stage(&self.text.as_bytes()[start..end]) {
            Some(second) if second != Stage::Amdgcn => {
                Err(AnalyzeError::TwoStages { first: Stage::Amdgcn, second, offset: start })
            }
            _ => Ok(()),
        }
    }

    fn label(&mut self, name: &'a str, budget: &mut Budget) -> Result<(), AnalyzeError> {
        if self.functions.contains(name) {
            return self.stream.function(name, false, 0, budget);
        }
        self.stream.label(name, 0, budget)
    }

    fn directive(&mut self, start: usize, end: usize, budget: &mut Budget) -> Result<(), AnalyzeError> {
        budget.work(20)?;
        let line = &self.text[start..end];
        let word_end = line.find([' ', '\t', ':']).unwrap_or(line.len());
        let (word, rest) = line.split_at(word_end);
        if rest.starts_with(':') {
            return self.stream.label(word, 0, budget);
        }
        match word {
            ".loc" => self.loc(rest, budget),
            ".file" => self.file(rest, budget),
            ".type" => {
                if let Some(name) = rest.trim().strip_suffix(",@function") {
                    budget.store(1)?;
                    self.functions.insert(name);
                }
                Ok(())
            }
            ".size" => {
                if let Some((name, _)) = rest.trim().split_once(',') {
                    budget.store(1)?;
                    self.sized.insert(name);
                }
                Ok(())
            }
            ".amdgcn_target" | ".amdgpu_target" => {
                let triple = rest.trim().trim_matches('"');
                self.facts.target = self.facts.target.or_else(|| triple.rsplit('-').next());
                Ok(())
            }
            ".amdhsa_code_object_version" => {
                self.facts.code_object = self.facts.code_object.or(Some(rest.trim()));
                Ok(())
            }
            ".amdhsa_kernel" => {
                budget.store(1)?;
                self.kernels.insert(rest.trim());
                Ok(())
            }
            ".version" => Err(AnalyzeError::TwoStages { first: Stage::Amdgcn, second: Stage::Ptx, offset: start }),
            _ => Ok(()),
        }
    }

    /// `.loc file line column [flags] ; place as LLVM prints it`.
    fn loc(&mut self, rest: &'a str, budget: &mut Budget) -> Result<(), AnalyzeError> {
        if self.stream.keep == Keep::Counts {
            return Ok(());
        }
        budget.work(rest.len() as u64)?;
        let (code, comment) = rest.split_once(';').unwrap_or((rest, ""));
        let mut numbers = code.split_ascii_whitespace().map_while(|number| number.parse().ok());
        let (Some(file), Some(line), column) = (numbers.next(), numbers.next(), numbers.next()) else {
            return Ok(());
        };
        let place = printed_place(self.stream, (file, line, column.unwrap_or(0)), comment, budget)?;
        self.stream.location(place, budget)
    }

    /// `.file 1 "folder" "name"` or `.file 1 "path"`.
    fn file(&mut self, rest: &'a str, budget: &mut Budget) -> Result<(), AnalyzeError> {
        let index = rest.split('"').next().and_then(|index| index.trim().parse::<u32>().ok());
        let name = rest.rsplit('"').nth(1);
        if let (Some(index), Some(name)) = (index, name) {
            self.stream.places.number(index, name, budget)?;
        }
        Ok(())
    }
}
