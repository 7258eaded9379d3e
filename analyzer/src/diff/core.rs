//! The core diff, the same whichever side is first.

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Runs the core diff in one fixed orientation, so that swapping the sides mirrors the result exactly.
pub(super) fn diff(algorithm: Algorithm, a: &[u64], b: &[u64]) -> Vec<DiffOp> {
    if a <= b {
        return capture_diff_slices(algorithm, a, b);
    }
    let mirrored = |op: DiffOp| match op {
        DiffOp::Equal { old_index, new_index, len } => {
            DiffOp::Equal { old_index: new_index, new_index: old_index, len }
        }
        DiffOp::Delete { old_index, old_len, new_index } => {
            DiffOp::Insert { old_index: new_index, new_index: old_index, new_len: old_len }
        }
        DiffOp::Insert { old_index, new_index, new_len } => {
            DiffOp::Delete { old_index: new_index, old_len: new_len, new_index: old_index }
        }
        DiffOp::Replace { old_index, old_len, new_index, new_len } => {
            DiffOp::Replace { old_index: new_index, old_len: new_len, new_index: old_index, new_len: old_len }
        }
    };
    capture_diff_slices(algorithm, b, a).into_iter().map(mirrored).collect()
}
