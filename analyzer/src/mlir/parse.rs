//! Lines to operations: one pass, an explicit stack of open regions, names resolved in the scope they stand in.

use std::collections::HashMap;

use lowerline_shared::stage::Stage;

use super::{
    LAYOUT_DIALECTS, MAX_NESTING, arguments,
    blocks::Blocks,
    generic, is_loop,
    module::{Alias, Definition, Function, Module, Operand, Operation},
    tokens::{Kind, Token, Tokens},
};
use crate::{AnalyzeError, Budget, normal::mlir::Normal};

/// What an operation costs beside its operands, in stored entries: about 100 bytes.
const OPERATION_ENTRIES: usize = 3;
/// What a name costs: its definition, its place in the scope and the way back.
const NAME_ENTRIES: usize = 2;

/// What an alias costs: the report keeps its name twice, its kind and its body as text of its own.
const ALIAS_ENTRIES: usize = 16;
/// What a function or one of its arguments costs, in the module and in the report.
const FUNCTION_ENTRIES: usize = 12;

/// An open region.
struct Region {
    operation: u32,
    undo: usize,
    repeats: bool,
}

/// What the values of a line are to what is being read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// Block arguments.
    Nothing,
    /// Operands, but for those that are given a type or a start value on the spot.
    Operation,
    /// The same, and the first symbol is the function's own name.
    Function,
}

struct Parser<'a, 'b> {
    module: Module<'a>,
    budget: &'b mut Budget,
    regions: Vec<Region>,
    loops: u32,
    /// Name → definition, as seen from the line that is being read.
    scope: HashMap<&'a str, u32>,
    /// What a name meant before the region that is open now redefined it.
    undo: Vec<(&'a str, Option<u32>)>,
    /// The last operation of the block: `default {` and `partition0(…) {` continue it.
    last: Option<u32>,
    /// Block arguments of the line being read.
    pending: Vec<&'a str>,
    /// Names and numbers of results of the line being read: kept for its room.
    results: Vec<(&'a str, u32)>,
    in_metadata: bool,
    normal: Normal<'a>,
    /// The function being read.
    function: Option<u32>,
    blocks: Blocks<'a>,
}

/// Reads a file. `stage` is for errors only.
pub fn parse<'a>(text: &'a str, stage: Stage, budget: &mut Budget) -> Result<Module<'a>, AnalyzeError> {
    let mut parser = Parser {
        module: Module::default(),
        budget,
        regions: Vec::new(),
        loops: 0,
        scope: HashMap::new(),
        undo: Vec::new(),
        last: None,
        pending: Vec::new(),
        results: Vec::new(),
        in_metadata: false,
        normal: Normal::default(),
        function: None,
        blocks: Blocks::default(),
    };
    let mut offset = 0;
    for (number, end) in (1_u32..).zip(memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()])) {
        let line = text.get(offset..end).unwrap_or("");
        parser.budget.work(line.len() as u64)?;
        parser.line(line.trim_ascii(), number, stage, offset)?;
        offset = end + 1;
    }
    let Parser { mut module, budget, regions, normal, blocks, .. } = parser;
    if !regions.is_empty() {
        return Err(AnalyzeError::Truncated { stage, missing: "the end of a region" });
    }
    if module.operations.is_empty() {
        return Err(AnalyzeError::Truncated { stage, missing: "the module behind its aliases" });
    }
    module.branches_back = blocks.back;
    module.normal_digest = Some(normal.finish(&module.aliases, budget)?);
    Ok(module)
}

