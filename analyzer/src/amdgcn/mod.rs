//! AMDGCN assembly text as LLVM writes it.

mod metadata;
mod normal;
mod scanner;

use lowerline_shared::{report::Report, stage::Stage};
pub(crate) use scanner::scan;

use crate::{
    AnalyzeError, Budget, VERSION, assemble, detect, elf,
    families::Isa,
    stream::{Keep, Stream},
};

/// Everything the report takes from AMDGCN text.
pub fn report(bytes: &[u8], budget: &mut Budget) -> Result<Report, AnalyzeError> {
    let text = detect::text(bytes, Stage::Amdgcn)?;
    let mut stream = Stream::new(Isa::Amdgcn, Keep::Places);
    let facts = scan(text, &mut stream, budget)?;
    let mut report = Report::new(VERSION, Stage::Amdgcn);
    report.source = Some("text".to_owned());
    report.target = facts.target.map(str::to_owned);
    elf::several(&mut report, facts.metadata.kernels);
    report.resources = facts.metadata.resources;
    if facts.unsized_functions > 0 {
        let functions = facts.unsized_functions;
        report
            .warnings
            .push(format!("{functions} functions have no `.size` behind them: a cut text would look like this"));
    }
    if let Some(version) = facts.code_object {
        report.toolchain.insert("code_object".to_owned(), version.to_owned());
    }
    assemble::functions(&stream, text, &mut report, budget)?;
    report.normal_digest = Some(normal::digest(text, budget)?);
    Ok(report)
}
