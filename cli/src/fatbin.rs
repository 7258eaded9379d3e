//! Members of a fatbin, inflated under the analyzer's limit.

use std::io::Read as _;

use lowerline_analyzer::{
    Limits,
    fatbin::{self, Kind, Member, Packing},
};
use lowerline_shared::stage::Stage;

/// One artifact out of a fatbin.
pub struct Artifact {
    /// Place and target: `0.sm_90.cubin`.
    pub label: String,
    /// PTX or cubin.
    pub stage: Stage,
    /// Inflated.
    pub bytes: Vec<u8>,
}

/// The cubins and PTX texts of a fatbin. All of them together may be as large as one artifact.
pub fn members(bytes: &[u8], limits: &Limits) -> Result<Vec<Artifact>, String> {
    let mut left = limits.bytes;
    let mut out = Vec::new();
    for (n, member) in fatbin::members(bytes).map_err(|error| error.to_string())?.iter().enumerate() {
        let stage = match member.kind {
            Kind::Cubin => Stage::Cubin,
            Kind::Ptx => Stage::Ptx,
            Kind::Other(kind) => return Err(format!("member {n} is of kind {kind}, which is neither PTX nor a cubin")),
        };
        let mut bytes = inflate(member, left).map_err(|reason| format!("member {n} (sm_{}): {reason}", member.sm))?;
        left = left.saturating_sub(bytes.len());
        if stage == Stage::Ptx {
            // The text ends in NUL, and packed members are padded with more.
            bytes.truncate(bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1));
        }
        out.push(Artifact { label: format!("{n}.sm_{}.{}", member.sm, stage.id()), stage, bytes });
    }
    Ok(out)
}

fn inflate(member: &Member<'_>, limit: usize) -> Result<Vec<u8>, String> {
    let claimed = usize::try_from(member.inflated).unwrap_or(usize::MAX);
    let too_large = || format!("it inflates to more than the {limit} bytes left of the limit");
    match member.packing {
        Packing::Plain if member.payload.len() > limit => Err(too_large()),
        Packing::Plain => Ok(member.payload.to_vec()),
        Packing::Lz4 if claimed > limit => Err(too_large()),
        Packing::Lz4 => lz4_flex::block::decompress(member.payload, claimed).map_err(|error| error.to_string()),
        Packing::Zstd => {
            let mut out = Vec::new();
            let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
            let decoder = zstd::Decoder::with_buffer(member.payload).map_err(|error| error.to_string())?;
            decoder.single_frame().take(most).read_to_end(&mut out).map_err(|error| error.to_string())?;
            if out.len() > limit { Err(too_large()) } else { Ok(out) }
        }
    }
}
