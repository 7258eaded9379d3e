//! `lowerline`: pushes what compilers emitted to a server, and shows what the analyzer sees in a file.
//!
//! stdout is data, stderr is talk, exit codes are the constants of [`exit`]. Modules in reading order: [`args`] (the
//! command line), [`config`] (flag over environment over file), [`find`] (folders to builds), [`commit`] and [`git`]
//! (which commit), [`manifest`] (what is sent), [`net`] (how it is sent), [`push`], [`inspect`] and [`dossier`] (the commands),
//! [`output`] (what reaches the terminal).

mod args;
mod commit;
mod config;
mod dossier;
mod exit;
mod fatbin;
mod find;
mod git;
mod inspect;
mod manifest;
mod net;
mod output;
mod progress;
mod push;
mod table;
mod time;

use clap::Parser as _;

fn main() -> std::process::ExitCode {
    let args = args::Args::parse();
    exit::end(match args.command {
        args::Command::Push(push) => push::run(&push, &args.global),
        args::Command::Inspect(inspect) => inspect::run(&inspect),
        args::Command::Dossier(dossier) => dossier::run(&dossier),
        args::Command::Config(args::ConfigCommand::Show) => config::show(&args.global),
        args::Command::Completions { shell } => args::completions(shell),
    })
}
