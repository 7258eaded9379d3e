//! The browser's half: WebAssembly, its glue, styles and plotly, in `target/app` as the server serves them.
//!
//! ```text
//! target/app/index.html             names the files below; the server fills in the rest per answer
//! target/app/assets/<name>-<hash>.<kind>{,.br,.gz}
//! ```

mod assets;
mod glue;
mod split;
mod worker;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, bail};

use crate::{repository::Repository, setup, task};

const CRATE: &str = "lowerline-frontend";
pub const TARGET: &str = "wasm32-unknown-unknown";

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

    /// Of the worker's module.
    pub const fn worker(self) -> &'static str {
        match self {
            Self::Shipped => "wasm-worker",
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

/// What the first chart may weigh in the browser: the main part of the WebAssembly and those that [`FIRST_CHART`] needs,
/// brotli-compressed.
pub const WASM_BUDGET_BYTES: u64 = 400_000;

/// The lazy page with the first chart, as `frontend/src/lazy.rs` names its part.
const FIRST_CHART: &str = "trends";

/// The built app.
#[derive(Clone, Debug)]
pub struct App {
    /// The folder for `lowerline-server --app`.
    pub folder: PathBuf,
    /// Bytes of the WebAssembly that the first chart needs, with brotli.
    pub first_chart_bytes: u64,
}

/// Builds what changed. Cargo decides about the WebAssembly; files are named by their content, so those that are there
/// are right.
pub fn build(repository: &Repository, profile: Profile) -> Result<App> {
    setup::for_app(repository)?;
    task::step("WebAssembly app");
    let mut cargo = repository.cargo();
    cargo.args(["rustc", "--package", CRATE, "--target", TARGET, "--profile", profile.name()]);
    // What the parts are cut by; only the last link needs it.
    cargo.args(["--", "-C", "link-arg=--emit-relocs"]);
    task::run(&mut cargo)?;
    let module = repository.target.join(TARGET).join(profile.name()).join(format!("{CRATE}.wasm"));
    let bound = glue::bind(&module, &repository.target.join("xtask/glue").join(profile.name()))?;

    let folder = repository.target.join("app");
    let mut assets = assets::Assets::open(&folder.join("assets"), profile.brotli_quality())?;
    let mut files = vec![
        ("app".to_owned(), "wasm", fs::read(&bound.wasm)?),
        ("app".to_owned(), "js", fs::read(&bound.script)?),
        ("loader".to_owned(), "js", fs::read(&bound.loader)?),
    ];
    for part in &bound.parts {
        files.push((stem(part), "wasm", fs::read(part)?));
    }
    let names = assets.add_together(&files)?;
    let [wasm, script, loader, ..] = names.as_slice() else { bail!("the app has no files") };
    let parts: BTreeMap<String, &String> = files.iter().map(|(name, ..)| name.clone()).zip(&names).skip(3).collect();
    for (name, path) in &bound.snippets {
        assets.add_as(name, &fs::read(path)?)?;
    }
    let style = assets.add("app", "css", &styles(&repository.path("frontend/style"))?)?;
    let plotly_file = repository.path(PLOTLY);
    let plotly = fs::read(&plotly_file).with_context(|| format!("cannot read {}", plotly_file.display()))?;
    let plotly = assets.add("plotly", "js", &plotly)?;
    let worker = worker::build(repository, profile, &mut assets)?;
    assets.remove_others()?;

    let mut needed: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut weights: BTreeMap<&str, u64> = BTreeMap::new();
    let main = assets.brotli_bytes(wasm)?;
    for (pages, stems) in &bound.needed {
        let names =
            stems.iter().map(|stem| parts.get(stem).copied().with_context(|| format!("no part is called {stem}")));
        let names = names.collect::<Result<Vec<&String>>>()?;
        let weight = names.iter().try_fold(main, |sum, name| anyhow::Ok(sum + assets.brotli_bytes(name)?))?;
        for page in pages.split('_') {
            needed.insert(page, names.iter().map(|name| format!("/assets/{name}")).collect());
            weights.insert(page, weight);
        }
    }
    let page = repository.path("frontend/index.html");
    let page = fs::read_to_string(&page).with_context(|| format!("cannot read {}", page.display()))?;
    let page = page.replace("__PARTS__", &serde_json::to_string(&needed)?);
    let addresses = [
        ("__WASM__", wasm),
        ("__JS__", script),
        ("__LOADER__", loader),
        ("__CSS__", &style),
        ("__PLOTLY__", &plotly),
        ("__WORKER__", &worker.script),
        ("__WORKER_MODULE__", &worker.wasm),
    ];
    fs::write(folder.join("index.html"), fill(&page, &addresses)?)?;
    let first_chart_bytes = *weights.get(FIRST_CHART).with_context(|| format!("no part is called {FIRST_CHART}"))?;
    report(&folder, &assets, wasm, &parts, &weights)?;
    task::step(format_args!("worker: {} kB as brotli", assets.brotli_bytes(&worker.wasm)?.div_ceil(1000)));
    Ok(App { folder, first_chart_bytes })
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Every part, and what each lazy page weighs with all it needs.
fn report(
    folder: &Path,
    assets: &assets::Assets,
    main: &str,
    parts: &BTreeMap<String, &String>,
    weights: &BTreeMap<&str, u64>,
) -> Result<()> {
    let kilobytes = |bytes: u64| bytes.div_ceil(1000);
    let mut sizes = vec![format!("main {}", kilobytes(assets.brotli_bytes(main)?))];
    for (stem, name) in parts {
        sizes.push(format!("{stem} {}", kilobytes(assets.brotli_bytes(name)?)));
    }
    let pages: Vec<String> = weights.iter().map(|(page, weight)| format!("{page} {}", kilobytes(*weight))).collect();
    task::step(format_args!(
        "app in {}; kB of WebAssembly as brotli: {}; whole pages: {} ({FIRST_CHART} may have {})",
        folder.display(),
        sizes.join(", "),
        pages.join(", "),
        kilobytes(WASM_BUDGET_BYTES),
    ));
    Ok(())
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