impl<'a> Parser<'a, '_> {
    fn line(&mut self, line: &'a str, number: u32, stage: Stage, offset: usize) -> Result<(), AnalyzeError> {
        if self.in_metadata || line.starts_with("{-#") {
            self.in_metadata = !line.ends_with("#-}");
            return Ok(());
        }
        match line.bytes().next() {
            None => Ok(()),
            Some(b'#') => self.alias(line, number),
            Some(b'!') if line.contains(" = ") => self.attributes_of(line),
            Some(b'}') => self.close(line, number, stage, offset),
            Some(b'^') => self.block(line),
            Some(b'/') if line.starts_with("//") => Ok(()),
            Some(_) => self.statement(line, number, stage, offset),
        }
    }

    /// `#name = …`; what is no such line is counted.
    fn alias(&mut self, line: &'a str, number: u32) -> Result<(), AnalyzeError> {
        // Half of a file's lines are locations.
        if line.starts_with("#loc")
            && let Some(at) = memchr::memmem::find(line.as_bytes(), b" = loc(")
            && let (Some(name), Some(body)) = (line.get(..at), line.get(at + 3..))
        {
            self.budget.store(NAME_ENTRIES)?;
            self.module.locations.define(name, body);
            return Ok(());
        }
        let mut tokens = Tokens::new(line);
        let (Some(name), Some(Token { kind: Kind::Equals, .. })) = (tokens.next(), tokens.next()) else {
            self.not_understood(line, number);
            return Ok(());
        };
        let body = tokens.rest().trim();
        if body.starts_with("loc(") {
            self.budget.store(NAME_ENTRIES)?;
            self.module.locations.define(name.text, body);
            return Ok(());
        }
        if let Some(kind) = body.strip_prefix('#') {
            let end = kind.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.').unwrap_or(kind.len());
            self.budget.store(ALIAS_ENTRIES)?;
            let (name, kind) = (name.text.trim_start_matches('#'), kind.get(..end).unwrap_or(""));
            self.module.aliases.push(Alias { name, kind, body });
        }
        self.attributes_of(body)
    }

    fn attributes_of(&mut self, text: &'a str) -> Result<(), AnalyzeError> {
        for token in Tokens::new(text) {
            self.attribute(&token)?;
        }
        Ok(())
    }

    /// Counts `#dialect.kind` when its dialect has layouts.
    fn attribute(&mut self, token: &Token<'a>) -> Result<(), AnalyzeError> {
        if token.kind != Kind::Attribute {
            return Ok(());
        }
        let Some((dialect, kind)) = token.text.get(1..).and_then(|text| text.split_once('.')) else { return Ok(()) };
        if LAYOUT_DIALECTS.contains(&dialect) {
            if let Some(count) = self.module.layout_kinds.get_mut(kind) {
                *count += 1;
            } else {
                self.budget.store(1)?;
                self.module.layout_kinds.insert(kind, 1);
            }
        }
        Ok(())
    }

    /// `^bb0(%x: f32, …):`.
    fn block(&mut self, line: &'a str) -> Result<(), AnalyzeError> {
        self.blocks.label(line, self.budget)?;
        self.scan(line, Tokens::new(line), Use::Nothing, 0)?;
        self.normal.end_line(self.regions.len());
        self.last = None;
        let owner = self.regions.last().map_or(u32::MAX, |region| region.operation);
        if let (Some(function), Some(operation)) =
            (self.module.functions.last_mut(), self.module.operations.get(owner as usize))
            && function.operation == owner
            && function.arguments.is_empty()
            && generic::is_generic(operation.head)
        {
            function.arguments = generic::arguments(operation.head, line);
            self.budget.store(FUNCTION_ENTRIES * function.arguments.len())?;
        }
        self.define_arguments(owner)
    }

    /// `}` with what follows it: another region of the same operation, or its attributes, types and location.
    fn close(&mut self, line: &'a str, number: u32, stage: Stage, offset: usize) -> Result<(), AnalyzeError> {
        let mut rest = line;
        let mut owner = None;
        while let Some(behind) = rest.strip_prefix('}') {
            let Some(region) = self.regions.pop() else {
                self.not_understood(line, number);
                return Ok(());
            };
            self.loops -= u32::from(region.repeats);
            while self.undo.len() > region.undo {
                match self.undo.pop() {
                    Some((name, Some(before))) => self.scope.insert(name, before),
                    Some((name, None)) => self.scope.remove(name),
                    None => None,
                };
            }
            owner = Some(region.operation);
            rest = behind.trim_start();
        }
        self.last = owner;
        let Some(index) = owner else { return Ok(()) };
        let (end, location, opens) = self.scan(rest, Tokens::new(rest), Use::Nothing, 0)?;
        self.normal.end_line(self.regions.len());
        if let Some(operation) = self.module.operations.get_mut(index as usize) {
            if let Some(location) = location {
                operation.location = location;
            }
            if !opens {
                operation.tail = rest.get(..end).unwrap_or("").trim();
                if is_module(operation.name) && generic::is_generic(operation.head) && self.module.attributes.is_empty()
                {
                    self.module.attributes = generic::module_attributes(operation.tail);
                    self.budget.store(self.module.attributes.len())?;
                }
            }
        }
        if opens {
            return self.open(index, stage, offset);
        }
        if self.function == Some(index) {
            self.function = None;
            self.normal.end_function();
        }
        Ok(())
    }

    /// An operation, or the head of one more region.
    fn statement(&mut self, line: &'a str, number: u32, stage: Stage, offset: usize) -> Result<(), AnalyzeError> {
        let mut tokens = Tokens::new(line);
        let mut first = tokens.next();
        let from = self.module.definitions.len();
        let mut results = std::mem::take(&mut self.results);
        results.clear();
        if first.is_some_and(|token| token.kind == Kind::Value) {
            let mut token = first;
            while let Some(part) = token {
                match part.kind {
                    Kind::Value => results.push((part.text, 1_u32)),
                    Kind::Colon => {
                        let digits = tokens.rest().split(|c: char| !c.is_ascii_digit()).next().unwrap_or("");
                        if let (Some(last), Ok(count)) = (results.last_mut(), digits.parse()) {
                            last.1 = count;
                        }
                    }
                    Kind::Equals => break,
                    _ => {}
                }
                token = tokens.next();
            }
            first = tokens.next();
        }
        let name_token = first.filter(|token| matches!(token.kind, Kind::Word | Kind::Text));
        let name = name_token.map_or("", |token| token.text.trim_matches('"'));
        // No operation of a dialect: before it is called a word of MLIR, it must not be the start of another stage.
        if !name.contains('.')
            && let Some(second) = crate::detect::line_stage(line.as_bytes())
        {
            return Err(AnalyzeError::TwoStages { first: stage, second, offset });
        }
        let Some(name_token) = name_token else {
            self.not_understood(line, number);
            return Ok(());
        };
        if let (true, Some(owner)) = (is_region_head(name) && line.ends_with('{'), self.last) {
            let (_, _, opens) = self.scan(line, tokens, Use::Nothing, 0)?;
            self.normal.end_line(self.regions.len());
            return if opens { self.open(owner, stage, offset) } else { Ok(()) };
        }
        if !is_operation(name, line) {
            self.not_understood(line, number);
            return Ok(());
        }
        if is_module(name) && self.regions.is_empty() && !self.module.operations.is_empty() {
            return Err(AnalyzeError::Malformed { stage, offset, what: "one module, and this is a second" });
        }
        self.budget.store(OPERATION_ENTRIES)?;
        let index = count(self.module.operations.len())?;
        let first_operand = count(self.module.operands.len())?;
        let is_function = is_function(name);
        if is_function && self.function.is_none() {
            self.function = Some(index);
            self.blocks.begin_function();
            self.normal.begin_function(count(from)?);
        }
        if name.starts_with("cf.") {
            self.blocks.branch(line);
        }
        for (_, results) in &results {
            self.normal.defined(*results);
        }
        let of = if is_function { Use::Function } else { Use::Operation };
        let (end, location, opens) = self.scan(line, tokens, of, name_token.at)?;
        self.normal.end_line(self.regions.len());
        for (name, results) in results.drain(..) {
            self.define(name, Definition { name: "", operation: index, results, argument: false })?;
        }
        self.results = results;
        let operation = Operation {
            name,
            head: line.get(name_token.at..end).unwrap_or("").trim(),
            tail: "",
            location: location.unwrap_or(""),
            parent: self.regions.last().map(|region| region.operation),
            loops: self.loops,
            line: number,
            results: (count(from)?, count(self.module.definitions.len())?),
            operands: (first_operand, count(self.module.operands.len())?),
            regions: 0,
        };
        self.module.operations.push(operation);
        self.last = Some(index);
        if opens {
            self.open(index, stage, offset)?;
        } else {
            self.pending.clear();
            if self.function == Some(index) {
                self.function = None;
                self.normal.end_function();
            }
        }
        self.special(index)
    }

    /// Reads what follows an operation's name. Returns where its text ends, its location, and whether it opens a region;
    /// names it gives to block arguments wait in `pending`.
    fn scan(
        &mut self,
        line: &'a str,
        tokens: Tokens<'a>,
        of: Use,
        from: usize,
    ) -> Result<(usize, Option<&'a str>, bool), AnalyzeError> {
        let mut copied = from;
        for token in tokens {
            let plain = line.get(copied..token.at).unwrap_or("");
            match token.kind {
                Kind::Attribute if token.text.contains('.') => {
                    self.attribute(&token)?;
                    continue;
                }
                Kind::Attribute => {
                    self.normal.text(plain);
                    self.normal.alias(token.text.trim_start_matches('#'), self.budget)?;
                }
                Kind::Value => {
                    self.normal.text(plain);
                    let behind = line.get(token.end()..).unwrap_or("");
                    if of == Use::Nothing || behind.starts_with(':') || behind.trim_ascii_start().starts_with("= ") {
                        self.budget.store(1)?;
                        self.pending.push(token.text);
                        self.normal.defined(1);
                    } else {
                        let (name, result) = token.text.split_once('#').unwrap_or((token.text, ""));
                        let definition = self.scope.get(name).copied();
                        self.budget.store(1)?;
                        let number = if result.is_empty() { 0 } else { result.parse().unwrap_or(u32::MAX) };
                        self.module.operands.push(Operand { definition, result: number });
                        self.normal.value(definition, token.text, result);
                    }
                }
                Kind::Symbol => {
                    self.normal.text(plain);
                    let name = token.text.trim_start_matches('@').trim_matches('"');
                    self.normal.symbol(name, of == Use::Function, self.budget)?;
                }
                Kind::Location if token.depth == 0 => {
                    self.normal.text(plain.trim_end());
                    return Ok((token.at, Some(token.text), false));
                }
                Kind::Location => self.normal.text(plain),
                Kind::Open if token.text == "{" && token.end() == line.len() => {
                    self.normal.text(plain.trim_end());
                    return Ok((token.at, None, true));
                }
                _ => continue,
            }
            copied = token.end();
        }
        self.normal.text(line.get(copied..).unwrap_or(""));
        Ok((line.len(), None, false))
    }

    fn open(&mut self, index: u32, stage: Stage, offset: usize) -> Result<(), AnalyzeError> {
        if self.regions.len() >= MAX_NESTING {
            return Err(AnalyzeError::Malformed { stage, offset, what: "at most 1024 regions inside each other" });
        }
        let mut repeats = false;
        if let Some(operation) = self.module.operations.get_mut(index as usize) {
            operation.regions += 1;
            repeats = is_loop(operation.name);
        }
        self.loops += u32::from(repeats);
        self.regions.push(Region { operation: index, undo: self.undo.len(), repeats });
        self.last = None;
        self.define_arguments(index)
    }

    fn define_arguments(&mut self, owner: u32) -> Result<(), AnalyzeError> {
        let mut pending = std::mem::take(&mut self.pending);
        for name in pending.drain(..) {
            self.define(name, Definition { name: "", operation: owner, results: 1, argument: true })?;
        }
        self.pending = pending;
        Ok(())
    }

    fn define(&mut self, name: &'a str, definition: Definition<'a>) -> Result<(), AnalyzeError> {
        self.budget.store(NAME_ENTRIES)?;
        let index = count(self.module.definitions.len())?;
        let shown = name.strip_prefix('%').unwrap_or(name);
        self.module.definitions.push(Definition { name: shown, ..definition });
        let before = self.scope.insert(name, index);
        self.undo.push((name, before));
        Ok(())
    }

    /// Functions and the module keep more than their name.
    fn special(&mut self, index: u32) -> Result<(), AnalyzeError> {
        let Some(operation) = self.module.operations.get(index as usize) else { return Ok(()) };
        let head = operation.head;
        if is_module(operation.name) && self.module.attributes.is_empty() {
            let attributes = arguments::bracketed(head, "{").map(arguments::dictionary).unwrap_or_default();
            self.budget.store(attributes.len())?;
            self.module.attributes = attributes;
        } else if is_function(operation.name) && generic::is_generic(head) {
            let Some((name, public)) = generic::symbol(head) else { return Ok(()) };
            self.budget.store(FUNCTION_ENTRIES)?;
            self.module.functions.push(Function { name, operation: index, public, arguments: Vec::new() });
        } else if is_function(operation.name) {
            let mut private = false;
            for token in Tokens::new(head) {
                private |= token.kind == Kind::Word && token.text == "private";
                if token.kind != Kind::Symbol {
                    continue;
                }
                let list = arguments::bracketed(head.get(token.end()..).unwrap_or(""), "(").unwrap_or("");
                let arguments = arguments::arguments(list);
                self.budget.store(FUNCTION_ENTRIES * (1 + arguments.len()))?;
                let name = token.text.trim_start_matches('@').trim_matches('"');
                self.module.functions.push(Function { name, operation: index, public: !private, arguments });
                break;
            }
        }
        Ok(())
    }

    fn not_understood(&mut self, line: &'a str, number: u32) {
        self.module.not_understood += 1;
        self.module.first_not_understood.get_or_insert((number, line));
    }
}

fn is_module(name: &str) -> bool {
    matches!(name, "module" | "builtin.module")
}

/// `tt.func` and the functions of other dialects.
fn is_function(name: &str) -> bool {
    name.ends_with("func") && name.rsplit('.').next() == Some("func")
}

/// `default {` and `partition0(…) {` of `ttg.warp_specialize`.
fn is_region_head(name: &str) -> bool {
    name == "default" || name.strip_prefix("partition").is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
}

/// A dialect's operation, or one of the builtin words.
fn is_operation(name: &str, line: &str) -> bool {
    name.contains('.')
        || matches!(name, "module" | "func" | "return" | "call" | "br" | "cond_br")
        || line.ends_with('{')
}

fn count(length: usize) -> Result<u32, AnalyzeError> {
    u32::try_from(length).map_err(|_| AnalyzeError::TooMany { what: "operations", limit: u32::MAX as usize })
}
