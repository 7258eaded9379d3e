//! `check`: every row has its blob, every blob its hash; and the bounds of this process.

use std::path::Path;

use lowerline_shared::{ids::Digest, limits};

use crate::{
    blobs::BlobStore,
    config,
    db::{self, Pool},
};

/// Prints what is wrong; an error when anything is.
pub async fn run(pool: &Pool, data: &Path) -> anyhow::Result<()> {
    println!("blob: {} bytes, {} inflated", limits::BLOB_BYTES, limits::INFLATED_BYTES);
    println!("manifest: {} bytes, {} builds", limits::MANIFEST_BYTES, limits::BUILDS_PER_PUSH);
    println!("analyses waiting: {}", config::ANALYSIS_QUEUE);
    let blobs = BlobStore::open(data)?;
    let (mut checked, mut wrong, mut after) = (0_u64, 0_u64, 0);
    loop {
        let rows = db::maintenance::list_blobs_after(pool, after).await?;
        let Some(last) = rows.last() else { break };
        after = last.id;
        for row in rows {
            let digest = Digest(row.digest.try_into().map_err(|_| anyhow::anyhow!("a digest of another length"))?);
            checked += 1;
            match blobs.verify(digest) {
                Ok(true) => {}
                Ok(false) => {
                    wrong += 1;
                    println!("{digest}: the bytes on disk do not hash to their name");
                }
                Err(error) => {
                    wrong += 1;
                    println!("{digest}: {error}");
                }
            }
        }
    }
    println!("{checked} blobs checked, {wrong} wrong");
    anyhow::ensure!(wrong == 0, "{wrong} of {checked} blobs are wrong; restore them from a backup or push them again");
    Ok(())
}
