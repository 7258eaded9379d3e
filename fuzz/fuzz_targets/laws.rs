//! What every report keeps, whatever the bytes.

use lowerline_analyzer::{Limits, analyze};
use lowerline_shared::report::Report;

/// Analyzes under small limits and checks the laws.
pub fn check(bytes: &[u8]) {
    let limits = Limits { steps: 500_000_000, ..Limits::default() };
    let Ok(report) = analyze(bytes, &limits) else { return };
    let sum: u64 = report.histogram().iter().map(|row| row.counts.function).sum();
    let mut instructions = 0;
    for function in report.functions.iter().filter(|function| !function.opcodes.is_empty()) {
        instructions += function.instructions;
        assert_eq!(function.opcodes.values().sum::<u64>(), function.instructions);
        assert_eq!(function.families.values().sum::<u64>(), function.instructions);
        for row in &function.canonical {
            assert!(row.counts.function >= row.counts.r#loop && row.counts.r#loop >= row.counts.hot);
        }
    }
    assert_eq!(sum, instructions);
    let json = serde_json::to_string(&report).expect("a report is JSON");
    assert_eq!(serde_json::from_str::<Report>(&json).expect("and reads back"), report);
}
