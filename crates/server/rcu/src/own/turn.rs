//! Whose turn it is to wait for a grace period. The others sleep until a turn ends, and look whether its grace period
//! was theirs too.
//!
//! A lock would not do. A writer that unlocks it often locks it again before the next one wakes, and then that one
//! sleeps on, although its grace period is over.
//!
//! # Steps
//!
//! The word counts the turns that have ended, and has a bit for a turn that is taken and one for writers that sleep.
//!
//! ```text
//! take                                                       drop
//!  1 word.load(Acquire)                                       6 word.swap(ended + 1, Release)
//!  2 is_done: return                                          7 somebody slept: wake all
//!  3 free: word.compare_exchange(taken, Acquire): return
//!  4 taken: looks, each from 1
//!  5 word.compare_exchange(somebody sleeps); sleep; from 1
//! ```
//!
//! What 2 looks at changes within turns only, and 3 fails if a turn has ended since 1: a turn is never taken for
//! something that is done. The kernel compares the word before it lets a writer sleep in 5, so 6 comes before that, and
//! it does not sleep, or behind it, and 7 wakes it.

use super::atomic::{Futex, Ordering, pause};

const TAKEN: u32 = 1;
/// Somebody may sleep.
const SLEPT_FOR: u32 = 2;
/// What a turn that ends adds.
const ENDED: u32 = 4;

/// At most one writer has it.
#[derive(Debug)]
pub struct Turn(Futex);

/// The turn of a writer, until it is dropped.
#[derive(Debug)]
pub struct Taken<'t> {
    turn: &'t Turn,
    /// The word that it leaves.
    ended: u32,
}

impl Turn {
    /// One that nobody has.
    pub fn new() -> Self {
        Self(Futex::new(0))
    }

    /// Takes the turn, or waits until `is_done`: whichever comes first. `looks`: how often it looks at a turn that
    /// another has, before it sleeps.
    pub fn take(&self, mut looks: u32, is_done: impl Fn() -> bool) -> Option<Taken<'_>> {
        loop {
            // 1
            let word = self.0.load(Ordering::Acquire);
            // 2
            if is_done() {
                return None;
            }
            if word & TAKEN == 0 {
                // 3
                if self.change(word, word | TAKEN) {
                    return Some(Taken {
                        turn: self,
                        ended: (word & !SLEPT_FOR).wrapping_add(ENDED),
                    });
                }
            } else if looks > 0 {
                // 4
                looks -= 1;
                pause();
            } else if word & SLEPT_FOR != 0 || self.change(word, word | SLEPT_FOR) {
                // 5
                self.0.wait(word | SLEPT_FOR);
            }
        }
    }

    fn change(&self, from: u32, to: u32) -> bool {
        self.0
            .compare_exchange(from, to, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        // 6
        let before = self.turn.0.swap(self.ended, Ordering::Release);
        // 7
        if before & SLEPT_FOR != 0 {
            self.turn.0.wake_all();
        }
    }
}
