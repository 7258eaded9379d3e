//! One blob from the wire to disk and rows.

use std::io::{self, Read};

use lowerline_shared::{api::BlobStored, ids::Digest, limits, problem::Code, stage::Stage};
use sha2::{Digest as _, Sha256};

use crate::{
    analysis::{Outcome, examine},
    error::{AppError, Refusal, Result},
    record,
    state::AppState,
};

/// Inflating beyond this factor is a bomb …
const RATIO: u64 = 200;
/// … once this many bytes came out: small files of one repeated line compress better than any bomb needs to.
const RATIO_FROM: u64 = 64 * 1024 * 1024;
/// Bytes inflated between two looks at the ratio.
const STEP: usize = 1024 * 1024;

/// How the body is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// As it is.
    Identity,
    /// One or more zstd frames.
    Zstd,
}

/// What is known of a blob after its bytes were read.
#[derive(Debug)]
pub struct Examined {
    /// Bytes after inflation.
    pub size_bytes: u64,
    /// What the analyzer said.
    pub outcome: Outcome,
}

/// Reads, checks, analyzes and keeps one blob whose bytes lie in `sent`.
///
/// # Errors
/// A refusal for bytes that do not inflate, do not hash to `digest` or are too many; nothing is left behind then.
pub async fn store(
    state: &AppState,
    digest: Digest,
    sent: tempfile::NamedTempFile,
    encoding: Encoding,
) -> Result<BlobStored> {
    let blobs = state.blobs.clone();
    let examined = state
        .analysis
        .run(move || -> Result<Examined> {
            let bytes = inflate(sent.as_file(), encoding)?;
            if Sha256::digest(&bytes)[..] != digest.0 {
                let message = "the bytes do not hash to the digest in the address";
                return Err(Refusal::unprocessable(Code::DigestMismatch, message)
                    .hint("the digest is the SHA-256 of the bytes before compression")
                    .into());
            }
            blobs.put(digest, &bytes)?;
            Ok(Examined { size_bytes: bytes.len() as u64, outcome: examine(&bytes) })
        })
        .await??;
    record::record(&state.pool, &state.codes, digest, &examined).await?;
    Ok(summary(digest, &examined))
}

fn summary(digest: Digest, examined: &Examined) -> BlobStored {
    let (stage, warnings): (Option<Stage>, _) = match &examined.outcome {
        Outcome::Report(report) => (Some(report.stage), report.warnings.clone()),
        Outcome::None(why) => (None, vec![why.clone()]),
    };
    BlobStored { digest, size_bytes: examined.size_bytes, stage, warnings }
}

/// The one place that inflates what a client sent: counts while it reads and stops at the limit.
fn inflate(file: &std::fs::File, encoding: Encoding) -> Result<Vec<u8>> {
    let sent = file.metadata()?.len();
    let mut file = file;
    io::Seek::rewind(&mut file)?;
    match encoding {
        Encoding::Identity => {
            let mut bytes = Vec::with_capacity(usize::try_from(sent).unwrap_or(0));
            file.read_to_end(&mut bytes)?;
            Ok(bytes)
        }
        Encoding::Zstd => {
            let bad = |error: io::Error| -> AppError {
                refuse_compression(format!("the body is not valid zstd: {error}")).into()
            };
            let mut decoder = zstd::Decoder::new(file).map_err(bad)?;
            let mut bytes = Vec::new();
            loop {
                let read = decoder.by_ref().take(STEP as u64).read_to_end(&mut bytes).map_err(bad)?;
                if read == 0 {
                    return Ok(bytes);
                }
                check_inflated(sent, bytes.len() as u64)?;
            }
        }
    }
}

fn check_inflated(sent: u64, inflated: u64) -> std::result::Result<(), Refusal> {
    if inflated > limits::INFLATED_BYTES {
        return Err(refuse_compression(format!("the body inflates to more than {} bytes", limits::INFLATED_BYTES)));
    }
    if inflated > RATIO_FROM && inflated / RATIO > sent {
        return Err(refuse_compression(format!("the body inflates to more than {RATIO} times its size")));
    }
    Ok(())
}

fn refuse_compression(message: String) -> Refusal {
    Refusal::unprocessable(Code::BadCompression, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_itself_is_accepted_and_one_byte_more_is_not() {
        assert!(check_inflated(limits::BLOB_BYTES, limits::INFLATED_BYTES).is_ok());
        assert!(check_inflated(limits::BLOB_BYTES, limits::INFLATED_BYTES + 1).is_err());
        assert!(check_inflated(1, RATIO_FROM).is_ok());
        assert!(check_inflated(1, RATIO_FROM + RATIO).is_err());
    }
}
