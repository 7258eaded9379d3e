//! One module per page. Each has four states: loading, empty, error, data.

pub mod commit;
pub mod compare;
pub mod dossier;
pub mod home;
pub mod layouts;
pub mod local;
pub mod lowering;
pub mod missing;
pub mod project;
pub mod space;
pub mod trends;
