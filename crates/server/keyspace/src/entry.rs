//! A key with its value: one allocation, which readers find in the table.
#![expect(
    unsafe_code,
    reason = "trees, key and value follow the header in one allocation"
)]

use std::fmt;
use std::ptr::NonNull;
use std::slice;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use perflab_rcu::Pinned;

use crate::access;
use crate::collection::{Collection, Trees};
use crate::form::{Form, Kind, WrongType};
use crate::hash::Key;
use crate::memory;
use crate::number;

/// The longest string that Redis keeps in one allocation with its header.
const LONGEST_EMBEDDED: usize = 44;

/// A key with its value.
///
/// Key and form never change. A string never changes either: a command that writes one puts a new entry in the place of
/// the old one. The trees of a collection change under the lock of the shard, and readers take views of them.
#[repr(C)]
pub struct Entry {
    hash: u64,
    /// Milliseconds since 1970 after which the entry is expired; 0 for never. EXPIRE changes it in place.
    deadline: AtomicU64,
    /// See `access`.
    pub(crate) access: AtomicU32,
    key_len: u32,
    value_len: u32,
    form: Form,
    // A `Collection` follows if this is no string, then the bytes of the key, then those of the value.
}

// SAFETY: hash and key never change.
unsafe impl perflab_table::Entry for Entry {
    fn hash(&self) -> u64 {
        self.hash
    }

    fn key(&self) -> &[u8] {
        self.bytes(0, self.key_len)
    }
}

/// What an entry is made of but its value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Draft<'k> {
    pub key: Key<'k>,
    pub deadline: u64,
    pub access: u32,
}

impl Draft<'_> {
    /// An entry of a string that consists of these parts. Whoever has the address frees it.
    pub fn string(self, form: Form, parts: &[&[u8]]) -> NonNull<Entry> {
        debug_assert!(form.is_string(), "a collection has trees");
        let value_len = parts.iter().map(|part| part.len()).sum();
        let entry = self.begin(form, 0, value_len);
        // SAFETY: the allocation ends behind the value, whose parts are as long together.
        unsafe {
            let mut end = entry.add(1).cast::<u8>().add(self.key.bytes().len());
            for part in parts {
                end.copy_from_nonoverlapping(NonNull::from(*part).cast(), part.len());
                end = end.add(part.len());
            }
        }
        entry
    }

    /// An entry of a collection. Whoever has the address frees it.
    pub fn collection(self, trees: Trees) -> NonNull<Entry> {
        let entry = self.begin(trees.form(), size_of::<Collection>(), 0);
        // SAFETY: the collection follows the header, whose size is a multiple of its alignment.
        unsafe {
            entry
                .add(1)
                .cast::<Collection>()
                .write(Collection::new(trees));
        }
        entry
    }

    /// Header and key.
    fn begin(self, form: Form, between: usize, value_len: usize) -> NonNull<Entry> {
        const { assert!(size_of::<Entry>() == 32 && align_of::<Entry>() >= align_of::<Collection>()) };
        let length = |len: usize| u32::try_from(len).expect("keys and values are below 4 GiB");
        let key = self.key.bytes();
        let head = Entry {
            hash: self.key.hash(),
            deadline: AtomicU64::new(self.deadline),
            access: AtomicU32::new(self.access),
            key_len: length(key.len()),
            value_len: length(value_len),
            form,
        };
        let entry = memory::allocate::<Entry>(between + key.len() + value_len).cast::<Entry>();
        // SAFETY: the allocation has room for the header, what is between, the key and the value.
        unsafe {
            entry.write(head);
            entry
                .add(1)
                .cast::<u8>()
                .add(between)
                .copy_from_nonoverlapping(NonNull::from(key).cast(), key.len());
        }
        entry
    }
}

