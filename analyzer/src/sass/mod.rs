//! SASS text, in each of the six forms it comes in: `nvdisasm -c`, with `-hex`, `-plr` or `-g`, `cuobjdump -sass`, and
//! what Triton returns as `asm["sass"]`.

pub(crate) mod control;
mod normal;
mod scanner;

pub(crate) use scanner::scan;
use std::collections::BTreeMap;

use lowerline_shared::{report::Report, stage::Stage};

use crate::{AnalyzeError, Budget, VERSION, assemble, detect, families::Isa, stream::Stream};

/// Everything the report takes from SASS text.
pub fn report(bytes: &[u8], budget: &mut Budget) -> Result<Report, AnalyzeError> {
    let text = detect::text(bytes, Stage::Sass)?;
    let mut stream = Stream::new(Isa::Sass);
    let header = scan(text, &mut stream, budget)?;
    let mut report = Report::new(VERSION, Stage::Sass);
    report.source = Some("text".to_owned());
    report.target = header.target.map(str::to_owned);
    let files: BTreeMap<u32, String> = (0_u32..).zip(header.files.into_iter().map(str::to_owned)).collect();
    assemble::functions(&stream, text, &files, &mut report, budget)?;
    report.normal_digest = Some(normal::digest(text, budget)?);
    Ok(report)
}
