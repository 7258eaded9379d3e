//! PTX text: statements, wherever the lines break.
//!
//! Nearly every interesting instruction stands in an inline-asm block, several to a line or in a braced scope of its own,
//! so the text is split at `;` and braces and never at lines. Formats and traps: PTX ISA chapters 4 and 11.

mod header;
mod normal;
mod scanner;

use lowerline_shared::{
    report::{Report, Resource},
    stage::Stage,
};
pub(crate) use scanner::scan;

use crate::{
    AnalyzeError, Budget, VERSION, assemble, detect, elf,
    families::Isa,
    stream::{Keep, Stream},
};

/// Everything the report takes from PTX.
pub fn report(bytes: &[u8], budget: &mut Budget) -> Result<Report, AnalyzeError> {
    let text = detect::text(bytes, Stage::Ptx)?;
    let mut stream = Stream::new(Isa::Ptx, Keep::Places);
    let header = scan(text, &mut stream, budget)?;
    let mut report = Report::new(VERSION, Stage::Ptx);
    report.source = Some("text".to_owned());
    report.target = header.target.map(str::to_owned);
    if let Some(version) = header.version {
        report.toolchain.insert("ptx".to_owned(), version.to_owned());
    }
    if let Some(threads) = header.threads {
        report.resources.insert(Resource::Threads, threads);
        elf::several(&mut report, stream.functions.iter().filter(|function| function.kernel).count());
    }
    assemble::functions(&stream, text, &mut report, budget)?;
    report.normal_digest = Some(normal::digest(text, budget)?);
    Ok(report)
}
