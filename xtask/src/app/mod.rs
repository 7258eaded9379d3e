//! The browser's half: WebAssembly, its glue, styles and plotly, in `target/app` as the server serves them.
//!
//! ```text
//! target/app/index.html             names the files below; the server fills in the rest per answer
//! target/app/assets/<name>-<hash>.<kind>{,.br,.gz}
//! ```

mod assets;
mod glue;

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, bail};

use crate::{repository::Repository, setup, task};

const CRATE: &str = "lowerline-frontend";
const TARGET: &str = "wasm32-unknown-unknown";

/// How the WebAssembly is compiled: see `[profile.wasm]` and `[profile.wasm-quick]` in `Cargo.toml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// As it is shipped: small.
    Shipped,
    /// For a look at a change: compiled in a fraction of the time, several times as large.
    Quick,
}

impl Profile {
    const fn name(self) -> &'static str {
        match self {
            Self::Shipped => "wasm",
            Self::Quick => "wasm-quick",
        }
    }

    const fn brotli_quality(self) -> u32 {
        match self {
            Self::Shipped => 11,
            Self::Quick => 1,
        }
    }
}

const PLOTLY: &str = "frontend/node_modules/plotly.js-basic-dist-min/plotly-basic.min.js";

/// What the application may weigh in the browser: its WebAssembly, brotli-compressed.
pub const WASM_BUDGET_BYTES: u64 = 400_000;

/// The built app.
#[derive(Clone, Debug)]
pub struct App {
    /// The folder for `lowerline-server --app`.
    pub folder: PathBuf,
    /// Bytes of the WebAssembly with brotli.
    pub wasm_brotli_bytes: u64,
}

/// Builds what changed. Cargo decides about the WebAssembly; files are named by their content, so those that are there
/// are right.
pub fn build(repository: &Repository, profile: Profile) -> Result<App> {
    setup::for_app(repository)?;
    task::step("WebAssembly app");
    let mut cargo = repository.cargo();
    cargo.args(["build", "--package", CRATE, "--target", TARGET, "--profile", profile.name()]);
    task::run(&mut cargo)?;
    let module = repository.target.join(TARGET).join(profile.name()).join(format!("{CRATE}.wasm"));
    let bound = glue::bind(&module, &repository.target.join("xtask/glue").join(profile.name()), CRATE)?;

    let folder = repository.target.join("app");
    let mut assets = assets::Assets::open(&folder.join("assets"), profile.brotli_quality())?;
    let wasm = assets.add("app", "wasm", &fs::read(&bound.wasm)?)?;
    let script = assets.add("app", "js", &fs::read(&bound.script)?)?;
    for (name, path) in &bound.snippets {
        assets.add_as(name, &fs::read(path)?)?;
    }
    let style = assets.add("app", "css", &styles(&repository.path("frontend/style"))?)?;
    let plotly_file = repository.path(PLOTLY);
    let plotly = fs::read(&plotly_file).with_context(|| format!("cannot read {}", plotly_file.display()))?;
    let plotly = assets.add("plotly", "js", &plotly)?;
    let wasm_brotli_bytes = assets.brotli_bytes(&wasm)?;
    assets.remove_others()?;

    let page = repository.path("frontend/index.html");
    let page = fs::read_to_string(&page).with_context(|| format!("cannot read {}", page.display()))?;
    let names = [("__WASM__", &wasm), ("__JS__", &script), ("__CSS__", &style), ("__PLOTLY__", &plotly)];
    fs::write(folder.join("index.html"), fill(&page, &names)?)?;
    task::step(format_args!(
        "app in {}: {} kB of WebAssembly as brotli (budget {} kB)",
        folder.display(),
        wasm_brotli_bytes.div_ceil(1000),
        WASM_BUDGET_BYTES / 1000,
    ));
    Ok(App { folder, wasm_brotli_bytes })
}

/// All style sheets, in the order of their names, as one.
fn styles(folder: &Path) -> Result<Vec<u8>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut sheets: Vec<PathBuf> = entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    sheets.retain(|path| path.extension().is_some_and(|kind| kind == "css"));
    sheets.sort();
    let mut whole = Vec::new();
    for sheet in sheets {
        whole.extend(fs::read(&sheet)?);
        whole.push(b'\n');
    }
    Ok(whole)
}

fn fill(page: &str, names: &[(&str, &String)]) -> Result<String> {
    let mut filled = page.to_owned();
    for (placeholder, name) in names {
        if !filled.contains(placeholder) {
            bail!("frontend/index.html has no {placeholder}");
        }
        filled = filled.replace(placeholder, &format!("/assets/{name}"));
    }
    Ok(filled)
}
