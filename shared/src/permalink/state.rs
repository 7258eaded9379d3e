//! One side of a comparison, as it stands in an address: `3.5.0`, `3.5.0:128x64_w8_s2`, `3.5.0:c;target=sm_90a;kernel=k`.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::{CompareQuery, decode};
use crate::{
    ids::{Rev, TargetName},
    limits,
};

/// Bytes of a name that stay as they are. No dot: three of them part states.
const KEEP: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'~').remove(b'@');

/// One side of a comparison: a revision, and whatever of it is not that of the whole page.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StateRef {
    /// Hash or tag.
    pub rev: Rev,
    /// Config label; `None` takes the page's.
    pub config: Option<String>,
    /// Target; `None` takes the page's.
    pub target: Option<TargetName>,
    /// Kernel key; `None` takes the page's.
    pub kernel: Option<String>,
}

impl StateRef {
    /// A state that takes everything from the page.
    pub const fn new(rev: Rev) -> Self {
        Self { rev, config: None, target: None, kernel: None }
    }

    /// The kernel of this state; `None` means all.
    pub fn kernel_on<'a>(&'a self, page: &'a CompareQuery) -> Option<&'a str> {
        self.kernel.as_deref().or(page.kernel.as_deref())
    }

    /// The target of this state; `None` means all.
    pub fn target_on<'a>(&'a self, page: &'a CompareQuery) -> Option<&'a TargetName> {
        self.target.as_ref().or(page.target.as_ref())
    }

    /// The config of this state; `None` means all.
    pub fn config_on<'a>(&'a self, page: &'a CompareQuery) -> Option<&'a str> {
        self.config.as_deref().or(page.config.as_deref())
    }

    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(';');
        let head = parts.next()?;
        let (rev, config) = head.split_once(':').map_or((head, None), |(rev, config)| (rev, Some(config)));
        let named = |text: &str| decode(text).filter(|text| !text.is_empty());
        let config = match config {
            Some(config) => Some(named(config)?),
            None => None,
        };
        let mut state = Self { config, ..Self::new(rev.parse().ok()?) };
        for part in parts {
            match part.split_once('=')? {
                ("target", value) if state.target.is_none() => state.target = Some(value.parse().ok()?),
                ("kernel", value) if state.kernel.is_none() => state.kernel = Some(named(value)?),
                _ => return None,
            }
        }
        Some(state)
    }

    fn path(&self) -> String {
        let encode = |text: &str| utf8_percent_encode(text, KEEP).to_string();
        let config = self.config.as_deref().map(|config| format!(":{}", encode(config)));
        let target = self.target.as_ref().map(|target| format!(";target={target}"));
        let kernel = self.kernel.as_deref().map(|kernel| format!(";kernel={}", encode(kernel)));
        let parts: String = [config, target, kernel].into_iter().flatten().collect();
        format!("{}{parts}", self.rev)
    }
}

/// Whether every state names one kernel and one target, so that a comparison is about builds rather than lists of them.
pub fn names_builds(states: &[StateRef], page: &CompareQuery) -> bool {
    states.iter().all(|state| state.kernel_on(page).is_some() && state.target_on(page).is_some())
}

/// Whether a state is about another kernel or target than the page.
pub fn are_mixed(states: &[StateRef]) -> bool {
    states.iter().any(|state| state.kernel.is_some() || state.target.is_some())
}

/// States as in a path: `a...b[...c]`, 2 to [`limits::STATES_PER_COMPARISON`]. `None` when they are not that.
pub fn parse_states(text: &str) -> Option<Vec<StateRef>> {
    let states: Vec<StateRef> = text.split("...").map(StateRef::parse).collect::<Option<_>>()?;
    (2..=limits::STATES_PER_COMPARISON).contains(&states.len()).then_some(states)
}

/// The path form of states.
pub fn format_states(states: &[StateRef]) -> String {
    states.iter().map(StateRef::path).collect::<Vec<_>>().join("...")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_builds_are_read_as_they_were_written() {
        let rev = |text: &str| text.parse::<Rev>().expect("a revision");
        let states = vec![
            StateRef { config: Some("a...b;c=d:e/f".to_owned()), ..StateRef::new(rev("3.7.1")) },
            StateRef {
                config: Some("c".to_owned()),
                target: Some("gfx942".parse().expect("a target")),
                kernel: Some("..;kernel=\u{fc} x".to_owned()),
                ..StateRef::new(rev("3.5.0"))
            },
            StateRef { target: Some("sm_90a".parse().expect("a target")), ..StateRef::new(rev("3.5.0")) },
        ];
        let text = format_states(&states);
        assert_eq!(parse_states(&text).as_ref(), Some(&states), "{text}");
        assert!(text.ends_with("...3.5.0;target=sm_90a"), "{text}");
        assert!(!text.contains('/'), "{text}");
    }

    #[test]
    fn what_is_no_state_is_refused() {
        for text in [
            "3.5.0",
            "a...b:",
            "a...b;",
            "a...b;target=",
            "a...b;target=SM 90",
            "a...b;kernel=%00",
            "a...b;target=x;target=y",
            "a...b;page=1",
            "a...b...c...d...e...f...g",
        ] {
            assert_eq!(parse_states(text), None, "{text}");
        }
    }
}
