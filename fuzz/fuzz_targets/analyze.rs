//! Any bytes: detection and whatever it leads to.
#![no_main]

mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::check(bytes));
