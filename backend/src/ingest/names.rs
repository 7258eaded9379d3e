//! The words of a manifest get their ids: kernels, targets, variants.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use lowerline_shared::{api::BuildManifest, ids::KernelName};
use sha2::{Digest as _, Sha256};

use crate::{
    db::{self, Connection},
    error::Result,
};

/// Longest name that is its own key; a longer one would not fit an address.
const KEY_BYTES: usize = 200;
/// What the key of a longer name starts with.
const HASHED: &str = "sha256-";

/// What URLs call a kernel: its name, or a hash of it when it is long (or looks like such a hash itself).
pub fn kernel_key(name: &KernelName) -> String {
    let name = name.as_str();
    if name.len() <= KEY_BYTES && !name.starts_with(HASHED) {
        return name.to_owned();
    }
    let digest = Sha256::digest(name);
    digest[..8].iter().fold(HASHED.to_owned(), |key, byte| format!("{key}{byte:02x}"))
}

/// Ids of the variants of builds, in their order.
pub async fn variants(conn: &mut Connection, project_id: i32, builds: &[BuildManifest]) -> Result<Vec<i32>> {
    let keys: Vec<String> = builds.iter().map(|build| kernel_key(&build.kernel)).collect();
    let names: BTreeMap<&str, &str> =
        keys.iter().zip(builds).map(|(key, build)| (key.as_str(), build.kernel.as_str())).collect();
    let (key_column, name_column): (Vec<String>, Vec<String>) =
        names.into_iter().map(|(key, name)| (key.to_owned(), name.to_owned())).unzip();
    let kernel_ids: HashMap<String, i32> =
        db::kernel::insert_kernels(conn, project_id, &key_column, &name_column).await?.into_iter().collect();
    let targets: BTreeSet<&str> = builds.iter().map(|build| build.target.as_str()).collect();
    let targets: Vec<String> = targets.into_iter().map(str::to_owned).collect();
    let target_ids: HashMap<String, i32> = db::kernel::insert_targets(conn, &targets).await?.into_iter().collect();

    let mut kernel_column = Vec::with_capacity(builds.len());
    let mut target_column = Vec::with_capacity(builds.len());
    let mut config_column = Vec::with_capacity(builds.len());
    for (key, build) in keys.iter().zip(builds) {
        let id = |ids: &HashMap<String, i32>, name: &str| {
            ids.get(name).copied().ok_or_else(|| anyhow::anyhow!("a name vanished"))
        };
        kernel_column.push(id(&kernel_ids, key)?);
        target_column.push(id(&target_ids, build.target.as_str())?);
        config_column.push(build.config.label.as_str().to_owned());
    }
    let ids = db::kernel::insert_variants(conn, &kernel_column, &target_column, &config_column).await?;
    if ids.len() != builds.len() {
        return Err(anyhow::anyhow!("{} variants for {} builds", ids.len(), builds.len()).into());
    }
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> String {
        kernel_key(&name.parse().expect("a name"))
    }

    #[test]
    fn long_names_and_imitations_are_hashed() {
        assert_eq!(key("flex_attention"), "flex_attention");
        assert_eq!(key(&"a".repeat(200)), "a".repeat(200));
        assert_eq!(key(&"a".repeat(201)).len(), 23);
        assert_ne!(key("sha256-0000000000000000"), "sha256-0000000000000000");
    }
}
