//! The instruction stream that every scanner and decoder fills: the one form between text or bytes and a report.
//!
//! One `u32` an instruction, and side lists only for what few instructions have, so that scanning allocates nothing per
//! instruction.

mod opcodes;
mod places;

use lowerline_shared::family::Family;
pub(crate) use opcodes::{Known, Opcodes};
pub(crate) use places::{NOWHERE, Place, Places, printed_place};

use crate::{
    AnalyzeError, Budget,
    families::{Flow, Isa},
    operands,
};

/// Bits of an instruction's word that hold its opcode; those above hold the family when an operand rule decided it.
const OPCODE_BITS: u32 = 20;
const OPCODE_MASK: u32 = (1 << OPCODE_BITS) - 1;
/// Steps one instruction costs.
const INSTRUCTION_STEPS: u64 = 50;

/// A function: instructions from `first` to the `first` of the next one.
#[derive(Clone, Debug)]
pub(crate) struct Function<'a> {
    pub name: &'a str,
    pub kernel: bool,
    pub first: u32,
    /// Address of the first instruction, for targets given as addresses.
    pub base: u64,
    /// What directives say of the whole function: `.maxnreg registers=`, 256.
    pub facts: Vec<(&'static str, u32)>,
}

/// A place that a jump can name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label<'a> {
    pub at: u32,
    /// Innermost brace scope the label stands in; 0 outside any.
    pub scope: u32,
    pub name: &'a str,
}

/// Where a transfer goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target<'a> {
    /// Out of the function.
    Exit,
    /// Unknown from the text.
    Unknown,
    /// A label.
    Name(&'a str),
    /// An address in the function's section.
    Address(u64),
    /// Labels or addresses with commas between.
    List(&'a str),
    /// A table of labels: an index into [`Stream::tables`] by name.
    Table(&'a str),
}

/// An instruction that does not just go on to the next one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfer<'a> {
    pub at: u32,
    pub scope: u32,
    /// Whether control may also go on.
    pub conditional: bool,
    pub target: Target<'a>,
}

/// From this instruction on, code comes from this place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Location {
    pub at: u32,
    /// A number of [`Stream::places`]; [`NOWHERE`] where the compiler made the code.
    pub place: u32,
}

/// A `CALL` whose target is written. One that goes to a place inside its own function is a jump: ptxas leaves loops so on
/// sm_75 to sm_89, without a return address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'a> {
    pub jump: Transfer<'a>,
    /// The target as written.
    pub name: &'a str,
}

/// What a scan keeps beside code, labels and branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Keep {
    /// Nothing: enough for a histogram.
    Counts,
    /// Source places.
    Places,
    /// Source places, and where in the input each instruction stands.
    Offsets,
}

/// Everything scanned from one artifact.
pub(crate) struct Stream<'a> {
    pub isa: Isa,
    pub opcodes: Opcodes<'a>,
    code: Vec<u32>,
    pub functions: Vec<Function<'a>>,
    pub labels: Vec<Label<'a>>,
    pub transfers: Vec<Transfer<'a>>,
    /// SASS only.
    pub calls: Vec<Call<'a>>,
    /// Jump tables: name and targets.
    pub tables: Vec<(&'a str, Vec<&'a str>)>,
    /// Parent of each brace scope; scope 0 is its own.
    pub scopes: Vec<u32>,
    pub keep: Keep,
    pub locations: Vec<Location>,
    pub places: Places<'a>,
    /// By instruction: its byte in the input; empty unless [`Keep::Offsets`].
    pub offsets: Vec<u32>,
    /// Operand notes: instruction and index into `note_names`.
    pub notes: Vec<(u32, u32)>,
    pub note_names: operands::Notes,
    /// Scheduling word of each instruction, as far as the text has them (see `sass::control`); 0 is none.
    pub controls: Vec<u32>,
}

