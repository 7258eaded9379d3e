//! Missing blobs to the server, several at a time.

use std::{
    fs::File,
    io::{self, Read as _, Write},
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
};

use lowerline_shared::{api::BlobStored, ids::Digest, limits};
use sha2::Digest as _;

use super::Client;
use crate::{
    exit::Failure,
    manifest::{BlobFile, in_parallel},
    progress::Progress,
};

/// Compression level: 3 is the library's default and keeps one core ahead of most networks.
const LEVEL: i32 = 3;

/// What was sent.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Uploaded {
    /// Blobs.
    pub blobs: u64,
    /// Their bytes on disk.
    pub plain_bytes: u64,
    /// Their bytes on the wire.
    pub sent_bytes: u64,
    /// Files of blobs that the server could not place or warned about, each with the first warning.
    pub warned: Vec<(PathBuf, String)>,
}

/// A writer that also hashes what passes and refuses to grow beyond the limit of one blob as sent.
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if (self.0.len() + bytes.len()) as u64 > limits::BLOB_BYTES {
            return Err(io::Error::other(format!("more than {} MiB even when compressed", limits::BLOB_BYTES >> 20)));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads, checks and compresses one file without holding it whole.
fn compress(digest: Digest, file: &BlobFile) -> Result<Vec<u8>, String> {
    let mut hasher = sha2::Sha256::new();
    let mut encoder = zstd::Encoder::new(Bounded(Vec::new()), LEVEL).map_err(|error| error.to_string())?;
    // The size lets the server refuse or reserve before it inflates.
    let _ = encoder.set_pledged_src_size(Some(file.size_bytes));
    let _ = encoder.include_contentsize(true);
    let mut source = File::open(&file.path).map_err(|error| error.to_string())?.take(file.size_bytes);
    let mut piece = vec![0; 64 * 1024];
    loop {
        let read = source.read(&mut piece).map_err(|error| error.to_string())?;
        let Some(bytes) = piece.get(..read).filter(|bytes| !bytes.is_empty()) else { break };
        hasher.update(bytes);
        encoder.write_all(bytes).map_err(|error| error.to_string())?;
    }
    if Digest(hasher.finalize().into()) != digest {
        return Err("changed while it was being pushed; push again when nothing writes to it".to_owned());
    }
    encoder.finish().map(|bounded| bounded.0).map_err(|error| error.to_string())
}

/// Sends all of them with `jobs` threads. The first refusal stops the rest: a manifest without all blobs is refused.
pub fn upload(
    client: &Client,
    missing: &[(Digest, BlobFile)],
    jobs: usize,
    progress: Progress,
) -> Result<Uploaded, Failure> {
    let bar = progress.bar("sending", missing.len() as u64);
    let stopped = AtomicBool::new(false);
    let results = in_parallel(missing.len(), jobs, |index| {
        let (digest, file) = missing.get(index).filter(|_| !stopped.load(Ordering::Relaxed))?;
        let sent = compress(*digest, file)
            .map_err(|reason| {
                Failure::Usage(format!("cannot send {}: {reason}", crate::output::escape(&file.path.to_string_lossy())))
            })
            .and_then(|bytes| {
                Ok((client.put(*digest, &bytes)?, bytes.len() as u64, file.size_bytes, file.path.clone()))
            });
        if sent.is_err() {
            stopped.store(true, Ordering::Relaxed);
        }
        bar.inc(1);
        Some(sent)
    });
    bar.finish_and_clear();
    let mut uploaded = Uploaded::default();
    for result in results.into_iter().flatten() {
        let (stored, sent_bytes, plain_bytes, path): (BlobStored, u64, u64, PathBuf) = result?;
        uploaded.blobs += 1;
        uploaded.sent_bytes += sent_bytes;
        uploaded.plain_bytes += plain_bytes;
        if stored.stage.is_none() || !stored.warnings.is_empty() {
            let warning = stored.warnings.into_iter().next();
            let warning = warning.unwrap_or_else(|| "no stage was recognised".to_owned());
            uploaded.warned.push((path, warning));
        }
    }
    Ok(uploaded)
}
