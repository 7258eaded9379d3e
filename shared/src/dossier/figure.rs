//! What can be read from a build.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{
    decision::DecisionKind,
    measure::{Level, Measure},
    stage::Stage,
};

/// A figure of a build or of one of its artifacts.
///
/// | text | figure |
/// | --- | --- |
/// | any measure: `fragment_staging@ptx`, `sass:LDSM`, `resource:registers`, `metric:tflops` | as [`Measure`] says; needs no `stage` |
/// | `lines` | lines of the artifact |
/// | `mnemonic:cp.async*` | instructions as written, whole function; `*` stands for anything |
/// | `op:ttg.convert_layout` | MLIR operations; `*` stands for anything; scope `loop` counts those in loops |
/// | `layouts` | kinds of layout, a list in order of name |
/// | `layout:#ttg.blocked<{sizePerThread = [1, 8]*` | layouts in the head of the text whose body is so; `*` stands for anything |
/// | `decision:matrix_instruction`, `decision:alignment/a_ptr` | what the compiler chose, as text; a list when it chose several |
/// | `decision_number:buffer_depth` | the same as numbers |
/// | `argument:a_ptr/tt.divisibility` | attribute of an argument |
/// | `digest`, `normal_digest` | identity of bytes, of meaning |
/// | `target` | target as the artifact says |
/// | `tool:ptxas` | version of a tool of the build; needs no `stage` |
/// | `status` | how the build ended: `ok`, `error` or `crash`; needs no `stage` |
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Figure {
    /// Anything that can be plotted.
    Measure(Measure),
    /// Lines of the artifact.
    Lines,
    /// Instructions by pattern of the mnemonic as written.
    Mnemonic(String),
    /// MLIR operations by pattern.
    Op(String),
    /// Kinds of layout.
    Layouts,
    /// Layouts by pattern of their body.
    Layout(String),
    /// What the compiler chose, and about what; an empty subject takes all.
    Decision(DecisionKind, String),
    /// The number of what the compiler chose.
    DecisionNumber(DecisionKind, String),
    /// Attribute of an argument.
    Argument(String, String),
    /// SHA-256 of the bytes.
    Digest,
    /// Identity of meaning.
    NormalDigest,
    /// Target as the artifact says.
    Target,
    /// Version of a tool of the build.
    Tool(String),
    /// How the build ended.
    Status,
}

/// Text that names no figure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no figure; try a measure (`sass:LDSM`, `resource:registers`), `lines`, `mnemonic:cp.async*`, `op:tt.dot`, \
     `layouts`, `decision:pipelining`, `argument:a_ptr/tt.divisibility`, `digest`, `target` or `status`"
)]
pub struct InvalidFigure(pub String);

impl Figure {
    /// The stage it implies; `None` when the dossier must say one or none is needed.
    pub const fn stage(&self) -> Option<Stage> {
        match self {
            Self::Measure(
                Measure::Opcode(stage, _)
                | Measure::Family(_, Level::Stage(stage))
                | Measure::Instructions(Level::Stage(stage)),
            ) => Some(*stage),
            _ => None,
        }
    }

    /// Whether it is read from an artifact rather than from the build as a whole.
    pub const fn needs_stage(&self) -> bool {
        !matches!(self, Self::Status | Self::Tool(_) | Self::Measure(Measure::Resource(_) | Measure::Metric(_)))
    }
}

impl FromStr for Figure {
    type Err = InvalidFigure;

