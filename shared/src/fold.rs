//! Long lists of rows with few of interest: unchanged runs collapse, changes are walked, a minimap shows where they are.

/// One line of a folded list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A row that is shown.
    Row(usize),
    /// Rows left out, first and one past the last.
    Fold(usize, usize),
}

/// Folds runs of rows without interest, but for `context` rows beside one with interest. Runs that would save less than
/// two lines are shown. A fold listed in `opened` (by its first row) is shown too.
pub fn fold(interesting: &[bool], context: usize, opened: &[usize]) -> Vec<Entry> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < interesting.len() {
        if interesting[at] {
            out.push(Entry::Row(at));
            at += 1;
            continue;
        }
        let end = interesting[at..].iter().position(|row| *row).map_or(interesting.len(), |length| at + length);
        let from = if at == 0 { at } else { (at + context).min(end) };
        let to = if end == interesting.len() { end } else { end.saturating_sub(context).max(from) };
        if to - from < 2 || opened.contains(&from) {
            out.extend((at..end).map(Entry::Row));
        } else {
            out.extend((at..from).map(Entry::Row));
            out.push(Entry::Fold(from, to));
            out.extend((to..end).map(Entry::Row));
        }
        at = end;
    }
    out
}

/// First rows of the runs of interest: where "next change" stops.
pub fn stops(interesting: &[bool]) -> Vec<usize> {
    let starts = interesting.iter().enumerate().filter(|(n, row)| **row && (*n == 0 || !interesting[*n - 1]));
    starts.map(|(n, _)| n).collect()
}

/// Where the rows of interest lie, for a map of `height` lines: merged `(top, length)` spans.
pub fn minimap(interesting: &[bool], height: usize) -> Vec<(usize, usize)> {
    let mut spans: Vec<(usize, usize)> = Vec::new();
    let rows = interesting.len().max(1);
    for (n, _) in interesting.iter().enumerate().filter(|(_, row)| **row) {
        let line = n * height / rows;
        match spans.last_mut() {
            Some((top, length)) if *top + *length > line => {}
            Some((top, length)) if *top + *length == line => *length += 1,
            _ => spans.push((line, 1)),
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<bool> {
        text.bytes().map(|byte| byte == b'x').collect()
    }

    #[test]
    fn unchanged_runs_collapse_and_every_row_is_shown_or_counted() {
        let list = rows("......x.....x..");
        let folded = fold(&list, 1, &[]);
        assert_eq!(
            folded,
            [
                Entry::Fold(0, 5),
                Entry::Row(5),
                Entry::Row(6),
                Entry::Row(7),
                Entry::Fold(8, 11),
                Entry::Row(11),
                Entry::Row(12),
                Entry::Row(13),
                Entry::Row(14),
            ]
        );
        let shown: usize = folded
            .iter()
            .map(|entry| match entry {
                Entry::Row(_) => 1,
                Entry::Fold(a, b) => b - a,
            })
            .sum();
        assert_eq!(shown, list.len());
        assert_eq!(fold(&list, 1, &[0, 8]).len(), list.len());
    }

    #[test]
    fn equal_texts_are_one_fold_and_nothing_is_nothing() {
        assert_eq!(fold(&rows("....."), 3, &[]), [Entry::Fold(0, 5)]);
        assert_eq!(fold(&[], 3, &[]), []);
        assert_eq!(fold(&rows("xx"), 3, &[]), [Entry::Row(0), Entry::Row(1)]);
    }

    #[test]
    fn stops_are_starts_of_runs() {
        assert_eq!(stops(&rows("xx..x.xx")), [0, 4, 6]);
    }

    #[test]
    fn a_minimap_merges_neighbours() {
        assert_eq!(minimap(&rows("xx......"), 8), [(0, 2)]);
        assert_eq!(minimap(&rows("x......x"), 4), [(0, 1), (3, 1)]);
        assert_eq!(minimap(&rows("xxxxxxxx"), 2), [(0, 2)]);
    }
}
