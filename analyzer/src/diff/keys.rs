//! Alignment keys: a hash of what a line means, without the names that renumbering changes.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use lowerline_shared::stage::Stage;

/// Key and mnemonic of one line. Two lines with one key are the same but for names; two lines with one mnemonic are
/// the same operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) line: u64,
    pub(super) mnemonic: u64,
}

/// Layout aliases of one MLIR text: `#blocked3` → hash of its body, so that alias numbers do not matter.
pub(super) type Aliases<'t> = HashMap<&'t str, u64>;

/// Reads `#name = body` lines; an alias inside a body is hashed by its own name only, one level being enough to tell
/// layouts apart.
pub(super) fn aliases(text: &str) -> Aliases<'_> {
    text.lines()
        .filter(|line| line.starts_with('#') && !line.starts_with("#loc"))
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, body)| (name, hash(body)))
        .collect()
}

pub(super) fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// What a word becomes in a key.
enum Word<'t> {
    Kept(&'t str),
    Class(&'static str),
    Alias(u64),
}

/// The key of one line, already trimmed and without its trailing comment or location.
pub(super) fn key(stage: Stage, line: &str, aliases: &Aliases<'_>) -> Key {
    let mut hasher = DefaultHasher::new();
    let mut mnemonic = None;
    let mut rest = line;
    let mut branch = false;
    while let Some((word, tail)) = next_word(stage, rest) {
        rest = tail;
        let classified = classify(stage, word, aliases, branch);
        if mnemonic.is_none() && is_mnemonic(stage, word) {
            mnemonic = Some(hash(word));
            branch = is_branch(word);
        }
        match classified {
            Word::Kept(word) => word.hash(&mut hasher),
            Word::Class(class) => class.hash(&mut hasher),
            Word::Alias(body) => body.hash(&mut hasher),
        }
    }
    let line = hasher.finish();
    Key { line, mnemonic: mnemonic.unwrap_or(line) }
}

fn is_mlir(stage: Stage) -> bool {
    matches!(stage, Stage::Source | Stage::Ttir | Stage::Glir | Stage::Ttgir)
}

/// Bytes that a word of this stage may hold.
fn in_word(stage: Stage, byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'_' | b'.' | b'$')
        || (byte == b'%' || byte == b'#' || byte == b'@')
        || (byte == b':' && stage == Stage::Ptx)
        || byte >= 0x80
}

/// The next word or single punctuation byte; white space is passed over.
fn next_word(stage: Stage, text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let first = *text.as_bytes().first()?;
    let end = if in_word(stage, first) {
        // `%`, `#` and `@` start a word and end the one before.
        text.bytes()
            .enumerate()
            .skip(1)
            .find(|(_, byte)| !in_word(stage, *byte) || matches!(byte, b'%' | b'#' | b'@'))
            .map_or(text.len(), |(at, _)| at)
    } else {
        1
    };
    text.split_at_checked(end)
}

fn is_mnemonic(stage: Stage, word: &str) -> bool {
    let first = word.as_bytes().first().copied().unwrap_or(b' ');
    if is_mlir(stage) {
        return first.is_ascii_alphabetic() && word.contains('.');
    }
    match stage {
        Stage::Llir => first.is_ascii_lowercase() && !matches!(word, "tail" | "notail" | "musttail"),
        Stage::Sass => first.is_ascii_uppercase() && !is_predicate(word),
        _ => first.is_ascii_alphabetic() || first == b'.',
    }
}

fn is_predicate(word: &str) -> bool {
    word.trim_start_matches('U')
        .strip_prefix('P')
        .is_some_and(|rest| rest == "T" || rest.bytes().all(|b| b.is_ascii_digit()))
}

fn is_branch(mnemonic: &str) -> bool {
    ["BRA", "BSSY", "CALL", "BREAK", "JMP", "bra", "call", "s_cbranch", "s_branch", "br"]
        .iter()
        .any(|prefix| mnemonic.starts_with(prefix))
}

fn digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn classify<'t>(stage: Stage, word: &'t str, aliases: &Aliases<'_>, branch: bool) -> Word<'t> {
    let first = word.as_bytes().first().copied().unwrap_or(b' ');
    match (stage, first) {
        (_, b'%') if is_mlir(stage) => Word::Class("%"),
        (_, b'#') if is_mlir(stage) => aliases.get(word).map_or(Word::Kept(word), |body| Word::Alias(*body)),
        (Stage::Llir, b'%') => Word::Class("%"),
        // `!dbg !12` and attribute groups are numbered per file.
        (Stage::Llir, b'#') => Word::Class("#"),
        (Stage::Ptx, b'%') => Word::Class(ptx_register(word)),
        (Stage::Ptx, b'$') => Word::Class("label"),
        (Stage::Sass, _) => sass_word(word, branch),
        (Stage::Amdgcn, _) => amdgcn_word(word),
        _ => Word::Kept(word),
    }
}

/// `%rd12` → its class; special registers (`%tid.x`) have none and are told apart by letters.
fn ptx_register(word: &str) -> &'static str {
    let name = word.trim_start_matches('%').trim_end_matches(|c: char| c.is_ascii_digit());
    match name {
        "r" => "%r",
        "rd" => "%rd",
        "rs" => "%rs",
        "rq" => "%rq",
        "f" => "%f",
        "fd" => "%fd",
        "p" => "%p",
        _ if name.starts_with("tid") => "%tid",
        _ if name.starts_with("ctaid") => "%ctaid",
        _ => "%",
    }
}

fn sass_word(word: &str, branch: bool) -> Word<'_> {
    // `.reuse` is a cache hint that ptxas sets per schedule.
    let word = word.strip_suffix(".reuse").unwrap_or(word);
    if word.starts_with(".L") || word.starts_with("LBB") || (branch && word.starts_with("0x")) {
        return Word::Class("label");
    }
    let guard = word.strip_prefix('@').unwrap_or(word);
    for (prefix, class) in [("UR", "UR"), ("UP", "UP"), ("SB", "SB"), ("R", "R"), ("P", "P"), ("B", "B")] {
        let Some(rest) = guard.strip_prefix(prefix) else { continue };
        if digits(rest.split('.').next().unwrap_or(rest)) {
            return Word::Class(if guard.len() == word.len() { class } else { "@P" });
        }
    }
    Word::Kept(word)
}

fn amdgcn_word(word: &str) -> Word<'_> {
    if word.starts_with(".LBB") || word.starts_with(".Ltmp") {
        return Word::Class("label");
    }
    // `s[4:5]`: the letter stands alone, numbers behind `[` and `:` are words of their own and are kept as a width only
    // through the shape of the brackets; see `lines::code`, which folds them.
    for (prefix, class) in [("v", "v"), ("s", "s"), ("a", "a"), ("ttmp", "ttmp")] {
        if word.strip_prefix(prefix).is_some_and(digits) {
            return Word::Class(class);
        }
    }
    Word::Kept(word)
}