    fn from_str(text: &str) -> Result<Self, InvalidFigure> {
        let invalid = || InvalidFigure(crate::ids::shown(text));
        let decision = |rest: &str| {
            let (kind, subject) = rest.split_once('/').unwrap_or((rest, ""));
            DecisionKind::from_id(kind).map(|kind| (kind, subject.to_owned())).ok_or_else(invalid)
        };
        match text.split_once(':') {
            Some(("mnemonic", pattern)) if !pattern.is_empty() => Ok(Self::Mnemonic(pattern.to_owned())),
            Some(("op", pattern)) if !pattern.is_empty() => Ok(Self::Op(pattern.to_owned())),
            Some(("layout", pattern)) if !pattern.is_empty() => Ok(Self::Layout(pattern.to_owned())),
            Some(("tool", name)) if !name.is_empty() => Ok(Self::Tool(name.to_owned())),
            Some(("decision", rest)) => decision(rest).map(|(kind, subject)| Self::Decision(kind, subject)),
            Some(("decision_number", rest)) => {
                decision(rest).map(|(kind, subject)| Self::DecisionNumber(kind, subject))
            }
            Some(("argument", rest)) => {
                let (name, attribute) = rest.split_once('/').ok_or_else(invalid)?;
                Ok(Self::Argument(name.to_owned(), attribute.to_owned()))
            }
            None if text == "lines" => Ok(Self::Lines),
            None if text == "layouts" => Ok(Self::Layouts),
            None if text == "digest" => Ok(Self::Digest),
            None if text == "normal_digest" => Ok(Self::NormalDigest),
            None if text == "target" => Ok(Self::Target),
            None if text == "status" => Ok(Self::Status),
            _ => text.parse().map(Self::Measure).map_err(|_| invalid()),
        }
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decision = |f: &mut fmt::Formatter<'_>, head: &str, kind: DecisionKind, subject: &str| {
            let slash = if subject.is_empty() { "" } else { "/" };
            write!(f, "{head}:{}{slash}{subject}", kind.id())
        };
        match self {
            Self::Measure(measure) => measure.fmt(f),
            Self::Lines => f.write_str("lines"),
            Self::Mnemonic(pattern) => write!(f, "mnemonic:{pattern}"),
            Self::Op(pattern) => write!(f, "op:{pattern}"),
            Self::Layouts => f.write_str("layouts"),
            Self::Layout(pattern) => write!(f, "layout:{pattern}"),
            Self::Tool(name) => write!(f, "tool:{name}"),
            Self::Decision(kind, subject) => decision(f, "decision", *kind, subject),
            Self::DecisionNumber(kind, subject) => decision(f, "decision_number", *kind, subject),
            Self::Argument(name, attribute) => write!(f, "argument:{name}/{attribute}"),
            Self::Digest => f.write_str("digest"),
            Self::NormalDigest => f.write_str("normal_digest"),
            Self::Target => f.write_str("target"),
            Self::Status => f.write_str("status"),
        }
    }
}

impl TryFrom<String> for Figure {
    type Error = InvalidFigure;
    fn try_from(text: String) -> Result<Self, InvalidFigure> {
        text.parse()
    }
}

impl From<Figure> for String {
    fn from(figure: Figure) -> Self {
        figure.to_string()
    }
}

/// Whether `text` is what `pattern` says, `*` standing for anything, nothing included.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_reads_what_it_writes() {
        for text in [
            "fragment_staging@ptx",
            "resource:registers",
            "lines",
            "mnemonic:cp.async*",
            "op:ttg.convert_layout",
            "layouts",
            "layout:#ttg.blocked<*",
            "tool:ptxas",
            "decision:pipelining",
            "decision_number:alignment/a_ptr",
            "argument:a_ptr/tt.divisibility",
            "digest",
            "normal_digest",
            "target",
            "status",
        ] {
            assert_eq!(text.parse::<Figure>().expect(text).to_string(), text);
        }
        for text in ["", "line", "mnemonic:", "decision:luck", "argument:a_ptr"] {
            assert!(text.parse::<Figure>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_star_stands_for_anything() {
        assert!(matches("cp.async*", "cp.async"));
        assert!(matches("ldmatrix*.x1.*", "ldmatrix.sync.aligned.m8n8.x1.shared.b16"));
        assert!(!matches("ldmatrix*.x1.*", "ldmatrix.sync.aligned.m8n8.x4.shared.b16"));
        assert!(matches("*mma*", "wgmma.mma_async"));
        assert!(!matches("bar.sync", "bar.sync.all"));
        assert!(!matches("a*a", "a"));
    }
}
