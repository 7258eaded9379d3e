//! Recorded builds: a folder with `build.json`, which says what was asked, beside what the compiler wrote.
//!
//! `metrics.json`, when it is there, holds numbers measured afterwards by name (`{"tflops": 605.1}`).
//! `build.json` alone is a build that failed. The folder's name is the config's label: whoever records builds names
//! configs, and the name is the same at every commit.

use std::collections::BTreeMap;

use lowerline_shared::{
    api::{BuildManifest, BuildStatus, Config, Toolchain},
    display::cut,
    limits,
};
use serde::Deserialize;
use serde_json::Value;

use super::{Findings, Folder, Found, metadata};

/// The file that makes a folder a recorded build.
pub const FILE: &str = "build.json";
/// Numbers from outside, for whoever measures after compiling.
const METRICS: &str = "metrics.json";

/// What this reads of it; more may be there.
#[derive(Deserialize)]
struct Recorded {
    kernel: String,
    function: Option<String>,
    target: String,
    status: BuildStatus,
    triton: Option<String>,
    #[serde(default)]
    options: BTreeMap<String, Value>,
    #[serde(default)]
    constexprs: BTreeMap<String, Value>,
    divisibility: Option<Value>,
    equal_to_1: Option<Value>,
    signature: Option<Value>,
    compile_seconds: Option<f64>,
    assembler: Option<Tool>,
    #[serde(default)]
    disassembler: BTreeMap<String, String>,
    injected: Option<String>,
    signal: Option<i64>,
    error: Option<ErrorText>,
}

#[derive(Deserialize)]
struct Tool {
    name: String,
    version: String,
}

#[derive(Deserialize)]
struct ErrorText {
    #[serde(default)]
    r#type: String,
    #[serde(default)]
    message: String,
}

/// `V13.1.80` as the tool prints it, `13.1.80` as everyone else writes it.
fn version(text: &str) -> String {
    text.strip_prefix('V').unwrap_or(text).to_owned()
}

impl Recorded {
    /// The compiler's words, or what is known of its end when it had none.
    fn message(&self) -> Option<String> {
        let error = self.error.as_ref();
        let kind = error.map_or("", |error| error.r#type.trim());
        let words = error.map_or("", |error| error.message.trim());
        match self.status {
            BuildStatus::Ok => None,
            _ if !words.is_empty() => {
                let kind = if kind.is_empty() || kind == "crash" { String::new() } else { format!("{kind}: ") };
                Some(cut(&format!("{kind}{words}"), limits::MESSAGE_BYTES))
            }
            BuildStatus::Crash => Some(match self.signal {
                Some(signal) => format!("the compiler died of signal {signal} without a word"),
                None => "the compiler died without a word".to_owned(),
            }),
            BuildStatus::Error => Some("the compiler refused without a word".to_owned()),
        }
    }

    fn toolchain(&self) -> Toolchain {
        let triton = self.triton.iter().map(|triton| ("triton".to_owned(), triton.clone()));
        let assembler = self.assembler.iter().map(|tool| (tool.name.clone(), version(&tool.version)));
        let disassembler = self.disassembler.iter().map(|(name, text)| (name.clone(), version(text)));
        triton.chain(assembler).chain(disassembler).collect()
    }

    fn attributes(&self) -> BTreeMap<String, Value> {
        [("divisibility", &self.divisibility), ("equal_to_1", &self.equal_to_1), ("signature", &self.signature)]
            .into_iter()
            .filter_map(|(key, value)| Some((key.to_owned(), value.clone()?)))
            .collect()
    }
}

fn build(folder: &Folder<'_>) -> Result<(BuildManifest, String), String> {
    let recorded: Recorded = serde_json::from_value(folder.json(FILE)?)
        .map_err(|error| format!("{FILE} does not describe a build: {error}"))?;
    let label = folder.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stem = recorded.function.clone().unwrap_or_else(|| recorded.kernel.clone());
    let metadata = format!("{stem}.json");
    let about = if folder.files.contains_key(&metadata) {
        metadata::Metadata::read(&folder.json(&metadata)?)?
    } else {
        metadata::Metadata::default()
    };
    let mut metrics: BTreeMap<String, f64> = if folder.files.contains_key(METRICS) {
        serde_json::from_value(folder.json(METRICS)?)
            .map_err(|error| format!("{METRICS} is not an object of numbers by name: {error}"))?
    } else {
        BTreeMap::new()
    };
    metrics.extend(recorded.compile_seconds.map(|seconds| ("compile_seconds".to_owned(), seconds)));
    let mut toolchain = about.toolchain;
    toolchain.extend(recorded.toolchain());
    let named = |error: lowerline_shared::ids::InvalidName| error.to_string();
    let function = recorded.function.clone().filter(|function| *function != recorded.kernel);
    let build = BuildManifest {
        kernel: recorded.kernel.parse().map_err(named)?,
        function: function.map(|function| function.parse()).transpose().map_err(named)?,
        target: recorded.target.parse().map_err(named)?,
        config: Config {
            label: label.parse().map_err(|error| format!("the folder's name is the label: {error}"))?,
            attributes: recorded.attributes(),
            options: recorded.options.clone(),
            constexprs: recorded.constexprs.clone(),
            reconstruction: recorded.injected.clone(),
        },
        status: recorded.status,
        message: recorded.message(),
        toolchain,
        artifacts: Vec::new(),
        resources: about.resources,
        metrics,
    };
    Ok((build, stem))
}

/// Reads one recorded build.
pub fn read(folder: &Folder<'_>, findings: &mut Findings) {
    let (build, stem) = match build(folder) {
        Ok(build) => build,
        Err(reason) => return findings.fail(&folder.path, reason),
    };
    if folder.refuse_unopened(&stem, findings) {
        return folder.skip_rest(|_| false, findings);
    }
    let files = folder.artifacts(&stem);
    if files.is_empty() && build.status == BuildStatus::Ok {
        return findings.fail(&folder.path, "its status is ok, but no artifact is in the folder");
    }
    let group = format!("__grp__{stem}.json");
    let metadata = format!("{stem}.json");
    let taken = |name: &str| {
        name == FILE
            || name == METRICS
            || name == group
            || name == metadata
            || files.iter().any(|file| file.path.ends_with(name))
    };
    folder.skip_rest(taken, findings);
    findings.builds.push(Found { build, files, folder: folder.path.clone(), derived: None });
}
