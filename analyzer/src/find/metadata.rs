//! The metadata JSON that Triton writes beside a kernel's artifacts.

use std::collections::BTreeMap;

use lowerline_shared::{
    api::Toolchain,
    report::{Resource, Resources},
};
use serde_json::Value;

/// Keys that say what was compiled for or by what, not what was asked.
///
/// Everything else that is a plain value counts as an option, so that options of later releases are kept.
const NO_OPTIONS: [&str; 24] = [
    "hash",
    "target",
    "name",
    "arch",
    "base_arch",
    "backend_name",
    "warp_size",
    "triton_version",
    "shared",
    "tmem_size",
    "global_scratch_size",
    "global_scratch_align",
    "profile_scratch_size",
    "profile_scratch_align",
    "min_shared_mem",
    "supported_fp8_dtypes",
    "deprecated_fp8_dtypes",
    "deprecated_fp8_dot_operand_dtypes",
    "allowed_dot_input_precisions",
    "default_dot_input_precision",
    "max_num_imprecise_acc_default",
    "extern_libs",
    "tensordesc_meta",
    "cluster_dims",
];

/// What the metadata says.
#[derive(Debug, Default)]
pub struct Metadata {
    /// Name of the function; `None` when the file has none.
    pub name: Option<String>,
    /// `target.backend`: `cuda`, `hip`.
    pub backend: Option<String>,
    /// `target.arch`: `90`, `gfx942`.
    pub arch: Option<String>,
    /// Options that were asked for; those left at null are not.
    pub options: BTreeMap<String, Value>,
    /// What the launch needs.
    pub resources: Resources,
    /// Compiler version.
    pub toolchain: Toolchain,
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

impl Metadata {
    /// Whether a JSON file is Triton's metadata of a kernel and not some other file of the cache.
    pub fn is(value: &Value) -> bool {
        value.get("target").is_some_and(Value::is_object) && value.get("name").is_some_and(Value::is_string)
    }

    /// Reads it; missing keys are "not known".
    pub fn read(value: &Value) -> Result<Self, String> {
        let object = value.as_object().ok_or("the metadata is no JSON object")?;
        let number = |key: &str| object.get(key).and_then(Value::as_i64).filter(|number| *number >= 0);
        let resources = [
            ("shared", Resource::SharedBytes),
            ("tmem_size", Resource::TmemColumns),
            ("num_warps", Resource::Warps),
            ("num_stages", Resource::Stages),
            ("num_ctas", Resource::Ctas),
        ];
        let target = object.get("target");
        let of_target = |key: &str| target.and_then(|target| target.get(key)).and_then(text);
        let plain = |value: &Value| value.is_number() || value.is_string() || value.is_boolean();
        Ok(Self {
            name: object.get("name").and_then(text),
            backend: of_target("backend"),
            arch: of_target("arch"),
            options: object
                .iter()
                .filter(|(key, value)| plain(value) && !NO_OPTIONS.contains(&key.as_str()))
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect(),
            resources: resources.into_iter().filter_map(|(key, what)| Some((what, number(key)?))).collect(),
            toolchain: object
                .get("triton_version")
                .and_then(text)
                .map(|version| ("triton".to_owned(), version))
                .into_iter()
                .collect(),
        })
    }
}
