//! Normal digests: equal where releases differ only in names, paths and debug information.

use lowerline_analyzer::{Limits, analyze};
use lowerline_shared::ids::Digest;

use crate::{
    corpus::{File, files},
    counts::report,
};

fn other<'f>(file: &File, from: &str, to: &str) -> Option<&'f File> {
    let path = format!("{to}{}", file.path.strip_prefix(from)?);
    files().iter().find(|file| file.path == path)
}

/// Pairs whose digests are equal, and pairs in all.
fn equal(extension: &str, from: &str, to: &str) -> (usize, usize) {
    let mut counts = (0, 0);
    for file in files().iter().filter(|file| file.extension() == extension) {
        if let Some(other) = other(file, from, to) {
            let same = report(file).normal_digest == report(other).normal_digest;
            counts = (counts.0 + usize::from(same), counts.1 + 1);
            if !same {
                eprintln!("{} differs", file.path);
            }
        }
    }
    counts
}

#[test]
fn a_patch_release_changes_no_meaning() {
    for extension in ["source", "ttir", "ttgir", "ptx", "cubin", "sass", "amdgcn", "hsaco"] {
        let (same, all) = equal(extension, "3.5.0/", "3.5.1/");
        assert!(all > 5, "{extension}: {all}");
        assert_eq!(same, all, "{extension}");
    }
}

#[test]
fn a_feature_release_does() {
    for extension in ["ptx", "cubin", "sass", "hsaco"] {
        let (same, all) = equal(extension, "3.5.1/", "3.7.1/");
        assert!(same < all, "{extension}");
    }
}

fn digest(bytes: &[u8], path: &str) -> Option<Digest> {
    let report = analyze(bytes, &Limits::default()).unwrap_or_else(|error| panic!("{path}: {error}"));
    assert!(report.normal_digest.is_some(), "{path}");
    report.normal_digest
}

#[test]
fn a_kernel_compiled_from_another_folder_means_the_same() {
    for extension in ["source", "ttir", "ttgir", "llir", "ptx", "amdgcn", "lines.sass"] {
        let mut moved = 0;
        for file in files().iter().filter(|file| file.extension() == extension).step_by(9) {
            let text = std::str::from_utf8(&file.bytes).unwrap();
            // Lines move with the text around a kernel, and folders are somebody's own.
            let elsewhere = text.replace("/repo/kernels", "/home/somebody/src").replace("/opt/triton", "/usr/lib/x");
            moved += usize::from(elsewhere != text);
            assert_eq!(digest(elsewhere.as_bytes(), &file.path), digest(&file.bytes, &file.path), "{}", file.path);
        }
        assert!(moved > 0, "{extension}");
    }
}

/// `ptxas` may order instructions differently from run to run: that is no change, another opcode is one.
#[test]
fn the_order_of_instructions_is_no_meaning_of_machine_code_and_an_opcode_is() {
    let text = |body: &str| {
        format!("\tcode for sm_100a\n\t\tFunction : k\n{body}        /*0030*/                   EXIT ;\n\t\t....\n")
    };
    let of = |body: &str| digest(text(body).as_bytes(), body);
    let line = |address: &str, code: &str| format!("        /*{address}*/                   {code} ;\n");
    let first = line("0010", "IADD3 R1, R2, R3, RZ") + &line("0020", "FMUL R4, R5, R6");
    let swapped = line("0010", "FMUL R7, R5, R6") + &line("0020", "IADD3 R1, R2, R3, RZ");
    let other = line("0010", "FADD R4, R5, R6") + &line("0020", "IADD3 R1, R2, R3, RZ");
    let padded = first.clone() + &line("0040", "NOP");
    assert_eq!(of(&first), of(&swapped));
    assert_eq!(of(&first), of(&padded));
    assert_ne!(of(&first), of(&other));
}

/// All forms of text of one cubin mean the same.
#[test]
fn the_form_of_sass_text_does_not_show() {
    let mut seen = 0;
    for plain in files().iter().filter(|file| file.extension() == "sass") {
        let path = plain.path.strip_suffix("sass").unwrap();
        for form in ["hex.sass", "lines.sass", "plr.sass"] {
            let Some(other) = files().iter().find(|file| file.path == format!("{path}{form}")) else { continue };
            assert_eq!(digest(&other.bytes, &other.path), digest(&plain.bytes, &plain.path), "{}", other.path);
            seen += 1;
        }
    }
    assert_eq!(seen, 61);
}
