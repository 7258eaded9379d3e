//! The server: HTTP (axum) in front of storage (Postgres for what is counted, files for bytes).
//!
//! In reading order: [`config`] and [`state`] (what a process is made of), [`router`] (every route in one table),
//! [`middleware`], [`api`] (one handler per route), then what they call: [`blobs`] and [`intake`] (bytes in), [`ingest`]
//! (a manifest becomes rows), [`order`] (where a commit stands), [`trend`], [`comparison`], [`kernel`] and [`page`] (answers), [`db`]
//! (all SQL) and [`commands`] (what the binary does besides serving).
//!
//! Rules: SQL only in [`db`]; axum only in [`api`], [`middleware`], [`router`] and [`error`].

mod analysis;
mod api;
pub mod blobs;
pub mod commands;
mod comparison;
pub mod config;
mod counts;
pub mod db;
mod dossier;
mod error;
mod ingest;
mod intake;
mod kernel;
mod middleware;
mod order;
mod page;
mod record;
pub mod router;
mod search;
pub mod serve;
pub mod state;
pub mod token;
mod trend;
mod view;
