//! `reparse`: reports of another analyzer version are made again, then everything derived from them.

use std::path::Path;

use anyhow::Context as _;
use lowerline_shared::ids::Digest;

use crate::{
    analysis::examine,
    blobs::BlobStore,
    db::{self, Pool},
    ingest,
    intake::Examined,
    record,
    state::AppState,
};

/// Analyzes stale blobs (or all) and rebuilds profiles, change points and sums.
pub async fn run(pool: Pool, data: &Path, all: bool) -> anyhow::Result<()> {
    let state = AppState::open(pool, BlobStore::open(data)?).await?;
    let current = i32::try_from(lowerline_analyzer::VERSION)?;
    let (mut analyzed, mut after) = (0_u64, 0);
    loop {
        let rows = db::maintenance::list_blobs_after(&state.pool, after).await?;
        let Some(last) = rows.last() else { break };
        after = last.id;
        for row in rows.into_iter().filter(|row| all || row.analyzer != Some(current)) {
            let digest = Digest(row.digest.try_into().map_err(|_| anyhow::anyhow!("a digest of another length"))?);
            let bytes = state
                .blobs
                .read(digest, u64::try_from(row.size_bytes)?)
                .with_context(|| format!("read blob {digest}; `check` lists what is missing"))?;
            let examined = Examined { size_bytes: bytes.len() as u64, outcome: examine(&bytes) };
            record::record(&state.pool, &state.codes, digest, &examined).await?;
            analyzed += 1;
        }
    }
    let mut tx = state.pool.begin().await?;
    let changed = ingest::rebuild_profiles(&mut tx, &state.codes).await?;
    if changed > 0 {
        for id in db::maintenance::list_commit_ids(&mut tx).await? {
            ingest::derive(&mut tx, id, Vec::new()).await?;
        }
    }
    tx.commit().await?;
    println!("{analyzed} blobs analyzed, {changed} lowerings count something else");
    Ok(())
}
