//! AMDGCN lines in a function.
#![no_main]

mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::check(&[&b"\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n\t.type k,@function\nk:\n"[..], bytes, b"\n"].concat()));
