//! The data of a key-value server: keys, values of five types, expiry, memory, eviction and watching. There is no
//! network in it, no protocol and no log.
//!
//! Readers are in sections of RCU (`perflab-rcu`) and wait for nobody. Writers lock the shards of their keys. What a
//! command writes to a key is seen as a whole: a string is replaced, and a collection gets new roots of its trees
//! (`perflab-tree`). Values and encodings are those of Redis 7.0.
//!
//! ```
//! use perflab_keyspace::{Create, Hand, Key, Keyspace};
//! use perflab_rcu::{Limbo, Limits, OwnQsbr, Pinned, as_reader};
//!
//! // SAFETY: all sections and limbos that come to it are of `OwnQsbr`.
//! let space = unsafe { Keyspace::new() };
//! let mut limbo: Limbo<OwnQsbr> = Limbo::new(Limits::default());
//!
//! // One reading of the clock for each command.
//! let now = 1_000;
//! let mut hand = Hand::new(&mut limbo, now);
//! let (greeting, names) = (Key::of(b"greeting"), Key::of(b"names"));
//! {
//!     let mut writing = space.lock_keys([(0, greeting), (0, names)]);
//!     writing.put(&mut hand, 0, greeting, &[b"hello, ", b"world"], Some(now + 50));
//!     let pushed = writing.list(&mut hand, 0, names, Create::IfAbsent, |list| {
//!         list.push_back(b"ada");
//!         list.push_back(b"grace");
//!         list.len()
//!     });
//!     assert_eq!(pushed, Ok(Some(2)));
//! }
//! let used = hand.memory;
//! assert!(used > 0);
//!
//! as_reader::<OwnQsbr, _>(|reader| {
//!     let section = reader.enter();
//!     let pinned = Pinned::by(&section);
//!     let entry = space.get(0, greeting, pinned, now).unwrap();
//!     assert_eq!(entry.as_string(), Ok(&b"hello, world"[..]));
//!     assert!(space.get(0, greeting, pinned, now + 51).is_none());
//!
//!     let names = space.get(0, names, pinned, now).unwrap();
//!     let names = names.as_list(pinned).unwrap();
//!     assert!(names.iter(0..names.len()).eq([&b"ada"[..], b"grace"]));
//! })
//! .unwrap();
//! ```
//!
//! ```text
//! keyspace     the databases, and how they are read
//! writing      commands with the locks of their keys: strings, edits of collections, moves
//! locks, hand  what a writing command holds
//! view, edit   collections as a reader sees them, and as a command changes them
//!
//! expiry       removes expired keys that nobody asks for
//! eviction     removes keys when memory is short; policy says which, access keeps what it wants to know
//! watching     who watches which keys
//!
//! entry        a key with its value: one allocation
//! form         how a value is kept; limits say when a collection is large
//! collection   the trees of an entry
//! look, item   the trees' items, and what they lead to
//! blob         elements of collections
//! memory       allocations, and the bytes that they take
//!
//! hash         hashes of keys and fields
//! number       integers in their canonical form
//! random       numbers for sampling
//! ```
//!
//! # What readers see
//!
//! - A read of one key is linearisable: it sees a command's write to that key as a whole or not at all.
//! - Commands that write several keys hold all their locks, so they exclude each other. A reader without a lock sees
//!   their keys change one by one. A command that must not locks its keys, also for reading.
//! - An expired key is absent for all who read the clock later than its deadline, also before it is removed.
//!
//! # Memory
//!
//! [`Hand::memory`] counts what malloc gave for entries and elements with the 8 bytes that it keeps for itself, and the
//! memory of nodes as `perflab-tree` counts it, without these 8 bytes. Retired bytes leave this count when they come to
//! the limbo, which counts them until they are free. The tables count for themselves: [`Keyspace::table_bytes`].
//!
//! A collection that is removed is freed at once, after its grace period, by the thread whose turn it is: 1 million
//! elements are 1 million calls of the allocator.

mod access;
mod blob;
mod collection;
mod edit;
mod entry;
mod eviction;
mod expiry;
mod form;
mod hand;
mod hash;
mod item;
mod keyspace;
mod limits;
mod locks;
mod look;
mod memory;
mod number;
mod policy;
mod random;
#[cfg(test)]
mod tests;
mod view;
mod watching;
mod writing;

pub use edit::{HashEdit, ListEdit, NotANumber, SetEdit, Zadd, ZaddFlags, ZsetEdit};
pub use entry::Entry;
pub use eviction::{Evicted, Evictor};
pub use expiry::Swept;
pub use form::{Kind, WrongType};
pub use hand::Hand;
pub use hash::Key;
pub use keyspace::{DATABASES, Keyspace};
pub use limits::{Limit, Limits};
pub use number::{Digits, MOST_DIGITS, integer};
pub use policy::{Policy, UnknownPolicy};
pub use random::Random;
pub use view::{HashView, ListView, Member, SetView, ZsetView};
pub use watching::Watch;
pub use writing::{Create, Writing};
