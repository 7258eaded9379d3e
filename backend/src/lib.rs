//! The server: HTTP (axum) in front of storage (Postgres for what is counted, files for bytes).
//!
//! In reading order: [`config`] and [`state`] (what a process is made of), [`router`] (every route in one table),
//! [`middleware`], [`api`] (one handler per route), then what they call: [`blobs`] and [`intake`] (bytes in), [`ingest`]
//! (a manifest becomes rows), [`order`] (where a commit stands), [`trend`], [`comparison`] and [`page`] (answers), [`db`]
//! (all SQL) and [`commands`] (what the binary does besides serving).
//!
//! Rules: SQL only in [`db`]; axum only in [`api`], [`middleware`], [`router`] and [`error`].

pub mod analysis;
pub mod api;
pub mod blobs;
pub mod commands;
pub mod comparison;
pub mod config;
pub mod counts;
pub mod db;
pub mod error;
pub mod ingest;
pub mod intake;
pub mod middleware;
pub mod order;
pub mod page;
pub mod record;
pub mod router;
pub mod search;
pub mod serve;
pub mod state;
pub mod token;
pub mod trend;
pub mod view;
