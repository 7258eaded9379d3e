//! SASS lines behind a heading.
#![no_main]

mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::check(&[&b"\tcode for sm_100a\n\t\tFunction : k\n"[..], bytes, b""].concat()));
