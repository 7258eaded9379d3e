//! SASS straight from code bytes, with no tool of NVIDIA's at run time.
//!
//! Reading order: [`Word`] (fields that sit in one place), `feature` and `table` (the committed decision diagram),
//! [`Decoder`] (words to opcodes), [`flow`] (branch targets), `forms` and [`operands`] (operands as far as they are known) and
//! [`Instruction`] (all of it for one word). Nothing is named that was not printed for the same deciding bits; what the
//! tables lack is `unknown(0x…)`, and a mnemonic whose modifiers are in doubt ends in `.?`.

mod feature;
mod flow;
mod forms;
mod instruction;
mod lines;
mod missing;
mod opcode;
mod operands;
mod report;
mod table;
mod word;

pub use flow::{Flow, flow};
pub use instruction::{Instruction, disassembly, instructions};
pub use lines::{SourceLines, SourcePlace};
pub use missing::missing_keys;
pub use opcode::{Certainty, Decoder, Opcode, OpcodeId};
pub use operands::operands;
pub(crate) use report::Code;
pub use report::{cubin_disassembly, report};
pub use table::tables;
pub use word::{Control, Guard, Word};
