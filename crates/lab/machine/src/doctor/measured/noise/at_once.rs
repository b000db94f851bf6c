//! Two CPUs that work at the same time: whether variants that are executed at once, and swap their CPUs, would differ
//! by less than variants that take turns on one.
//!
//! Both do the same pieces of work. In each round both halves do a slice of the same work at the same time, the next
//! round begins when both are done, and in a pair of rounds each half has each CPU once, in random order. So what meets
//! both CPUs at the same moment cancels, and so does what one of them is slower by all the time.

use std::io;
use std::time::Duration;

use super::super::words::{percent, time};
use super::figures::{CLOCK_STEPS, RUN_S, lengths_s, with_switches};
use super::measure::times;
use crate::doctor::finding::{Finding, note};

/// Fewest runs side by side that a deviation is told from.
const FEWEST_RUNS: usize = 4;

/// What two halves of equal work differ by that are done at the same time on two CPUs, which they swap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AtOnce {
    /// The CPUs.
    pub cpus: [u32; 2],
    /// The length of the slices that are best here, in seconds.
    pub slice_s: f64,
    /// The standard deviation of the logarithm of the ratio of two halves of about a second, as a share, what switches
    /// cost included.
    pub sd: f64,
}

/// Measures two CPUs at the same time, as [`measure`](super::measure) does one. `None` if `watch` answered that the
/// measurement shall end, or where it was too short to tell anything.
///
/// # Errors
/// A time outside its range, a thread that cannot be started or pinned to its CPU, a clock that stands still.
pub fn measure_at_once(
    cpus: [u32; 2],
    time: Duration,
    watch: &mut dyn FnMut(Duration) -> bool,
) -> io::Result<Option<AtOnce>> {
    let Some(times) = times(&cpus, time, watch)? else {
        return Ok(None);
    };
    let [[first, _], [second, _]] = times.of.as_slice() else {
        return Ok(None);
    };
    let candidates = lengths_s().take_while(|slice_s| 2.0 * slice_s <= RUN_S);
    let candidates =
        candidates.filter(|slice_s| *slice_s >= CLOCK_STEPS * times.step_s * (1.0 - 1e-9));
    let seen = candidates.filter_map(|slice_s| {
        let sd = deviation([first, second], slice_s)?;
        Some((slice_s, sd * with_switches(slice_s)))
    });
    let best = seen.min_by(|a, b| a.1.total_cmp(&b.1));
    Ok(best.map(|(slice_s, sd)| AtOnce { cpus, slice_s, sd }))
}

/// The standard deviation of the logarithm of the ratio of two halves, from the times of the same pieces on both CPUs.
///
/// Over the orders that a pair of rounds may have, the mean square of the difference of the halves is the sum of the
/// squares of the differences that the pairs make; the ratio's logarithm is that difference by the size of a half.
fn deviation(times: [&[f64]; 2], slice_s: f64) -> Option<f64> {
    let all: f64 = times.iter().flat_map(|times| times.iter()).sum();
    let piece_s = all / (times[0].len() + times[1].len()) as f64;
    let pieces = (slice_s / piece_s).round().max(1.0) as usize;
    let rounds = rounds(times, pieces);
    let pairs: Vec<[f64; 2]> = rounds
        .chunks_exact(2)
        .map(|pair| {
            let [[a, b], [c, d]] = [pair[0], pair[1]];
            // One half is on the first CPU first, the other on the second.
            [(a + d) - (b + c), a + b + c + d]
        })
        .collect();
    let in_run = (0.5 * RUN_S / slice_s).round().max(1.0) as usize;
    let runs = pairs.chunks_exact(in_run).map(|run| {
        let squares: f64 = run
            .iter()
            .map(|[difference, _]| difference * difference)
            .sum();
        let half = 0.5 * run.iter().map(|[_, both]| both).sum::<f64>();
        squares / (half * half)
    });
    let runs: Vec<f64> = runs.collect();
    let mean = runs.iter().sum::<f64>() / runs.len() as f64;
    (runs.len() >= FEWEST_RUNS).then(|| mean.sqrt())
}

