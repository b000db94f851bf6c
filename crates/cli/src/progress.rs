//! The progress bar: where an experiment stands and how long it will take yet.
//!
//! It is drawn between runs only. While a run is measured the laboratory does nothing at all.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use perflab_experiment::{Cell, Experiment, Plan, PlannedRun};
use perflab_runner::{Reporter, Standstill};
use perflab_store::RunRecord;

/// Least time between two drawings; nothing is drawn by a thread of its own.
const DRAWINGS_PER_SECOND: u8 = 10;

/// Where lines go when standard error is no terminal: at most so often.
const PLAIN_INTERVAL: Duration = Duration::from_secs(30);

/// Faults that are remembered, so that none is told at length again.
const MOST_FAULTS: usize = 100;

/// Shows how far an experiment is.
pub struct Progress {
    bar: ProgressBar,
    total: u64,
    done_before: u64,
    done: u64,
    block: u64,
    at_once: u64,
    is_limit: bool,
    budget: Option<Duration>,
    failed: u64,
    /// What was told of failed runs, with the first that it was told of.
    faults: Vec<(u32, String)>,
    started: Instant,
    plain: Option<Instant>,
    quiet: bool,
}

/// How far an experiment goes.
pub struct Extent {
    /// Runs of the plan.
    pub total: usize,
    /// Those that are done already.
    pub done: usize,
    /// Runs of all cells within a block.
    pub block: usize,
    /// Runs that end together, as those that take turns.
    pub at_once: usize,
    /// Whether it may end before.
    pub is_limit: bool,
    /// The time after which no block is begun.
    pub budget: Option<Duration>,
}

/// Runs of a plan that end together: those of a block that are compared with each other, if they take turns.
pub fn at_once(experiment: &Experiment, plan: &Plan) -> usize {
    let cell = |run: &PlannedRun| plan.cells.get(run.cell);
    let (Some(first), true) = (plan.runs.first(), experiment.design.is_in_slices()) else {
        return 1;
    };
    let is_beside_first = |run: &&PlannedRun| {
        let cells = cell(first).zip(cell(run));
        run.block == first.block && cells.is_some_and(|(a, b)| a.is_comparable(b))
    };
    plan.runs.iter().filter(is_beside_first).count()
}

impl Progress {
    /// At its beginning.
    pub fn new(extent: &Extent, quiet: bool) -> Self {
        let Extent {
            total,
            done,
            block,
            at_once,
            is_limit,
            budget,
        } = *extent;
        let bar = bar(Some(total as u64), "{bar:30} {pos}/{len} {msg}", !quiet);
        bar.set_position(done as u64);
        Self {
            bar,
            total: total as u64,
            done_before: done as u64,
            done: done as u64,
            block: block as u64,
            at_once: at_once as u64,
            is_limit,
            budget,
            failed: 0,
            faults: Vec::new(),
            started: Instant::now(),
            plain: (!stderr().is_terminal()).then(Instant::now),
            quiet,
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// Time left, if the rest goes like what was done here. Cells differ, so it is not known before
    /// each was measured as often as it will be in the rest: for a block.
    fn left(&self) -> Option<Duration> {
        let block = self.block.max(1);
        // The others of those that end together are recorded at once.
        let here = self.done.checked_sub(self.done_before)?;
        let here = here.next_multiple_of(self.at_once.max(1));
        if here < block {
            return None;
        }
        let elapsed = self.started.elapsed();
        let each_s = elapsed.as_secs_f64() / here as f64;
        let done = self.done_before + here;
        let mut rest = self.total.saturating_sub(done) as f64;
        if let Some(budget) = self.budget {
            // A block that was begun in time is measured to its end.
            let within = budget.saturating_sub(elapsed).as_secs_f64() / each_s;
            let (done, block) = (done as f64, block as f64);
            rest = rest.min(((done + within) / block).ceil() * block - done);
        }
        Duration::try_from_secs_f64(each_s * rest).ok()
    }

    /// Prints a line above the bar, or where there is none.
    fn line(&self, line: &str) {
        match self.plain {
            Some(_) if !self.quiet => crate::terminal::say(line),
            _ => self.bar.println(line),
        }
    }

    /// Whether a line is due where there is no bar: now and then, and when the time left is known and long.
    fn is_plain_line_due(&self) -> bool {
        let is_first_block = self.done == self.done_before + self.block;
        let is_long = || self.left().is_some_and(|left| left >= PLAIN_INTERVAL);
        let is_due =
            |last: Instant| last.elapsed() >= PLAIN_INTERVAL || is_first_block && is_long();
        !self.quiet && self.plain.is_some_and(is_due)
    }

    fn message(&self, what: &str) -> String {
        let left = self.left().map_or_else(
            || "time left: known after a block".to_owned(),
            |left| match self.is_limit {
                true => format!("at most about {} left", human(left)),
                false => format!("about {} left", human(left)),
            },
        );
        let failed = if self.failed > 0 {
            format!(", {} failed", self.failed)
        } else {
            String::new()
        };
        format!("{left}{failed}  {what}")
    }
}

impl Reporter for Progress {
    fn started(&mut self, run: &PlannedRun, cell: &Cell) {
        self.bar
            .set_message(self.message(&format!("block {}: {}", run.block, cell.id)));
    }

    fn repeated(&mut self, run: &PlannedRun, cell: &Cell, why: Standstill) {
        let line = format!(
            "run {} of {} is repeated: {why} during it",
            run.run, cell.id
        );
        self.line(&line);
    }

    fn finished(&mut self, record: &RunRecord) {
        self.done += 1;
        if !record.status.passed() {
            self.failed += 1;
            let status = record.status.name();
            let fault = format!("{status} {}", record.detail.as_deref().unwrap_or_default());
            let told = self.faults.iter().find(|(_, told)| *told == fault);
            let what = match told {
                Some((first, _)) => format!("{status} as in run {first}"),
                None => fault.clone(),
            };
            if told.is_none() && self.faults.len() < MOST_FAULTS {
                self.faults.push((record.run, fault));
            }
            self.line(&format!("run {} of {}: {what}", record.run, record.cell));
        }
        self.bar.set_position(self.done);
        if self.is_plain_line_due() {
            crate::terminal::say(&format!(
                "{}/{}, {}",
                self.done,
                perflab_experiment::counted(self.total, "run"),
                self.message("")
            ));
            self.plain = Some(Instant::now());
        }
    }
}

/// A bar on standard error with so many steps, if their number is known; hidden where nobody wants or sees it.
pub fn bar(steps: Option<u64>, template: &str, is_wanted: bool) -> ProgressBar {
    let target = match is_wanted && stderr().is_terminal() {
        true => ProgressDrawTarget::stderr_with_hz(DRAWINGS_PER_SECOND),
        false => ProgressDrawTarget::hidden(),
    };
    let bar = ProgressBar::with_draw_target(steps, target);
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style.progress_chars("=> ")),
        Err(_) => bar,
    }
}

