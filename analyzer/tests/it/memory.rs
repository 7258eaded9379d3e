//! Peak memory of one analysis, measured in a child process: at most 64 MiB and four times the input.

use std::{env, fs, process::Command};

use lowerline_analyzer::{Limits, analyze};

const CASE: &str = "LOWERLINE_ANALYZER_MEMORY_CASE";
const MIB: u64 = 1024 * 1024;

/// Inputs made to store as much as they can.
fn input(case: &str) -> Vec<u8> {
    let kernel = |body: &str| format!(".version 8.7\n.target sm_90a\n.visible .entry k()\n{{\n{body}\n}}\n");
    let text = match case {
        "instructions" => kernel(&"a;".repeat(12 << 20)),
        "labels" => kernel(&format!("{}bra a;", "a:".repeat(500_000))),
        "branches" => kernel(&"bra a;".repeat(150_000)),
        "tables" => {
            let labels: Vec<String> = (0..7_000).map(|n| format!("l{n}")).collect();
            let branch = |label: &String| format!("{label}: brx.idx %r1, table;\n");
            kernel(&format!(
                "table: .branchtargets {};\n{}",
                labels.join(","),
                labels.iter().map(branch).collect::<String>()
            ))
        }
        "loops" => kernel(&(0..40_000).map(|n| format!("l{n}: @p bra l{n};\n")).collect::<String>()),
        "lines" => kernel(&(0..200_000).map(|n| format!(".loc 1 {n} 0\na;\n")).collect::<String>()),
        "opcodes" => kernel(&(0..8_000).map(|n| format!("{:a>250};\n", format!("x{n}"))).collect::<String>()),
        "functions" => {
            let function = |n: usize| format!(".func f{n}()\n{{\na;b;c;d;e;f;\n}}\n");
            format!(".version 8.7\n.target sm_90a\n{}", (0..4_000).map(function).collect::<String>())
        }
        "files" => {
            let file = |n: usize| format!("\t//## File \"/{}{n}\", line {n}\n /*0000*/ NOP ;\n", "x".repeat(300));
            format!("\t.target\tsm_90a\n{}", (0..60_000).map(file).collect::<String>())
        }
        "notes" => kernel(&(0..120_000).map(|n| format!("cp.async.wait_group {n};\n")).collect::<String>()),
        "names" => kernel(&(0..400_000).map(|n| format!("add.s32 %r{n};\n")).collect::<String>()),
        "elf" => [&b"\x7fELF\x02\x01\x01\x33\x07"[..], &[0; 9], &190_u16.to_le_bytes(), &[0xff; 300]]
            .concat()
            .into_iter()
            .map(char::from)
            .collect(),
        _ => String::new(),
    };
    text.into_bytes()
}

const CASES: [&str; 12] = [
    "instructions",
    "labels",
    "branches",
    "tables",
    "loops",
    "lines",
    "opcodes",
    "functions",
    "files",
    "notes",
    "names",
    "elf",
];

/// High-water mark of this process in bytes (`VmHWM`, proc(5)).
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().split(' ').next().unwrap().parse::<u64>().unwrap() * 1024
}

#[test]
fn peak_memory_stays_under_the_formula() {
    if let Ok(case) = env::var(CASE) {
        let bytes = input(&case);
        // Building the input left a mark of its own; writing 5 resets it (proc(5), clear_refs).
        fs::write("/proc/self/clear_refs", "5").unwrap();
        let before = peak();
        let outcome = analyze(&bytes, &Limits::default());
        println!("measured {} {} {}", bytes.len(), before, peak());
        println!("outcome {}", outcome.map_or_else(|error| error.to_string(), |report| report.stage.id().to_owned()));
        return;
    }
    for case in CASES {
        let output = Command::new(env::current_exe().unwrap())
            .args(["--exact", "memory::peak_memory_stays_under_the_formula", "--nocapture"])
            .env(CASE, case)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let line = text.lines().find_map(|line| line.split_once("measured ")).unwrap().1;
        let numbers: Vec<u64> = line.split(' ').map(|number| number.parse().unwrap()).collect();
        let (input, used) = (numbers[0], numbers[2] - numbers[1]);
        let outcome = text.lines().find_map(|line| line.split_once("outcome ")).unwrap().1;
        println!("{case}: input {input}, used {} MiB, {outcome}", used / MIB);
        assert!(used <= 64 * MIB + 4 * input, "{case}: {used} bytes for {input} ({outcome})");
    }
}
