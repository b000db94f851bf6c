//! Edits of collections: one for each command, which readers see as a whole.
#![expect(
    unsafe_code,
    reason = "the lock that the thread has protects the trees that it edits"
)]

use std::ptr::NonNull;

use crate::blob;
use crate::collection::{Collection, Trees};
use crate::edit::{Done, HashEdit, ListEdit, SetEdit, ZsetEdit};
use crate::entry::{Entry, free_shell};
use crate::form::{Form, WrongType};
use crate::hand::Hand;
use crate::hash::Key;
use crate::writing::Writing;
use crate::writing::bury::Part;

/// What becomes of a key that is absent, when a collection is edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Create {
    /// It stays absent.
    Never,
    /// An empty collection is edited, and is there if it is not empty at the end.
    IfAbsent,
    /// The same, even if the key is there: the new collection takes its place, whatever its type, for commands that
    /// store a result. The key is removed if the collection is empty at the end.
    Anew,
}

/// The entry that is edited.
struct Site {
    entry: NonNull<Entry>,
    /// Whether readers can find it.
    is_published: bool,
}

impl Writing<'_> {
    /// Edits a list. Returns what the function returned; None if there is no list and none is created. A list that is
    /// empty at the end is removed.
    ///
    /// # Errors
    /// If the value is no list.
    ///
    /// # Panics
    /// If the shard of the key is not locked. If the function panics, readers see no change, and memory is leaked.
    pub fn list<R>(
        &mut self,
        hand: &mut Hand<'_>,
        db: usize,
        key: Key<'_>,
        create: Create,
        work: impl FnOnce(&mut ListEdit<'_>) -> R,
    ) -> Result<Option<R>, WrongType> {
        let Some(site) = self.site(hand, db, key, create, Form::List)? else {
            return Ok(None);
        };
        // SAFETY: the thread has the lock of the key, and this is its only edit of it.
        let mut edit = unsafe { ListEdit::begin(site.entry.as_ref()) }.ok_or(WrongType)?;
        let result = work(&mut edit);
        let done = edit.finish(hand.retire);
        self.settle(hand, db, key, create, &site, done);
        Ok(Some(result))
    }

    /// Edits a hash, as [`Writing::list`] edits a list.
    ///
    /// # Errors
    /// If the value is no hash.
    ///
    /// # Panics
    /// As there.
    pub fn hash<R>(
        &mut self,
        hand: &mut Hand<'_>,
        db: usize,
        key: Key<'_>,
        create: Create,
        work: impl FnOnce(&mut HashEdit<'_>) -> R,
    ) -> Result<Option<R>, WrongType> {
        let Some(site) = self.site(hand, db, key, create, Form::HashSmall)? else {
            return Ok(None);
        };
        let limits = self.space.limits();
        // SAFETY: the thread has the lock of the key, and this is its only edit of it.
        let mut edit = unsafe { HashEdit::begin(site.entry.as_ref(), limits) }.ok_or(WrongType)?;
        let result = work(&mut edit);
        let done = edit.finish(hand.retire);
        self.settle(hand, db, key, create, &site, done);
        Ok(Some(result))
    }

    /// Edits a set, as [`Writing::list`] edits a list.
    ///
    /// # Errors
    /// If the value is no set.
    ///
    /// # Panics
    /// As there.
    pub fn set<R>(
        &mut self,
        hand: &mut Hand<'_>,
        db: usize,
        key: Key<'_>,
        create: Create,
        work: impl FnOnce(&mut SetEdit<'_>) -> R,
    ) -> Result<Option<R>, WrongType> {
        let Some(site) = self.site(hand, db, key, create, Form::SetInts)? else {
            return Ok(None);
        };
        let limits = self.space.limits();
        // SAFETY: the thread has the lock of the key, and this is its only edit of it.
        let mut edit = unsafe { SetEdit::begin(site.entry.as_ref(), limits) }.ok_or(WrongType)?;
        let result = work(&mut edit);
        let done = edit.finish(hand.retire);
        self.settle(hand, db, key, create, &site, done);
        Ok(Some(result))
    }

    /// Edits a sorted set, as [`Writing::list`] edits a list.
    ///
    /// # Errors
    /// If the value is no sorted set.
    ///
    /// # Panics
    /// As there.
    pub fn zset<R>(
        &mut self,
        hand: &mut Hand<'_>,
        db: usize,
        key: Key<'_>,
        create: Create,
        work: impl FnOnce(&mut ZsetEdit<'_>) -> R,
    ) -> Result<Option<R>, WrongType> {
        let Some(site) = self.site(hand, db, key, create, Form::ZsetSmall)? else {
            return Ok(None);
        };
        let limits = self.space.limits();
        // SAFETY: the thread has the lock of the key, and this is its only edit of it.
        let mut edit = unsafe { ZsetEdit::begin(site.entry.as_ref(), limits) }.ok_or(WrongType)?;
        let result = work(&mut edit);
        let done = edit.finish(hand.retire);
        self.settle(hand, db, key, create, &site, done);
        Ok(Some(result))
    }

    /// The entry to edit. A new one is of the smallest form.
    fn site(
        &mut self,
        hand: &mut Hand<'_>,
        db: usize,
        key: Key<'_>,
        create: Create,
        smallest: Form,
    ) -> Result<Option<Site>, WrongType> {
        let found = self.live(hand, db, key).filter(|_| create != Create::Anew);
        if let Some(entry) = found {
            // SAFETY: the thread has the lock of the entry.
            let kind = unsafe { entry.as_ref() }.kind();
            let is_published = true;
            let site = Site {
                entry,
                is_published,
            };
            return (kind == smallest.kind())
                .then_some(Some(site))
                .ok_or(WrongType);
        }
        if create == Create::Never {
            return Ok(None);
        }
        let draft = self.draft(hand, key, None);
        // SAFETY: they are for this keyspace, whose sections and limbos are of one flavour.
        let trees = unsafe { Trees::new(smallest) };
        Ok(Some(Site {
            entry: draft.collection(trees),
            is_published: false,
        }))
    }

    /// Counts what an edit has done, publishes the entry that it leaves, and retires what it removed.
    fn settle(
        &mut self,
        hand: &mut Hand<'_>,
        db: usize,
        key: Key<'_>,
        create: Create,
        site: &Site,
        done: Done,
    ) {
        // SAFETY: the thread has the lock of the entry, or is the only one that knows it.
        let edited = unsafe { site.entry.as_ref() };
        let before = edited.collection().map_or(0, Collection::blobs);
        let left = done.converted.unwrap_or(site.entry);
        // SAFETY: as above.
        let collection = unsafe { left.as_ref() }.collection();
        if let Some(collection) = collection {
            let inherited = done.converted.map_or(0, |_| before as i64);
            collection.count(inherited + done.changes.blobs, done.nodes);
        }
        let is_new = !site.is_published || done.converted.is_some();
        // The blobs of a converted collection are in the new entry, or are gone.
        let replaced = if site.is_published {
            Part::Shell
        } else {
            Part::Whole
        };
        match (is_new, done.len) {
            (true, 0) => {
                // SAFETY: no reader could ever find it, and it has no blobs.
                unsafe { free_shell(left.as_ptr().cast()) };
                if (site.is_published || create == Create::Anew)
                    && self.take(hand, db, key, replaced)
                {
                    self.space.watchers.tell(db, key);
                }
            }
            (true, _) => self.publish(hand, db, left, replaced),
            (false, len) => {
                hand.memory += done.changes.blobs + done.nodes;
                if len == 0 {
                    self.take(hand, db, key, Part::Whole);
                }
                if done.changes.changed {
                    self.space.watchers.tell(db, key);
                }
            }
        }
        if !site.is_published && done.converted.is_some() {
            // SAFETY: another entry took its place before any reader could find it, and has its blobs.
            unsafe { free_shell(site.entry.as_ptr().cast()) };
        }
        for gone in done.changes.gone {
            // SAFETY: the edit was committed, or its entry replaced, so readers find the blob no more. It came from no
            // other edit.
            unsafe {
                hand.retire
                    .retire_raw(gone.address(), gone.taken(), blob::free);
            }
        }
    }
}
