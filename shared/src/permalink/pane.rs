//! Texts and lines of them in an address.

use std::{fmt, str::FromStr};

use crate::{limits, stage::Stage};

/// One stage of one state, `A.ttgir`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PaneRef {
    /// Place of the state, from 0; a letter in the address, as on the page.
    pub state: u8,
    /// Which of its texts.
    pub stage: Stage,
}

/// A line of a text, `A.ttgir.257`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LineRef {
    /// The text.
    pub pane: PaneRef,
    /// From 1, as shown beside the text.
    pub line: u32,
}

/// Text that names no pane or line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a state's letter, a stage and a line, such as `A.ttgir` or `B.sass.120`")]
pub struct InvalidPane;

impl fmt::Display for PaneRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", char::from(b'A' + self.state.min(25)), self.stage.id())
    }
}

impl FromStr for PaneRef {
    type Err = InvalidPane;

    fn from_str(text: &str) -> Result<Self, InvalidPane> {
        let (state, stage) = text.split_once('.').ok_or(InvalidPane)?;
        let [letter @ b'A'..=b'Z'] = state.as_bytes() else { return Err(InvalidPane) };
        let state = letter - b'A';
        if usize::from(state) >= limits::STATES_PER_COMPARISON {
            return Err(InvalidPane);
        }
        Ok(Self { state, stage: Stage::from_id(stage).ok_or(InvalidPane)? })
    }
}

impl fmt::Display for LineRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.pane, self.line)
    }
}

impl FromStr for LineRef {
    type Err = InvalidPane;

    fn from_str(text: &str) -> Result<Self, InvalidPane> {
        let (pane, line) = text.rsplit_once('.').ok_or(InvalidPane)?;
        let line = line.parse().ok().filter(|line| *line > 0).ok_or(InvalidPane)?;
        Ok(Self { pane: pane.parse()?, line })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panes_and_lines_of_no_text_are_errors() {
        for text in ["A", "A.", "a.ptx", "AB.ptx", "G.ptx", "A.nothing", ".ptx"] {
            assert_eq!(text.parse::<PaneRef>(), Err(InvalidPane), "{text}");
        }
        for text in ["A.ptx", "A.ptx.0", "A.ptx.-1", "A.ptx.99999999999", "A.ptx.x"] {
            assert_eq!(text.parse::<LineRef>(), Err(InvalidPane), "{text}");
        }
        assert_eq!(crate::permalink::CompareQuery::parse("panes=A.ptx&line=9").panes, None);
    }
}
