//! Names and digests. Foreign text becomes one of these once, at the door; after that nobody checks again.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::limits;

/// Why a name was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} must be {expected}")]
pub struct InvalidName {
    /// What was being named.
    pub what: &'static str,
    /// The rule it broke.
    pub expected: &'static str,
}

macro_rules! name {
    ($(#[$doc:meta])* $name:ident, $what:literal, $expected:literal, $check:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidName;
            fn try_from(text: String) -> Result<Self, InvalidName> {
                let check: fn(&str) -> bool = $check;
                if check(&text) { Ok(Self(text)) } else { Err(InvalidName { what: $what, expected: $expected }) }
            }
        }

        impl std::str::FromStr for $name {
            type Err = InvalidName;
            fn from_str(text: &str) -> Result<Self, InvalidName> {
                Self::try_from(text.to_owned())
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

fn lower_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// No control characters, Postgres' forbidden NUL among them.
fn printable(text: &str) -> bool {
    !text.chars().any(char::is_control)
}

name!(
    /// A project in URLs.
    ProjectSlug, "a project", "1 to 64 of a–z, 0–9 and -, starting with a letter or digit",
    |text| (1..=64).contains(&text.len())
        && !text.starts_with('-')
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
);
name!(
    /// A full commit hash: SHA-1 or SHA-256.
    CommitSha, "a commit", "a full hash of 40 or 64 lower-case hex digits",
    |text| (text.len() == 40 || text.len() == 64) && lower_hex(text)
);
name!(
    /// What a URL may name a commit by: a full hash, or a tag such as `3.5.0`. No dot at an end: `a....b` could be read
    /// two ways, and browsers fold `/.` and `/..` away.
    Rev, "a revision", "a full hash or a tag: 1 to 128 of letters, digits and . _ - +, no dot at an end",
    |text| (1..=128).contains(&text.len())
        && !text.contains("...")
        && !text.starts_with('.')
        && !text.ends_with('.')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-' | b'+'))
);
name!(
    /// A kernel's name as the compiler saw it: foreign text, shown as text only. Browsers fold `/.` and `/..` away, even
    /// encoded, so that a kernel of that name would have no address.
    KernelName, "a kernel", "1 to 20,480 bytes of printable UTF-8, not `.` or `..`",
    |text| (1..=limits::KERNEL_NAME_BYTES).contains(&text.len()) && printable(text) && text != "." && text != ".."
);
name!(
    /// `sm_90a`, `gfx942`, …
    TargetName, "a target", "1 to 32 of a–z, 0–9, _ and -",
    |text| (1..=32).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-'))
);
name!(
    /// A config's short label, `128x64_w8_s2`: unique among the configs of one kernel and target.
    ConfigLabel, "a config label", "1 to 256 printable characters",
    |text| (1..=256).contains(&text.len()) && printable(text)
);

/// SHA-256 of bytes; 64 lower-case hex digits as text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest(pub [u8; 32]);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

impl TryFrom<String> for Digest {
    type Error = InvalidName;
    fn try_from(text: String) -> Result<Self, InvalidName> {
        text.parse()
    }
}

impl std::str::FromStr for Digest {
    type Err = InvalidName;
    fn from_str(text: &str) -> Result<Self, InvalidName> {
        let invalid = InvalidName { what: "a digest", expected: "64 lower-case hex digits" };
        if text.len() != 64 || !lower_hex(text) {
            return Err(invalid);
        }
        let mut bytes = [0_u8; 32];
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            *byte = std::str::from_utf8(pair)
                .ok()
                .and_then(|pair| u8::from_str_radix(pair, 16).ok())
                .ok_or_else(|| invalid.clone())?;
        }
        Ok(Self(bytes))
    }
}

/// Foreign text made safe to look at: control and bidirectional characters escaped, cut after
/// [`limits::SHOWN_NAME_CHARS`] characters with `…`.
pub fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(limits::SHOWN_NAME_CHARS * 4));
    for (n, c) in text.chars().enumerate() {
        if n == limits::SHOWN_NAME_CHARS {
            out.push('…');
            break;
        }
        let bidi = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if c.is_control() || bidi {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_reads_what_it_writes() {
        let digest = Digest([0xa5; 32]);
        assert_eq!(digest.to_string().parse::<Digest>(), Ok(digest));
        assert!("A5".repeat(32).parse::<Digest>().is_err());
        assert!("é".repeat(32).parse::<Digest>().is_err());
    }

    #[test]
    fn names_outside_their_rule_are_refused() {
        assert!("-a".parse::<ProjectSlug>().is_err());
        for rev in ["a...b", ".", "..", "v9.", ".w", ""] {
            assert!(rev.parse::<Rev>().is_err(), "{rev}");
        }
        assert!("a\0".parse::<KernelName>().is_err());
        for (kernel, is_name) in [("<script>", true), ("...", true), (".", false), ("..", false), ("", false)] {
            assert_eq!(kernel.parse::<KernelName>().is_ok(), is_name, "{kernel}");
        }
        assert!("1a2b".parse::<CommitSha>().is_err());
    }

    #[test]
    fn shown_text_cannot_reorder_or_break_a_line() {
        assert_eq!(shown("a\u{202e}b\n"), "a\\u{202e}b\\u{a}");
        assert_eq!(shown(&"x".repeat(5_000)).chars().count(), limits::SHOWN_NAME_CHARS + 1);
    }
}
