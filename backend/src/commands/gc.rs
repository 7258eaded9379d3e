//! `gc`: what nothing points at.

use std::{fs, path::Path, time::Duration};

use lowerline_shared::ids::Digest;

use crate::{
    blobs::BlobStore,
    db::{self, Pool},
};

/// A push asks first and sends its manifest last: what is younger than this may still be pointed at.
const AGE: Duration = Duration::from_hours(24);

/// Deletes with `yes`, else says what would be deleted.
pub async fn run(pool: &Pool, data: &Path, yes: bool) -> anyhow::Result<()> {
    let blobs = BlobStore::open(data)?;
    let mut tx = pool.begin().await?;
    let rows = db::maintenance::delete_unreferenced_blobs(&mut tx).await?;
    let profiles = db::maintenance::delete_unused_profiles(&mut tx).await?;
    let histograms = db::maintenance::delete_unused_histograms(&mut tx).await?;
    if yes {
        tx.commit().await?;
    } else {
        tx.rollback().await?;
    }
    let gone: std::collections::HashSet<Vec<u8>> = rows.into_iter().collect();
    let (mut files, mut bytes) = (0_u64, 0_u64);
    for file in blobs.list()? {
        let is_known = match file.digest {
            Some(Digest(digest)) => !gone.contains(&digest[..]) && db::blob::find_blob(pool, &digest).await?.is_some(),
            None => false,
        };
        // Looked at again: the same blob may have been sent meanwhile.
        let Ok(metadata) = fs::metadata(&file.path) else { continue };
        let modified = metadata.modified().unwrap_or(file.modified);
        if is_known || modified.elapsed().unwrap_or_default() < AGE {
            continue;
        }
        files += 1;
        bytes += metadata.len();
        if yes {
            fs::remove_file(&file.path)?;
        }
    }
    let verb = if yes { "deleted" } else { "would delete (give --yes)" };
    println!(
        "{verb}: {} blobs, {profiles} profiles, {histograms} histograms, {files} files of {bytes} bytes",
        gone.len()
    );
    Ok(())
}
