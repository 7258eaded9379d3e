//! What the command line and the environment say, and the bounds of this process.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use clap::{Args, Parser, Subcommand};
use lowerline_shared::ids::ProjectSlug;

/// Below this much free space nothing more is accepted: a full disk stops Postgres too.
pub const FREE_BYTES: u64 = 1024 * 1024 * 1024;
/// A client that sends its headers slower than this is cut.
pub const HEADER_READ: Duration = Duration::from_secs(10);
/// A body that is not there by then is cut, however steadily it drips.
pub const BODY_DEADLINE: Duration = Duration::from_mins(1);
/// A read that takes longer is answered with 408.
pub const HANDLER: Duration = Duration::from_secs(30);
/// A push of the largest manifest may take this long.
pub const PUSH: Duration = Duration::from_mins(2);
/// Waiting for a database connection; then 503.
pub const POOL_WAIT: Duration = Duration::from_secs(1);
/// Connections to the database.
pub const POOL_SIZE: u32 = 16;
/// Time for requests in flight after a signal to stop.
pub const DRAIN: Duration = Duration::from_secs(25);
/// Analyses waiting behind the running ones; then 503.
pub const ANALYSIS_QUEUE: usize = 16;
/// Builds in one answer of a comparison.
pub const BUILDS_PER_COMPARISON: usize = 200;
/// Commits in one answer of a list.
pub const COMMITS_PER_LIST: u32 = 200;
/// Measures in one answer of a search.
pub const MEASURES_PER_SEARCH: i64 = 60;
/// Up to this many commits a trend names all of them.
pub const COMMITS_NAMED_IN_FULL: usize = 200;

/// Keeps the history of what GPU compilers emit.
#[derive(Debug, Parser)]
#[command(name = "lowerline-server", version)]
pub struct Cli {
    /// Where to find the data; every command takes it.
    #[command(flatten)]
    pub storage: Storage,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Where rows and bytes are.
#[derive(Clone, Debug, Args)]
pub struct Storage {
    /// Data directory: blobs, and the private Postgres when no other is given
    #[arg(long, global = true, env = "LOWERLINE_DATA", default_value = "data")]
    pub data: PathBuf,
    /// Postgres to use instead of a private one
    #[arg(long, global = true, env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: Option<String>,
}

/// One thing the binary does.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve the API and the pages
    Serve(ServeArgs),
    /// Bring the database to the schema of this version
    Migrate {
        /// Undo down to this migration instead
        #[arg(long)]
        down_to: Option<i64>,
    },
    /// Make, list and revoke write tokens
    #[command(subcommand)]
    Token(TokenCommand),
    /// Verify that every row has its blob and every blob its hash
    Check,
    /// Delete blobs that nothing points at
    Gc {
        /// Delete; without this it is only said what would be
        #[arg(long)]
        yes: bool,
    },
    /// Analyze again every blob whose report is of another analyzer version, and rebuild what is derived
    Reparse {
        /// Reports of this version too
        #[arg(long)]
        all: bool,
    },
}

/// How to serve.
#[derive(Clone, Debug, Args)]
pub struct ServeArgs {
    /// Address to listen at; port 0 takes a free one
    #[arg(long, env = "LOWERLINE_LISTEN", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// Folder with the built app (`index.html`, `assets/`)
    #[arg(long, env = "LOWERLINE_APP")]
    pub app: Option<PathBuf>,
    /// File to write the port to, once listening
    #[arg(long)]
    pub port_file: Option<PathBuf>,
    /// Public address (`https://lowerline.example`), for canonical links
    #[arg(long, env = "LOWERLINE_ORIGIN")]
    pub origin: Option<String>,
    /// Bring an external database to the schema of this version first; a private one always is
    #[arg(long)]
    pub migrate: bool,
}

/// Tokens.
#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Make a token; it is printed once and kept as a hash. Makes the project when there is none
    Create {
        /// Project it may push to
        #[arg(long)]
        project: ProjectSlug,
        /// What it is for
        #[arg(long, default_value = "")]
        name: String,
        /// Repository of the project, shown on its page
        #[arg(long)]
        repository: Option<String>,
        /// Days until it expires; 0 for never
        #[arg(long, default_value_t = 90)]
        days: u32,
    },
    /// List the tokens of a project
    List {
        /// Project
        #[arg(long)]
        project: ProjectSlug,
    },
    /// Revoke a token by its prefix, as listed
    Revoke {
        /// Project
        #[arg(long)]
        project: ProjectSlug,
        /// Prefix
        prefix: String,
    },
}