impl Entry {
    /// The key.
    pub fn key(&self) -> Key<'_> {
        Key::hashed(perflab_table::Entry::key(self), self.hash)
    }

    /// The type of the value.
    pub fn kind(&self) -> Kind {
        self.form.kind()
    }

    pub(crate) fn form(&self) -> Form {
        self.form
    }

    /// Milliseconds since 1970 after which the entry is expired, if it ever will be.
    pub fn deadline(&self) -> Option<u64> {
        let deadline = self.deadline.load(Ordering::Relaxed);
        (deadline != 0).then_some(deadline)
    }

    /// Changes the deadline, and returns the one before; 0 for none. The caller holds the shard's lock.
    pub(crate) fn set_deadline(&self, deadline: u64) -> u64 {
        let before = self.deadline.load(Ordering::Relaxed);
        self.deadline.store(deadline, Ordering::Relaxed);
        before
    }

    /// Whether it is expired at this time. An expired entry is absent for all commands.
    pub fn is_expired(&self, now: u64) -> bool {
        self.deadline().is_some_and(|deadline| deadline < now)
    }

    /// Whether it is there for a command at this time: not expired, and no collection whose last element was just
    /// removed.
    #[inline]
    pub(crate) fn is_live(&self, pinned: Pinned<'_>, now: u64) -> bool {
        let hollow = || {
            self.collection()
                .is_some_and(|collection| collection.trees().len(pinned) == 0)
        };
        !self.is_expired(now) && !hollow()
    }

    /// Milliseconds since the last access, while eviction wants to know.
    pub fn idle(&self, now: u64) -> u64 {
        access::idle(self.access.load(Ordering::Relaxed), now)
    }

    /// The logarithmic count of accesses, while eviction wants to know.
    pub fn frequency(&self, now: u64) -> u8 {
        access::count(self.access.load(Ordering::Relaxed), now)
    }

    /// The bytes of a string.
    ///
    /// # Errors
    /// If it is none.
    pub fn as_string(&self) -> Result<&[u8], WrongType> {
        if self.form.is_string() {
            Ok(self.bytes(self.key_len, self.value_len))
        } else {
            Err(WrongType)
        }
    }

    /// The trees, if it is no string.
    #[inline]
    pub(crate) fn collection(&self) -> Option<&Collection> {
        if self.form.is_string() {
            return None;
        }
        // SAFETY: `Draft::collection` wrote it there.
        Some(unsafe { &*self.tail().cast::<Collection>() })
    }

    /// An entry with the same key, deadline and access clock, and the empty trees of another form. Whoever has the
    /// address frees it.
    pub(crate) fn alike(&self, form: Form) -> NonNull<Entry> {
        // SAFETY: the trees come to the same sections and limbos as those of this entry.
        self.draft(self.key())
            .collection(unsafe { Trees::new(form) })
    }

    /// What another entry of this deadline and access clock is made of.
    pub(crate) fn draft<'k>(&self, key: Key<'k>) -> Draft<'k> {
        Draft {
            key,
            deadline: self.deadline.load(Ordering::Relaxed),
            access: self.access.load(Ordering::Relaxed),
        }
    }

    /// What Redis 7.0 calls the way in which it would keep this value: the answer of OBJECT ENCODING.
    pub fn encoding(&self) -> &'static str {
        match self.form {
            Form::Plain => match self.bytes(self.key_len, self.value_len) {
                value if number::integer(value).is_some() => "int",
                value if value.len() <= LONGEST_EMBEDDED => "embstr",
                _ => "raw",
            },
            Form::Raw => "raw",
            Form::List => "quicklist",
            Form::HashSmall | Form::ZsetSmall => "listpack",
            Form::HashLarge | Form::SetLarge => "hashtable",
            Form::SetInts => "intset",
            Form::ZsetLarge => "skiplist",
        }
    }

    /// The bytes that the key and its value take of the heap, as malloc counts them; without its place in the table.
    pub fn memory(&self) -> usize {
        let inside = |collection: &Collection| (collection.blobs() + collection.nodes()) as usize;
        self.shell() + self.collection().map_or(0, inside)
    }

    /// The bytes of the entry itself, without nodes and blobs.
    pub(crate) fn shell(&self) -> usize {
        let asked = size_of::<Self>() + self.tail_len();
        // SAFETY: the entry is alive as long as this reference, and `memory::allocate` gave it.
        unsafe { memory::taken((&raw const *self).cast(), asked) }
    }

    fn tail(&self) -> *const u8 {
        (&raw const *self).wrapping_add(1).cast()
    }

    /// Bytes between the header and the key.
    fn between(&self) -> usize {
        if self.form.is_string() {
            0
        } else {
            size_of::<Collection>()
        }
    }

    fn tail_len(&self) -> usize {
        self.between() + self.key_len as usize + self.value_len as usize
    }

    /// Bytes behind the collection. `start + len` is not behind the end of the value.
    fn bytes(&self, start: u32, len: u32) -> &[u8] {
        debug_assert!(
            u64::from(start) + u64::from(len)
                <= u64::from(self.key_len) + u64::from(self.value_len)
        );
        // SAFETY: the constructors wrote key and value there. An entry is only reached by its address, which may be
        // used for the whole allocation.
        unsafe {
            let start = self.tail().add(self.between() + start as usize);
            slice::from_raw_parts(start, len as usize)
        }
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("key", &String::from_utf8_lossy(self.key().bytes()))
            .field("form", &self.form)
            .field("deadline", &self.deadline())
            .finish_non_exhaustive()
    }
}

/// Frees an entry with all that it holds.
///
/// # Safety
/// The address is of an entry that nobody uses any more, nor its blobs.
pub(crate) unsafe fn free_whole(address: *mut u8) {
    // SAFETY: nobody else uses the entry, so there is nothing to be protected from.
    unsafe {
        let entry = &*address.cast::<Entry>();
        if let Some(collection) = entry.collection() {
            let pinned = Pinned::unprotected();
            collection
                .trees()
                .each_held(pinned, |held| crate::blob::free(held.address()));
        }
        free_shell(address);
    }
}

/// Frees an entry and its nodes, but not the blobs, which another entry has now.
///
/// # Safety
/// The address is of an entry that nobody uses any more.
pub(crate) unsafe fn free_shell(address: *mut u8) {
    // SAFETY: as the caller promises. The collection was written behind the header, and is dropped once.
    unsafe {
        let object = NonNull::new_unchecked(address);
        let entry = object.cast::<Entry>();
        let tail = entry.as_ref().tail_len();
        if entry.as_ref().collection().is_some() {
            entry.add(1).cast::<Collection>().drop_in_place();
        }
        memory::free::<Entry>(object, tail);
    }
}
