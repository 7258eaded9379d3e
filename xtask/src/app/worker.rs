//! The worker module: the analyzer in a Web Worker, loaded by the pages that work on whole artifacts.
//!
//! Three files: the WebAssembly, which the page compiles and hands over; its glue; and the script the worker starts with,
//! which waits for the module. The worker itself fetches nothing.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use wasm_bindgen_cli_support::Bindgen;

use super::{Profile, TARGET, assets::Assets};
use crate::{repository::Repository, task};

const CRATE: &str = "lowerline-worker";

/// Names of its assets.
pub struct Worker {
    /// The script a page starts it with.
    pub script: String,
    /// The module a page hands to it.
    pub wasm: String,
}

/// Builds what changed.
pub fn build(repository: &Repository, profile: Profile, assets: &mut Assets) -> Result<Worker> {
    let mut cargo = repository.cargo();
    cargo.args(["build", "--package", CRATE, "--target", TARGET, "--profile", profile.worker()]);
    task::run(&mut cargo)?;
    let module = repository.target.join(TARGET).join(profile.worker()).join(format!("{CRATE}.wasm"));
    let folder = repository.target.join("xtask/worker").join(profile.name());
    let (wasm, glue) = bind(&module, &folder)?;
    let wasm = assets.add("worker", "wasm", &fs::read(wasm)?)?;
    let glue = assets.add("worker-glue", "js", &fs::read(glue)?)?;
    let start = format!(
        "import {{ initSync }} from \"./{glue}\";\n// The module sets its own listener when it starts.\nself.onmessage = (event) => initSync({{ module: event.data }});\n"
    );
    let script = assets.add("worker", "js", start.as_bytes())?;
    Ok(Worker { script, wasm })
}

/// Skips the work when `module` is older than what was made of it.
fn bind(module: &Path, folder: &Path) -> Result<(PathBuf, PathBuf)> {
    let (wasm, glue) = (folder.join("worker_bg.wasm"), folder.join("worker.js"));
    let modified = |path: &Path| fs::metadata(path).and_then(|found| found.modified());
    if !matches!((modified(module), modified(&wasm)), (Ok(built), Ok(bound)) if built < bound) {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        let mut bindgen = Bindgen::new();
        bindgen.input_path(module).out_name("worker").typescript(false).omit_default_module_path(true);
        bindgen.web(true)?.remove_name_section(true).remove_producers_section(true);
        bindgen.generate(folder).with_context(|| format!("wasm-bindgen cannot work on {}", module.display()))?;
    }
    Ok((wasm, glue))
}
