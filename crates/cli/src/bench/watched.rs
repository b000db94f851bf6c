//! What was seen of commands that took turns, and what of it makes their CPU time say little.

use std::time::Duration;

use perflab_runner::{Seen, TurnsTaken};

/// A command that has a CPU for less of its turns than this waits, or others have it.
const LEAST_SHARE: f64 = 0.75;

/// A reason why a command had no CPU is named if it holds for this part of its turns, or for half of the part without
/// one.
const LARGE_PART: f64 = 0.25;

/// A command that has a CPU for more of its turns than this has several, or runs outside its turns.
const LARGEST_SHARE: f64 = 1.2;

/// What to do about a command that does not fit.
const LEAVE_OUT: &str = "leave --slices out";

/// Fewest turns of a run in which changes of the machine's speed are shared out.
const FEW_TURNS: f64 = 5.0;

/// What was seen of all commands.
#[derive(Debug, Clone)]
pub struct Watched {
    /// Length of a turn.
    pub turn: Duration,
    /// The runs of each command together.
    pub commands: Vec<Runs>,
}

/// What was seen of the runs of one command.
#[derive(Debug, Clone, Default)]
pub struct Runs {
    runs: u32,
    turns: u32,
    time_s: f64,
    cpu_s: f64,
    seen: Seen,
}

impl Runs {
    /// Adds a run.
    pub fn add(&mut self, run: &TurnsTaken) {
        let usage = &run.ended.usage;
        self.runs += 1;
        self.turns += run.turns;
        self.time_s += run.time.as_secs_f64();
        self.cpu_s += (usage.user + usage.system).as_secs_f64();
        self.seen = std::mem::take(&mut self.seen).and(run.seen.clone());
    }

    /// Why it had no CPU for much of its turns, as far as the looks tell.
    fn without_cpu(&self, share: f64) -> Vec<String> {
        let seen = &self.seen;
        let part = |time: Duration| time.div_duration_f64(seen.watched);
        let missing = 1.0 - share;
        let waited = part(seen.waited).min(missing);
        let is_large = |part: f64| part >= LARGE_PART.min(missing / 2.0);
        let itself = missing - waited - part(seen.unclear);
        let (others, itself) = (is_large(waited), is_large(itself));
        // Nobody knows what processes waited for that ended between two looks.
        let is_known = part(seen.ran) >= share / 2.0;
        let mut warnings = Vec::new();
        let [percent, waited] = [share, waited].map(|part| format!("{:.0}%", part * 100.0));
        if itself && is_known {
            warnings.push(format!(
                "it sleeps or waits: it used a CPU for {percent} of its turns, so that CPU time says little of its wall \
                 time; {LEAVE_OUT}"
            ));
        }
        if others {
            warnings.push(format!(
                "it had a CPU for {percent} of its turns, and waited for one for {waited}, as other programs had it; end \
                 them, or choose other CPUs with --cpus"
            ));
        }
        if warnings.is_empty() {
            warnings.push(format!(
                "it used a CPU for {percent} of its turns: it sleeps or waits, or other programs had the CPU, which cannot \
                 be told of processes that have a CPU for such short times; end other programs, or {LEAVE_OUT}"
            ));
        }
        warnings
    }

