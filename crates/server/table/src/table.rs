//! The table, and its readers.
#![expect(
    unsafe_code,
    reason = "whoever makes a table promises that one flavour of RCU protects it"
)]

use std::fmt;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use perflab_rcu::Pinned;

use crate::bits::{self, SHARDS};
use crate::entry::Entry;
use crate::locked::Locked;
use crate::many::LockedMany;
use crate::root::Root;
use crate::segment::Segment;
use crate::tally::Tally;

/// A hash table of entries that the program allocates and frees. See the [crate](crate) for an example.
///
/// A table that is dropped frees its own memory. Entries that are still in it are leaked: [`Table::drain`] before.
pub struct Table<E: Entry> {
    /// The only words of shards that readers load: 2 KiB that are seldom written.
    roots: Box<[Root<E>; SHARDS]>,
    shards: Box<[Shard; SHARDS]>,
}

/// What the writers of a shard write, on a cache line of its own.
#[repr(align(64))]
struct Shard {
    lock: Mutex<()>,
    tally: Tally,
}

impl<E: Entry> Table<E> {
    /// An empty table.
    ///
    /// # Safety
    /// All sections whose [`Pinned`] comes to this table are of one flavour of RCU. So are all limbos that come as
    /// [`Retire`](perflab_rcu::Retire) to the shards that it locks and to what is taken from them, and all grace periods
    /// after which entries are freed.
    pub unsafe fn new() -> Self {
        let shard = |_| Shard {
            lock: Mutex::new(()),
            tally: Tally::new(Root::<E>::EMPTY_BYTES),
        };
        Self {
            roots: Box::new(std::array::from_fn(|_| Root::new())),
            shards: Box::new(std::array::from_fn(shard)),
        }
    }

    /// The entry with this key. Waits for nobody.
    ///
    /// An entry that is replaced while this is called is found as the old or as the new one. One that is in the table
    /// all the time is found.
    #[inline]
    pub fn get<'p>(&'p self, hash: u64, key: &[u8], pinned: Pinned<'p>) -> Option<&'p E> {
        let found = self.segment(hash, pinned).find(hash, key);
        found.map(|(_, entry)| entry)
    }

    /// Asks the processor for the two cache lines in which the entry with this hash would be noted. A program that has
    /// several keys calls this for each, then [`Table::prefetch_entry`] for each, then [`Table::get`]: it waits for
    /// their cache lines at the same time.
    #[inline]
    pub fn prefetch(&self, hash: u64, pinned: Pinned<'_>) {
        self.segment(hash, pinned).prefetch(hash);
    }

    /// Asks the processor for the first cache line of the entry with this hash, if there is one.
    #[inline]
    pub fn prefetch_entry(&self, hash: u64, pinned: Pinned<'_>) {
        self.segment(hash, pinned).prefetch_entry(hash);
    }

    /// The segment of a hash.
    #[inline(always)]
    pub(crate) fn segment<'p>(&'p self, hash: u64, pinned: Pinned<'p>) -> Segment<'p, E> {
        let root = &self.roots[usize::from(bits::shard(hash))];
        root.read(pinned).segment(hash)
    }

    /// Waits for the lock of the shard that this hash belongs to. A thread that has a lock of this table waits for no
    /// other, as it could wait for itself: see [`Table::lock_all`].
    pub fn lock(&self, hash: u64) -> Locked<'_, E> {
        self.lock_shard(bits::shard(hash))
    }

    /// The lock of the shard that this hash belongs to, if nobody has it.
    pub fn try_lock(&self, hash: u64) -> Option<Locked<'_, E>> {
        let number = bits::shard(hash);
        let guard = match self.shards[usize::from(number)].lock.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        Some(self.locked(number, guard))
    }

    /// Waits for the locks of the shards that these hashes belong to: each once, in ascending order, as everybody does
    /// who needs several.
    pub fn lock_all(&self, hashes: impl IntoIterator<Item = u64>) -> LockedMany<'_, E> {
        let mut wanted = [false; SHARDS];
        for hash in hashes {
            wanted[usize::from(bits::shard(hash))] = true;
        }
        let wanted = (0..=u8::MAX).filter(|number| wanted[usize::from(*number)]);
        LockedMany::new(wanted.map(|number| self.lock_shard(number)))
    }

    /// Waits for the locks of all shards.
    pub fn lock_every_shard(&self) -> LockedMany<'_, E> {
        LockedMany::new((0..=u8::MAX).map(|number| self.lock_shard(number)))
    }

    fn lock_shard(&self, number: u8) -> Locked<'_, E> {
        let lock = &self.shards[usize::from(number)].lock;
        // A writer that panicked left the shard whole: it calls nothing that can panic between the stores of a step.
        let guard = lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.locked(number, guard)
    }

    /// The shard of this number, whose lock this is.
    fn locked<'t>(&'t self, number: u8, guard: MutexGuard<'t, ()>) -> Locked<'t, E> {
        let (root, shard) = (
            &self.roots[usize::from(number)],
            &self.shards[usize::from(number)],
        );
        // SAFETY: both callers have the guard of this shard's lock, and the tally is that of the root.
        unsafe { Locked::new(root, &shard.tally, number, guard) }
    }

    /// What a shard has.
    pub(crate) fn tally(&self, shard: u8) -> &Tally {
        &self.shards[usize::from(shard)].tally
    }

    /// Entries in the table. While others write, it is between the numbers of entries at the beginning and at the end of
    /// the call, give or take one for each writer.
    pub fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.tally.entries()).sum()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory that the table uses, without entries, and without memory that waits to be freed.
    pub fn bytes(&self) -> usize {
        let segments: usize = self.shards.iter().map(|shard| shard.tally.bytes()).sum();
        segments + size_of_val(&*self.roots) + size_of_val(&*self.shards) + size_of::<Self>()
    }

    /// Takes all entries out and gives them away. Nobody else uses the table, so they may be freed at once, unless they
    /// were retired as well.
    pub fn drain(&mut self, mut entry: impl FnMut(NonNull<E>)) {
        for number in 0..=u8::MAX {
            self.lock_shard(number).retain(|_| false, &mut entry);
        }
    }
}

impl<E: Entry> fmt::Debug for Table<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Table({} entries, {} bytes)", self.len(), self.bytes())
    }
}