/// One instruction as a scanner sees it.
#[derive(Clone, Copy)]
pub(crate) struct Written<'a> {
    /// With modifiers, without guard.
    pub mnemonic: &'a str,
    /// Text behind the mnemonic, `;` excluded.
    pub operands: &'a str,
    /// Text of the trailing comment, if the rules of this instruction set look at it.
    pub comment: &'a str,
    pub guarded: bool,
    /// Byte offset in the input, for the example line of an unknown opcode.
    pub offset: usize,
}

impl<'a> Stream<'a> {
    pub fn new(isa: Isa, keep: Keep) -> Self {
        Self {
            isa,
            keep,
            opcodes: Opcodes::new(isa, keep != Keep::Counts),
            code: Vec::new(),
            functions: Vec::new(),
            labels: Vec::new(),
            transfers: Vec::new(),
            calls: Vec::new(),
            tables: Vec::new(),
            scopes: vec![0],
            locations: Vec::new(),
            places: Places::default(),
            offsets: Vec::new(),
            notes: Vec::new(),
            note_names: operands::Notes::default(),
            controls: Vec::new(),
        }
    }

    /// Index that the next instruction gets. Fits: [`crate::Limits::instructions`] is checked on every push.
    pub fn position(&self) -> u32 {
        u32::try_from(self.code.len()).unwrap_or(u32::MAX)
    }

    /// Begins a function.
    pub fn function(&mut self, name: &'a str, kernel: bool, base: u64, budget: &Budget) -> Result<(), AnalyzeError> {
        let limit = budget.limits().functions;
        if self.functions.len() >= limit {
            return Err(AnalyzeError::TooMany { what: "functions", limit });
        }
        let first = self.position();
        // A place holds to the end of its function at most.
        if self.locations.last().is_some_and(|last| last.place != NOWHERE) {
            self.locations.push(Location { at: first, place: NOWHERE });
        }
        self.functions.push(Function { name, kernel, first, base, facts: Vec::new() });
        Ok(())
    }

    /// Notes a directive of the function begun last.
    pub fn fact(&mut self, head: &'static str, value: u32, budget: &mut Budget) -> Result<(), AnalyzeError> {
        budget.store(1)?;
        if let Some(function) = self.functions.last_mut() {
            function.facts.push((head, value));
        }
        Ok(())
    }

    /// Defines a label here.
    pub fn label(&mut self, name: &'a str, scope: u32, budget: &mut Budget) -> Result<(), AnalyzeError> {
        budget.store(1)?;
        self.labels.push(Label { at: self.position(), scope, name });
        Ok(())
    }

    /// Says that code from here on comes from a place. A place without a line is none.
    pub fn location(&mut self, place: u32, budget: &mut Budget) -> Result<(), AnalyzeError> {
        self.location_at(self.position(), place, budget)
    }

    /// The same from a given instruction on; calls come in order of instructions.
    pub fn location_at(&mut self, at: u32, place: u32, budget: &mut Budget) -> Result<(), AnalyzeError> {
        let place = if self.places.get(place).is_some_and(|place| place.line > 0) { place } else { NOWHERE };
        match self.locations.last_mut() {
            Some(last) if last.at == at => *last = Location { at, place },
            _ => {
                budget.store(1)?;
                self.locations.push(Location { at, place });
            }
        }
        Ok(())
    }

    /// Adds an instruction. Returns whether its operands matter; then the caller calls [`Self::look`].
    #[inline]
    pub fn push(&mut self, mnemonic: &'a str, offset: usize, budget: &mut Budget) -> Result<bool, AnalyzeError> {
        budget.work(INSTRUCTION_STEPS)?;
        let opcode = self.opcodes.intern(mnemonic, offset, budget)?;
        self.append(opcode, offset, budget)?;
        Ok(self.opcodes.traits(opcode).needs_operands)
    }

    /// A mnemonic that the text has had before, read where it stands; see [`Self::push_known`].
    #[inline]
    pub fn known(&self, bytes: &[u8], at: usize) -> Option<Known> {
        self.opcodes.known(bytes, at)
    }

