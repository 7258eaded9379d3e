//! Rules about the shape of the code that no compiler checks.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Result, bail};
use serde::Deserialize;

use crate::{repository::Repository, task};

/// Which room may depend on which; the table of `ARCHITECTURE.md`.
const ARROWS: [(&str, &[&str]); 8] = [
    ("lowerline-shared", &[]),
    ("lowerline-analyzer", &["lowerline-shared"]),
    ("lowerline-postgres", &[]),
    ("lowerline-backend", &["lowerline-shared", "lowerline-analyzer", "lowerline-postgres"]),
    ("lowerline-cli", &["lowerline-shared", "lowerline-analyzer"]),
    ("lowerline-frontend", &["lowerline-shared", "lowerline-analyzer"]),
    ("lowerline-worker", &["lowerline-shared", "lowerline-analyzer"]),
    ("xtask", &["lowerline-postgres"]),
];

const ROOMS: [&str; 8] = ["shared", "analyzer", "postgres", "backend", "cli", "frontend", "worker", "xtask"];

/// Lines outside tests: of the longest file, of nine in ten, of the middle one.
const LONGEST: usize = 500;
const NINE_IN_TEN: usize = 300;
const MIDDLE: usize = 120;

/// A text that may stand only in some places of a room.
struct Confined {
    text: &'static str,
    room: &'static str,
    allowed: &'static [&'static str],
    why: &'static str,
}

const CONFINED: [Confined; 5] = [
    Confined { text: "query!(", room: "backend/src", allowed: &["backend/src/db/"], why: "SQL lives in db/" },
    Confined { text: "query_as!(", room: "backend/src", allowed: &["backend/src/db/"], why: "SQL lives in db/" },
    Confined { text: "sqlx::query", room: "backend/src", allowed: &["backend/src/db/"], why: "SQL lives in db/" },
    Confined {
        text: "axum::",
        room: "backend/src",
        allowed: &["backend/src/api/", "backend/src/middleware/", "backend/src/router.rs", "backend/src/error.rs"],
        why: "axum stays at the edge",
    },
    Confined { text: concat!("inner", "_html"), room: "frontend", allowed: &[], why: "it runs what others wrote" },
];

/// Reports every breach, not the first.
pub fn run(repository: &Repository) -> Result<()> {
    let mut breaches = arrows(repository)?;
    let mut sources = Vec::new();
    for room in ROOMS {
        collect(&repository.path(room), &mut sources)?;
    }
    sources.sort();
    let mut lengths = Vec::new();
    for path in &sources {
        let text = fs::read_to_string(path)?;
        let name = path.strip_prefix(&repository.root)?.to_string_lossy().into_owned();
        let lines = lines_outside_tests(&text);
        if !is_test(&name) {
            lengths.push(lines);
            if lines > LONGEST {
                breaches.push(format!("{name}: {lines} lines, {LONGEST} are allowed"));
            }
        }
        breaches.extend(confined(&name, &text));
        if holds_unsafe(&text) {
            breaches.push(format!("{name}: the keyword that this repository does without"));
        }
    }
    lengths.sort_unstable();
    for (name, share, bound) in [("median", 0.5, MIDDLE), ("90th percentile", 0.9, NINE_IN_TEN)] {
        let value = percentile(&lengths, share);
        if value > bound {
            breaches.push(format!("the {name} of all files is {value} lines, {bound} are allowed"));
        }
    }
    breaches.extend(lock_files(repository)?);
    if breaches.is_empty() {
        task::step(format_args!("tidy: {} files, median {} lines", sources.len(), percentile(&lengths, 0.5)));
        return Ok(());
    }
    bail!("{} breaches:\n  {}", breaches.len(), breaches.join("\n  "))
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    path: Option<PathBuf>,
}

fn arrows(repository: &Repository) -> Result<Vec<String>> {
    let text = task::output(repository.cargo().args(["metadata", "--format-version=1", "--no-deps"]))?;
    let metadata: Metadata = serde_json::from_str(&text)?;
    let mut breaches = Vec::new();
    for package in metadata.packages {
        let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| *name == package.name) else {
            breaches.push(format!("the room {} is not in the table of arrows", package.name));
            continue;
        };
        let rooms = package.dependencies.into_iter().filter(|dependency| dependency.path.is_some());
        // The same room may stand among normal and test dependencies.
        let rooms: BTreeSet<String> = rooms.map(|dependency| dependency.name).collect();
        let wrong = rooms.iter().filter(|room| !allowed.contains(&room.as_str()));
        breaches.extend(wrong.map(|room| format!("{} may not depend on {room}", package.name)));
    }
    Ok(breaches)
}

fn confined(name: &str, text: &str) -> Vec<String> {
    CONFINED
        .iter()
        .filter(|rule| name.starts_with(rule.room) && !rule.allowed.iter().any(|place| name.starts_with(place)))
        .filter(|rule| text.lines().any(|line| !is_comment(line) && line.contains(rule.text)))
        .map(|rule| format!("{name}: `{}` ({})", rule.text, rule.why))
        .collect()
}

fn holds_unsafe(text: &str) -> bool {
    let keyword = concat!("uns", "afe");
    let blocks =
        [format!("{keyword} {{"), format!("{keyword} fn"), format!("{keyword} impl"), format!("{keyword} extern")];
    text.lines().any(|line| !is_comment(line) && blocks.iter().any(|block| line.contains(block)))
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

/// Lock files must work with any registry.
fn lock_files(repository: &Repository) -> Result<Vec<String>> {
    let mut breaches = Vec::new();
    for name in ["frontend/package-lock.json", "e2e/package-lock.json"] {
        let path = repository.path(name);
        if path.is_file() && fs::read_to_string(&path)?.contains("\"resolved\":") {
            breaches.push(format!("{name} names a registry; write it with --omit-lockfile-registry-resolved"));
        }
    }
    Ok(breaches)
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            if !["node_modules", "target"].iter().any(|name| entry.file_name() == *name) {
                collect(&path, found)?;
            }
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            found.push(path);
        }
    }
    Ok(())
}

fn is_test(name: &str) -> bool {
    name.contains("/tests/") || name.ends_with("/tests.rs") || name.contains("/benches/")
}

/// Tests stand at the foot of a file, behind the attribute that keeps them out of the program.
fn lines_outside_tests(text: &str) -> usize {
    text.lines().take_while(|line| *line != "#[cfg(test)]").count()
}

fn percentile(sorted: &[usize], share: f64) -> usize {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index into a list of files")]
    let index = (sorted.len() as f64 * share) as usize;
    sorted.get(index.min(sorted.len().saturating_sub(1))).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_do_not_count_as_lines_of_a_file() {
        assert_eq!(lines_outside_tests("a\nb\n\n#[cfg(test)]\nmod tests {\n}\n"), 3);
    }

    #[test]
    fn sql_outside_its_room_is_a_breach_and_a_comment_about_it_is_none() {
        assert_eq!(confined("backend/src/api/push.rs", "    sqlx::query!(\"select 1\")").len(), 2);
        assert!(confined("backend/src/api/push.rs", "    // query!( is for db/").is_empty());
        assert!(confined("backend/src/db/push.rs", "sqlx::query!(\"select 1\")").is_empty());
    }

    #[test]
    fn the_ninth_decile_of_ten_files_is_the_longest() {
        assert_eq!(percentile(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.9), 10);
        assert_eq!(percentile(&[], 0.5), 0);
    }
}
