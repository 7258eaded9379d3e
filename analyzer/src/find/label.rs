//! The label of a config that nobody named, from what the files say.
//!
//! A label is the identity of a variant across commits, so it holds only what the author chose and every release of
//! the compiler writes alike, in characters a URL keeps as they are.

use std::collections::BTreeMap;

use lowerline_shared::ids::Digest;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::ir::Shape;

/// Options named in a label unless they have a value that some release defaults to.
///
/// Releases disagree about defaults: `waves_per_eu` was 1 up to Triton 3.5 and is 0 since.
const NAMED: [(&str, &str, &[i64]); 5] = [
    ("num_ctas", "c", &[1]),
    ("maxnreg", "r", &[]),
    ("waves_per_eu", "eu", &[0, 1]),
    ("matrix_instr_nonkdim", "mi", &[0]),
    ("kpack", "kp", &[1]),
];

/// Longest signature spelled out; a longer one is named by its digest and kept whole among the attributes.
const SIGNATURE_CHARS: usize = 80;

/// The first 8 digits of a digest: enough to tell the few configs of one kernel apart.
pub fn short_digest(bytes: &[u8]) -> String {
    Digest(Sha256::digest(bytes).into()).to_string().chars().take(8).collect()
}

/// Equal neighbours once, with their number: `3pf16@16.6i32@16`.
pub fn signature(arguments: &[String]) -> String {
    let runs = arguments.chunk_by(|a, b| a == b).map(|run| match run {
        [one] => one.clone(),
        run => format!("{}{}", run.len(), run.first().map_or("", String::as_str)),
    });
    runs.collect::<Vec<_>>().join(".")
}

/// `128x128x64_w8_s3_3pf16@16.6i32@16`.
pub fn label(options: &BTreeMap<String, Value>, shape: Option<&Shape>) -> String {
    let mut parts = Vec::new();
    if let Some(shape) = shape.filter(|shape| !shape.tile.is_empty()) {
        parts.push(shape.tile.clone());
    }
    let number = |key: &str| options.get(key).and_then(Value::as_i64);
    parts.extend(number("num_warps").map(|warps| format!("w{warps}")));
    parts.extend(number("num_stages").map(|stages| format!("s{stages}")));
    for (key, short, defaults) in NAMED {
        parts.extend(number(key).filter(|value| !defaults.contains(value)).map(|value| format!("{short}{value}")));
    }
    if let Some(shape) = shape.filter(|shape| !shape.arguments.is_empty()) {
        let signature = signature(&shape.arguments);
        parts.push(if signature.len() > SIGNATURE_CHARS {
            format!("sig{}", short_digest(signature.as_bytes()))
        } else {
            signature
        });
    }
    if parts.is_empty() { "default".to_owned() } else { parts.join("_") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_says_what_was_chosen() {
        let options =
            serde_json::from_str(r#"{"num_warps": 8, "num_stages": 3, "num_ctas": 2, "kpack": 1}"#).expect("JSON");
        let arguments = ["pf16@16", "pf16@16", "i32"].map(str::to_owned).to_vec();
        let shape = Shape { arguments, tile: "128x64".to_owned(), ..Shape::default() };
        assert_eq!(label(&options, Some(&shape)), "128x64_w8_s3_c2_2pf16@16.i32");
        assert_eq!(label(&BTreeMap::new(), None), "default");
    }

    #[test]
    fn a_long_signature_is_named_by_its_digest() {
        let arguments = (0..40).map(|n| format!("i{n}")).collect();
        let label = label(&BTreeMap::new(), Some(&Shape { arguments, ..Shape::default() }));
        assert!(label.starts_with("sig") && label.len() == 11, "{label}");
    }
}
