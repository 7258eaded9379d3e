//! Cost of classing all conversions of a TTGIR and of drawing a tile. Figures: `BENCHMARKS.md`.

use std::{
    fs::File,
    hint::black_box,
    io::Read,
    path::PathBuf,
    time::{Duration, Instant},
};

use lowerline_analyzer::{
    Budget, Limits,
    decisions::decide,
    layout::{Aliases, Axis, Encoding, Shape, Tile, ttgir::conversions},
    mlir::parse,
};
use lowerline_shared::stage::Stage;

/// The TTGIR of the demo data with the most conversions, with its path.
fn most_conversions() -> (String, String) {
    let mut found = (0, String::new(), String::new());
    for version in ["3.7.1", "3.9.0"] {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../demo/data/{version}.tar.zst"));
        let file = File::open(path).expect("the demo data is committed");
        let mut archive = tar::Archive::new(zstd::Decoder::new(file).expect("the demo data is zstd"));
        for entry in archive.entries().expect("the demo data is a tar") {
            let mut entry = entry.expect("the archive is whole");
            let path = entry.path().expect("paths are plain").to_string_lossy().into_owned();
            if !path.contains(".ttgir") {
                continue;
            }
            let mut text = String::new();
            entry.read_to_string(&mut text).expect("TTGIR is text");
            let count = text.matches("convert_layout").count();
            if count > found.0 {
                found = (count, path, text);
            }
        }
    }
    (found.1, found.2)
}

/// Prints the least and the middle time of many runs.
fn measured<T>(what: &str, runs: usize, mut work: impl FnMut() -> T) {
    let mut times: Vec<Duration> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            black_box(work());
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    let middle = times.get(runs / 2).copied().unwrap_or_default();
    println!("{what}: least {:?}, middle {middle:?} of {runs} runs", times.first().copied().unwrap_or_default());
}

fn main() {
    let (path, text) = most_conversions();
    let read = || parse(&text, Stage::Ttgir, &mut Budget::new(&Limits::default())).expect("the demo data parses");
    let module = read();
    println!("{path}: {} conversions, {} bytes", conversions(&module).len(), text.len());
    measured("parse the TTGIR", 200, read);
    measured("class all its conversions", 1_000, || conversions(black_box(&module)));
    measured("all its decisions", 200, || decide(black_box(&module)));

    let mma = "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 128, 16]}>";
    let shape = Shape::new(&[256, 128]).expect("powers of two");
    measured("tile of 256x128 from text to lane, warp and register of every element", 200, || {
        let encoding = Encoding::parse(black_box(mma), &Aliases::new()).expect("a known kind");
        let tile = Tile::new(&encoding, &shape, 16).expect("the layout covers the shape");
        [Axis::Lane, Axis::Warp, Axis::Register].map(|axis| tile.indices(axis))
    });
}
