//! Which of a thread's events its process has recorded on its own, of those before the last recorder came.

use perflab_abi::recording::ring;

use crate::ring_file::RingFile;

/// Recorders of which the thread's ring says which events they had.
const RECORDERS: usize = ring::EARLIER_EVENTS.end / 2 - ring::EARLIER_EVENTS.start / 2;

/// Which of a thread's events its process has recorded on its own, of those before the last recorder came.
///
/// Events are called by their numbers. The others were recorded by earlier recorders, or came before the process began to
/// record on its own.
#[derive(Debug, Clone, Copy, Default)]
pub struct Own {
    /// That of the last recorder's first event.
    end: u64,
    /// Others before the end.
    others: u64,
    /// Where some of them begin and end: those of the newest recorders.
    known: [(u64, u64); RECORDERS],
}

impl Own {
    /// Of a ring.
    pub fn of(ring: &RingFile) -> Self {
        let recorders = usize::try_from(ring.word(ring::EARLIER)).unwrap_or(usize::MAX);
        let mut known = [(0, 0); RECORDERS];
        let words = ring::EARLIER_EVENTS.step_by(2).take(recorders);
        for (known, at) in known.iter_mut().zip(words) {
            *known = (ring.count(at), ring.count(at + 1));
        }
        Self {
            end: ring.count(ring::BEFORE_KEPT),
            others: ring.count(ring::OTHERS_BEFORE_KEPT),
            known,
        }
    }

    /// How many of them have a number below this one. Others that no known recorder had count as the first ones.
    pub fn before(&self, number: u64) -> u64 {
        let below = |bound: u64| {
            let known = self.known.iter();
            known.fold(0_u64, |sum, (from, to)| {
                sum.saturating_add((*to).min(bound).saturating_sub(*from))
            })
        };
        let first = self.others.saturating_sub(below(u64::MAX));
        let number = number.min(self.end);
        let others = number.min(first).saturating_add(below(number));
        number.saturating_sub(others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a thread's ring says after some parts of so many events: its own ones, and those of a recorder, in turn.
    fn after(first: u64, parts: &[u64]) -> (Own, Vec<bool>) {
        let mut are_own = vec![false; first as usize];
        let (mut own, mut recorders) = (
            Own {
                end: first,
                others: first,
                ..Own::default()
            },
            0,
        );
        let mut last = None;
        for (part, events) in parts.iter().enumerate() {
            let from = are_own.len() as u64;
            let to = from + events;
            are_own.resize(to as usize, part % 2 == 0);
            if part % 2 == 0 {
                continue;
            }
            // As the agent does when a recorder comes.
            if let Some((from, to)) = last.replace((from, to)).filter(|(from, to)| to > from) {
                own.known[recorders % RECORDERS] = (from, to);
                recorders += 1;
                own.others += to - from;
            }
            own.end = from;
        }
        (own, are_own)
    }

    fn check(first: u64, parts: &[u64], from: u64) {
        let (own, are_own) = after(first, parts);
        for number in from..=are_own.len() as u64 {
            let end = number.min(own.end) as usize;
            let expected = are_own[..end].iter().filter(|own| **own).count();
            assert_eq!(
                own.before(number),
                expected as u64,
                "{number} of {first} {parts:?}"
            );
        }
    }

    #[test]
    fn any_number_of_events_before() {
        check(0, &[], 0);
        check(0, &[5, 3], 0);
        check(0, &[5, 3, 5, 3], 0);
        check(4, &[5, 3, 5, 3, 2, 0, 7, 1], 0);
        check(2, &[0, 3, 0, 3, 4, 3], 0);
        let parts: Vec<u64> = (1..=2 * RECORDERS as u64 + 2).collect();
        check(3, &parts, 0);
    }

    /// Of the oldest recorders only their number of events is known: of later numbers the count is right.
    #[test]
    fn more_recorders_than_are_known() {
        let parts = [4, 2].repeat(RECORDERS + 6);
        check(1, &parts, 1 + 6 * 5);
    }

    #[test]
    fn spoiled_numbers() {
        let own = Own {
            end: u64::MAX,
            others: 7,
            known: [(u64::MAX, 3); RECORDERS],
        };
        assert_eq!(own.before(10), 3);
        let own = Own {
            known: [(0, u64::MAX); RECORDERS],
            ..own
        };
        assert_eq!(own.before(10), 0);
    }
}
