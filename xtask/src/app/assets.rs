//! Files named by their content, each with a brotli and a gzip form beside it.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest as _, Sha256};

/// Hash digits in a name: 64 bits, for a handful of files.
const HASH_DIGITS: usize = 16;

/// `target/app/assets`.
pub struct Assets {
    folder: PathBuf,
    kept: BTreeSet<PathBuf>,
    /// Brotli's effort, 0 to 11.
    quality: u32,
}

impl Assets {
    pub fn open(folder: &Path, quality: u32) -> Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        Ok(Self { folder: folder.to_owned(), kept: BTreeSet::new(), quality })
    }

    /// Adds a file and returns its name, `<name>-<hash>.<kind>`.
    pub fn add(&mut self, name: &str, kind: &str, bytes: &[u8]) -> Result<String> {
        let name = format!("{name}-{}.{kind}", hash(&[bytes])?);
        self.add_as(&name, bytes)?;
        Ok(name)
    }

    /// Adds files that belong together and name each other as `"./<name>.<kind>"` where their scripts import and fetch. All
    /// bear one hash, of all of them: none fits another build. Returns their names in order.
    pub fn add_together(&mut self, files: &[(String, &str, Vec<u8>)]) -> Result<Vec<String>> {
        let contents: Vec<&[u8]> = files.iter().map(|(_, _, bytes)| bytes.as_slice()).collect();
        let hash = hash(&contents)?;
        let names: Vec<String> = files.iter().map(|(name, kind, _)| format!("{name}-{hash}.{kind}")).collect();
        for ((_, kind, bytes), hashed) in files.iter().zip(&names) {
            if *kind != "js" {
                self.add_as(hashed, bytes)?;
                continue;
            }
            let mut script = String::from_utf8(bytes.clone())?;
            for ((name, kind, _), hashed) in files.iter().zip(&names) {
                // The keys of imports are names in the module and stay.
                for before in ["from ", "new URL("] {
                    let file = |name: &str| format!("{before}\"./{name}\"");
                    script = script.replace(&file(&format!("{name}.{kind}")), &file(hashed));
                }
            }
            self.add_as(hashed, script.as_bytes())?;
        }
        Ok(names)
    }

    /// Adds a file under a name that others already know.
    pub fn add_as(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.folder.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        let quality = self.quality;
        self.put(&path, bytes, Ok)?;
        self.put(&with_suffix(&path, "br"), bytes, |bytes| brotli(bytes, quality))?;
        self.put(&with_suffix(&path, "gz"), bytes, gzip)
    }

    /// Size of the brotli form.
    pub fn brotli_bytes(&self, name: &str) -> Result<u64> {
        Ok(fs::metadata(with_suffix(&self.folder.join(name), "br"))?.len())
    }

    /// Removes what earlier builds left.
    pub fn remove_others(&self) -> Result<()> {
        self.remove_others_in(&self.folder)
    }

    fn remove_others_in(&self, folder: &Path) -> Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                self.remove_others_in(&path)?;
            } else if !self.kept.contains(&path) {
                fs::remove_file(&path)?;
            }
        }
        Ok(())
    }

    /// The name says the content, so a file that is there is left; it appears under its name only when it is whole.
    fn put<'a, F, B>(&mut self, path: &Path, bytes: &'a [u8], form: F) -> Result<()>
    where
        F: FnOnce(&'a [u8]) -> Result<B>,
        B: AsRef<[u8]>,
    {
        self.kept.insert(path.to_owned());
        if path.exists() && has_hash(path) {
            return Ok(());
        }
        let unfinished = with_suffix(path, "unfinished");
        fs::write(&unfinished, form(bytes)?).with_context(|| format!("cannot write {}", unfinished.display()))?;
        fs::rename(&unfinished, path)?;
        Ok(())
    }
}

fn hash(contents: &[&[u8]]) -> Result<String> {
    let mut hasher = Sha256::new();
    for bytes in contents {
        hasher.update(bytes);
    }
    let mut hash = String::new();
    for byte in hasher.finalize() {
        write!(hash, "{byte:02x}")?;
    }
    hash.truncate(HASH_DIGITS);
    Ok(hash)
}

/// Snippets keep the names wasm-bindgen gave them and are always written again.
fn has_hash(path: &Path) -> bool {
    !path.components().any(|part| part.as_os_str() == "snippets")
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    PathBuf::from(name)
}

fn brotli(bytes: &[u8], quality: u32) -> Result<Vec<u8>> {
    let mut packed = Vec::new();
    // The window covers the largest file, so that all of it is one context.
    let mut writer = brotli::CompressorWriter::new(&mut packed, 1 << 16, quality, 24);
    writer.write_all(bytes)?;
    drop(writer);
    Ok(packed)
}

fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut writer = GzEncoder::new(Vec::new(), Compression::best());
    writer.write_all(bytes)?;
    Ok(writer.finish()?)
}
