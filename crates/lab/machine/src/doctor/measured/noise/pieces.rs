//! The same small piece of work over and over, timed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Steps of the clock that a trial must take to tell how long the work is: then it is known to a per cent.
const TRIAL_STEPS: u32 = 100;

/// Rounds that the first trial goes, and those beyond which the clock is taken to stand still: seconds on any CPU.
const FIRST_TRIAL: u64 = 1000;
const MOST_ROUNDS: u64 = 1 << 31;

/// Trials, of which the quickest counts, as far as this time goes.
const TRIALS: u32 = 100;
const TRIAL_TIME: Duration = Duration::from_millis(100);

/// Rounds of work that take about this time. `None` if the clock does not move. `work` goes so many rounds.
pub(super) fn calibrate(
    clock: &impl Fn() -> Duration,
    work: &impl Fn(u64),
    piece: Duration,
    step: Duration,
) -> Option<u64> {
    let took = |rounds| {
        let begin = clock();
        work(rounds);
        clock().saturating_sub(begin)
    };
    let mut rounds = FIRST_TRIAL;
    let mut quickest = took(rounds);
    while quickest <= step * TRIAL_STEPS {
        rounds *= 2;
        if rounds > MOST_ROUNDS {
            return None;
        }
        quickest = took(rounds);
    }
    // It also brings the CPU out of its sleep, and to the frequency at which it works.
    let begin = clock();
    for _ in 0..TRIALS {
        if clock().saturating_sub(begin) >= TRIAL_TIME {
            break;
        }
        quickest = quickest.min(took(rounds));
    }
    let each_s = quickest.as_secs_f64() / rounds as f64;
    Some((piece.as_secs_f64() / each_s).round().max(1.0) as u64)
}

/// The times of pieces of work, in seconds: each from the end of the one before to its own end, so that whatever
/// interrupts the work counts. By two clocks, of which the first ends it after `time`; or when there are `most` of them.
/// They begin when `start` returns, which has nothing to wait for that takes time. `None` once `is_stopped`.
pub(super) fn timed(
    clocks: &impl Fn() -> [Duration; 2],
    work: &impl Fn(),
    time: Duration,
    most: usize,
    start: impl FnOnce(),
    is_stopped: &AtomicBool,
) -> Option<[Vec<f64>; 2]> {
    // Written to before, so that the kernel need not find memory meanwhile.
    let mut times = [vec![f64::NAN; most], vec![f64::NAN; most]];
    start();
    let begin = clocks();
    let (mut last, mut count) = (begin, 0);
    let [first, second] = &mut times;
    for places in first.iter_mut().zip(second) {
        if is_stopped.load(Ordering::Relaxed) {
            return None;
        }
        if last[0].saturating_sub(begin[0]) >= time {
            break;
        }
        work();
        let now = clocks();
        *places.0 = now[0].saturating_sub(last[0]).as_secs_f64();
        *places.1 = now[1].saturating_sub(last[1]).as_secs_f64();
        last = now;
        count += 1;
    }
    times.iter_mut().for_each(|times| times.truncate(count));
    Some(times)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// A machine whose time is a number: work takes so many nanoseconds a round, and the clock moves in steps.
    struct Machine {
        now_ns: Cell<u64>,
        step_ns: u64,
    }

    impl Machine {
        fn new(step_ns: u64) -> Self {
            Self {
                now_ns: Cell::new(12_345),
                step_ns,
            }
        }

        fn clock(&self) -> Duration {
            Duration::from_nanos(self.now_ns.get() / self.step_ns * self.step_ns)
        }

        fn work(&self, ns: u64) {
            self.now_ns.set(self.now_ns.get() + ns);
        }
    }

    fn rounds(step_ns: u64, round_ns: u64) -> Option<u64> {
        let machine = Machine::new(step_ns);
        calibrate(
            &|| machine.clock(),
            &|rounds| machine.work(rounds * round_ns),
            Duration::from_micros(100),
            Duration::from_nanos(step_ns),
        )
    }

    #[test]
    fn pieces_take_the_time_asked_for_by_any_clock_that_moves() {
        assert_eq!(rounds(1, 2), Some(50_000));
        let coarse = rounds(4_000_000, 2).unwrap();
        assert!(coarse.abs_diff(50_000) <= 500, "{coarse}");
        assert_eq!(rounds(1, 1_000_000), Some(1));
        assert_eq!(rounds(u64::MAX, 1), None);
    }

    #[test]
    fn what_interrupts_a_piece_counts_and_no_piece_is_left_out() {
        let machine = Machine::new(1);
        let pieces = Cell::new(0_usize);
        let work = || {
            pieces.set(pieces.get() + 1);
            machine.work(if pieces.get().is_multiple_of(100) {
                5_000_000
            } else {
                100_000
            });
        };
        let second = Duration::from_secs(1);
        let on = AtomicBool::new(false);
        // The second clock stands still while others have the CPU.
        let clocks = || {
            [
                machine.clock(),
                Duration::from_micros(100 * pieces.get() as u64),
            ]
        };
        let [times, own] = timed(&clocks, &work, second, 1_000_000, || {}, &on).unwrap();
        assert!(own.iter().all(|time| (time - 1e-4).abs() < 1e-12));
        assert_eq!(own.len(), times.len());
        let sum: f64 = times.iter().sum();
        assert!((0.9999..1.006).contains(&sum), "{sum}");
        assert_eq!(times.len(), pieces.get());
        let long = times.iter().filter(|time| **time > 4e-3).count();
        assert_eq!(long, times.len() / 100);
    }

    #[test]
    fn it_ends_when_there_is_no_room_and_when_it_is_stopped() {
        let machine = Machine::new(1);
        let hour = Duration::from_secs(3600);
        let timed = |is_stopped: &AtomicBool| {
            let work = || machine.work(100_000);
            timed(&|| [machine.clock(); 2], &work, hour, 50, || {}, is_stopped)
        };
        assert_eq!(timed(&AtomicBool::new(false)).unwrap()[0].len(), 50);
        assert_eq!(timed(&AtomicBool::new(true)), None);
    }
}
