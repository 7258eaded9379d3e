//! MLIR's generic form, `"tt.func"() <{sym_name = "k"}> ({`: what the pretty form says in a function's and a module's first
//! line stands in properties, in the first block and behind the last region (MLIR Language Reference, `generic-operation`).

use std::collections::BTreeMap;

use lowerline_shared::report::Argument;

use super::arguments::{self, bracketed, dictionary, split_commas};

/// Whether an operation's first line, read from its name on, is in generic form.
pub(super) fn is_generic(head: &str) -> bool {
    head.starts_with('"')
}

/// A function's name, and whether it is visible outside; `None` when its first line has no `sym_name`.
pub(super) fn symbol(head: &str) -> Option<(&str, bool)> {
    let mut found = (None, true);
    for entry in split_commas(properties(head)?) {
        let Some((key, value)) = entry.split_once('=') else { continue };
        let value = value.trim().trim_matches('"');
        match key.trim() {
            "sym_name" => found.0 = Some(value),
            "sym_visibility" => found.1 = value != "private",
            _ => {}
        }
    }
    Some((found.0?, found.1))
}

/// A function's arguments: names and types of its first block, attributes of its first line.
pub(super) fn arguments(head: &str, block: &str) -> Vec<Argument> {
    let mut arguments = arguments::arguments(bracketed(block, "(").unwrap_or(""));
    let attributes = properties(head)
        .and_then(|all| split_commas(all).find_map(|entry| entry.strip_prefix("arg_attrs = ")))
        .and_then(|list| bracketed(list, "["));
    for (argument, attributes) in arguments.iter_mut().zip(attributes.into_iter().flat_map(split_commas)) {
        argument.attributes = bracketed(attributes, "{").map(dictionary).unwrap_or_default();
    }
    arguments
}

/// A module's attributes, from what stands behind its region.
pub(super) fn module_attributes(tail: &str) -> BTreeMap<String, String> {
    bracketed(tail, "{").map(dictionary).unwrap_or_default()
}

/// What stands within `<{` and `}>`.
fn properties(head: &str) -> Option<&str> {
    bracketed(bracketed(head, "<")?, "{")
}
