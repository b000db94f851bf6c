//! Up to which time all events were read, at any place of a file.
//!
//! The first pass notes the earliest time of each chunk of events. So the second pass knows at each place how
//! far back the rest of the file goes, and gives events out as soon as none that is earlier can come. This is
//! what [`perflab_abi::ChunkKind::WATERMARK`] tells those who read a trace only once; what was noted needs no
//! faith in it.

use perflab_abi::Clock;

/// Most entries; above that, neighbours are joined.
const MOST: usize = 1 << 16;

/// The earliest times of groups of chunks, by each clock.
#[derive(Debug)]
pub(crate) struct Noted {
    groups: Vec<[u64; 2]>,
    /// Chunks in a group.
    span: usize,
    /// Chunks.
    count: usize,
}

impl Noted {
    pub fn new() -> Self {
        Self {
            groups: Vec::new(),
            span: 1,
            count: 0,
        }
    }

    /// Notes the next chunk, and its earliest time if it has one.
    pub fn add(&mut self, earliest: Option<(Clock, u64)>) {
        if self.count == MOST * self.span {
            let joined = self.groups.chunks(2).map(|two| {
                let both = two.iter().copied().reduce(earlier);
                both.unwrap_or([u64::MAX; 2])
            });
            self.groups = joined.collect();
            self.span *= 2;
        }
        let times = match earliest {
            Some((Clock::TimeStampCounter, time)) => [time, u64::MAX],
            Some((Clock::Monotonic, time)) => [u64::MAX, time],
            None => [u64::MAX; 2],
        };
        match self.groups.last_mut() {
            Some(last) if !self.count.is_multiple_of(self.span) => *last = earlier(*last, times),
            _ => self.groups.push(times),
        }
        self.count += 1;
    }

    /// With all converted to nanoseconds.
    pub fn finish(self, convert: impl Fn(Clock, u64) -> u64) -> Horizon {
        let mut earliest = u64::MAX;
        let mut times = self.groups;
        let mut converted: Vec<u64> = Vec::with_capacity(times.len());
        while let Some([counter, monotonic]) = times.pop() {
            if counter != u64::MAX {
                earliest = earliest.min(convert(Clock::TimeStampCounter, counter));
            }
            if monotonic != u64::MAX {
                earliest = earliest.min(convert(Clock::Monotonic, monotonic));
            }
            converted.push(earliest);
        }
        converted.reverse();
        Horizon {
            times: converted,
            span: self.span,
        }
    }
}

fn earlier(left: [u64; 2], right: [u64; 2]) -> [u64; 2] {
    [left[0].min(right[0]), left[1].min(right[1])]
}

/// For each group of chunks, the earliest time in it or behind it, in nanoseconds.
#[derive(Debug)]
pub(crate) struct Horizon {
    times: Vec<u64>,
    span: usize,
}

impl Horizon {
    /// The earliest time behind so many chunks of events; at their end nothing comes any more.
    pub fn behind(&self, chunks: usize) -> u64 {
        let group = self.times.get(chunks / self.span);
        group.copied().unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_behind_any_place() {
        for count in [0, 1, 5, MOST, MOST + 1, 3 * MOST + 77] {
            let time = |chunk: usize| (chunk as u64 * 7919) % 10_007 + chunk as u64;
            let mut noted = Noted::new();
            for chunk in 0..count {
                let clock = if chunk % 3 == 0 {
                    Clock::Monotonic
                } else {
                    Clock::TimeStampCounter
                };
                noted.add((chunk % 5 != 4).then_some((clock, time(chunk))));
            }
            assert!(noted.groups.len() <= MOST);
            let horizon = noted.finish(|_, time| time);
            let mut truth = u64::MAX;
            for chunk in (0..count).rev() {
                if chunk % 5 != 4 {
                    truth = truth.min(time(chunk));
                }
                // Never later than the truth, and exact at the head of a group.
                assert!(horizon.behind(chunk) <= truth);
                if chunk % horizon.span == 0 {
                    assert_eq!(horizon.behind(chunk), truth);
                }
            }
            assert_eq!(horizon.behind(count + horizon.span), u64::MAX);
        }
    }
}
