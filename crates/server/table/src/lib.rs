//! A hash table for a key-value server: readers wait for nobody, writers lock one of 256 shards, and no pause grows with
//! the table.
//!
//! Readers are in sections of RCU (`perflab-rcu`), which keep the entries that they find. A get touches a word of the
//! directory, one or two cache lines of slots, and the entry. A slot has the address of an entry and 16 bits of its
//! hash, so the keys of other entries are hardly ever compared.
//!
//! An entry stays in its slot until it is replaced or removed, and replacing it is one store. So a key that is
//! overwritten is never absent. What readers see is linearisable: `src/writer.rs` has the steps and the argument.
//!
//! The table grows by segments of at most 128 slots. A write that finds no slot makes a larger segment or two from one,
//! and sometimes doubles the directory of its shard. It copies at most 128 addresses of entries and at most 65,536 words
//! of a directory (in a table of 100 million entries, 8192); nobody else waits but writers of that shard.
//!
//! The memory of the table is 11 to 12 bytes an entry with random hashes. It does not shrink when entries are removed:
//! only [`Locked::take`] gives memory back.
//!
//! ```
//! use std::ptr::NonNull;
//!
//! use perflab_rcu::{Limbo, Limits, OwnQsbr, Pinned, as_reader};
//! use perflab_table::{Entry, Table};
//!
//! struct Pair {
//!     hash: u64,
//!     key: &'static str,
//!     value: u32,
//! }
//!
//! // SAFETY: nothing changes the hash or the key.
//! unsafe impl Entry for Pair {
//!     fn hash(&self) -> u64 {
//!         self.hash
//!     }
//!
//!     fn key(&self) -> &[u8] {
//!         self.key.as_bytes()
//!     }
//! }
//!
//! /// A server has a keyed hash here.
//! fn hash(key: &str) -> u64 {
//!     key.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
//!         (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
//!     })
//! }
//!
//! // SAFETY: all sections and limbos that come to it are of `OwnQsbr`.
//! let mut table = unsafe { Table::new() };
//! let mut limbo: Limbo<OwnQsbr> = Limbo::new(Limits::default());
//!
//! for (key, value) in [("one", 1), ("two", 2)] {
//!     let pair = Box::new(Pair { hash: hash(key), key, value });
//!     let (hash, pair) = (pair.hash, NonNull::from(Box::leak(pair)));
//!     // SAFETY: the box is freed at the end only, when it is in no table.
//!     let replaced = unsafe { table.lock(hash).insert(pair, &mut limbo) };
//!     assert!(replaced.is_none());
//! }
//!
//! as_reader::<OwnQsbr, _>(|reader| {
//!     let section = reader.enter();
//!     let pair = table.get(hash("two"), b"two", Pinned::by(&section));
//!     assert_eq!(pair.map(|pair| pair.value), Some(2));
//! })
//! .unwrap();
//!
//! // SAFETY: each entry came from a box, and no reader has one any more.
//! table.drain(|pair| drop(unsafe { Box::from_raw(pair.as_ptr()) }));
//! ```
//!
//! ```text
//! table, walk          readers: by key, in the order of hashes, at random
//! locked, many, taken  writers, with the locks of one shard or of several; what was in a shard that is emptied
//!
//! writer    what the holder of a lock does, in numbered steps
//! growth    new segments for the entries of a full one
//! root      the directory of a shard
//! segment   buckets of one cache line
//! slot      the address of an entry with its tag
//!
//! bits      what each bit of a hash is for
//! sizes     how large segments are
//! word      a pointer and a number in one word
//! tally     counts
//! entry     what the table asks of entries
//! ```

mod atomic;
mod bits;
mod entry;
mod growth;
mod locked;
mod many;
mod prefetch;
mod root;
mod segment;
mod sizes;
mod slot;
mod table;
mod taken;
mod tally;
mod walk;
mod word;
mod writer;

pub use entry::Entry;
pub use locked::Locked;
pub use many::LockedMany;
pub use table::Table;
pub use taken::Taken;
