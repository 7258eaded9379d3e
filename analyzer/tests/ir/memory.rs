//! Peak memory of one analysis, measured in a child process: at most 64 MiB and four times the input.

use std::{env, fs, process::Command};

use lowerline_analyzer::{Limits, analyze};

use crate::elf_file::{NVIDIA, file, section};

const CASE: &str = "LOWERLINE_IR_MEMORY_CASE";

fn lines(head: &str, count: u32, line: impl Fn(&mut String, u32), tail: &str) -> Vec<u8> {
    let mut text = head.to_owned();
    for n in 0..count {
        line(&mut text, n);
        text.push('\n');
    }
    text.push_str(tail);
    text.into_bytes()
}

/// Inputs made to store as much as they can for their size.
fn input(case: &str) -> Vec<u8> {
    let text = |format: fn(u32) -> String| move |out: &mut String, n: u32| out.push_str(&format(n));
    match case {
        "operations" => lines("module {\n", 170_000, text(|_| "a.b".to_owned()), "}\n"),
        "results" => lines("module {\n", 100_000, text(|n| format!("%{n}=a.b")), "}\n"),
        "operands" => format!("module {{\na.b {}\n}}\n", "%a,".repeat(500_000)).into_bytes(),
        "locations" => lines("module {\n}\n", 260_000, text(|n| format!("#{n}=loc(#a)")), ""),
        "aliases" => lines("module {\n}\n", 32_000, text(|n| format!("#{n}=#ttg.{n}")), ""),
        "places" => {
            let line = |n| format!("a.b loc(\"{}\":{n}:1)", "x".repeat(40));
            lines("module {\ntt.func @k() {\n", 100_000, text(line), "}\n}\n")
        }
        "functions" => lines("module {\n", 20_000, text(|n| format!("tt.func @k{n}(%a: i32)")), "}\n"),
        "instructions" => lines("define void @f() {\n", 4_000_000, text(|_| "add".to_owned()), "}\n"),
        "blocks" => lines("define void @f() {\n", 100_000, text(|n| format!("{n}:\nbr label %{n}")), "}\n"),
        "assembly" => {
            let line = |n| format!("call void asm \"{n} {}\", \"\"()", "x".repeat(80));
            lines("define void @f() {\n", 100_000, text(line), "}\n")
        }
        "metadata" => lines("target triple = \"x\"\n", 250_000, text(|n| format!("!{n} = !DILocation(line: 1)")), ""),
        "cubin" => file(NVIDIA, &vec![section(".text.k", 1, &[0; 16_000]); 4_000]),
        _ => Vec::new(),
    }
}

const CASES: [&str; 12] = [
    "operations",
    "results",
    "operands",
    "locations",
    "aliases",
    "places",
    "functions",
    "instructions",
    "blocks",
    "assembly",
    "metadata",
    "cubin",
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
        // Making the input left a mark of its own; writing 5 resets it (proc(5), clear_refs).
        fs::write("/proc/self/clear_refs", "5").unwrap();
        let before = peak();
        let outcome = analyze(&bytes, &Limits::default());
        println!("measured {} {}", bytes.len(), peak() - before);
        println!("outcome {}", outcome.map_or_else(|error| error.to_string(), |report| report.stage.id().to_owned()));
        return;
    }
    for case in CASES {
        let child = Command::new(env::current_exe().unwrap())
            .args(["memory::peak_memory_stays_under_the_formula", "--exact", "--nocapture"])
            .env(CASE, case)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&child.stdout).into_owned();
        let line = said.lines().find_map(|line| line.split_once("measured ")).expect(&said).1;
        let (size, used) = line.split_once(' ').unwrap();
        let (size, used): (u64, u64) = (size.parse().unwrap(), used.parse().unwrap());
        println!(
            "{case}: {size} bytes, {used} used, {}",
            said.split("outcome ").nth(1).unwrap().lines().next().unwrap()
        );
        assert!(used <= (64 << 20) + 4 * size, "{case}: {used} bytes for {size}: {said}");
    }
}
