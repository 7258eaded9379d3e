//! The corpus, unpacked in memory from the demo data.

use std::{collections::BTreeMap, fs, io::Read, path::PathBuf, sync::OnceLock};

use serde_json::Value;

/// Releases in the demo data.
pub const VERSIONS: [&str; 7] = ["3.2.0", "3.3.1", "3.4.0", "3.5.0", "3.5.1", "3.7.1", "3.9.0"];

/// One artifact.
pub struct File {
    /// `3.7.1/softmax/sm_80/…/softmax_kernel.ptx`.
    pub path: String,
    pub bytes: Vec<u8>,
}

impl File {
    /// Everything behind the first dot of the file name: `hex.sass`.
    pub fn extension(&self) -> &str {
        self.path.rsplit('/').next().and_then(|name| name.split_once('.')).map_or("", |(_, extension)| extension)
    }

    /// What the oracle counted in this build.
    pub fn expected(&self) -> Option<&'static Value> {
        let mut parts = self.path.splitn(3, '/');
        let (version, kernel, rest) = (parts.next()?, parts.next()?, parts.next()?);
        let (build, _) = rest.rsplit_once('/')?;
        expected().get(&format!("{version}/{kernel}.json"))?.get(build)
    }
}

fn demo() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../demo")
}

fn unpack(archive: PathBuf) -> Vec<(String, Vec<u8>)> {
    let reader = zstd::stream::read::Decoder::new(fs::File::open(archive).unwrap()).unwrap();
    let mut archive = tar::Archive::new(reader);
    let mut files = Vec::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        if entry.header().entry_type().is_file() {
            let path = entry.path().unwrap().to_string_lossy().trim_start_matches("./").to_owned();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            files.push((path, bytes));
        }
    }
    files
}

/// Every file of every release.
pub fn files() -> &'static [File] {
    static FILES: OnceLock<Vec<File>> = OnceLock::new();
    FILES.get_or_init(|| {
        let archives = VERSIONS.iter().flat_map(|version| unpack(demo().join(format!("data/{version}.tar.zst"))));
        archives.map(|(path, bytes)| File { path, bytes }).collect()
    })
}

fn expected() -> &'static BTreeMap<String, Value> {
    static EXPECTED: OnceLock<BTreeMap<String, Value>> = OnceLock::new();
    EXPECTED.get_or_init(|| {
        unpack(demo().join("expected.tar.zst"))
            .into_iter()
            .filter_map(|(path, bytes)| {
                let key = path.strip_prefix("expected/").unwrap_or(&path).to_owned();
                Some((key, serde_json::from_slice(&bytes).ok()?))
            })
            .collect()
    })
}
