//! An hsaco behind its magic bytes, so that the fuzzer gets past the door.
#![no_main]

mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut file = bytes.to_vec();
    let head: [(usize, &[u8]); 2] = [(0, b"\x7fELF\x02\x01\x01\x40\x03"), (18, &224_u16.to_le_bytes())];
    for (at, part) in head {
        if let Some(place) = file.get_mut(at..at + part.len()) {
            place.copy_from_slice(part);
        }
    }
    laws::check(&file);
});
