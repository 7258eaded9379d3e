//! Which targets have the same TTIR, and where the others part.

use std::collections::BTreeMap;

use lowerline_analyzer::diff::{self, Names, RowKind};
use lowerline_shared::{
    api::{TargetLowering, TtirDifference, TtirGroup},
    ids::Digest,
    stage::Stage,
};

use crate::{blobs::BlobStore, error::Result};

/// Characters of a line that differs.
const LINE_CHARS: usize = 240;
/// Pairs of groups compared; seven targets have at most 21.
const PAIRS: usize = 28;

/// A TTIR of a target.
#[derive(Clone, Debug)]
pub struct Text {
    /// Which column.
    pub column: usize,
    /// Its blob.
    pub digest: Digest,
    /// Its size.
    pub size_bytes: u64,
    /// Digest of its meaning; the blob's own where there is none.
    pub meaning: Vec<u8>,
}

/// Fills the columns' lines and groups; returns groups and the first difference of each pair.
pub async fn compare(
    blobs: &BlobStore,
    texts: Vec<Text>,
    columns: &mut [TargetLowering],
) -> Result<(Vec<TtirGroup>, Vec<TtirDifference>)> {
    let blobs = blobs.clone();
    let read = tokio::task::spawn_blocking(move || {
        texts
            .into_iter()
            .map(|text| {
                // A blob that is gone leaves its column without lines; `check` lists it.
                let bytes = blobs.read(text.digest, text.size_bytes).ok();
                let content = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
                (text, content)
            })
            .collect::<Vec<_>>()
    });
    let read = read.await.map_err(anyhow::Error::from)?;
    let mut groups: Vec<(Vec<u8>, TtirGroup, Option<String>)> = Vec::new();
    for (text, content) in read {
        let Some(column) = columns.get_mut(text.column) else { continue };
        column.ttir_lines = content.as_ref().map(|content| content.matches('\n').count() as u64);
        let known = groups.iter().position(|(meaning, ..)| *meaning == text.meaning);
        let group = known.unwrap_or(groups.len());
        if known.is_none() {
            let group = TtirGroup { letter: letter(group), targets: Vec::new() };
            groups.push((text.meaning, group, content));
        }
        groups[group].1.targets.push(column.target.clone());
        column.ttir_group = u32::try_from(group).ok();
    }
    let pairs = (0..groups.len()).flat_map(|a| (a + 1..groups.len()).map(move |b| (a, b))).take(PAIRS);
    let texts: Vec<(String, Option<String>)> =
        groups.iter().map(|(_, group, content)| (group.letter.clone(), content.clone())).collect();
    let pairs: Vec<(usize, usize)> = pairs.collect();
    let differences = tokio::task::spawn_blocking(move || {
        pairs
            .into_iter()
            .filter_map(|(a, b)| {
                let ((letter_a, Some(a)), (letter_b, Some(b))) = (&texts[a], &texts[b]) else { return None };
                difference((letter_a, a), (letter_b, b))
            })
            .collect()
    });
    let differences = differences.await.map_err(anyhow::Error::from)?;
    Ok((groups.into_iter().map(|(_, group, _)| group).collect(), differences))
}

/// `A` … `Z`, then `A1` …
fn letter(n: usize) -> String {
    let letter = char::from(b'A' + u8::try_from(n % 26).unwrap_or(0));
    if n < 26 { letter.to_string() } else { format!("{letter}{}", n / 26) }
}

fn difference((letter_a, a): (&str, &str), (letter_b, b): (&str, &str)) -> Option<TtirDifference> {
    let aligned = diff::align(Stage::Ttir, Names::Ignored, a, b);
    let differs = |kind| !matches!(kind, RowKind::Equal | RowKind::Renamed);
    let mut rows = aligned.rows.iter().filter(|row| differs(row.kind));
    let first = rows.next()?;
    let line = |text: &str, number: Option<u32>| {
        let line = number.and_then(|number| text.lines().nth(number as usize)).unwrap_or_default();
        line.trim().chars().take(LINE_CHARS).collect::<String>()
    };
    Some(TtirDifference {
        groups: (letter_a.to_owned(), letter_b.to_owned()),
        line: (first.a.map(|line| line + 1), first.b.map(|line| line + 1)),
        text: (line(a, first.a), line(b, first.b)),
        rows: 1 + rows.count() as u64,
    })
}

/// Columns in the order of their TTIR blobs.
pub fn by_column(artifacts: &BTreeMap<usize, (Digest, u64, Option<Vec<u8>>)>) -> Vec<Text> {
    artifacts
        .iter()
        .map(|(&column, (digest, size_bytes, meaning))| Text {
            column,
            digest: *digest,
            size_bytes: *size_bytes,
            meaning: meaning.clone().unwrap_or_else(|| digest.0.to_vec()),
        })
        .collect()
}
