//! The JavaScript that stands between the browser and the module, by wasm-bindgen as a library: its version is the
//! one in the lock file, and nothing has to be installed.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use wasm_bindgen_cli_support::Bindgen;

/// What wasm-bindgen wrote.
pub struct Bound {
    pub wasm: PathBuf,
    pub script: PathBuf,
    /// Modules that the script imports by a relative path, which must stay.
    pub snippets: Vec<(String, PathBuf)>,
}

/// Skips the work when `module` is older than what was made of it.
pub fn bind(module: &Path, folder: &Path, name: &str) -> Result<Bound> {
    let wasm = folder.join(format!("{name}_bg.wasm"));
    let script = folder.join(format!("{name}.js"));
    let modified = |path: &Path| fs::metadata(path).and_then(|found| found.modified());
    let is_fresh = matches!((modified(module), modified(&wasm)), (Ok(built), Ok(bound)) if built < bound);
    if !is_fresh {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        let mut bindgen = Bindgen::new();
        bindgen.input_path(module).out_name(name).typescript(false).omit_default_module_path(true);
        bindgen.web(true)?.remove_name_section(true).remove_producers_section(true);
        bindgen.generate(folder).with_context(|| format!("wasm-bindgen cannot work on {}", module.display()))?;
    }
    let mut snippets = Vec::new();
    collect(&folder.join("snippets"), "snippets", &mut snippets)?;
    Ok(Bound { wasm, script, snippets })
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
