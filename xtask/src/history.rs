//! `demo/history.toml`: which commits the demo data stands for.

use std::fs;

use anyhow::{Context as _, Result};
use serde::Deserialize;

use crate::repository::Repository;

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct History {
    /// In the order in which they are loaded.
    pub project: Vec<Project>,
}

/// One project of the demo.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Project {
    /// Slug.
    pub slug: String,
    /// Where its source is.
    pub repository: String,
    /// Branch that all releases are put on.
    pub branch: String,
    /// In order; each is the parent of the next.
    pub release: Vec<Release>,
}

/// One commit of the demo and one archive of `demo/data`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// Tag.
    pub tag: String,
    /// Name of the archive, where that is not the tag.
    archive: Option<String>,
    /// 40 hex digits; see the file about what they are.
    pub sha: String,
    /// RFC 3339.
    pub committed_at: String,
    /// First line of the message.
    pub subject: String,
}

impl Release {
    /// Name of the archive, and of the folder in it.
    pub fn archive(&self) -> &str {
        self.archive.as_deref().unwrap_or(&self.tag)
    }
}

impl History {
    pub fn read(repository: &Repository) -> Result<Self> {
        let path = repository.path("demo/history.toml");
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        toml::from_str(&text).with_context(|| format!("{} is not as expected", path.display()))
    }
}
