//! MLIR lines in the body of a function.
#![no_main]

mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::check(&[&b"module attributes {\"ttg.num-warps\" = 4 : i32} {\ntt.func public @k() {\n"[..], bytes, b"\n}\n}\n"].concat()));
