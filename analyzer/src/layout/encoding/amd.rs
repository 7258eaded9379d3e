//! Results and operands of AMD matrix instructions (`v_mfma`, `v_wmma`).

mod mfma;
mod wmma;

pub use mfma::Mfma;
pub use wmma::Wmma;
