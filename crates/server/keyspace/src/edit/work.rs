//! The edit of a tree of blobs: it counts the memory of blobs, and keeps those that were removed until the end.
#![expect(
    unsafe_code,
    reason = "blobs that an edit removed live until they are retired after its commit"
)]

use std::ops::Range;

use perflab_rcu::Retire;
use perflab_tree::{Edit, Tree};

use crate::blob::Held;
use crate::hash::of_field;
use crate::item::{Hashed, Leads};
use crate::look::{Look, Seen};

/// Blobs that came and went in an edit.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// Blobs that were removed, and are not retired yet. Dropping the list leaks them.
    pub gone: Vec<Held>,
    /// Bytes of blobs more than before.
    pub blobs: i64,
    /// Whether anything changed.
    pub changed: bool,
}

impl Changes {
    fn added(&mut self, held: Held) {
        // SAFETY: it comes into the tree now, so it is alive.
        self.blobs += unsafe { held.taken() } as i64;
        self.changed = true;
    }

    fn removed(&mut self, held: Held) {
        // SAFETY: it is retired later.
        self.blobs -= unsafe { held.taken() } as i64;
        self.changed = true;
        self.gone.push(held);
    }
}

/// The edit of a tree that holds blobs.
pub(crate) struct Work<'t, I: Leads> {
    edit: Edit<'t, I>,
    changes: Changes,
}

impl<'t, I: Leads> Work<'t, I> {
    /// Begins an edit.
    ///
    /// # Safety
    /// No other edit of the tree begins before this one ends: the caller holds the lock of the shard, or nobody else
    /// knows the tree. Blobs of the tree are retired only as the result of this edit.
    pub unsafe fn begin(tree: &'t Tree<I>) -> Self {
        Self {
            // SAFETY: as the caller promises.
            edit: unsafe { tree.edit() },
            changes: Changes::default(),
        }
    }

    /// The tree as it is now in this edit.
    pub fn look(&self) -> Look<'_, I> {
        // SAFETY: nobody retires its blobs before the edit ends.
        unsafe { Look::new(self.edit.view()) }
    }

    /// The number of items now.
    pub fn len(&self) -> usize {
        self.look().len()
    }

    /// Inserts an item with a new blob in front of a position.
    ///
    /// # Panics
    /// If the position is behind the end.
    pub fn insert(&mut self, position: usize, item: I) {
        self.changes.added(item.held());
        self.edit.insert(position, item);
    }

    /// Appends an item with a new blob.
    pub fn push_back(&mut self, item: I) {
        self.changes.added(item.held());
        self.edit.push_back(item);
    }

    /// Puts an item with a new blob in front.
    pub fn push_front(&mut self, item: I) {
        self.changes.added(item.held());
        self.edit.push_front(item);
    }

    /// Puts an item with a new blob in the place of one. The position is one of the tree.
    pub fn replace(&mut self, position: usize, item: I) {
        self.changes.added(item.held());
        if let Some(before) = self.edit.replace(position, item) {
            self.changes.removed(before.held());
        }
    }

    /// Removes the item at a position.
    pub fn remove(&mut self, position: usize) -> Option<Seen<'_, I>> {
        let item = self.edit.remove(position)?;
        Some(self.took(item))
    }

    /// Removes the first item.
    pub fn pop_front(&mut self) -> Option<Seen<'_, I>> {
        let item = self.edit.pop_front()?;
        Some(self.took(item))
    }

    /// Removes the last item.
    pub fn pop_back(&mut self) -> Option<Seen<'_, I>> {
        let item = self.edit.pop_back()?;
        Some(self.took(item))
    }

    /// Removes the items at those of these positions that are there.
    pub fn remove_range(&mut self, range: Range<usize>) {
        let changes = &mut self.changes;
        self.edit
            .remove_range(range, |item| changes.removed(item.held()));
    }

    /// Appends items with new blobs.
    pub fn extend(&mut self, items: impl IntoIterator<Item = I>) {
        let changes = &mut self.changes;
        let counted = items.into_iter().inspect(|item| changes.added(item.held()));
        self.edit.extend_back(counted);
    }

    /// Appends items whose blobs another tree of the same collection held, which is given up.
    pub fn adopt(&mut self, items: impl IntoIterator<Item = I>) {
        self.edit.extend_back(items);
        self.changes.changed = true;
    }

    /// Goes on with the changes of another edit, whose items this one has adopted.
    pub fn continues(&mut self, changes: Changes) {
        self.changes = changes;
        self.changes.changed = true;
    }

    /// What changed so far. The edit is not to be committed then.
    pub fn take_changes(&mut self) -> Changes {
        std::mem::take(&mut self.changes)
    }

    /// Lets readers see the changes, and returns them with the bytes that nodes have more.
    pub fn commit(self, retire: &mut dyn Retire) -> (Changes, i64) {
        let nodes = if self.changes.changed {
            self.edit.commit(retire) as i64
        } else {
            0
        };
        (self.changes, nodes)
    }

    fn took(&mut self, item: I) -> Seen<'_, I> {
        self.changes.removed(item.held());
        // SAFETY: the blob is retired after the edit, which is borrowed.
        unsafe { Seen::of(item) }
    }
}

/// The items of a tree by hash for these blobs, in its order.
pub(crate) fn sorted<'p, I: Leads + 'p>(blobs: impl Iterator<Item = Seen<'p, I>>) -> Vec<Hashed> {
    let mut items: Vec<(u64, Seen<'p, I>)> = blobs
        .map(|seen| (of_field(seen.blob().key()), seen))
        .collect();
    items.sort_unstable_by(|(one, left), (other, right)| {
        let by_hash = one.cmp(other);
        by_hash.then_with(|| left.blob().key().cmp(right.blob().key()))
    });
    let hashed = |(hash, seen): (u64, Seen<'p, I>)| Hashed {
        hash,
        held: seen.item().held(),
    };
    items.into_iter().map(hashed).collect()
}
