//! When requests should be sent.

use crate::random::Random;

/// When the next request is sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pace {
    /// When a reply has come (closed loop).
    Replies,
    /// So many times a second, evenly, whatever the server does (open loop).
    Even(f64),
    /// So many times a second, at random: a Poisson process.
    Poisson(f64),
}

impl Pace {
    /// Requests in a second, if the pace does not depend on the server.
    pub fn rate(self) -> Option<f64> {
        match self {
            Self::Replies => None,
            Self::Even(rate) | Self::Poisson(rate) => Some(rate),
        }
    }
}

/// The intended times of the requests of a thread, in ns since the turn began.
#[derive(Debug, Clone)]
pub struct Schedule {
    is_random: bool,
    /// The mean time between two.
    gap_ns: f64,
    next_ns: f64,
}

impl Schedule {
    /// The share of one of so many threads: at an even pace they take turns, and Poisson processes add up to one. None
    /// in a closed loop.
    pub fn new(pace: Pace, thread: usize, threads: usize, random: &mut Random) -> Option<Self> {
        let rate = pace.rate()?;
        let gap_ns = threads as f64 * 1e9 / rate;
        let mut schedule = Self {
            is_random: matches!(pace, Pace::Poisson(_)),
            gap_ns,
            next_ns: 0.0,
        };
        if schedule.is_random {
            schedule.advance(random);
        } else {
            schedule.next_ns = gap_ns * thread as f64 / threads as f64;
        }
        Some(schedule)
    }

    /// The time of the next.
    pub fn next_ns(&self) -> u64 {
        self.next_ns as u64
    }

    /// The turn has ended after so many ns: times count from the begin of the next one.
    pub fn end_turn(&mut self, ns: u64) {
        self.next_ns = (self.next_ns - ns as f64).max(0.0);
    }

    /// Goes on to the one behind it.
    pub fn advance(&mut self, random: &mut Random) {
        self.next_ns += if self.is_random {
            -random.unit().ln() * self.gap_ns
        } else {
            self.gap_ns
        };
    }
}

#[cfg(test)]
mod tests {
    use super::{Pace, Schedule};
    use crate::random::Random;

    /// The times of all threads within a second, in order.
    fn times(pace: Pace, threads: usize) -> Vec<u64> {
        let mut times = Vec::new();
        for thread in 0..threads {
            let mut random = Random::new(1, thread as u64);
            let mut schedule =
                Schedule::new(pace, thread, threads, &mut random).expect("an open loop");
            while schedule.next_ns() < 1_000_000_000 {
                times.push(schedule.next_ns());
                schedule.advance(&mut random);
            }
        }
        times.sort_unstable();
        times
    }

    #[test]
    fn threads_share_an_even_pace() {
        let expected: Vec<u64> = (0..1000).map(|number| number * 1_000_000).collect();
        for threads in [1, 2, 4] {
            assert_eq!(times(Pace::Even(1000.0), threads), expected);
        }
    }

    #[test]
    fn random_times_have_their_rate_and_are_as_irregular_as_they_should() {
        for threads in [1, 3] {
            let times = times(Pace::Poisson(50_000.0), threads);
            // Five standard deviations of 50 000.
            assert!(times.len().abs_diff(50_000) < 1120, "{}", times.len());
            // Of exponential gaps, one of e is longer than the mean.
            let gaps = times.windows(2).map(|pair| pair[1] - pair[0]);
            let long = gaps.filter(|gap| *gap > 20_000).count() as f64;
            let share = long / times.len() as f64;
            assert!((share - (-1.0_f64).exp()).abs() < 0.012, "{share}");
        }
    }

    #[test]
    fn a_pace_goes_on_in_the_next_turn() {
        let mut random = Random::new(1, 1);
        let mut schedule =
            Schedule::new(Pace::Even(32.0), 0, 1, &mut random).expect("an open loop");
        let mut sent = 0;
        // 100 turns of 10 ms are a second.
        for _ in 0..100 {
            while schedule.next_ns() < 10_000_000 {
                sent += 1;
                schedule.advance(&mut random);
            }
            schedule.end_turn(10_000_000);
        }
        assert_eq!(sent, 32);
    }

    #[test]
    fn a_closed_loop_has_no_times() {
        assert!(Schedule::new(Pace::Replies, 0, 1, &mut Random::new(0, 0)).is_none());
    }
}
