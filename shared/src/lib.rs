//! The vocabulary of Lowerline, shared by the server, the command line and the browser.
//!
//! Modules in reading order: [`ids`] (names and digests, parsed once at the door), [`stage`] and [`target`] (what an
//! artifact is and for which chip), [`family`] (the taxonomy), [`report`] (what the analyzer found in one blob),
//! [`measure`] (what can be plotted), [`api`] (request and response bodies), [`permalink`] (every URL), [`problem`]
//! (every error code), [`comparison`], [`order`], [`explain`], [`strip`], [`agreement`], [`lowering`], [`space`] and [`plot`] (states,
//! targets and configs side by side, lines), [`display`], [`table`], [`needle`] and [`chart`] (how numbers read, are found and leave the page), [`dossier`]
//! (stated figures, checked), [`worker`] (what a page asks beside itself), [`api_path`] and [`limits`] (every bound both
//! sides must agree on).
//!
//! No IO, no async; builds for wasm32.

pub mod agreement;
pub mod api;
pub mod api_path;
pub mod chart;
pub mod comparison;
pub mod decision;
pub mod decision_filter;
pub mod decision_measure;
pub mod display;
pub mod dossier;
pub mod explain;
pub mod family;
pub mod fold;
pub mod ids;
pub mod limits;
pub mod lowering;
pub mod measure;
pub mod needle;
pub mod order;
pub mod permalink;
pub mod plot;
pub mod problem;
pub mod quiet;
pub mod report;
pub mod sieve;
pub mod space;
pub mod stage;
pub mod strip;
pub mod table;
pub mod target;
pub mod tensor;
pub mod worker;
