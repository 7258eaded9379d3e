//! LLVM IR lines in the body of a function.
#![no_main]

mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::check(&[&b"define void @k() {\n"[..], bytes, b"\n}\n"].concat()));
