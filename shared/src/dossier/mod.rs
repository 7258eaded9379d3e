//! Dossiers: figures that somebody stated, as assertions that a machine can check against builds.
//!
//! A dossier is a TOML file. Every assertion says what is claimed, where it can be seen and what it should be; evaluated
//! against builds ([`evaluate`]) it is reproduced, differs as recorded, or is broken. The same code judges folders on the
//! command line and stored reports on the server.
//!
//! ```toml
//! title = "Kernels of mine"
//!
//! [defaults]
//! kernel = "matmul"
//! target = "sm_90a"
//!
//! [[assertion]]
//! id = "matmul.copies"
//! source = "release notes"
//! what = "asynchronous copies of the matmul at three and four stages"
//! stage = "ptx"
//! figure = "ptx:cp.async.cg"
//! each = [{ config = "128x128x64_w8_s3" }, { config = "128x128x64_w8_s4" }]
//! expected = [24, 32]
//! ```

mod evaluate;
mod evidence;
mod figure;
mod value;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

pub use evaluate::evaluate;
pub use evidence::{ArtifactFacts, Facts};
pub use figure::{Figure, InvalidFigure};
pub use value::Value;

use crate::{
    ids::{ConfigLabel, KernelName, ProjectSlug, Rev, TargetName},
    stage::{Scope, Stage},
};

/// Assertions in one dossier: the two articles have about a hundred.
pub const ASSERTIONS: usize = 1_000;
/// Places of one assertion: the widest sweep has fifteen.
pub const PLACES: usize = 64;

/// A dossier as written.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dossier {
    /// What it is about.
    pub title: String,
    /// Project on a server whose builds it speaks of; `None` for any.
    #[serde(default)]
    pub project: Option<ProjectSlug>,
    /// Short names of sources; an assertion whose source is one of them is shown with what it stands for.
    #[serde(default)]
    pub sources: BTreeMap<String, String>,
    /// What assertions leave out.
    #[serde(default)]
    pub defaults: Where,
    /// The assertions, in order.
    #[serde(default)]
    pub assertion: Vec<Assertion>,
}

/// Where a figure is seen. What is left out comes from the level above: the assertion, then the dossier.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Where {
    /// Commit by hash or tag; in folders the version of Triton that compiled the build. `None` means the only one there is.
    pub commit: Option<Rev>,
    /// Kernel.
    pub kernel: Option<KernelName>,
    /// Target.
    pub target: Option<TargetName>,
    /// Config label.
    pub config: Option<ConfigLabel>,
    /// Stage whose artifact is read.
    pub stage: Option<Stage>,
    /// Where counts are taken.
    pub scope: Option<Scope>,
    /// What is read.
    pub figure: Option<Figure>,
}

/// How several places become one value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Join {
    /// A list in order; the value itself for one place.
    #[default]
    List,
    /// Their sum.
    Sum,
    /// Their product.
    Product,
    /// The first less the others.
    Difference,
    /// How many different ones there are.
    Distinct,
}

/// One claim.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assertion {
    /// Its name, unique in the dossier.
    pub id: String,
    /// Who states it, and where: title and section.
    pub source: String,
    /// What is claimed.
    pub what: String,
    /// What the source states.
    pub expected: Value,
    /// What is found instead, where that is known to differ; `why` must say more.
    #[serde(default)]
    pub ours: Option<Value>,
    /// Why ours differs, or a note.
    #[serde(default)]
    pub why: Option<String>,
    /// Why it cannot be checked here; then nothing is read.
    #[serde(default)]
    pub not_checkable: Option<String>,
    /// How far a number may be off, as a share of the expected one; for measured times.
    #[serde(default)]
    pub tolerance: f64,
    /// How places are joined.
    #[serde(default)]
    pub join: Join,
    /// Several places; each overrides what the assertion says.
    #[serde(default)]
    pub each: Vec<Where>,
    /// See [`Where::commit`].
    #[serde(default)]
    pub commit: Option<Rev>,
    /// See [`Where::kernel`].
    #[serde(default)]
    pub kernel: Option<KernelName>,
    /// See [`Where::target`].
    #[serde(default)]
    pub target: Option<TargetName>,
    /// See [`Where::config`].
    #[serde(default)]
    pub config: Option<ConfigLabel>,
    /// See [`Where::stage`].
    #[serde(default)]
    pub stage: Option<Stage>,
    /// See [`Where::scope`].
    #[serde(default)]
    pub scope: Option<Scope>,
    /// See [`Where::figure`].
    #[serde(default)]
    pub figure: Option<Figure>,
}

/// A build that a dossier speaks of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    /// See [`Where::commit`].
    pub commit: Option<Rev>,
    /// Kernel.
    pub kernel: KernelName,
    /// Target.
    pub target: TargetName,
    /// Config label.
    pub config: ConfigLabel,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(commit) = &self.commit {
            write!(f, "{commit} ")?;
        }
        write!(f, "{} {} {}", self.kernel, self.target, self.config)
    }
}

/// One thing to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The build.
    pub place: Place,
    /// The artifact; `None` for figures of the build itself.
    pub stage: Option<Stage>,
    /// Where counts are taken.
    pub scope: Scope,
    /// What.
    pub figure: Figure,
}

/// Builds, the stages of each that are read, and whether the lines of a stage are counted.
pub type Needs = BTreeMap<Place, BTreeMap<Stage, bool>>;

/// What is wrong with an assertion that could be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("assertion `{id}`: {problem}")]
pub struct InvalidAssertion {
    /// Which.
    pub id: String,
    /// What, and what to write.
    pub problem: String,
}

