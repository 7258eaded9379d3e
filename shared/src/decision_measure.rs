//! Decisions as measures: one value of a build for each, a number or a named state.
//!
//! [`DecisionValues::of_report`] reads them off one blob, [`DecisionValues::of_build`] joins those of a build: TTGIR says what was
//! decided, PTX and machine code which instruction it became.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

use crate::{
    decision::{Decision, DecisionKind, Pipelining},
    display,
    family::Family,
    report::{FunctionReport, Report},
    stage::Stage,
    tensor,
};

/// What of the compiler's decisions has one value for a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionMeasure {
    /// A [`Pipelining`] state.
    Pipelining,
    /// Copies of the deepest buffer that a loop rotates through; 0 without any.
    BufferDepth,
    /// Buffers that loops rotate through.
    Buffers,
    /// Bytes of the narrowest access of a thread that the layout of a load allows.
    LoadBytes,
    /// The same of the widest load.
    WidestLoadBytes,
    /// Bytes of the narrowest access of a thread that the layout of a store allows.
    StoreBytes,
    /// Bytes of the narrowest global load of a thread in PTX, SASS or AMDGCN.
    LoadInstructionBytes,
    /// The same of a global store.
    StoreInstructionBytes,
    /// Asynchronous copies of a thread (`cp.async`, `LDGSTS`), the commits and waits left out; 0 on AMD.
    AsyncCopies,
    /// Bytes of the narrowest of them.
    AsyncCopyBytes,
    /// Bulk copies in PTX by the tensor memory accelerator.
    BulkCopies,
    /// The matrix instruction with its shape, named; several are joined.
    MatrixInstruction,
    /// How matrix layouts share a tile among the warps of a block (`8x1`), named.
    WarpsPerBlock,
    /// Different layouts of values and memory.
    Layouts,
    /// Layout conversions.
    Conversions,
    /// Layout conversions inside loops.
    ConversionsInLoop,
    /// Partitions of warp specialization; 0 when warps do the same.
    WarpSpecialization,
    /// Copies by the tensor memory accelerator in TTGIR.
    TensorCopies,
    /// Most registers a `setmaxnreg` asks for.
    MaxRegisters,
    /// The least that a pointer argument is known to be divisible by; 1 when nothing is known of one.
    PointerAlignment,
}

impl DecisionMeasure {
    /// All of them, in the order tables show them.
    pub const ALL: [Self; 20] = [
        Self::Pipelining,
        Self::BufferDepth,
        Self::Buffers,
        Self::LoadBytes,
        Self::WidestLoadBytes,
        Self::StoreBytes,
        Self::LoadInstructionBytes,
        Self::StoreInstructionBytes,
        Self::AsyncCopies,
        Self::AsyncCopyBytes,
        Self::BulkCopies,
        Self::MatrixInstruction,
        Self::WarpsPerBlock,
        Self::Layouts,
        Self::Conversions,
        Self::ConversionsInLoop,
        Self::WarpSpecialization,
        Self::TensorCopies,
        Self::MaxRegisters,
        Self::PointerAlignment,
    ];

