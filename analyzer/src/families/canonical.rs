//! Spellings that share one trend key. The spelling as written stays in [`FunctionReport::opcodes`].
//!
//! [`FunctionReport::opcodes`]: lowerline_shared::report::FunctionReport::opcodes

use lowerline_shared::family::CANONICAL;

use super::Isa;

/// The canonical spelling of a mnemonic with its modifiers.
pub fn canonical(isa: Isa, mnemonic: &str) -> String {
    match isa {
        Isa::Ptx => ptx(mnemonic),
        Isa::Sass => mnemonic.to_owned(),
        Isa::Amdgcn => amdgcn(mnemonic),
    }
}

fn ptx(mnemonic: &str) -> String {
    let mut text = mnemonic.to_owned();
    for (from, to) in CANONICAL.ptx_alias {
        text = replace_parts(&text, from, to);
    }
    let head = text.split('.').next().unwrap_or_default();
    if CANONICAL.ptx_untyped_ops.contains(&head) {
        let parts: Vec<&str> = text.split('.').map(untyped).collect();
        text = parts.join(".");
    }
    text
}

/// Replaces a run of whole dot-separated parts, so that `x1.m8n8` does not touch `x1.m8n88`.
fn replace_parts(text: &str, from: &str, to: &str) -> String {
    let Some(at) = text.find(from) else { return text.to_owned() };
    let (before, after) = (&text[..at], &text[at + from.len()..]);
    let whole = (before.is_empty() || before.ends_with('.')) && (after.is_empty() || after.starts_with('.'));
    if whole { format!("{before}{to}{after}") } else { text.to_owned() }
}

/// LLVM moved NVPTX to untyped registers (llvm-project pull request 140487): the type of a plain move says nothing.
fn untyped(part: &str) -> &str {
    match part {
        "u8" | "s8" => "b8",
        "u16" | "s16" => "b16",
        "u32" | "s32" | "f32" => "b32",
        "u64" | "s64" | "f64" => "b64",
        other => other,
    }
}

fn amdgcn(mnemonic: &str) -> String {
    let mut text = mnemonic.to_owned();
    for suffix in CANONICAL.amdgcn_drop_suffix {
        for kept in ["", "_dpp", "_sdwa"] {
            if let Some(head) = text.strip_suffix(kept).and_then(|rest| rest.strip_suffix(suffix)) {
                text = format!("{head}{kept}");
            }
        }
    }
    for (from, to) in CANONICAL.amdgcn_alias {
        if from.starts_with('_') {
            // `_load_b32` names the whole width: `global_load_b32`, never `ds_load_b32_…`.
            if let Some(head) = text.strip_suffix(from) {
                text = format!("{head}{to}");
            }
        } else if let Some(tail) = text.strip_prefix(from) {
            text = format!("{to}{tail}");
        }
    }
    if text.starts_with("v_mfma_") { mfma(&text) } else { text }
}

/// gfx90a writes `v_mfma_f32_32x32x8bf16_1k` and `…16x16x16f16` what gfx942 writes `v_mfma_f32_32x32x8_bf16` and
/// `…16x16x16_f16` (LLVM `VOP3PInstructions.td`, `mfma_f32_…` profiles of gfx90a and gfx940). Only shapes with one block
/// are joined: gfx942 renamed the others to `…_2b_…` and `…_4b_…`.
fn mfma(text: &str) -> String {
    for shape in ["32x32x8", "16x16x16", "32x32x2", "16x16x4"] {
        let Some(at) = text.find(shape) else { continue };
        let (head, tail) = text.split_at(at + shape.len());
        let plain = tail.strip_suffix("_1k");
        // Without `_1k`, bf16 of these shapes does not exist; with it, only bf16 does.
        let known = plain.unwrap_or(tail);
        if matches!((known, plain.is_some()), ("f16" | "f32" | "i8", false) | ("bf16", true)) {
            return format!("{head}_{known}");
        }
    }
    text.to_owned()
}
