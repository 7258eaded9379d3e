//! The normal digest of MLIR, fed while the text is parsed.
//!
//! Every function is hashed by itself: its lines without locations, values by the order of their definition, aliases by
//! the order of their first use with their bodies behind the last line. A function's own name is left out, and a callee
//! is named by the digest of its body, so neither renaming nor reordering functions shows.

use std::collections::HashMap;

use lowerline_shared::ids::Digest;
use sha2::{Digest as _, Sha256};

use super::unordered;
use crate::{
    AnalyzeError, Budget,
    mlir::{
        Alias,
        tokens::{Kind, Tokens},
    },
};

#[derive(Default)]
struct Part<'a> {
    hasher: Sha256,
    name: &'a str,
    /// Aliases by first use.
    aliases: Vec<&'a str>,
    order: HashMap<&'a str, u32>,
    /// Symbols used, in order.
    symbols: Vec<&'a str>,
}

/// Collects what the parser sees.
#[derive(Default)]
pub(crate) struct Normal<'a> {
    module: Part<'a>,
    functions: Vec<Part<'a>>,
    in_function: bool,
    line: Vec<u8>,
    /// Definitions before the function: values are numbered from here.
    base: u32,
}

impl<'a> Normal<'a> {
    /// What follows belongs to a function of its own.
    pub fn begin_function(&mut self, definitions: u32) {
        self.functions.push(Part::default());
        self.in_function = true;
        self.base = definitions;
    }

    /// What follows belongs to the module again.
    pub fn end_function(&mut self) {
        self.in_function = false;
    }

    fn part(&mut self) -> &mut Part<'a> {
        if self.in_function
            && let Some(function) = self.functions.last_mut()
        {
            function
        } else {
            &mut self.module
        }
    }

    /// Text as written.
    pub fn text(&mut self, text: &str) {
        self.line.extend_from_slice(text.as_bytes());
    }

    /// A value by number, or by name when nothing in scope has it.
    pub fn value(&mut self, definition: Option<u32>, name: &str, result: &str) {
        match definition {
            Some(definition) => {
                self.line.push(b'%');
                let number = definition.wrapping_sub(self.base);
                self.line.extend_from_slice(&number.to_le_bytes());
                self.line.extend_from_slice(result.as_bytes());
            }
            None => self.text(name),
        }
    }

    /// A block argument where it is defined, or results: their number is their place.
    pub fn defined(&mut self, results: u32) {
        self.line.push(b'=');
        self.line.extend_from_slice(&results.to_le_bytes());
    }

    /// An alias by its first use.
    pub fn alias(&mut self, name: &'a str, budget: &mut Budget) -> Result<(), AnalyzeError> {
        let part = self.part();
        let next = u32::try_from(part.aliases.len()).unwrap_or(u32::MAX);
        let number = if let Some(number) = part.order.get(name) {
            *number
        } else {
            budget.store(2)?;
            part.order.insert(name, next);
            part.aliases.push(name);
            next
        };
        self.line.push(b'#');
        self.line.extend_from_slice(&number.to_le_bytes());
        Ok(())
    }

    /// A symbol: the function's own name, or what it calls.
    pub fn symbol(&mut self, name: &'a str, own: bool, budget: &mut Budget) -> Result<(), AnalyzeError> {
        self.line.push(b'@');
        let part = self.part();
        if own && part.name.is_empty() {
            part.name = name;
            return Ok(());
        }
        budget.store(1)?;
        part.symbols.push(name);
        Ok(())
    }

    /// End of a statement that stands in so many regions.
    pub fn end_line(&mut self, nesting: usize) {
        let mut line = std::mem::take(&mut self.line);
        line.extend_from_slice(&u32::try_from(nesting).unwrap_or(u32::MAX).to_le_bytes());
        line.push(b'\n');
        self.part().hasher.update(&line);
        line.clear();
        self.line = line;
    }

    /// The digest of the file.
    pub fn finish(self, aliases: &[Alias<'a>], budget: &mut Budget) -> Result<Digest, AnalyzeError> {
        let bodies: HashMap<&str, &'a str> = aliases.iter().map(|alias| (alias.name, alias.body)).collect();
        let mut bare = HashMap::new();
        let mut parts = Vec::new();
        for mut part in std::iter::once(self.module).chain(self.functions) {
            append_aliases(&mut part, &bodies, budget)?;
            let digest = Digest(part.hasher.finalize().into());
            bare.insert(part.name, digest);
            parts.push((digest, part.symbols));
        }
        let whole = parts.into_iter().map(|(digest, symbols)| {
            let mut hasher = Sha256::new();
            hasher.update(digest.0);
            for symbol in symbols {
                match bare.get(symbol) {
                    Some(callee) => hasher.update(callee.0),
                    None => hasher.update(symbol.as_bytes()),
                }
            }
            Digest(hasher.finalize().into())
        });
        Ok(unordered(whole.collect()))
    }
}

/// Hashes the bodies of the aliases a part uses; aliases used only by bodies follow them.
fn append_aliases<'a>(
    part: &mut Part<'a>,
    bodies: &HashMap<&str, &'a str>,
    budget: &mut Budget,
) -> Result<(), AnalyzeError> {
    let mut next = 0;
    while let Some(name) = part.aliases.get(next).copied() {
        next += 1;
        let Some(body) = bodies.get(name).copied() else {
            part.hasher.update(name.as_bytes());
            continue;
        };
        budget.work(body.len() as u64)?;
        let mut copied = 0;
        for token in Tokens::new(body).filter(|token| token.kind == Kind::Attribute && !token.text.contains('.')) {
            part.hasher.update(body.get(copied..token.at).unwrap_or(""));
            copied = token.end();
            let inner = token.text.trim_start_matches('#');
            let number = part.order.get(inner).copied().unwrap_or_else(|| {
                let number = u32::try_from(part.aliases.len()).unwrap_or(u32::MAX);
                part.order.insert(inner, number);
                part.aliases.push(inner);
                number
            });
            part.hasher.update(number.to_le_bytes());
        }
        part.hasher.update(body.get(copied..).unwrap_or(""));
        part.hasher.update(b"\n");
    }
    Ok(())
}