/// How an assertion stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// What was found is what the source states.
    Reproduced,
    /// What was found is not what the source states, but what is recorded as ours.
    Differs,
    /// Nothing here can tell.
    NotCheckable,
    /// What was found is neither.
    Broken,
    /// A build or artifact it speaks of is not here.
    Missing,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Reproduced, Self::Differs, Self::NotCheckable, Self::Broken, Self::Missing];

    /// Stable id, as in JSON.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Differs => "differs",
            Self::NotCheckable => "not_checkable",
            Self::Broken => "broken",
            Self::Missing => "missing",
        }
    }

    /// In words.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Differs => "differs",
            Self::NotCheckable => "not checkable here",
            Self::Broken => "broken",
            Self::Missing => "missing",
        }
    }

    /// Whether something has to be looked at.
    pub const fn is_alarm(self) -> bool {
        matches!(self, Self::Broken | Self::Missing)
    }
}

/// A judged assertion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// As in the dossier.
    pub id: String,
    /// As in the dossier.
    pub source: String,
    /// As in the dossier.
    pub what: String,
    /// What the source states.
    pub expected: Value,
    /// What was found; `None` when nothing was.
    pub got: Option<Value>,
    /// How it stands.
    pub status: Status,
    /// Why; empty when there is nothing to say.
    pub why: String,
    /// The builds it was read from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<Place>,
    /// What was read, as the dossier writes it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<String>,
}

/// A judged dossier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// As in the dossier.
    pub title: String,
    /// In its order.
    pub assertions: Vec<Judged>,
}

impl Verdict {
    /// How many stand so.
    pub fn count(&self, status: Status) -> usize {
        self.assertions.iter().filter(|judged| judged.status == status).count()
    }
}

impl Dossier {
    /// What every assertion reads, in order; nothing for those that cannot be checked.
    pub fn readings(&self) -> Result<Vec<Vec<Reading>>, InvalidAssertion> {
        let problem = |id: &str, problem: &str| InvalidAssertion { id: id.to_owned(), problem: problem.to_owned() };
        if self.assertion.len() > ASSERTIONS {
            return Err(problem("", &format!("a dossier holds at most {ASSERTIONS} assertions")));
        }
        let mut ids = BTreeSet::new();
        self.assertion
            .iter()
            .map(|assertion| {
                if !ids.insert(&assertion.id) {
                    return Err(problem(&assertion.id, "another one has the same id"));
                }
                assertion.readings(&self.defaults).map_err(|found| problem(&assertion.id, &found))
            })
            .collect()
    }

    /// The builds it speaks of, the stages of each that are read, and whether their lines are counted.
    pub fn needs(&self) -> Result<Needs, InvalidAssertion> {
        let mut needs = Needs::new();
        for reading in self.readings()?.into_iter().flatten() {
            let stages = needs.entry(reading.place).or_default();
            if let Some(stage) = reading.stage {
                *stages.entry(stage).or_default() |= reading.figure == Figure::Lines;
            }
        }
        Ok(needs)
    }
}

impl Assertion {
    fn own(&self) -> Where {
        Where {
            commit: self.commit.clone(),
            kernel: self.kernel.clone(),
            target: self.target.clone(),
            config: self.config.clone(),
            stage: self.stage,
            scope: self.scope,
            figure: self.figure.clone(),
        }
    }

    fn readings(&self, defaults: &Where) -> Result<Vec<Reading>, String> {
        if self.not_checkable.is_some() {
            return Ok(Vec::new());
        }
        if self.ours.is_some() && self.why.is_none() {
            return Err("it has `ours` and no `why`".to_owned());
        }
        if self.each.len() > PLACES {
            return Err(format!("at most {PLACES} places can be joined"));
        }
        let own = self.own().or(defaults);
        if self.each.is_empty() {
            return Ok(vec![own.reading()?]);
        }
        self.each.iter().map(|place| place.clone().or(&own).reading()).collect()
    }
}

impl Where {
    fn or(self, outer: &Self) -> Self {
        Self {
            commit: self.commit.or_else(|| outer.commit.clone()),
            kernel: self.kernel.or_else(|| outer.kernel.clone()),
            target: self.target.or_else(|| outer.target.clone()),
            config: self.config.or_else(|| outer.config.clone()),
            stage: self.stage.or(outer.stage),
            scope: self.scope.or(outer.scope),
            figure: self.figure.or_else(|| outer.figure.clone()),
        }
    }

    fn reading(self) -> Result<Reading, String> {
        let lacks = |field: &str| format!("it does not say which {field}; write it there, in `each` or in [defaults]");
        let figure = self.figure.ok_or_else(|| lacks("figure"))?;
        let stage = figure.stage().or(self.stage);
        if stage.is_none() && figure.needs_stage() {
            return Err(lacks("stage"));
        }
        Ok(Reading {
            place: Place {
                commit: self.commit,
                kernel: self.kernel.ok_or_else(|| lacks("kernel"))?,
                target: self.target.ok_or_else(|| lacks("target"))?,
                config: self.config.ok_or_else(|| lacks("config"))?,
            },
            stage,
            scope: self.scope.unwrap_or_default(),
            figure,
        })
    }
}

/// Line and column of a byte of a text, both from 1; columns count characters.
pub fn position(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before.get(start..).unwrap_or_default().chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_counts_lines_and_characters() {
        assert_eq!(position("ab\ncü x", 7), (2, 4));
        assert_eq!(position("", 0), (1, 1));
    }
}
