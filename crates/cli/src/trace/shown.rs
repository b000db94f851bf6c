//! Where a recording stands, while it goes on.

use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use perflab_recorder::Progress;

use crate::progress::bar;

/// A line on standard error.
#[derive(Debug)]
pub struct Shown {
    bar: ProgressBar,
    begun: Instant,
    last: (Instant, u64),
}

/// How often it is shown.
const SHOW: Duration = Duration::from_millis(500);

impl Shown {
    /// Nothing yet. Nothing is shown where standard error is no terminal.
    pub fn new() -> Self {
        Self {
            bar: bar(None, "{msg}", true),
            begun: Instant::now(),
            last: (Instant::now(), 0),
        }
    }

    /// Shows it, if it is time to.
    pub fn show(&mut self, progress: &Progress) {
        let (then, events) = self.last;
        let passed = then.elapsed();
        if passed < SHOW {
            return;
        }
        let rate = (progress.events - events) as f64 / passed.as_secs_f64();
        let lost = progress.lost();
        self.bar.set_message(format!(
            "{:.0} s: {}, {rate:.0} per second, {lost} lost, {:.1} MB",
            self.begun.elapsed().as_secs_f64(),
            perflab_experiment::counted(progress.events, "event"),
            progress.bytes as f64 / 1e6,
        ));
        self.bar.tick();
        self.last = (Instant::now(), progress.events);
    }

    /// Takes it away.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }
}
