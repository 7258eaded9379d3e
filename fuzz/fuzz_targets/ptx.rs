//! PTX statements in the body of a kernel, so that the fuzzer gets past the door.
#![no_main]

mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::check(&[&b".version 8.7\n.target sm_90a\n.visible .entry k()\n{\n"[..], bytes, b"\n}\n"].concat()));
