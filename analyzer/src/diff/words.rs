//! Marks inside a pair of lines.

use std::ops::Range;

use similar::{Algorithm, DiffOp};

use super::core::diff;

/// Byte range of one differing run of words.
pub type Span = Range<usize>;

/// Lines longer than this get one mark over the whole differing middle: a 1 MB line must not cost a quadratic diff.
const LONG_LINE: usize = 8_192;

/// The differing words of two lines: ranges into `a` and into `b`, on character boundaries.
pub fn words(a: &str, b: &str) -> (Vec<Span>, Vec<Span>) {
    if a == b {
        return (Vec::new(), Vec::new());
    }
    if a.len().max(b.len()) > LONG_LINE {
        return middle(a, b);
    }
    let (words_a, words_b) = (split(a), split(b));
    let text = |line: &'_ str, words: &[Span]| -> Vec<u64> {
        words.iter().map(|word| super::keys::hash(line.get(word.clone()).unwrap_or(""))).collect()
    };
    let (mut spans_a, mut spans_b) = (Vec::new(), Vec::new());
    for op in diff(Algorithm::Myers, &text(a, &words_a), &text(b, &words_b)) {
        if !matches!(op, DiffOp::Equal { .. }) {
            push(&mut spans_a, &words_a, op.old_range());
            push(&mut spans_b, &words_b, op.new_range());
        }
    }
    (spans_a, spans_b)
}

/// One mark from the first character that differs to the last; none on the side that has nothing between.
fn middle(a: &str, b: &str) -> (Vec<Span>, Vec<Span>) {
    let same = |(a, b): &(char, char)| a == b;
    let front: usize = a.chars().zip(b.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let (rest_a, rest_b) = (a.get(front..).unwrap_or(""), b.get(front..).unwrap_or(""));
    let back: usize = rest_a.chars().rev().zip(rest_b.chars().rev()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let span = |line: &str| Some(front..line.len() - back).filter(|span| !span.is_empty()).into_iter().collect();
    (span(a), span(b))
}

fn push(spans: &mut Vec<Span>, words: &[Span], range: Range<usize>) {
    if let Some([first, .., last]) = words.get(range.clone()) {
        spans.push(first.start..last.end);
    } else if let Some([only]) = words.get(range) {
        spans.push(only.clone());
    }
}

/// Words, runs of blanks, and single other characters.
fn split(line: &str) -> Vec<Span> {
    let class = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut spans: Vec<Span> = Vec::new();
    let mut before = 2;
    for (at, c) in line.char_indices() {
        let now = class(c);
        match spans.last_mut() {
            Some(span) if now != 2 && now == before => span.end = at + c.len_utf8(),
            _ => spans.push(at..at + c.len_utf8()),
        }
        before = now;
    }
    spans
}
