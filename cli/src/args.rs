//! The command line.

use std::{io::Write as _, path::PathBuf};

use clap::{Args as ClapArgs, CommandFactory as _, Parser, Subcommand};
use lowerline_shared::ids::{CommitSha, ProjectSlug, Rev};

use crate::{
    exit::{self, Failure},
    time,
};

/// Keeps the history of what GPU compilers emit.
#[derive(Debug, Parser)]
#[command(name = "lowerline", version, about, after_help = exit::HELP, max_term_width = 110)]
pub struct Args {
    /// What every command takes.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What every command takes.
#[derive(Debug, Default, ClapArgs)]
pub struct Global {
    /// Server, as in `https://lowerline.example` [env: LOWERLINE_SERVER]
    #[arg(long, global = true, value_name = "URL")]
    pub server: Option<String>,
    /// Write token (`llt_…`); the environment keeps it out of the process list [env: LOWERLINE_TOKEN]
    #[arg(long, global = true, value_name = "TOKEN")]
    pub token: Option<String>,
    /// Project, as in `/p/{project}` [env: LOWERLINE_PROJECT]
    #[arg(long, global = true, value_name = "SLUG")]
    pub project: Option<ProjectSlug>,
    /// Settings file; otherwise the nearest `lowerline.toml` from here up to the repository's root
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// No progress and no summary; errors are still said
    #[arg(long, short, global = true)]
    pub quiet: bool,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Send the builds below some folders as one commit of a project.
    ///
    /// Finds Triton cache entries (`<hash>/<name>.json` beside `<name>.ttir …`) and recorded builds (`build.json`
    /// beside artifacts). Only blobs the server lacks are sent. Prints the address of the commit's page.
    Push(Box<Push>),
    /// Show what the analyzer sees in files, without a server
    Inspect(Inspect),
    /// Check stated figures against builds in folders, without a server
    ///
    /// A dossier is a TOML file of assertions: what is claimed, where it can be seen, what it should be.
    /// `demo/dossier/` holds those of the two articles.
    Dossier(Dossier),
    /// Show settings and where each comes from
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Write completions for a shell to stdout
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
}

/// About settings.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print every setting with its origin; the token is never printed
    Show,
}

/// What a push takes.
#[derive(Debug, ClapArgs)]
#[command(after_help = exit::HELP)]
pub struct Push {
    /// Folders to search, `~/.triton/cache` for one
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Commit the builds belong to: anything `git rev-parse` knows, or a full hash with --committed-at
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    pub commit: String,
    /// Repository to read the commit from; default: the one around the working directory
    #[arg(long, value_name = "DIR")]
    pub repo: Option<PathBuf>,
    /// Uploads at the same time
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=32))]
    pub jobs: u8,
    /// Print the manifest as JSON and send nothing
    #[arg(long)]
    pub dry_run: bool,
    /// What git does not know or should not say.
    #[command(flatten)]
    pub about: About,
}

/// Commit metadata by hand. Each overrides git; with --committed-at no repository is needed.
#[derive(Debug, Default, ClapArgs)]
#[command(next_help_heading = "Commit (overrides git; with --committed-at no repository is needed)")]
pub struct About {
    /// Full hash of a parent, the first parent first
    #[arg(long = "parent", value_name = "SHA")]
    pub parents: Vec<CommitSha>,
    /// Tag such as `3.5.0`
    #[arg(long, value_name = "TAG")]
    pub tag: Option<Rev>,
    /// Branch; default: the checked-out one, the CI's, or main
    #[arg(long, value_name = "NAME")]
    pub branch: Option<String>,
    /// Author's name
    #[arg(long, value_name = "NAME")]
    pub author: Option<String>,
    /// When it was authored, RFC 3339 or seconds since 1970
    #[arg(long, value_name = "TIME", value_parser = time::parse, allow_negative_numbers = true)]
    pub authored_at: Option<i64>,
    /// When it was committed, RFC 3339 or seconds since 1970
    #[arg(long, value_name = "TIME", value_parser = time::parse, allow_negative_numbers = true)]
    pub committed_at: Option<i64>,
    /// First line of the message
    #[arg(long, value_name = "TEXT")]
    pub subject: Option<String>,
    /// Pull request that brought it; default: the `(#1234)` of the subject
    #[arg(long, value_name = "NUMBER")]
    pub pull_request: Option<u32>,
}

/// What an inspection takes.
#[derive(Debug, ClapArgs)]
#[command(after_help = exit::HELP)]
pub struct Inspect {
    /// Files to look into; `-` reads stdin
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// One JSON object per file and line: `{"schema": 1, "file": …, …}`; fields are added, never renamed
    #[arg(long)]
    pub json: bool,
    /// The instructions of cubins: address, control codes, guard, mnemonic, known operands, source line
    #[arg(long, conflicts_with = "json")]
    pub disasm: bool,
}

/// What checking a dossier takes.
#[derive(Debug, ClapArgs)]
#[command(after_help = exit::HELP)]
pub struct Dossier {
    /// Dossiers to check
    #[arg(long = "file", required = true, num_args = 1.., value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Folders to search for builds, as `push` does
    #[arg(long, required = true, num_args = 1.., value_name = "PATH")]
    pub builds: Vec<PathBuf>,
    /// How to print the verdict: JSON is `{"title": …, "assertions": [{id, source, what, expected, got, status, why}]}`
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// For people or for programs.
#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// For programs; fields are added, never renamed
    Json,
}

/// Writes a completion script.
pub fn completions(shell: clap_complete::Shell) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "lowerline", &mut script);
    std::io::stdout().lock().write_all(&script)?;
    Ok(exit::FINE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }
}
