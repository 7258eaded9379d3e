//! Bytes on disk, named by their SHA-256 and kept zstd compressed.
//!
//! A blob is whole or absent: temporary file, fsync, rename, fsync of the folder, and only then its row. A crash leaves
//! a file without a row at most; `gc` finds those.

use std::{
    fs::{self, File},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    time::SystemTime,
};

use lowerline_shared::ids::Digest;
use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;

/// Fast, and within a few percent of the slower levels on compiler text.
const LEVEL: i32 = 3;

/// The folder of blobs.
#[derive(Clone, Debug)]
pub struct BlobStore {
    folder: PathBuf,
}

/// A file in the folder.
#[derive(Debug)]
pub struct Stored {
    /// Its blob; `None` for a temporary file.
    pub digest: Option<Digest>,
    /// Where.
    pub path: PathBuf,
    /// When it was written.
    pub modified: SystemTime,
}

impl BlobStore {
    /// Opens or makes the folder below a data directory.
    pub fn open(data: &Path) -> io::Result<Self> {
        let folder = data.join("blobs");
        fs::create_dir_all(folder.join("incoming"))?;
        Ok(Self { folder })
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Bytes that are free for others than root on the file system.
    pub fn free_bytes(&self) -> io::Result<u64> {
        let stat = nix::sys::statvfs::statvfs(&self.folder)?;
        Ok(stat.blocks_available() * stat.fragment_size())
    }

    fn path(&self, digest: Digest) -> PathBuf {
        let name = digest.to_string();
        self.folder.join(&name[..2]).join(format!("{name}.zst"))
    }

    /// A temporary file on the same file system; deleted when dropped.
    pub fn incoming(&self) -> io::Result<NamedTempFile> {
        NamedTempFile::new_in(self.folder.join("incoming"))
    }

    /// Keeps bytes. They must hash to `digest`.
    pub fn put(&self, digest: Digest, bytes: &[u8]) -> io::Result<()> {
        let path = self.path(digest);
        let folder = path.parent().unwrap_or(&self.folder);
        if !folder.exists() {
            fs::create_dir_all(folder)?;
            File::open(&self.folder)?.sync_all()?;
        }
        let mut temporary = self.incoming()?;
        let mut encoder = zstd::Encoder::new(temporary.as_file_mut(), LEVEL)?;
        encoder.include_checksum(true)?;
        encoder.write_all(bytes)?;
        encoder.finish()?.sync_all()?;
        temporary.persist(&path).map_err(|error| error.error)?;
        File::open(folder)?.sync_all()
    }

    /// Whether the file of a blob is there.
    pub fn contains(&self, digest: Digest) -> bool {
        self.path(digest).is_file()
    }

    /// The bytes of a blob, of at most `size_bytes`.
    pub fn read(&self, digest: Digest, size_bytes: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(usize::try_from(size_bytes).unwrap_or(0).min(1 << 20));
        zstd::Decoder::new(File::open(self.path(digest))?)?.take(size_bytes).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Whether the file of a blob is there and hashes to its name.
    pub fn verify(&self, digest: Digest) -> io::Result<bool> {
        let mut hasher = Sha256::new();
        io::copy(&mut zstd::Decoder::new(File::open(self.path(digest))?)?, &mut HashWriter(&mut hasher))?;
        Ok(<[u8; 32]>::from(hasher.finalize()) == digest.0)
    }

    /// Every file in the folder.
    pub fn list(&self) -> io::Result<Vec<Stored>> {
        let mut found = Vec::new();
        for folder in fs::read_dir(&self.folder)? {
            let folder = folder?;
            if !folder.file_type()?.is_dir() {
                continue;
            }
            for file in fs::read_dir(folder.path())? {
                let file = file?;
                let name = file.file_name();
                let digest =
                    name.to_str().and_then(|name| name.strip_suffix(".zst")).and_then(|name| name.parse().ok());
                found.push(Stored { digest, path: file.path(), modified: file.metadata()?.modified()? });
            }
        }
        Ok(found)
    }
}

struct HashWriter<'a>(&'a mut Sha256);

impl io::Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blob_is_read_back_and_a_changed_byte_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = BlobStore::open(folder.path()).expect("a store");
        let bytes = b"ld.global.b32".repeat(1000);
        let digest = Digest(Sha256::digest(&bytes).into());
        store.put(digest, &bytes).expect("kept");
        assert_eq!(store.read(digest, bytes.len() as u64).expect("read"), bytes);
        assert!(store.verify(digest).expect("readable"));
        let wrong = Digest([1; 32]);
        store.put(wrong, &bytes).expect("kept");
        assert!(!store.verify(wrong).expect("readable"));
        assert_eq!(store.list().expect("listed").len(), 2);
    }
}
