//! Cuts the module at the functions of `frontend/src/lazy.rs` into a main part and parts that the browser fetches when a
//! page needs them.
//!
//! Comes before wasm-bindgen, which then sees the main part alone. Needs the relocations of the linker.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, anyhow};
use wasm_encoder::{Module, RawSection};
use wasm_split_cli_support::{Options, transform};
use wasmparser::{Parser, Payload};

/// Sections for debuggers, a third of a part; wasm-bindgen drops those of the main part.
const FOR_DEBUGGERS: [&str; 2] = ["name", "producers"];

/// What became of a module.
pub struct Parts {
    /// The part that is there from the start.
    pub main: PathBuf,
    /// The other parts: one for each lazy page, and chunks that several of them share.
    pub files: Vec<PathBuf>,
    /// Name of a part, as `frontend/src/lazy.rs` has it → file stems that its pages need beside the main part.
    pub needed: BTreeMap<String, Vec<String>>,
}

/// Writes the parts and `loader`, the script that fetches them; `glue` is the script that wasm-bindgen will write for the
/// main part. Both are file names in one folder.
pub fn cut(module: &Path, folder: &Path, loader: &str, glue: &str) -> Result<Parts> {
    let bytes = fs::read(module).with_context(|| format!("cannot read {}", module.display()))?;
    let main = folder.join("main.wasm");
    let (link_name, main_module) = (format!("./{loader}"), format!("./{glue}"));
    let mut options = Options::new(&bytes);
    options.output_dir = folder;
    options.main_out_path = &main;
    options.link_name = &link_name;
    options.main_module = &main_module;
    let split = transform(options).map_err(|report| anyhow!("cannot split {}: {report:#}", module.display()))?;
    for part in &split.split_modules {
        fs::write(part, without_names(&fs::read(part)?)?)?;
    }
    Ok(Parts { main, files: split.split_modules, needed: split.prefetch_map.into_iter().collect() })
}

/// A module without the sections that only debuggers read.
fn without_names(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut module = Module::new();
    for payload in Parser::new(0).parse_all(bytes) {
        let payload = payload?;
        if matches!(&payload, Payload::CustomSection(section) if FOR_DEBUGGERS.contains(&section.name())) {
            continue;
        }
        if let Some((id, range)) = payload.as_section() {
            let range = usize::try_from(range.start)?..usize::try_from(range.end)?;
            let data = bytes.get(range).context("a section ends behind the module")?;
            module.section(&RawSection { id, data });
        }
    }
    Ok(module.finish())
}