    /// Stable id.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Pipelining => "pipelining",
            Self::BufferDepth => "buffer_depth",
            Self::Buffers => "buffers",
            Self::LoadBytes => "load_bytes",
            Self::WidestLoadBytes => "widest_load_bytes",
            Self::StoreBytes => "store_bytes",
            Self::LoadInstructionBytes => "load_instruction_bytes",
            Self::StoreInstructionBytes => "store_instruction_bytes",
            Self::AsyncCopies => "async_copies",
            Self::AsyncCopyBytes => "async_copy_bytes",
            Self::BulkCopies => "bulk_copies",
            Self::MatrixInstruction => "matrix_instruction",
            Self::WarpsPerBlock => "warps_per_block",
            Self::Layouts => "layouts",
            Self::Conversions => "conversions",
            Self::ConversionsInLoop => "conversions_in_loop",
            Self::WarpSpecialization => "warp_specialization",
            Self::TensorCopies => "tensor_copies",
            Self::MaxRegisters => "max_registers",
            Self::PointerAlignment => "pointer_alignment",
        }
    }

    /// Name on screen.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Pipelining => "Pipelining",
            Self::BufferDepth => "Deepest buffer, copies",
            Self::Buffers => "Rotating buffers",
            Self::LoadBytes => "Narrowest load by layout, bytes",
            Self::WidestLoadBytes => "Widest load by layout, bytes",
            Self::StoreBytes => "Narrowest store by layout, bytes",
            Self::LoadInstructionBytes => "Narrowest load instruction, bytes",
            Self::StoreInstructionBytes => "Narrowest store instruction, bytes",
            Self::AsyncCopies => "Asynchronous copies",
            Self::AsyncCopyBytes => "Narrowest asynchronous copy, bytes",
            Self::BulkCopies => "Bulk copies in PTX",
            Self::MatrixInstruction => "Matrix instruction",
            Self::WarpsPerBlock => "Warps over the tile",
            Self::Layouts => "Different layouts",
            Self::Conversions => "Layout conversions",
            Self::ConversionsInLoop => "Layout conversions in loops",
            Self::WarpSpecialization => "Warp specialization, partitions",
            Self::TensorCopies => "TMA copies",
            Self::MaxRegisters => "Registers by setmaxnreg",
            Self::PointerAlignment => "Pointer divisibility known",
        }
    }

    /// The measure of an id; `None` for any other word.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|measure| measure.id() == id)
    }

    /// Names that its values have, in the order a chart shows them; empty when they are numbers or the names are open.
    pub const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Pipelining => &["no_loop", "not_pipelined", "inert", "pipelined"],
            _ => &[],
        }
    }
}

/// A number or a named state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum DecisionValue {
    /// A count, bytes, …: [`DecisionMeasure`] says of what.
    Number(i64),
    /// A state.
    Named(String),
}

impl fmt::Display for DecisionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => f.write_str(&display::count(*number)),
            Self::Named(name) => f.write_str(&name.replace('_', " ")),
        }
    }
}

/// The values of a blob or build; a missing key means "not known from these bytes", never 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DecisionValues(pub BTreeMap<DecisionMeasure, DecisionValue>);

impl DecisionValues {
    /// The value of a measure.
    pub fn get(&self, measure: DecisionMeasure) -> Option<&DecisionValue> {
        self.0.get(&measure)
    }

