//! How many events a filter may still take in this second.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use super::acting::Acting;

/// The time in which so many may be taken.
const SECOND: Duration = Duration::from_secs(1);

/// What a filter has taken, and when. Whatever is looked at how often, in no second is more taken than it may: what is
/// taken may be so again a second after it was seen.
#[derive(Debug)]
struct Window {
    /// What was left when it was looked at last.
    left: i32,
    /// By when so many were taken.
    taken: VecDeque<(Instant, i32)>,
}

impl Window {
    fn new(at_most: u32) -> Self {
        Self {
            left: at_most as i32,
            taken: VecDeque::new(),
        }
    }

    /// Looks at what is left, and gives back what was taken a second ago.
    fn look(&mut self, credit: &AtomicI32, clock: impl Fn() -> Instant) {
        let now = clock();
        let mut back = 0;
        while let Some(&(when, count)) = self.taken.front()
            && now.saturating_duration_since(when) >= SECOND
        {
            back += count;
            self.taken.pop_front();
        }
        let left = credit.fetch_add(back, Ordering::Relaxed);
        let taken = self.left - left;
        self.left = left + back;
        if taken > 0 {
            // By now: some may have been taken since this look began.
            self.taken.push_back((clock(), taken));
        }
    }
}

/// The filters that have a limit.
#[derive(Debug)]
pub struct Paces {
    all: Vec<(Weak<Acting>, Window)>,
    looked: Instant,
}

impl Paces {
    /// None.
    pub fn new() -> Self {
        Self {
            all: Vec::new(),
            looked: Instant::now(),
        }
    }

    /// Looks after the limit of a filter as well, if it has one and is new.
    pub fn add(&mut self, acting: &Arc<Acting>) {
        let mut known = self.all.iter();
        let is_known = known.any(|(known, _)| known.as_ptr() == Arc::as_ptr(acting));
        if let Some((at_most, _)) = acting.credit()
            && !is_known
        {
            if self.all.is_empty() {
                self.looked = Instant::now();
            }
            self.all
                .push((Arc::downgrade(acting), Window::new(at_most)));
        }
    }

    /// Whether there are any, so that they are to be looked after soon.
    pub fn are_any(&self) -> bool {
        !self.all.is_empty()
    }

    /// Gives back what was taken a second ago. Returns for how long some filter has left out events, of the time since
    /// the last look.
    pub fn look(&mut self) -> Duration {
        let mut was_over = false;
        self.all.retain_mut(|(acting, window)| {
            let Some(acting) = acting.upgrade() else {
                return false;
            };
            if let Some((_, credit)) = acting.credit() {
                window.look(credit, Instant::now);
            }
            was_over |= acting.was_over();
            true
        });
        let since = std::mem::replace(&mut self.looked, Instant::now());
        if was_over {
            since.elapsed()
        } else {
            Duration::ZERO
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::acting::tests::in_turn;
    use super::*;

    /// A limit, and a clock.
    struct Limited {
        window: Window,
        credit: AtomicI32,
        begin: Instant,
    }

    impl Limited {
        fn new(at_most: u32) -> Self {
            Self {
                window: Window::new(at_most),
                credit: AtomicI32::new(at_most as i32),
                begin: Instant::now(),
            }
        }

        /// Looks at this moment, in ms. Returns what is left.
        fn look(&mut self, at: u64) -> i32 {
            let now = self.begin + Duration::from_millis(at);
            self.window.look(&self.credit, || now);
            self.credit.load(Ordering::Relaxed)
        }

        /// Takes so many, as far as there are any. Returns how many.
        fn take(&self, wanted: i32) -> i32 {
            let taken = wanted.min(self.credit.load(Ordering::Relaxed));
            self.credit.fetch_sub(taken, Ordering::Relaxed);
            taken
        }
    }

    #[test]
    fn what_is_taken_comes_back_a_second_later() {
        let mut limited = Limited::new(10);
        assert_eq!(limited.look(5), 10);
        assert_eq!(limited.take(4), 4);
        assert_eq!(limited.look(10), 6);
        assert_eq!(limited.take(100), 6);
        assert_eq!(limited.look(500), 0);
        // Seen at 10, and at 500.
        assert_eq!(limited.look(1009), 0);
        assert_eq!(limited.look(1010), 4);
        assert_eq!(limited.look(1499), 4);
        assert_eq!(limited.look(1501), 10);
        // A look that comes late gives back no more.
        limited.take(10);
        assert_eq!(limited.look(2000), 0);
        assert_eq!(limited.look(9000), 10);
    }

    #[test]
    fn never_more_in_any_second() {
        let mut limited = Limited::new(100);
        let mut taken: Vec<(u64, i32)> = Vec::new();
        // Bursts and pauses, and looks at any distance.
        let (mut now, mut state) = (0, 12345_u64);
        for _ in 0..20_000 {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            now += state >> 59;
            if state >> 40 & 3 == 0 {
                limited.look(now);
            } else {
                taken.push((now, limited.take((state >> 33 & 31) as i32)));
            }
        }
        let mut sum = 0;
        let mut first = 0;
        for (at, (when, count)) in taken.iter().enumerate() {
            sum += count;
            while taken[first].0 + 1000 <= *when {
                sum -= taken[first].1;
                first += 1;
            }
            assert!(sum <= 100, "{sum} in the second up to {when}, event {at}");
        }
        let all: i32 = taken.iter().map(|(_, count)| count).sum();
        let seconds = (now / 1000) as i32;
        assert!(all > 60 * seconds, "{all} in {seconds} s");
    }

    #[test]
    fn filters_that_have_gone_are_not_looked_after() {
        in_turn(|| {
            let mut paces = Paces::new();
            let limited = Arc::new(Acting::new(0, 1).unwrap());
            let without = Arc::new(Acting::new(0, 0).unwrap());
            for acting in [&limited, &without, &limited] {
                paces.add(acting);
            }
            assert_eq!(paces.all.len(), 1);
            assert_eq!(paces.look(), Duration::ZERO);
            drop(limited);
            paces.look();
            assert!(!paces.are_any());
        });
    }
}
