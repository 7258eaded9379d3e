//! What pages are made of.

pub mod chips;
pub mod export;
pub mod marks;
pub mod search;
pub mod states;
pub mod toast;
