//! See `ARCHITECTURE.md`.

fn main() {}
