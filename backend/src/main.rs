//! `lowerline-server`: see [`lowerline_backend::config`] for its commands.

use std::process::ExitCode;

use clap::Parser as _;
use lowerline_backend::{commands, config::Cli};
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let filter = EnvFilter::try_from_env("LOWERLINE_LOG").unwrap_or_else(|_| EnvFilter::new("info,sqlx=warn"));
    // Standard output is for data (a token, the address); the log goes beside it.
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    match commands::run(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lowerline-server: {error:#}");
            ExitCode::FAILURE
        }
    }
}