/// A duration as people say it.
pub fn human(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// Counts to a number, with a bar on a terminal and a line now and then elsewhere.
pub fn counting<T>(what: &str, total: u32, work: impl FnOnce(&mut dyn FnMut(u32)) -> T) -> T {
    let template = format!("{what} {{pos}}/{{len}}, about {{eta}} left");
    let bar = bar(Some(u64::from(total)), &template, true);
    let mut told = Instant::now();
    let done = work(&mut |count| {
        bar.set_position(u64::from(count));
        if !stderr().is_terminal() && told.elapsed() >= PLAIN_INTERVAL {
            told = Instant::now();
            crate::terminal::say(&format!("{what}: {count} of {total}"));
        }
    });
    bar.finish_and_clear();
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_known_after_a_block_and_goes_by_the_runs_since_the_start() {
        let extent = Extent {
            total: 30,
            done: 10,
            block: 4,
            at_once: 1,
            is_limit: false,
            budget: None,
        };
        let mut progress = Progress::new(&extent, true);
        progress.started -= Duration::from_secs(60);
        progress.done = 13;
        assert_eq!(progress.left(), None);
        progress.done = 14;
        assert_eq!(progress.left().unwrap().as_secs(), 240);
        // The first of two that are done, of which a block has two pairs.
        progress.at_once = 2;
        progress.done = 11;
        assert_eq!(progress.left(), None);
        progress.done = 13;
        assert_eq!(progress.left().unwrap().as_secs(), 240);
    }

    #[test]
    fn a_line_is_due_after_half_a_minute_and_when_the_time_left_is_known_and_long() {
        let extent = Extent {
            total: 30,
            done: 0,
            block: 4,
            at_once: 1,
            is_limit: false,
            budget: None,
        };
        let mut progress = Progress::new(&extent, false);
        for (done, seconds_each, since_last, expected) in [
            (1, 1, 29, false),
            (1, 1, 31, true),
            (4, 1, 1, false),
            (4, 2, 1, true),
            (5, 2, 1, false),
        ] {
            let now = Instant::now();
            progress.done = done;
            progress.started = now - Duration::from_secs(done * seconds_each);
            progress.plain = Some(now - Duration::from_secs(since_last));
            let case = (done, seconds_each, since_last);
            assert_eq!(progress.is_plain_line_due(), expected, "{case:?}");
        }
        progress.plain = Some(Instant::now() - 2 * PLAIN_INTERVAL);
        progress.quiet = true;
        assert!(!progress.is_plain_line_due());
    }

    #[test]
    fn durations_are_said_in_two_units() {
        assert_eq!(human(Duration::from_secs(59)), "59 s");
        assert_eq!(human(Duration::from_secs(61)), "1 min 01 s");
        assert_eq!(human(Duration::from_secs(3660)), "1 h 01 min");
    }
}
