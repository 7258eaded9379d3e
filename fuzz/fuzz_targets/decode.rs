#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| (lowerline_fuzz::target("decode"))(bytes));
