//! Progress on stderr: only on a terminal, off in CI and with `--quiet`.

use std::{io::IsTerminal as _, time::Duration};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Whether bars and summaries may be drawn.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    bars: bool,
    words: bool,
}

impl Progress {
    /// From `--quiet` and the surroundings.
    pub fn new(quiet: bool) -> Self {
        let ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
        Self { bars: !quiet && !ci && std::io::stderr().is_terminal(), words: !quiet }
    }

    /// A bar that counts to `total`; hidden where bars are off.
    pub fn bar(self, what: &'static str, total: u64) -> ProgressBar {
        if !self.bars {
            return ProgressBar::hidden();
        }
        let style = ProgressStyle::with_template("{msg:<8} {wide_bar} {human_pos}/{human_len}  {elapsed}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr()).with_style(style);
        bar.set_message(what);
        bar.enable_steady_tick(Duration::from_millis(250));
        bar
    }

    /// A line of a summary; nothing with `--quiet`.
    pub fn say(self, line: &str) {
        if self.words {
            crate::output::talk(line);
        }
    }
}