/// What a slice of so many pieces takes on each of the CPUs, where the next round begins when both are done.
fn rounds(times: [&[f64]; 2], pieces: usize) -> Vec<[f64; 2]> {
    let mut next = [0, 0];
    let mut at = [0.0, 0.0];
    let mut rounds = Vec::new();
    loop {
        let begin = f64::max(at[0], at[1]);
        let mut took = [0.0, 0.0];
        for cpu in 0..2 {
            // The piece that is under way when the other is done is the end of its wait.
            while at[cpu] < begin {
                let Some(piece) = times[cpu].get(next[cpu]) else {
                    return rounds;
                };
                at[cpu] += piece;
                next[cpu] += 1;
            }
            let Some(slice) = times[cpu].get(next[cpu]..next[cpu] + pieces) else {
                return rounds;
            };
            took[cpu] = slice.iter().sum();
            at[cpu] += took[cpu];
            next[cpu] += pieces;
        }
        rounds.push(took);
    }
}

/// Says whether both at once would help, where the CPUs differ by `in_turns` in the best slices that take turns.
pub fn judge_at_once(seen: &AtOnce, in_turns: f64) -> Finding {
    let [first, second] = seen.cpus;
    let helps = match seen.sd / in_turns {
        ratio if ratio < 0.8 => "both at once helps here",
        ratio if ratio > 1.25 => "turns are better here",
        _ => "neither is better here",
    };
    note(
        "at-once",
        format!(
            "CPUs {first} and {second}: two equal halves of 1 s of work that are done at the same time and swap CPUs after \
             slices of {} differ by {} (standard deviation), in slices that take turns on CPU {first} by {}: {helps}",
            time(seen.slice_s),
            percent(seen.sd),
            percent(in_turns),
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::super::measure::{MOST_TIME, own_cpu};
    use super::*;

    /// Pieces of two CPUs for 20 s: the second is slower by a tenth, and the speed of both together goes up and down
    /// within seconds; with `own`, so does that of the second alone.
    fn series(own: f64) -> [Vec<f64>; 2] {
        let mut at = [0.0_f64; 2];
        let mut times = [Vec::new(), Vec::new()];
        for cpu in 0..2 {
            while at[cpu] < 20.0 {
                let common = 1.0 + 0.3 * (at[cpu] * 2.1).sin();
                let alone = 1.0 + own * cpu as f64 * (at[cpu] * 3.7).sin();
                let piece = 1e-3 * common * alone * [1.0, 1.1][cpu];
                at[cpu] += piece;
                times[cpu].push(piece);
            }
        }
        times
    }

    #[test]
    fn what_meets_both_cpus_and_what_one_is_slower_by_cancel() {
        let found = |own, slice_s| {
            let [first, second] = series(own);
            deviation([&first, &second], slice_s).unwrap()
        };
        let (together, apart) = (found(0.0, 0.02), found(0.3, 0.02));
        assert!(together < 0.002, "{together}");
        assert!(apart > 3.0 * together, "{apart} {together}");
        // Longer slices leave more of what one CPU does alone.
        assert!(found(0.3, 0.2) > 2.0 * apart);
    }

    #[test]
    fn too_little_time_tells_nothing() {
        let [first, second] = series(0.0);
        assert_eq!(deviation([&first[..2000], &second], 0.02), None);
        assert_eq!(deviation([&[], &[]], 0.02), None);
    }

    #[test]
    fn the_finding_says_which_is_better() {
        let said = |sd| {
            let seen = AtOnce {
                cpus: [0, 1],
                slice_s: 0.02,
                sd,
            };
            judge_at_once(&seen, 0.01).found
        };
        assert!(said(0.005).ends_with("both at once helps here"));
        assert!(said(0.01).ends_with("neither is better here"));
        assert!(said(0.02).ends_with("turns are better here"));
    }

    #[test]
    fn threads_work_at_the_same_time_and_stop_when_asked() {
        // One CPU stands for two where there is but one.
        let cpus = [own_cpu(); 2];
        let seen = measure_at_once(cpus, Duration::from_secs(5), &mut |_| true);
        assert!(seen.unwrap().is_some());
        assert_eq!(
            measure_at_once(cpus, MOST_TIME, &mut |_| false).unwrap(),
            None
        );
        assert!(measure_at_once(cpus, Duration::ZERO, &mut |_| true).is_err());
        // The other one is stopped.
        assert!(measure_at_once([own_cpu(), 1023], MOST_TIME, &mut |_| true).is_err());
    }
}