    /// A value that is a number.
    pub fn number(&self, measure: DecisionMeasure) -> Option<i64> {
        match self.0.get(&measure) {
            Some(DecisionValue::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// A value that is a name.
    pub fn name(&self, measure: DecisionMeasure) -> Option<&str> {
        match self.0.get(&measure) {
            Some(DecisionValue::Named(name)) => Some(name),
            _ => None,
        }
    }

    fn put(&mut self, measure: DecisionMeasure, number: Option<i64>) {
        if let Some(number) = number {
            self.0.insert(measure, DecisionValue::Number(number));
        }
    }

    fn put_name(&mut self, measure: DecisionMeasure, name: String) {
        if !name.is_empty() {
            self.0.insert(measure, DecisionValue::Named(name));
        }
    }

    /// What one blob shows.
    pub fn of_report(report: &Report) -> Self {
        match report.stage {
            Stage::Ttgir => Self::of_decisions(&report.decisions),
            Stage::Ptx | Stage::Sass | Stage::Cubin | Stage::Amdgcn => {
                Self::of_functions(report.stage, &report.functions)
            }
            _ => Self::default(),
        }
    }

    fn of_decisions(decisions: &[Decision]) -> Self {
        let mut out = Self::default();
        if decisions.is_empty() {
            return out;
        }
        let of = |kind| decisions.iter().filter(move |decision| decision.kind == kind);
        let sum = |kind| Some(of(kind).filter_map(|decision| decision.number).sum());
        let names = |kind| of(kind).map(|decision| decision.value.as_str()).collect::<Vec<_>>().join(" + ");
        let widths = |verb: &'static str| {
            of(DecisionKind::VectorWidth)
                .filter(move |decision| decision.subject.starts_with(verb))
                .filter_map(|decision| decision.number)
        };
        out.put_name(DecisionMeasure::Pipelining, names(DecisionKind::Pipelining));
        let depths = || of(DecisionKind::BufferDepth).filter_map(|decision| decision.number);
        out.put(DecisionMeasure::BufferDepth, Some(depths().max().unwrap_or(0)));
        out.put(DecisionMeasure::Buffers, i64::try_from(depths().count()).ok());
        out.put(DecisionMeasure::LoadBytes, widths("load").min());
        out.put(DecisionMeasure::WidestLoadBytes, widths("load").max());
        out.put(DecisionMeasure::StoreBytes, widths("store").min());
        out.put_name(DecisionMeasure::MatrixInstruction, names(DecisionKind::MatrixInstruction));
        out.put_name(DecisionMeasure::WarpsPerBlock, names(DecisionKind::WarpsPerBlock));
        out.put(DecisionMeasure::Layouts, sum(DecisionKind::LayoutKind));
        out.put(DecisionMeasure::Conversions, sum(DecisionKind::Conversions));
        out.put(DecisionMeasure::ConversionsInLoop, sum(DecisionKind::ConversionsInLoop));
        out.put(DecisionMeasure::WarpSpecialization, sum(DecisionKind::WarpSpecialization));
        out.put(DecisionMeasure::TensorCopies, sum(DecisionKind::TensorCopies));
        let is_pointer = |decision: &&Decision| decision.evidence.contains(": !tt.ptr");
        let pointers = of(DecisionKind::Alignment).filter(is_pointer).filter_map(|decision| decision.number);
        out.put(DecisionMeasure::PointerAlignment, pointers.min());
        out
    }

    fn of_functions(stage: Stage, functions: &[FunctionReport]) -> Self {
        let mut out = Self::default();
        let noted = |is: fn(&str) -> bool, key: &'static str| {
            let notes = functions.iter().flat_map(|function| &function.operands).filter(move |(name, _)| is(name));
            notes.filter_map(move |(name, counts)| {
                let number: i64 = name.rsplit_once(key)?.1.parse().ok()?;
                Some((number, i64::try_from(counts.function).unwrap_or(i64::MAX)))
            })
        };
        let rows = || functions.iter().flat_map(|function| &function.canonical);
        let is_load =
            |name: &str| ["ld.global", "LDG ", "global_load", "buffer_load"].iter().any(|head| name.starts_with(head));
        let is_store = |name: &str| {
            ["st.global", "STG ", "global_store", "buffer_store"].iter().any(|head| name.starts_with(head))
        };
        out.put(DecisionMeasure::LoadInstructionBytes, noted(is_load, "bits=").map(|(bits, _)| bits / 8).min());
        out.put(DecisionMeasure::StoreInstructionBytes, noted(is_store, "bits=").map(|(bits, _)| bits / 8).min());
        let copies: Vec<(i64, i64)> = match stage {
            Stage::Ptx => noted(|name| name.starts_with("cp.async bytes="), "bytes=").collect(),
            _ => rows()
                .filter(|row| row.opcode == "LDGSTS" || row.opcode.starts_with("LDGSTS."))
                .map(|row| (ldgsts_bytes(&row.opcode), i64::try_from(row.counts.function).unwrap_or(i64::MAX)))
                .collect(),
        };
        out.put(DecisionMeasure::AsyncCopies, Some(copies.iter().map(|(_, count)| count).sum()));
        out.put(DecisionMeasure::AsyncCopyBytes, copies.iter().map(|(bytes, _)| *bytes).min());
        if stage == Stage::Ptx {
            let is_bulk = |opcode: &str| {
                opcode.starts_with("cp.async.bulk") && !opcode.contains("_group") && !opcode.contains("prefetch")
            };
            let bulk: u64 = rows().filter(|row| is_bulk(&row.opcode)).map(|row| row.counts.function).sum();
            out.put(DecisionMeasure::BulkCopies, i64::try_from(bulk).ok());
        }
        let registers = noted(|name| name.starts_with("setmaxnreg.") || name.starts_with("USETMAXREG"), "registers=");
        out.put(DecisionMeasure::MaxRegisters, registers.map(|(number, _)| number).max());
        let mut shapes: Vec<String> = rows()
            .filter(|row| row.family == Family::TensorCompute && row.counts.function > 0)
            .filter_map(|row| tensor::instruction(&row.opcode, None))
            .map(|instruction| instruction.to_string())
            .collect();
        shapes.sort();
        shapes.dedup();
        out.put_name(DecisionMeasure::MatrixInstruction, shapes.join(" + "));
        out
    }

    /// The values of a build from those of its blobs, in any order. What TTGIR says of a measure wins, then PTX, then machine
    /// code. With the number of stages asked for, a loop that is not pipelined tells whether that number is inert.
    pub fn of_build<'a>(parts: impl IntoIterator<Item = (Stage, &'a Self)>, stages: Option<i64>) -> Self {
        let rank = |stage: Stage| match stage {
            Stage::Ttgir => 3,
            Stage::Ptx | Stage::Amdgcn => 2,
            Stage::Sass => 1,
            _ => 0,
        };
        let mut parts: Vec<(Stage, &Self)> = parts.into_iter().collect();
        parts.sort_by_key(|(stage, _)| rank(*stage));
        let mut out = Self::default();
        for (_, values) in parts {
            out.0.extend(values.0.iter().map(|(measure, value)| (*measure, value.clone())));
        }
        let asked = stages.and_then(|stages| u32::try_from(stages).ok());
        let state = out.name(DecisionMeasure::Pipelining).and_then(Pipelining::from_id);
        if let Some((state, asked)) = state.zip(asked) {
            out.put_name(DecisionMeasure::Pipelining, state.with_stages(asked).id().to_owned());
        }
        out
    }
}

