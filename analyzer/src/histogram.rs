//! The fast road: opcode counts by scope of a text artifact and nothing else.

use std::sync::Arc;

use lowerline_shared::{family::Family, report::ScopeCounts, stage::Stage};

use crate::{
    AnalyzeError, Budget, Limits, amdgcn, assemble, detect,
    families::{Class, Isa},
    ptx, sass,
    stream::{Keep, Stream},
};

/// One canonical opcode of an artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The class of its mnemonic, [`Class::canonical`] among it.
    pub class: Arc<Class>,
    /// Its family, operand rules applied.
    pub family: Family,
    /// How many, by scope.
    pub counts: ScopeCounts,
}

/// Canonical opcodes of all functions with family and counts by scope: what [`Report::histogram`] of the whole report
/// would say, without the report and in another order.
///
/// [`Report::histogram`]: lowerline_shared::report::Report::histogram
pub fn histogram(bytes: &[u8], limits: &Limits) -> Result<Vec<Row>, AnalyzeError> {
    let budget = &mut Budget::new(limits);
    let stream = scan(bytes, limits, budget)?;
    assemble::histogram(&stream, budget)
}

fn scan<'a>(bytes: &'a [u8], limits: &Limits, budget: &mut Budget) -> Result<Stream<'a>, AnalyzeError> {
    if bytes.len() > limits.bytes {
        return Err(AnalyzeError::TooLarge { bytes: bytes.len(), limit: limits.bytes });
    }
    let stage = detect::detect(bytes)?;
    let text = detect::text(bytes, stage)?;
    stream_of(stage, text, Keep::Counts, budget)
}

/// The stream of a text of PTX, SASS or AMDGCN.
pub(crate) fn stream_of<'a>(
    stage: Stage,
    text: &'a str,
    keep: Keep,
    budget: &mut Budget,
) -> Result<Stream<'a>, AnalyzeError> {
    let isa = Isa::of(stage).ok_or(AnalyzeError::UnknownStage)?;
    let mut stream = Stream::new(isa, keep);
    match stage {
        Stage::Ptx => {
            ptx::scan(text, &mut stream, budget)?;
        }
        Stage::Sass => {
            sass::scan(text, &mut stream, budget)?;
        }
        Stage::Amdgcn => {
            amdgcn::scan(text, &mut stream, budget)?;
        }
        _ => return Err(AnalyzeError::UnknownStage),
    }
    Ok(stream)
}
