//! A private Postgres for one data directory, made of the machine's own Postgres programs.
//!
//! The cluster belongs to the server that started it: a unix socket in a folder nobody else may enter, no TCP, no
//! configuration to edit. It is never the machine's own cluster and never shared by two servers.
//!
//! Modules in reading order: [`binaries`] (which `postgres` and `initdb`), `account` (whose rights they run with),
//! `place` (where the files lie), `guard` (how Postgres ends when its server does), `state` (what Postgres says about
//! itself), `launch` (one start, one stop), `keeper` (again when it ended by itself), [`cluster`] (all of it) and [`error`].
//!
//! Synchronous: starting takes 0.2 s, or some seconds the first time.

mod account;
pub mod binaries;
pub mod cluster;
pub mod error;
mod guard;
mod keeper;
mod launch;
mod place;
mod state;

pub use binaries::Binaries;
pub use cluster::{Cluster, DATABASE};
pub use error::Error;
