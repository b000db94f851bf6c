//! The edit of a sorted set's index by member. It has at all times what the tree by score has, so what is removed from
//! that tree leaves the index later.
#![expect(
    unsafe_code,
    reason = "the sorted set's edit keeps the blobs until it ends"
)]

use perflab_rcu::Retire;
use perflab_tree::{Edit, Tree};

use crate::blob::Held;
use crate::hash::of_field;
use crate::item::Hashed;
use crate::look::Look;

/// The edit of an index.
pub(super) struct Index<'t> {
    tree: &'t Tree<Hashed>,
    edit: Edit<'t, Hashed>,
    /// Whether anything came into the index.
    changed: bool,
    late: Vec<Hashed>,
}

impl<'t> Index<'t> {
    /// # Safety
    /// No other edit of the tree begins before this one and that of [`Late`] end. Blobs that are or were in the tree
    /// live until then.
    pub unsafe fn begin(tree: &'t Tree<Hashed>) -> Self {
        Self {
            tree,
            // SAFETY: as the caller promises.
            edit: unsafe { tree.edit() },
            changed: false,
            late: Vec::new(),
        }
    }

    /// The score that a member has, or had before it was removed in this edit.
    pub fn score(&self, member: &[u8]) -> Option<f64> {
        let look = look(&self.edit);
        let position = look.find(of_field(member), member).ok()?;
        look.get(position).map(|seen| seen.blob().score())
    }

    /// Leads to this blob for the member.
    pub fn put(&mut self, member: &[u8], held: Held) {
        let hash = of_field(member);
        let item = Hashed { hash, held };
        match look(&self.edit).find(hash, member) {
            Ok(position) => {
                self.edit.replace(position, item);
            }
            Err(position) => self.edit.insert(position, item),
        }
        self.changed = true;
    }

    /// The first items, in their order.
    pub fn fill(&mut self, items: Vec<Hashed>) {
        self.edit.extend_back(items);
        self.changed = true;
    }

    /// Removes what leads to this blob, when readers do not find it by score any more.
    pub fn remove_later(&mut self, member: &[u8], held: Held) {
        let hash = of_field(member);
        self.late.push(Hashed { hash, held });
    }

    /// Lets readers see what came. Returns the bytes that nodes have more, and what is to be removed.
    pub fn commit_additions(self, retire: &mut dyn Retire) -> (i64, Late<'t>) {
        let nodes = if self.changed {
            self.edit.commit(retire) as i64
        } else {
            // It ends here, before the edit of `Late` begins.
            drop(self.edit);
            0
        };
        let late = Late {
            tree: self.tree,
            items: self.late,
        };
        (nodes, late)
    }
}

/// What is to be removed from an index.
pub(super) struct Late<'t> {
    tree: &'t Tree<Hashed>,
    items: Vec<Hashed>,
}

impl Late<'_> {
    /// Removes it. Returns the bytes that nodes have more.
    pub fn commit(self, retire: &mut dyn Retire) -> i64 {
        if self.items.is_empty() {
            return 0;
        }
        // SAFETY: the edit of the index has ended, and its caller promised that no other begins.
        let mut edit = unsafe { self.tree.edit() };
        for item in self.items {
            // SAFETY: the sorted set's edit retires it later.
            let member = unsafe { item.held.blob() }.key();
            let look = look(&edit);
            // The member may lead to another blob again.
            let found = look.find(item.hash, member).ok().filter(|position| {
                let seen = look.get(*position);
                seen.is_some_and(|seen| seen.item().held == item.held)
            });
            if let Some(position) = found {
                edit.remove(position);
            }
        }
        edit.commit(retire) as i64
    }
}

fn look<'e>(edit: &'e Edit<'_, Hashed>) -> Look<'e, Hashed> {
    // SAFETY: the caller of `Index::begin` keeps the blobs.
    unsafe { Look::new(edit.view()) }
}