    /// [`Self::push`] for what [`Self::known`] found.
    #[inline]
    pub fn push_known(&mut self, known: Known, offset: usize, budget: &mut Budget) -> Result<bool, AnalyzeError> {
        budget.work(INSTRUCTION_STEPS)?;
        self.append(known.opcode(), offset, budget)?;
        Ok(known.needs_operands())
    }

    #[inline]
    fn append(&mut self, opcode: u32, offset: usize, budget: &Budget) -> Result<(), AnalyzeError> {
        if self.code.len() >= budget.limits().instructions {
            return Err(AnalyzeError::TooMany { what: "instructions", limit: budget.limits().instructions });
        }
        self.code.push(opcode);
        if self.keep == Keep::Offsets {
            self.offsets.push(u32::try_from(offset).unwrap_or(u32::MAX));
        }
        Ok(())
    }

    /// Looks at the operands of the instruction pushed last.
    pub fn look(&mut self, written: &Written<'a>, scope: u32, budget: &mut Budget) -> Result<(), AnalyzeError> {
        let at = self.position().saturating_sub(1);
        budget.work(written.operands.len() as u64)?;
        let Some(word) = self.code.last_mut() else { return Ok(()) };
        let class = self.opcodes.traits(*word & OPCODE_MASK);
        if !class.rules.is_empty()
            && let Some(family) = class.rules.family(written.operands, written.comment)
        {
            *word |= (family as u32 + 1) << OPCODE_BITS;
        }
        if class.noted
            && let Some(note) = operands::note(self.isa, written.mnemonic, written.operands)
        {
            budget.store(1)?;
            let name = self.note_names.intern(note, budget)?;
            self.notes.push((at, name));
        }
        let (target, inner) = match class.flow {
            Flow::Next => return Ok(()),
            Flow::Call => {
                let (target, inner) = operands::jump_target(self.isa, written.mnemonic, written.operands);
                if target != Target::Unknown {
                    budget.store(1)?;
                    let jump = Transfer { at, scope, conditional: written.guarded || inner, target };
                    self.calls.push(Call { jump, name: written.operands.trim() });
                }
                return Ok(());
            }
            Flow::Exit => (Target::Exit, false),
            Flow::Jump => operands::jump_target(self.isa, written.mnemonic, written.operands),
            Flow::Indirect => (operands::indirect_target(self.isa, written.operands), false),
        };
        budget.store(1)?;
        self.transfers.push(Transfer { at, scope, conditional: written.guarded || inner, target });
        Ok(())
    }

    /// Adds an instruction whose operands are at hand: the door for a decoder.
    pub fn instruction(&mut self, written: &Written<'a>, scope: u32, budget: &mut Budget) -> Result<(), AnalyzeError> {
        if self.push(written.mnemonic, written.offset, budget)? {
            self.look(written, scope, budget)?;
        }
        Ok(())
    }

    /// Attaches a scheduling word to the instruction pushed last.
    pub fn control(&mut self, word: u32) {
        if let Some(last) = self.code.len().checked_sub(1) {
            // One word an instruction at most, so the list never outgrows the code.
            self.controls.resize(last, 0);
            self.controls.push(word);
        }
    }

    /// Whether the last instruction of a function leaves it.
    pub fn exits_at_end(&self, function: usize) -> bool {
        let last = self.end(function).checked_sub(1).and_then(|at| self.code.get(at as usize));
        last.is_some_and(|word| matches!(self.opcodes.traits(word & OPCODE_MASK).flow, Flow::Exit))
    }

    /// Instructions from one index to another: opcode, and the family that an operand rule decided.
    pub fn code(&self, from: u32, to: u32) -> impl Iterator<Item = (u32, Option<Family>)> {
        let range = self.code.get(from as usize..to as usize).unwrap_or_default();
        range.iter().map(|word| {
            let decided =
                (word >> OPCODE_BITS).checked_sub(1).and_then(|index| Family::ALL.get(index as usize).copied());
            (word & OPCODE_MASK, decided)
        })
    }

