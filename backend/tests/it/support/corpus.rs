//! The demo's real compiler output as manifests.

use std::{
    collections::{BTreeMap, HashMap},
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
};

use lowerline_shared::ids::Digest;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::Server;

pub fn digest(bytes: &[u8]) -> Digest {
    Digest(Sha256::digest(bytes).into())
}

/// A made-up hash for a release: these tests need none of the repository's.
pub fn sha(name: &str) -> String {
    digest(name.as_bytes()).to_string()[..40].to_owned()
}

/// Files of one release by path, only those that `keep` keeps.
fn files(release: &str, keep: impl Fn(&Path) -> bool) -> BTreeMap<PathBuf, Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../demo/data/{release}.tar.zst"));
    let mut archive = tar::Archive::new(zstd::Decoder::new(File::open(path).unwrap()).unwrap());
    let mut files = BTreeMap::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = entry.path().unwrap().into_owned();
        if entry.header().entry_type().is_file() && keep(&path) {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            files.insert(path, bytes);
        }
    }
    files
}

/// Files of some kernels of a release, all when none is named, below a folder of its name.
pub fn files_of(name: &str, kernels: &[&str]) -> BTreeMap<PathBuf, Vec<u8>> {
    files(name, |path| {
        let kernel = path.components().nth(1).and_then(|part| part.as_os_str().to_str()).unwrap_or_default();
        kernels.is_empty() || kernels.contains(&kernel)
    })
}

/// One release: its manifest, and its blobs.
pub struct Release {
    pub manifest: Value,
    pub blobs: HashMap<Digest, Vec<u8>>,
}

/// Reads a release; kernels as named, or all when none is.
pub fn release(name: &str, parent: Option<&str>, committed_at: i64, kernels: &[&str]) -> Release {
    let files = files_of(name, kernels);
    let mut blobs = HashMap::new();
    let mut builds = Vec::new();
    for (path, bytes) in &files {
        if path.file_name().is_some_and(|name| name == "build.json") {
            let folder = path.parent().unwrap();
            let inside = files.iter().filter(|(path, _)| path.parent() == Some(folder));
            builds.push(build(folder, bytes, inside, &mut blobs));
        }
    }
    let parents: Vec<String> = parent.map(sha).into_iter().collect();
    let manifest = json!({
        "commit": {
            "sha": sha(name), "parents": parents, "tag": name, "committed_at": committed_at,
            "subject": format!("Release {name}"),
        },
        "toolchain": { "triton": name },
        "builds": builds,
    });
    Release { manifest, blobs }
}

fn build<'a>(
    folder: &Path,
    description: &[u8],
    inside: impl Iterator<Item = (&'a PathBuf, &'a Vec<u8>)>,
    blobs: &mut HashMap<Digest, Vec<u8>>,
) -> Value {
    let description: Value = serde_json::from_slice(description).unwrap();
    let mut artifacts = Vec::new();
    for (path, bytes) in inside {
        let name = path.file_name().unwrap().to_str().unwrap();
        let extension = name.split_once('.').unwrap().1;
        let (stage, form) = match extension.split_once('.') {
            None => (extension, ""),
            Some((form, stage)) => (stage, form),
        };
        let stages = ["source", "ttir", "glir", "ttgir", "llir", "ptx", "cubin", "sass", "amdgcn", "hsaco"];
        if stages.contains(&stage) {
            let digest = digest(bytes);
            blobs.insert(digest, bytes.clone());
            artifacts.push(json!({ "stage": stage, "form": form, "digest": digest }));
        }
    }
    let label = folder.file_name().unwrap().to_str().unwrap();
    let status = description["status"].as_str().unwrap();
    let mut build = json!({
        "kernel": description["kernel"], "target": description["target"], "status": status,
        "config": { "label": label, "options": description["options"] },
        "artifacts": artifacts,
        "resources": resources(&description),
    });
    if description["constexprs"].is_object() {
        build["config"]["constexprs"] = description["constexprs"].clone();
    }
    let attributes = ["divisibility", "equal_to_1"].into_iter().filter(|name| !description[*name].is_null());
    build["config"]["attributes"] =
        Value::Object(attributes.map(|name| (name.to_owned(), description[name].clone())).collect());
    if let Some(seconds) = description["compile_seconds"].as_f64() {
        build["metrics"] = json!({ "compile_seconds": seconds });
    }
    if label.contains("injected") {
        build["config"]["reconstruction"] = json!("a layout conversion was put in by hand");
    }
    if status != "ok" {
        build["message"] = json!("the compiler refused");
    }
    build
}

/// What the compiler's metadata says a launch needs.
fn resources(description: &Value) -> Value {
    let options = &description["options"];
    let pairs = [
        ("shared_bytes", &description["shared"]),
        ("tmem_columns", &description["tmem_size"]),
        ("warps", &options["num_warps"]),
        ("stages", &options["num_stages"]),
    ];
    let known = pairs.into_iter().filter(|(_, value)| value.is_number());
    Value::Object(known.map(|(name, value)| (name.to_owned(), value.clone())).collect())
}

impl Release {
    /// Sends the blobs and the manifest.
    pub async fn send(&self, server: &Server) {
        for bytes in self.blobs.values() {
            let answer = server.put(bytes).await;
            assert_eq!(answer.status, 200, "{}", answer.text());
        }
        let answer = server.push(&self.manifest).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
}

/// A small PTX text with `adds` additions: another histogram for every number.
pub fn ptx(adds: usize) -> Vec<u8> {
    let body = "    add.s32 %r1, %r1, 1;\n".repeat(adds);
    format!(
        ".version 8.7\n.target sm_90a\n.address_size 64\n\n.visible .entry k()\n{{\n    .reg .b32 %r<2>;\n{body}    ret;\n}}\n"
    )
    .into_bytes()
}

/// A manifest of one commit.
pub fn manifest(sha: &str, parents: &[String], committed_at: i64, builds: &[Value]) -> Value {
    json!({
        "commit": { "sha": sha, "parents": parents, "committed_at": committed_at, "subject": "A change" },
        "toolchain": { "triton": "3.5.0" },
        "builds": builds,
    })
}

/// A build of one PTX artifact.
pub fn ptx_build(kernel: &str, target: &str, bytes: &[u8]) -> Value {
    json!({
        "kernel": kernel, "target": target, "config": { "label": "c" }, "status": "ok",
        "artifacts": [{ "stage": "ptx", "digest": digest(bytes) }],
    })
}

pub fn failed_build(kernel: &str, target: &str, message: &str) -> Value {
    json!({ "kernel": kernel, "target": target, "config": { "label": "c" }, "status": "error", "message": message })
}
