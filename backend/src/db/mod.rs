//! All SQL. One query per function; names: `insert_`, `find_` (an `Option`), `get_` (missing is an error), `list_`.
//!
//! Reports and histograms hang on blobs, builds point at a shared `lowering`, and a `profile` is what of a lowering can
//! be counted: see `migrations/`. Row structs end in `Row`.

pub(crate) mod blob;
pub(crate) mod build;
mod codes;
pub(crate) mod commit;
pub(crate) mod compare;
pub(crate) mod config;
pub(crate) mod dossier;
pub(crate) mod history;
pub(crate) mod kernel;
pub(crate) mod lowering;
pub(crate) mod maintenance;
pub(crate) mod measure;
pub mod migrate;
pub(crate) mod profile;
pub mod project;
pub(crate) mod push;
pub(crate) mod space;
pub mod token;
pub(crate) mod trend;

use std::str::FromStr as _;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

pub use codes::Codes;
pub use sqlx::Error;

/// A pool of connections.
pub type Pool = sqlx::PgPool;
/// One connection, or the one inside a transaction.
pub type Connection = sqlx::PgConnection;
/// What every function here returns.
pub type Result<T> = std::result::Result<T, Error>;

/// Statements of requests end after this; the largest push stays far below.
const STATEMENT_TIMEOUT: &str = "30s";

fn options(url: &str) -> Result<PgConnectOptions> {
    Ok(PgConnectOptions::from_str(url)?.application_name("lowerline-server").options([
        ("statement_timeout", STATEMENT_TIMEOUT),
        ("idle_in_transaction_session_timeout", "30s"),
        ("jit", "off"),
    ]))
}

/// A pool that connects when it is first used.
///
/// # Errors
/// When the address is none.
pub fn pool(url: &str) -> Result<Pool> {
    Ok(PgPoolOptions::new()
        .max_connections(crate::config::POOL_SIZE)
        .acquire_timeout(crate::config::POOL_WAIT)
        .connect_lazy_with(options(url)?))
}

/// Whether the database is away, as opposed to refusing what was asked.
pub fn is_outage(error: &Error) -> bool {
    match error {
        Error::PoolTimedOut | Error::PoolClosed | Error::WorkerCrashed | Error::Io(_) | Error::Tls(_) => true,
        // Class 08: connection; 53: out of resources; 57: stopped by the operator or by a time limit.
        Error::Database(error) => {
            error.code().is_some_and(|code| ["08", "53", "57"].iter().any(|class| code.starts_with(class)))
        }
        _ => false,
    }
}

/// Answers when the database does.
pub async fn ping(pool: &Pool) -> Result<()> {
    sqlx::query_scalar!(r#"select 1 as "one!""#).fetch_one(pool).await.map(drop)
}
