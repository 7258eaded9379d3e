//! A table that leaves the page: Markdown for issues, CSV for spreadsheets, JSON for programs.

use serde_json::{Map, Value};

use crate::{display, report::Resource};

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Foreign or own text.
    Text(String),
    /// A count.
    Count(i64),
    /// A difference.
    Difference(i64),
    /// A number from outside.
    Number(f64),
    /// There is no such value.
    Nothing,
}

/// Rows under named columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// What it shows, in bold above the Markdown form.
    pub title: String,
    /// A sentence below the title; empty for none.
    pub note: String,
    /// Where it came from: a full address; empty for none.
    pub link: String,
    /// Column names, unique.
    pub columns: Vec<String>,
    /// As many cells as columns in each.
    pub rows: Vec<Vec<Cell>>,
}

impl Cell {
    /// A count, or nothing.
    pub fn count(value: Option<i64>) -> Self {
        value.map_or(Self::Nothing, Self::Count)
    }

    /// What a build takes, in the unit of the resource's label.
    pub fn resource(resource: Resource, value: Option<i64>) -> Self {
        let read = |value| match resource {
            Resource::OccupancyPermille => Self::Number(resource.read(value)),
            _ => Self::Count(value),
        };
        value.map_or(Self::Nothing, read)
    }

    /// The difference of two such.
    pub fn resource_difference(resource: Resource, before: Option<i64>, now: Option<i64>) -> Self {
        match (resource, before, now) {
            (Resource::OccupancyPermille, Some(before), Some(now)) => {
                Self::Number(resource.read(now.saturating_sub(before)))
            }
            _ => Self::difference(before, now),
        }
    }

    /// The difference of two counts; nothing when either is missing.
    pub fn difference(before: Option<i64>, now: Option<i64>) -> Self {
        match (before, now) {
            (Some(before), Some(now)) => Self::Difference(now.saturating_sub(before)),
            _ => Self::Nothing,
        }
    }

    const fn is_text(&self) -> bool {
        matches!(self, Self::Text(_))
    }

    fn markdown(&self) -> String {
        match self {
            Self::Text(text) => escape_markdown(text),
            Self::Count(value) => display::count(*value),
            Self::Difference(value) => display::signed(*value),
            Self::Number(value) => display::number(*value),
            Self::Nothing => "–".to_owned(),
        }
    }

    fn csv(&self) -> String {
        match self {
            Self::Text(text) => quote_csv(text),
            Self::Count(value) | Self::Difference(value) => value.to_string(),
            Self::Number(value) => value.to_string(),
            Self::Nothing => String::new(),
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Text(text) => Value::from(text.as_str()),
            Self::Count(value) | Self::Difference(value) => Value::from(*value),
            Self::Number(value) => Value::from(*value),
            Self::Nothing => Value::Null,
        }
    }
}

/// Text that a Markdown cell shows as it is: no pipe, tag, mention, link or emphasis survives.
fn escape_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '|' | '\\' | '`' | '*' | '[' | ']' | '~' => out.extend(['\\', c]),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // A zero-width joiner keeps a foreign `@name` from notifying anybody.
            '@' => out.push_str("@\u{200d}"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// RFC 4180, with a quote before what a spreadsheet would take for a formula.
fn quote_csv(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if formula { format!("'{text}") } else { text.to_owned() };
    if text.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

impl Table {
    /// GitHub-flavoured Markdown: title, note, table, link.
    pub fn markdown(&self) -> String {
        let mut lines = Vec::new();
        if !self.title.is_empty() {
            lines.push(format!("**{}**", escape_markdown(&self.title)));
        }
        if !self.note.is_empty() {
            lines.push(escape_markdown(&self.note));
        }
        if !lines.is_empty() {
            lines.push(String::new());
        }
        let row = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
        lines.push(row(self.columns.iter().map(|name| escape_markdown(name)).collect()));
        let text_column = |n: usize| self.rows.iter().all(|row| row.get(n).is_none_or(Cell::is_text));
        let marks = (0..self.columns.len()).map(|n| if text_column(n) { "---" } else { "--:" }.to_owned());
        lines.push(row(marks.collect()));
        lines.extend(self.rows.iter().map(|cells| row(cells.iter().map(Cell::markdown).collect())));
        if !self.link.is_empty() {
            lines.push(String::new());
            lines.push(self.link.clone());
        }
        lines.push(String::new());
        lines.join("\n")
    }

    /// CSV with a header line.
    pub fn csv(&self) -> String {
        let header: Vec<String> = self.columns.iter().map(|name| quote_csv(name)).collect();
        let rows = self.rows.iter().map(|row| row.iter().map(Cell::csv).collect::<Vec<_>>().join(","));
        std::iter::once(header.join(",")).chain(rows).map(|line| line + "\r\n").collect()
    }

    /// `{"title", "link", "rows": [{column: value}]}`, numbers as numbers.
    ///
    /// # Panics
    /// Never: maps with string keys are JSON.
    pub fn json(&self) -> String {
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|row| {
                Value::Object(self.columns.iter().cloned().zip(row.iter().map(Cell::json)).collect::<Map<_, _>>())
            })
            .collect();
        let mut out = Map::new();
        out.insert("title".to_owned(), Value::from(self.title.as_str()));
        out.insert("link".to_owned(), Value::from(self.link.as_str()));
        out.insert("rows".to_owned(), Value::Array(rows));
        serde_json::to_string_pretty(&Value::Object(out)).expect("maps with string keys are JSON")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        Table {
            title: "flex_attention on sm_100a".to_owned(),
            note: String::new(),
            link: "https://lowerline.example/p/triton".to_owned(),
            columns: ["Family", "3.4.0", "3.5.0", "Δ"].map(str::to_owned).to_vec(),
            rows: vec![
                vec![Cell::Text("staging".to_owned()), Cell::Count(0), Cell::Count(20), Cell::Difference(20)],
                vec![Cell::Text("a|b <i>@x".to_owned()), Cell::Count(1_000), Cell::Nothing, Cell::Nothing],
            ],
        }
    }

    #[test]
    fn markdown_aligns_numbers_and_disarms_text() {
        let text = table().markdown();
        assert!(text.contains("| --- | --: | --: | --: |\n| staging | 0 | 20 | +20 |\n"), "{text}");
        assert!(text.contains("| a\\|b &lt;i&gt;@\u{200d}x | 1,000 | – | – |"), "{text}");
        assert!(text.ends_with("https://lowerline.example/p/triton\n"));
    }

    #[test]
    fn csv_quotes_and_disarms_formulas() {
        let mut table = table();
        table.rows =
            vec![vec![Cell::Text("=cmd, \"x\"".to_owned()), Cell::Count(-3), Cell::Number(1.5), Cell::Nothing]];
        assert_eq!(table.csv(), "Family,3.4.0,3.5.0,Δ\r\n\"'=cmd, \"\"x\"\"\",-3,1.5,\r\n");
    }

    #[test]
    fn json_keeps_numbers() {
        let value: Value = serde_json::from_str(&table().json()).expect("JSON");
        assert_eq!(value["rows"][0]["Δ"], 20);
        assert_eq!(value["rows"][1]["3.5.0"], Value::Null);
    }
}
