//! What pages are made of.

pub mod chips;
pub mod export;
pub mod layout_link;
pub mod marks;
pub mod only;
pub mod search;
pub mod states;
pub mod toast;
