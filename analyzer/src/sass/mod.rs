//! SASS text, in each of the six forms it comes in: `nvdisasm -c`, with `-hex`, `-plr` or `-g`, `cuobjdump -sass`, and
//! what Triton returns as `asm["sass"]`.

pub(crate) mod control;
mod scanner;

use lowerline_shared::{report::Report, stage::Stage};
pub(crate) use scanner::scan;

use crate::{
    AnalyzeError, Budget, VERSION, assemble, decode, detect,
    families::Isa,
    normal,
    stream::{Keep, Stream},
};

/// Everything the report takes from SASS text.
pub fn report(bytes: &[u8], budget: &mut Budget) -> Result<Report, AnalyzeError> {
    let text = detect::text(bytes, Stage::Sass)?;
    let mut stream = Stream::new(Isa::Sass, Keep::Places);
    let header = scan(text, &mut stream, budget)?;
    let mut report = Report::new(VERSION, Stage::Sass);
    report.source = Some("text".to_owned());
    report.target = header.target.map(str::to_owned);
    assemble::functions(&stream, text, &mut report, budget)?;
    report.normal_digest = Some(normal::counts::digest(&report));
    if !stream.controls.is_empty() {
        // A text with encodings teaches what the decoder's tables lack: one line to paste into an issue.
        budget.work(text.len() as u64)?;
        report.warnings.extend(decode::missing_keys(text));
    }
    Ok(report)
}
