//! Exit codes and the errors that end a command. Scripts rely on the numbers: they never change meaning.

use std::process::ExitCode;

/// Everything was done.
pub const FINE: u8 = 0;
/// The command ran, but some folder or file could not be read; each is named on stderr.
pub const SOME_UNREADABLE: u8 = 1;
/// Wrong usage, or an input that makes the whole command impossible. clap ends with this number too.
pub const USAGE: u8 = 2;
/// The server or the network refused.
pub const SERVER: u8 = 3;
/// There was nothing to push.
pub const NOTHING_TO_PUSH: u8 = 4;
/// An assertion of a dossier is broken, or a build it speaks of is missing.
pub const ASSERTION: u8 = 5;

/// The text behind `--help`.
pub const HELP: &str = "\
Exit codes:
  0  fine
  1  some folders or files could not be read (the rest was done)
  2  usage or input error
  3  the server or the network refused
  4  nothing to push
  5  an assertion of a dossier is broken, or its build is missing";

/// Why a command ended early. Messages are lower case and end with what to try.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The caller asked for something that cannot be done.
    #[error("{0}")]
    Usage(String),
    /// The server or the way to it.
    #[error("{0}")]
    Server(String),
    /// The server refused what was sent, and says at which field.
    #[error("{words}")]
    Refused {
        /// The server's words.
        words: String,
        /// Path of the field (`builds[3].artifacts[0].stage`).
        field: Option<String>,
    },
    /// A file that could not be read or understood; the others are still done.
    #[error("{0}")]
    Unreadable(String),
    /// Writing to stdout failed. A closed pipe is no failure: whoever reads has enough.
    #[error("cannot write to stdout: {0}")]
    Output(#[from] std::io::Error),
}

impl Failure {
    /// The number for the shell.
    pub fn code(&self) -> u8 {
        match self {
            Self::Output(error) if error.kind() == std::io::ErrorKind::BrokenPipe => FINE,
            Self::Unreadable(_) => SOME_UNREADABLE,
            Self::Usage(_) | Self::Output(_) => USAGE,
            Self::Server(_) | Self::Refused { .. } => SERVER,
        }
    }
}

/// Ends the program: says why on stderr unless there is nothing to say.
pub fn end(result: Result<u8, Failure>) -> ExitCode {
    match result {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            if failure.code() != FINE {
                crate::output::talk(&format!("error: {failure}"));
            }
            ExitCode::from(failure.code())
        }
    }
}