    /// The place in force at an instruction.
    pub fn place_at(&self, at: u32) -> Option<Place> {
        let before = self.locations.partition_point(|location| location.at <= at).checked_sub(1)?;
        self.places.get(self.locations.get(before)?.place)
    }

    /// Runs of instructions of one function with one place each, cut to `first..end`: from, to, place.
    pub fn runs(&self, first: u32, end: u32) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
        let from = self.locations.partition_point(|location| location.at < first);
        let inside = self.locations.get(from..).unwrap_or_default();
        let upto = inside.partition_point(|location| location.at < end);
        let inside = inside.get(..upto).unwrap_or_default();
        inside.iter().enumerate().filter(|(_, location)| location.place != NOWHERE).map(move |(index, location)| {
            let to = inside.get(index + 1).map_or(end, |next| next.at);
            (location.at, to, location.place)
        })
    }

    /// Makes functions of what is called by address within another one: helpers that a text without symbols prints as
    /// part of their kernel. Their names are their addresses. A helper returns; what is called and does not is a place of
    /// the kernel itself, see [`Call`].
    pub fn split_called(&mut self, budget: &Budget) -> Result<(), AnalyzeError> {
        let mut helpers: Vec<Function<'a>> = Vec::new();
        for (index, function) in self.functions.iter().enumerate() {
            let end = self.end(index);
            let mut own: Vec<Function<'a>> = Vec::new();
            for call in crate::scopes::range(&self.calls, function.first, end, |call| call.jump.at) {
                let Target::Address(address) = call.jump.target else { continue };
                let offset = address.checked_sub(function.base).map(|bytes| bytes / 16);
                let first = offset.and_then(|offset| u32::try_from(offset).ok()?.checked_add(function.first));
                if let Some(first) = first.filter(|first| (function.first + 1..end).contains(first)) {
                    own.push(Function { name: call.name, kernel: false, first, base: address, facts: Vec::new() });
                }
            }
            own.sort_by_key(|helper| helper.first);
            own.dedup_by_key(|helper| helper.first);
            // From the last one on, so that a place called within a helper does not cut it from its return.
            let mut end = end;
            for helper in own.into_iter().rev() {
                if self.returns(helper.first, end) {
                    end = helper.first;
                    helpers.push(helper);
                }
            }
        }
        if helpers.is_empty() {
            return Ok(());
        }
        let limit = budget.limits().functions;
        if self.functions.len() + helpers.len() > limit {
            return Err(AnalyzeError::TooMany { what: "functions", limit });
        }
        self.functions.append(&mut helpers);
        self.functions.sort_by_key(|function| function.first);
        Ok(())
    }

    /// Whether a `RET` stands between two instructions.
    fn returns(&self, first: u32, end: u32) -> bool {
        let transfers = crate::scopes::range(&self.transfers, first, end, |transfer| transfer.at);
        transfers.iter().filter(|transfer| transfer.target == Target::Exit).any(|transfer| {
            let word = self.code.get(transfer.at as usize).copied().unwrap_or_default();
            self.opcodes.text(word & OPCODE_MASK).starts_with("RET")
        })
    }

    /// Where the padding at the end of `first..end` begins; `end` where there is none.
    pub fn padding_from(&self, first: u32, end: u32) -> u32 {
        let is_padding = |at: u32| {
            self.code(at, at + 1)
                .all(|(op, decided)| decided.unwrap_or(self.opcodes.class(op).family) == Family::Padding)
        };
        let mut at = end;
        while at > first && is_padding(at - 1) {
            at -= 1;
        }
        at
    }

    /// One past the last instruction of a function.
    pub fn end(&self, function: usize) -> u32 {
        self.functions.get(function + 1).map_or_else(|| self.position(), |next| next.first)
    }
}