    /// What a reader should know before believing the CPU time, with what to do.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let seen = &self.seen;
        let share = self.cpu_s / self.time_s.max(f64::MIN_POSITIVE);
        let percent = format!("{:.0}%", share * 100.0);
        let is_looked_at = !seen.watched.is_zero();
        let is_crowded = seen.crowded * 2 >= seen.watched;
        if share < LEAST_SHARE && is_looked_at {
            warnings.extend(self.without_cpu(share));
        }
        if share > LARGEST_SHARE && self.turns > self.runs {
            warnings.push(format!(
                "its CPU time is {percent} of its turns: it used several CPUs at once, or ran outside its turns; give \
                 --cpus one CPU, or {LEAVE_OUT}"
            ));
        }
        if is_looked_at && is_crowded {
            warnings.push(format!(
                "several of its threads or processes need a CPU at the same time, so that CPU time says little of its \
                 wall time; {LEAVE_OUT}"
            ));
        }
        if let Some(name) = &seen.astray {
            warnings.push(format!(
                "`{name}` left its process group, and so ran during the turns of others; {LEAVE_OUT}"
            ));
        }
        if let Some(name) = &seen.foreign {
            warnings.push(format!(
                "`{name}` runs as another user and may not be stopped, so that it ran during the turns of others; run \
                 perflab as that user, or {LEAVE_OUT}"
            ));
        }
        if let Some(name) = &seen.left {
            warnings.push(format!(
                "`{name}` still ran when the command had ended, and its CPU time is not counted; let the command wait \
                 for it, or {LEAVE_OUT} if the command takes any SIGCHLD for the end of its child, as `perf stat` does: \
                 it gets one when a turn stops the child"
            ));
        }
        if let Some(name) = &seen.timer {
            warnings.push(format!(
                "`{name}` has a timer, which goes on during the turns of others; leave the timer out, or {LEAVE_OUT}"
            ));
        }
        if let Some(name) = &seen.handler {
            warnings.push(format!(
                "`{name}` handles SIGCONT, which it gets at each turn, and that is in its CPU time; {LEAVE_OUT}"
            ));
        }
        if let Some(name) = &seen.elsewhere {
            warnings.push(format!(
                "`{name}` chose CPUs of its own (sched_setaffinity), and so does not share changes of speed with the \
                 others; leave that to perflab, which takes --cpus, or {LEAVE_OUT}"
            ));
        }
        if f64::from(self.turns) < FEW_TURNS * f64::from(self.runs) {
            warnings.push(format!(
                "a run has {:.1} turns, too few to share out changes of the machine's speed; let the command do \
                 more, or choose shorter --slices",
                f64::from(self.turns) / f64::from(self.runs.max(1))
            ));
        }
        warnings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thing_that_breaks_turns_has_a_warning_of_its_own() {
        let name = || Some("x".to_owned());
        let ms = Duration::from_millis;
        let quiet = Runs {
            runs: 2,
            turns: 100,
            time_s: 0.5,
            cpu_s: 0.49,
            seen: Seen {
                watched: ms(450),
                crowded: ms(200),
                ran: ms(440),
                ..Seen::default()
            },
        };
        assert_eq!(quiet.warnings(), [""; 0]);
        let with = |change: fn(&mut Runs)| {
            let mut runs = quiet.clone();
            change(&mut runs);
            let warnings = runs.warnings();
            assert_eq!(warnings.len(), 1, "{warnings:?}");
            warnings[0].clone()
        };
        let sleeps = |runs: &mut Runs| runs.cpu_s = 0.01;
        assert!(with(sleeps).starts_with("it sleeps or waits: it used a CPU for 2% of its turns"));
        // It works for most of its time, and sleeps at its end.
        assert!(
            with(|runs| runs.cpu_s = 0.35).starts_with("it sleeps or waits: it used a CPU for 70%")
        );
        let waits = |runs: &mut Runs| {
            runs.cpu_s = 0.2;
            runs.seen.waited = Duration::from_millis(225);
        };
        assert!(with(waits).starts_with(
            "it had a CPU for 40% of its turns, and waited for one for 50%, as other programs had it"
        ));
        let has_short_processes = |runs: &mut Runs| {
            runs.cpu_s = 0.2;
            runs.seen.ran = Duration::from_millis(50);
            runs.seen.waited = Duration::from_millis(50);
        };
        let told = "or other programs had the CPU, which cannot be told of processes that have";
        assert!(with(has_short_processes).contains(told));
        let wakes_late = |runs: &mut Runs| {
            runs.cpu_s = 0.01;
            runs.seen.ran = Duration::from_millis(9);
            runs.seen.unclear = Duration::from_millis(400);
        };
        assert!(with(wakes_late).contains(told));
        let mut both = quiet.clone();
        both.cpu_s = 0.01;
        both.seen.waited = ms(200);
        assert_eq!(both.warnings().len(), 2, "{:?}", both.warnings());
        assert!(with(|runs| runs.cpu_s = 0.9).contains("CPU time is 180% of its turns"));
        assert!(with(|runs| runs.seen.crowded *= 2).contains("several of its threads"));
        assert!(with(|runs| runs.turns = 9).starts_with("a run has 4.5 turns"));
        for (seen, word) in [
            (
                Seen {
                    astray: name(),
                    ..Seen::default()
                },
                "`x` left its process group",
            ),
            (
                Seen {
                    foreign: name(),
                    ..Seen::default()
                },
                "`x` runs as another user",
            ),
            (
                Seen {
                    left: name(),
                    ..Seen::default()
                },
                "`x` still ran",
            ),
            (
                Seen {
                    timer: name(),
                    ..Seen::default()
                },
                "`x` has a timer",
            ),
            (
                Seen {
                    handler: name(),
                    ..Seen::default()
                },
                "`x` handles SIGCONT",
            ),
            (
                Seen {
                    elsewhere: name(),
                    ..Seen::default()
                },
                "`x` chose CPUs of its own",
            ),
        ] {
            let runs = Runs {
                seen,
                ..quiet.clone()
            };
            let warnings = runs.warnings();
            assert!(
                matches!(&warnings[..], [one] if one.starts_with(word)),
                "{warnings:?}"
            );
        }
    }
}
