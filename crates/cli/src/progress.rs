//! A progress bar for work that may take longer than a person likes to wait without news.
//!
//! It shows on a terminal only, on the standard error, and only after two seconds.

use std::fmt::Write;
use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

/// A bar that can be advanced from any thread.
pub struct Progress {
    bar: ProgressBar,
    started: Instant,
}

impl Progress {
    /// A bar of `total` things to do.
    pub fn new(total: u64, what: &'static str) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        let style = "{msg} {wide_bar} {pos}/{len} {rate} {eta} left";
        let rate = |state: &ProgressState, to: &mut dyn Write| {
            let _ = match state.per_sec() {
                slow @ ..10.0 => write!(to, "{slow:.1}/s"),
                fast => write!(to, "{}/s", HumanCount(fast as u64)),
            };
        };
        bar.set_style(
            ProgressStyle::with_template(style)
                .unwrap_or_else(|_| ProgressStyle::default_bar())
                .with_key("rate", rate),
        );
        bar.set_message(what);
        Self { bar, started: Instant::now() }
    }

    /// Some more is done.
    pub fn advance(&self, done: u64) {
        if self.bar.is_hidden() && self.started.elapsed() > Duration::from_secs(2) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.inc(done);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
