//! `blind TARGET SECONDS FOLDER`: mutates the seeds of a folder without looking at coverage, for machines that have no
//! C++ compiler. A panic ends the program, and the input that caused it lies in `FOLDER/crash`.

use std::{
    env, fs,
    path::PathBuf,
    time::{Duration, Instant},
};

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

/// Bytes are changed, pieces dropped, doubled, moved over from another seed, and lines swapped.
fn mutate(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    for _ in 0..=random.below(5) {
        let at = random.below(bytes.len() + 1);
        let to = (at + random.below(300)).min(bytes.len());
        match random.below(6) {
            0 if at < bytes.len() => bytes[at] = random.next() as u8,
            1 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            2 => drop(bytes.drain(at..to)),
            3 => {
                let copy = bytes[at..to].to_vec();
                bytes.splice(at..at, copy);
            }
            4 => {
                let from = random.below(other.len() + 1);
                let piece = &other[from..(from + random.below(300)).min(other.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
            _ => bytes.truncate(at.max(bytes.len() / 2)),
        }
    }
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [name, seconds, folder] = arguments.as_slice() else { panic!("blind TARGET SECONDS FOLDER") };
    let target = lowerline_fuzz::target(name);
    let time = Duration::from_secs(seconds.parse().expect("seconds"));
    let folder = PathBuf::from(folder);
    let mut seeds: Vec<Vec<u8>> = fs::read_dir(&folder)
        .expect("a folder of seeds")
        .filter_map(|entry| fs::read(entry.ok()?.path()).ok())
        .collect();
    seeds.sort();
    assert!(!seeds.is_empty(), "no seeds in {}", folder.display());
    let begun = Instant::now();
    let mut random = Random(begun.elapsed().subsec_nanos().into());
    let mut runs = 0_u64;
    let crash = folder.join("crash");
    while begun.elapsed() < time {
        let mut bytes = seeds[random.below(seeds.len())].clone();
        mutate(&mut bytes, &seeds[random.below(seeds.len())], &mut random);
        if std::panic::catch_unwind(|| target(&bytes)).is_err() {
            fs::write(&crash, &bytes).expect("room for the input");
            panic!("{name}: the input is {}", crash.display());
        }
        runs += 1;
    }
    println!("{name}: {runs} runs in {} s, unguided", time.as_secs());
}
