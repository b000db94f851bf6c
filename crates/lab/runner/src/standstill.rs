//! Whether the laboratory, or the whole machine, stood still for a while.
//!
//! A laboratory that is stopped (Ctrl-Z, `kill -STOP`) sees the end of what it waits for only when it is continued,
//! and ends nothing that has reached its limit meanwhile. A machine that is suspended makes caches and connections
//! cold. A run that overlaps either is no measurement. Two things show it, and neither costs anything meanwhile:
//!
//! - SIGCONT ends every stop, and is counted. The kernel runs its handler before the wait that was under way returns.
//! - The clock that goes on while the machine sleeps (`CLOCK_BOOTTIME`) gets ahead of the one that does not.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rustix::time::{ClockId, Timespec, clock_gettime};

/// Attempts at a run, all of which the laboratory or the machine stood still in, after which one gives up.
pub const MOST_ATTEMPTS: u32 = 5;

/// How often this process was continued. Signals are the whole process's, and so is this.
static CONTINUED: AtomicU32 = AtomicU32::new(0);

/// Difference of the clocks that is taken for a suspend. Far above the time between reading one clock and the other,
/// and below what any suspend takes.
const LEAST_SUSPEND: Duration = Duration::from_millis(100);

/// Counts that the laboratory was continued. Fit for a signal handler.
pub(crate) fn continued() {
    CONTINUED.fetch_add(1, Ordering::Relaxed);
}

/// A moment to look back to.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    /// How often the laboratory was continued after a stop.
    pub continued: u32,
    /// How long the machine has slept since it was started.
    pub slept: Duration,
}

/// Why what was under way is no measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standstill {
    /// The laboratory was stopped and continued.
    Stopped,
    /// The machine was suspended for this long.
    Suspended(Duration),
}

impl fmt::Display for Standstill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped => f.write_str("the laboratory was stopped"),
            Self::Suspended(time) => {
                write!(
                    f,
                    "the machine was suspended for {:.1} s",
                    time.as_secs_f64()
                )
            }
        }
    }
}

impl Moment {
    /// This one, of the machine that the laboratory runs on.
    pub(crate) fn now() -> Self {
        Self {
            continued: CONTINUED.load(Ordering::Relaxed),
            slept: since_boot(ClockId::Boottime).saturating_sub(since_boot(ClockId::Monotonic)),
        }
    }

    /// What stood still between this moment and a later one, if anything did. A stop is seen only if
    /// [`job_control`](crate::job_control) was called before.
    pub fn until(&self, later: &Self) -> Option<Standstill> {
        if self.continued != later.continued {
            return Some(Standstill::Stopped);
        }
        let slept = later.slept.saturating_sub(self.slept);
        (slept >= LEAST_SUSPEND).then_some(Standstill::Suspended(slept))
    }
}

fn since_boot(clock: ClockId) -> Duration {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(clock);
    Duration::new(
        tv_sec.try_into().unwrap_or(0),
        tv_nsec.try_into().unwrap_or(0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_stands_still_by_itself() {
        let moment = Moment::now();
        std::thread::sleep(Duration::from_millis(20));
        let later = Moment::now();
        assert!(later.slept.abs_diff(moment.slept) < LEAST_SUSPEND);
    }

    #[test]
    fn a_stop_and_a_suspend_are_seen() {
        let moment = |continued, slept| Moment {
            continued,
            slept: Duration::from_millis(slept),
        };
        let before = moment(1, 5000);
        assert_eq!(before.until(&moment(1, 5003)), None);
        // The clocks are read one after the other.
        assert_eq!(before.until(&moment(1, 4999)), None);
        assert_eq!(before.until(&moment(2, 5000)), Some(Standstill::Stopped));
        let suspended = before.until(&moment(1, 17_500)).unwrap();
        assert_eq!(
            suspended.to_string(),
            "the machine was suspended for 12.5 s"
        );
    }
}
