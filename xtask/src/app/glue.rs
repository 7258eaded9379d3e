//! The JavaScript that stands between the browser and the module, by wasm-bindgen as a library: its version is the
//! one in the lock file, and nothing has to be installed.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use wasm_bindgen_cli_support::Bindgen;

use super::split;

/// Stem of the main part and its glue.
const NAME: &str = "app";
const LOADER: &str = "loader.js";
const RECORD: &str = "bound.json";

/// What is made of a module. Files name each other by the names they have here.
#[derive(Serialize, Deserialize)]
pub struct Bound {
    /// The main part.
    pub wasm: PathBuf,
    /// Its glue, where the browser starts.
    pub script: PathBuf,
    /// The script that fetches the other parts.
    pub loader: PathBuf,
    /// The other parts.
    pub parts: Vec<PathBuf>,
    /// File stems of the other parts that the pages of each need, by its name.
    pub needed: BTreeMap<String, Vec<String>>,
    /// Modules that the glue imports by a relative path, which must stay.
    pub snippets: Vec<(String, PathBuf)>,
}

/// Skips the work when `module` is older than what was made of it.
pub fn bind(module: &Path, folder: &Path) -> Result<Bound> {
    let record = folder.join(RECORD);
    let modified = |path: &Path| fs::metadata(path).and_then(|found| found.modified());
    if matches!((modified(module), modified(&record)), (Ok(built), Ok(bound)) if built < bound)
        && let Ok(bound) = serde_json::from_slice(&fs::read(&record)?)
    {
        return Ok(bound);
    }
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    let script = format!("{NAME}.js");
    let parts = split::cut(module, folder, LOADER, &script)?;
    let mut bindgen = Bindgen::new();
    bindgen.input_path(&parts.main).out_name(NAME).typescript(false).omit_default_module_path(true);
    // The other parts are linked to what the linker exports.
    bindgen.keep_lld_exports(true);
    bindgen.web(true)?.remove_name_section(true).remove_producers_section(true);
    bindgen.generate(folder).with_context(|| format!("wasm-bindgen cannot work on {}", module.display()))?;
    let mut snippets = Vec::new();
    collect(&folder.join("snippets"), "snippets", &mut snippets)?;
    let bound = Bound {
        wasm: folder.join(format!("{NAME}_bg.wasm")),
        script: folder.join(script),
        loader: folder.join(LOADER),
        parts: parts.files,
        needed: parts.needed,
        snippets,
    };
    fs::write(record, serde_json::to_vec(&bound)?)?;
    Ok(bound)
}

fn collect(folder: &Path, name: &str, found: &mut Vec<(String, PathBuf)>) -> Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{name}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &name, found)?;
        } else {
            found.push((name, entry.path()));
        }
    }
    Ok(())
}
