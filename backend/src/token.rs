//! Write tokens: `llt_` and 32 random characters, kept as their SHA-256.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// What every token starts with, so that secret scanners find it: `llt_[a-z2-7]{32}`. Never changes.
pub const PREFIX: &str = "llt_";
/// Random characters behind the prefix: 160 bits.
const RANDOM_CHARS: usize = 32;
/// Characters shown in lists.
const SHOWN_CHARS: usize = 8;
/// 32 letters, so that 5 bits of every random byte choose one without bias (RFC 4648's base32, lower case).
const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// A token in the clear. Never logged: `Debug` shows its type only.
pub struct Secret(String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

impl Secret {
    /// A new random token.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut random = [0_u8; RANDOM_CHARS];
        getrandom::fill(&mut random)?;
        let letters = random.iter().map(|byte| char::from(ALPHABET[usize::from(byte & 31)]));
        Ok(Self(PREFIX.chars().chain(letters).collect()))
    }

    /// What a client sent. `None` when it cannot be a token.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix(PREFIX)?;
        (rest.len() == RANDOM_CHARS && rest.bytes().all(|byte| ALPHABET.contains(&byte))).then(|| Self(text.to_owned()))
    }

    /// The whole token: to be printed once.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What is kept.
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }

    /// What is shown in lists.
    pub fn shown(&self) -> &str {
        &self.0[..PREFIX.len() + SHOWN_CHARS]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_reads_what_it_writes_and_hides_itself() {
        let secret = Secret::generate().expect("randomness");
        assert_eq!(Secret::parse(secret.reveal()).map(|parsed| parsed.hash()), Some(secret.hash()));
        assert_eq!(format!("{secret:?}"), "Secret");
        assert!(Secret::parse("llt_short").is_none());
        assert!(Secret::parse(&"é".repeat(18)).is_none());
    }
}
