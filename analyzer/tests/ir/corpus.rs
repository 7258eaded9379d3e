//! The committed demo data: real compiler output and the counts an independent oracle made of it.

use std::{collections::BTreeMap, fs::File, io::Read, path::PathBuf, sync::OnceLock};

use serde_json::Value;

pub const VERSIONS: [&str; 7] = ["3.2.0", "3.3.1", "3.4.0", "3.5.0", "3.5.1", "3.7.1", "3.9.0"];

fn demo() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../demo")
}

/// Calls `f` with path and bytes of every regular file of an archive below `demo/`.
fn each_file(archive: &str, mut f: impl FnMut(&str, Vec<u8>)) {
    let file = File::open(demo().join(archive)).unwrap();
    let mut tar = tar::Archive::new(zstd::Decoder::new(file).unwrap());
    for entry in tar.entries().unwrap() {
        let mut entry = entry.unwrap();
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let path = entry.path().unwrap().to_str().unwrap().to_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        f(&path, bytes);
    }
}

/// One artifact of the demo data.
pub struct Artifact {
    pub version: String,
    pub kernel: String,
    /// `<target>/<options>`: the key of the expected counts.
    pub build: String,
    pub file: String,
    pub bytes: Vec<u8>,
}

impl Artifact {
    pub fn target(&self) -> &str {
        self.build.split('/').next().unwrap()
    }

    pub fn name(&self) -> String {
        format!("{}/{}/{}/{}", self.version, self.kernel, self.build, self.file)
    }

    /// What the oracle says about this artifact's build.
    pub fn expected(&self) -> &'static Value {
        &expected()[&format!("{}/{}", self.version, self.kernel)][&self.build]
    }
}

/// Every file of the demo data, unpacked once.
fn all() -> &'static [Artifact] {
    static ALL: OnceLock<Vec<Artifact>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all = Vec::new();
        for version in VERSIONS {
            each_file(&format!("data/{version}.tar.zst"), |path, bytes| {
                let parts: Vec<&str> = path.split('/').collect();
                let [version, kernel, target, options, file] = parts[..] else { panic!("{path}") };
                all.push(Artifact {
                    version: version.to_owned(),
                    kernel: kernel.to_owned(),
                    build: format!("{target}/{options}"),
                    file: file.to_owned(),
                    bytes,
                });
            });
        }
        all
    })
}

/// Calls `f` with every artifact of the demo data whose file name ends with `.<extension>`.
pub fn each(extension: &str, f: impl FnMut(&'static Artifact)) {
    let wanted = |artifact: &&Artifact| artifact.file.split_once('.').is_some_and(|(_, rest)| rest == extension);
    all().iter().filter(wanted).for_each(f);
}

fn expected() -> &'static BTreeMap<String, Value> {
    static EXPECTED: OnceLock<BTreeMap<String, Value>> = OnceLock::new();
    EXPECTED.get_or_init(|| {
        let mut all = BTreeMap::new();
        each_file("expected.tar.zst", |path, bytes| {
            let key = path.trim_start_matches("expected/").trim_end_matches(".json").to_owned();
            all.insert(key, serde_json::from_slice(&bytes).unwrap());
        });
        all
    })
}
