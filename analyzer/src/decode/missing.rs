//! What an uploaded SASS text with encodings knows and the tables do not.

use std::collections::BTreeMap;

use super::{
    opcode::{Certainty, Decoder},
    word::Word,
};

/// Pairs one line lists; the rest is counted.
const MAX_LISTED: usize = 12;

/// Compares a text of `nvdisasm -hex` or `cuobjdump -sass` with the tables.
///
/// One line to paste into an issue: architecture, then word and printed mnemonic for every deciding value that the
/// tables lack or name otherwise. `None` when they agree or the text has no encodings.
pub fn missing_keys(text: &str) -> Option<String> {
    let sm = architecture(text)?;
    let mut decoder = Decoder::new(sm);
    let mut missing: BTreeMap<(u16, String), u128> = BTreeMap::new();
    let mut low: Option<(u64, &str)> = None;
    for line in text.lines() {
        let Some(half) = encoding(line) else { continue };
        if let Some(mnemonic) = mnemonic(line) {
            low = Some((half, mnemonic));
        } else if let Some((first, mnemonic)) = low.take() {
            let word = Word(u128::from(half) << 64 | u128::from(first));
            let id = decoder.decode(word);
            let agrees = decoder.opcode(id).is_some_and(|opcode| match opcode.certainty {
                Certainty::Full => opcode.name == mnemonic,
                Certainty::Base | Certainty::Unknown => false,
            });
            if !agrees {
                missing.entry((word.key(), mnemonic.to_owned())).or_insert(word.0);
            }
        }
    }
    if missing.is_empty() {
        return None;
    }
    let listed: Vec<String> =
        missing.iter().take(MAX_LISTED).map(|((_, name), word)| format!("{word:032x}={name}")).collect();
    let rest = missing.len().saturating_sub(MAX_LISTED);
    let more = if rest == 0 { String::new() } else { format!(" and {rest} more") };
    Some(format!("decoder tables lack sm_{sm}: {}{more}", listed.join(" ")))
}

/// The number of `EF_CUDA_SM90` or `sm_90a`, whichever the text has first.
fn architecture(text: &str) -> Option<u32> {
    for line in text.lines().take(64) {
        for mark in ["EF_CUDA_SM", "sm_"] {
            if let Some((_, rest)) = line.split_once(mark) {
                let digits: String = rest.chars().take_while(char::is_ascii_digit).take(4).collect();
                if let Ok(sm) = digits.parse() {
                    return Some(sm);
                }
            }
        }
    }
    None
}

/// The 64-bit half in the last comment of a line: `/* 0x000fea0003800000 */`.
fn encoding(line: &str) -> Option<u64> {
    let inner = line.trim_end().strip_suffix("*/")?;
    let (_, inner) = inner.rsplit_once("/*")?;
    let digits = inner.trim().strip_prefix("0x")?;
    if digits.len() == 16 { u64::from_str_radix(digits, 16).ok() } else { None }
}

/// The mnemonic of an instruction line; `None` for a line that holds only the second half.
fn mnemonic(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("/*")?;
    let (address, rest) = rest.split_once("*/")?;
    u64::from_str_radix(address, 16).ok()?;
    rest.split_whitespace().find(|part| !part.starts_with(['@', '{'])).map(|part| part.trim_end_matches(';'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "\t.headerflags\t@\"EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)\"\n";

    #[test]
    fn agreement_is_silent_and_a_difference_is_one_line() {
        let exit = "        /*0010*/                   EXIT ;  /* 0x000000000000794d */\n  /* 0x000fea0003800000 */\n";
        assert_eq!(missing_keys(&format!("{HEAD}{exit}")), None);
        let news = exit.replace("EXIT ", "LEAVE ");
        assert_eq!(
            missing_keys(&format!("{HEAD}{news}")).as_deref(),
            Some("decoder tables lack sm_90: 000fea0003800000000000000000794d=LEAVE")
        );
        assert_eq!(missing_keys("nothing"), None);
    }
}
