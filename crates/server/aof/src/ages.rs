//! How old the blocks are that are not on the disk.

use std::time::Instant;

/// When the oldest block was appended that is at each stage on its way to the disk.
#[derive(Debug, Default)]
pub(crate) struct Ages {
    appended: Option<Instant>,
    taken: Option<Instant>,
    written: Option<Instant>,
    syncing: Option<Instant>,
}

impl Ages {
    /// A block was appended now. The clock is read for the first one since the last [`Self::take`].
    pub fn append(&mut self) {
        self.appended.get_or_insert_with(Instant::now);
    }

    /// Somebody took what was appended, to write it.
    pub fn take(&mut self) {
        pass(&mut self.appended, &mut self.taken);
    }

    /// What was taken is written.
    pub fn write(&mut self) {
        pass(&mut self.taken, &mut self.written);
    }

    /// A sync of what is written begins.
    pub fn begin_sync(&mut self) {
        pass(&mut self.written, &mut self.syncing);
    }

    /// That sync has ended.
    pub fn end_sync(&mut self) {
        self.syncing = None;
    }

    /// When the oldest block was appended that is not written.
    pub fn unwritten(&self) -> Option<Instant> {
        self.taken.or(self.appended)
    }

    /// When the oldest block was appended that is not synced.
    pub fn unsynced(&self) -> Option<Instant> {
        self.syncing.or(self.written).or(self.unwritten())
    }
}

/// Moves to the next stage. What is there already is older.
fn pass(from: &mut Option<Instant>, to: &mut Option<Instant>) {
    let passed = from.take();
    *to = to.or(passed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_block_counts_until_it_is_synced() {
        let mut ages = Ages::default();
        assert_eq!((ages.unwritten(), ages.unsynced()), (None, None));
        ages.append();
        let first = ages.unsynced();
        assert!(first.is_some());
        ages.take();
        ages.append();
        assert_eq!((ages.unwritten(), ages.unsynced()), (first, first));
        ages.write();
        ages.begin_sync();
        let second = ages.unwritten();
        assert!(second >= first);
        ages.take();
        ages.write();
        assert_eq!((ages.unwritten(), ages.unsynced()), (None, first));
        ages.end_sync();
        assert_eq!(ages.unsynced(), second);
    }
}