/// `LDGSTS.E.BYPASS.128` copies 16 bytes a thread; without a width part it copies 4.
fn ldgsts_bytes(opcode: &str) -> i64 {
    let has = |width: &str| opcode.split('.').any(|part| part == width);
    if has("128") {
        16
    } else if has("64") {
        8
    } else {
        4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_read_back() {
        for measure in DecisionMeasure::ALL {
            assert_eq!(DecisionMeasure::from_id(measure.id()), Some(measure));
        }
    }

    #[test]
    fn stages_asked_for_and_not_given_are_inert() {
        let named = |state: Pipelining| {
            let mut values = DecisionValues::default();
            values.put_name(DecisionMeasure::Pipelining, state.id().to_owned());
            values
        };
        let flat = named(Pipelining::NotPipelined);
        let state = |values: &DecisionValues, stages| {
            DecisionValues::of_build([(Stage::Ttgir, values)], stages)
                .name(DecisionMeasure::Pipelining)
                .map(str::to_owned)
        };
        assert_eq!(state(&flat, Some(3)).as_deref(), Some("inert"));
        assert_eq!(state(&flat, Some(1)).as_deref(), Some("not_pipelined"));
        assert_eq!(state(&flat, None).as_deref(), Some("not_pipelined"));
        assert_eq!(state(&named(Pipelining::Pipelined), Some(3)).as_deref(), Some("pipelined"));
    }

    #[test]
    fn ttgir_wins_over_what_instructions_say() {
        let mut ttgir = DecisionValues::default();
        ttgir.put_name(DecisionMeasure::MatrixInstruction, "wgmma m64n128k16".to_owned());
        let mut sass = DecisionValues::default();
        sass.put_name(DecisionMeasure::MatrixInstruction, "HGMMA m64n128k16".to_owned());
        sass.put(DecisionMeasure::AsyncCopies, Some(12));
        let build = DecisionValues::of_build([(Stage::Ttgir, &ttgir), (Stage::Sass, &sass)], None);
        assert_eq!(build.name(DecisionMeasure::MatrixInstruction), Some("wgmma m64n128k16"));
        assert_eq!(build.number(DecisionMeasure::AsyncCopies), Some(12));
    }

    #[test]
    fn copies_of_machine_code_have_a_width() {
        assert_eq!(ldgsts_bytes("LDGSTS.E.BYPASS.128"), 16);
        assert_eq!(ldgsts_bytes("LDGSTS.E.64"), 8);
        assert_eq!(ldgsts_bytes("LDGSTS.E"), 4);
    }
}
