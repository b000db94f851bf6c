//! Cells that filters have which do not just take all events that they accept.

use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};

use super::cell::{CAME, CELLS, Cell, EARLY, NONE, WAITS, turn};
use crate::record::{SAMPLERS, ThreadWords};

/// Most that `every` and `at_most` may be.
pub const MOST: u32 = i32::MAX as u32;

/// Which cells somebody has, a bit for each.
static USED: [AtomicU64; CELLS / 64] = [const { AtomicU64::new(0) }; CELLS / 64];

/// Which words of threads somebody has, a bit for each.
static COUNTING: AtomicU64 = AtomicU64::new(0);

/// The last number that a cell had.
static NUMBER: AtomicU32 = AtomicU32::new(0);

/// Sets the first bit that is not set, of so many. Takes no lock, as these are in children of forks, too.
fn claim(bits: &AtomicU64, most: usize) -> Option<usize> {
    let first = |bits: u64| (!bits).trailing_zeros() as usize;
    let set = |bits: u64| (first(bits) < most).then(|| bits | 1 << first(bits));
    let result = bits.fetch_update(Ordering::Acquire, Ordering::Relaxed, set);
    result.ok().map(first)
}

fn give_back(bits: &AtomicU64, index: usize) {
    bits.fetch_and(!(1 << index), Ordering::Release);
}

/// What comes of an event that a filter accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It is taken, if the others leave room for it.
    Judge,
    /// The recording begins with it.
    Start,
    /// The recording ends with it.
    Stop,
}

/// A cell that filters have. It goes with the last of them, which no thread is in any more.
#[derive(Debug)]
pub struct Acting(usize);

impl Acting {
    /// Takes one of `every` events, and at most `at_most` in a second; 0 takes all.
    ///
    /// # Errors
    /// When there are too many already.
    pub fn new(every: u32, at_most: u32) -> Result<Self, String> {
        let mut used = USED.iter().enumerate();
        let index = used.find_map(|(at, bits)| Some(64 * at + claim(bits, 64)?));
        let index = index.ok_or_else(|| {
            format!(
                "{CELLS} filters that take some events only, or wait for one, are on in this process already: switch \
                 one off"
            )
        })?;
        let acting = Self(index);
        let cell = acting.cell();
        cell.number.store(
            NUMBER.fetch_add(1, Ordering::Relaxed).wrapping_add(1),
            Ordering::Relaxed,
        );
        cell.at_most.store(at_most, Ordering::Relaxed);
        cell.credit.store(at_most as i32, Ordering::Relaxed);
        if every > 1 {
            let word = claim(&COUNTING, SAMPLERS);
            let word = word.ok_or_else(|| {
                format!(
                    "{SAMPLERS} filters that take 1 of so many events are on in this process already: switch one off"
                )
            })?;
            cell.word.store(word as u32 + 1, Ordering::Relaxed);
            cell.every.store(every, Ordering::Relaxed);
            let distance = ThreadWords::new().sampler(word).distance();
            cell.sampler.store(distance, Ordering::Relaxed);
        }
        Ok(acting)
    }

    fn cell(&self) -> &'static Cell {
        Cell::at(self.0)
    }

    /// Takes nothing until an event comes with which the recording begins.
    pub fn wait_for_start(&self) {
        let cell = self.cell();
        cell.closed.store(1, Ordering::Relaxed);
        cell.start.store(WAITS, Ordering::Relaxed);
        turn(&cell.stop, WAITS, EARLY);
    }

    /// Tells the recorder this number when an event comes with which the recording ends; if it is 0, nobody.
    pub fn wait_for_stop(&self, number: u64) {
        let cell = self.cell();
        cell.told.store(number, Ordering::Relaxed);
        let is_early = cell.start.load(Ordering::Relaxed) == WAITS;
        let state = if is_early { EARLY } else { WAITS };
        cell.stop.store(state, Ordering::Relaxed);
    }

    /// Whether anybody waits for an event with which the recording ends.
    pub fn may_stop(&self) -> bool {
        self.cell().stop.load(Ordering::Relaxed) != NONE
    }

    /// Whether an event has come with which the recording ends.
    pub fn has_stopped(&self) -> bool {
        self.cell().stop.load(Ordering::Acquire) == CAME
    }

    /// The address of the code that an event comes to which a filter accepts.
    pub fn way(&self, role: Role) -> usize {
        Cell::way(self.0, role as usize)
    }

    /// The same for an event with which the recording ends, if it has begun; else code judges that comes next. rax has
    /// the address of two: that of the handler, and that of this code.
    pub fn way_if_begun(&self) -> usize {
        Cell::way(self.0, 3)
    }

    /// Whether an event is taken, as that code decides it.
    pub fn takes(&self, role: Role) -> bool {
        match role {
            Role::Judge => self.cell().takes(),
            Role::Start => self.cell().starts(),
            Role::Stop => self.cell().stops(),
        }
    }

    /// What may still be taken in this second, if there is a limit.
    pub fn credit(&self) -> Option<(u32, &'static AtomicI32)> {
        let cell = self.cell();
        let at_most = cell.at_most.load(Ordering::Relaxed);
        (at_most > 0).then_some((at_most, &cell.credit))
    }

    /// Whether events were left out since this was asked last.
    pub fn was_over(&self) -> bool {
        self.cell().is_over.swap(0, Ordering::Relaxed) != 0
    }
}

impl Drop for Acting {
    fn drop(&mut self) {
        let cell = self.cell();
        let word = cell.word.swap(0, Ordering::Relaxed);
        cell.sampler.store(0, Ordering::Relaxed);
        for word in [
            &cell.closed,
            &cell.start,
            &cell.stop,
            &cell.every,
            &cell.is_over,
        ] {
            word.store(0, Ordering::Relaxed);
        }
        if let Some(index) = word.checked_sub(1) {
            give_back(&COUNTING, index as usize);
        }
        if let Some(used) = USED.get(self.0 / 64) {
            give_back(used, self.0 % 64);
        }
    }
}

#[cfg(test)]
pub mod tests;
