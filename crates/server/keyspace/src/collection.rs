//! The trees of an entry that is no string.
#![expect(
    unsafe_code,
    reason = "trees are made for the one flavour that the keyspace was made for, and hold addresses"
)]

use std::sync::atomic::{AtomicU64, Ordering};

use perflab_rcu::Pinned;
use perflab_tree::Tree;

use crate::blob::Held;
use crate::form::Form;
use crate::item::{Hashed, Leads, Scored};
use crate::look::Look;

/// The trees, and the memory that they take.
pub(crate) struct Collection {
    /// Bytes of all blobs. Only the holder of the shard's lock writes it.
    blobs: AtomicU64,
    /// Bytes of all nodes. Only the holder of the shard's lock writes it.
    nodes: AtomicU64,
    trees: Trees,
}

/// The trees of each form.
pub(crate) enum Trees {
    /// By position.
    List(Tree<Held>),
    /// In the order of insertion.
    HashSmall(Tree<Held>),
    /// By the hash of the field.
    HashLarge(Tree<Hashed>),
    /// Ascending.
    SetInts(Tree<i64>),
    /// By the hash of the member.
    SetLarge(Tree<Hashed>),
    /// By score.
    ZsetSmall(Tree<Scored>),
    /// By score, and an index by the hash of the member. What the first tree holds is in the index at all times.
    ZsetLarge(Tree<Scored>, Tree<Hashed>),
}

impl Collection {
    pub fn new(trees: Trees) -> Self {
        Self {
            blobs: AtomicU64::new(0),
            nodes: AtomicU64::new(0),
            trees,
        }
    }

    pub fn trees(&self) -> &Trees {
        &self.trees
    }

    /// Bytes of all blobs.
    pub fn blobs(&self) -> u64 {
        self.blobs.load(Ordering::Relaxed)
    }

    /// Bytes of all nodes.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// Adds what an edit took. The caller holds the shard's lock, or nobody else knows the entry.
    pub fn count(&self, blobs: i64, nodes: i64) {
        self.blobs
            .store(self.blobs().wrapping_add_signed(blobs), Ordering::Relaxed);
        self.nodes
            .store(self.nodes().wrapping_add_signed(nodes), Ordering::Relaxed);
    }
}

impl Trees {
    /// The empty trees of a form, which is that of a collection.
    ///
    /// # Safety
    /// All sections and limbos that come to these trees are of one flavour.
    pub unsafe fn new(form: Form) -> Self {
        // SAFETY: as the caller promises.
        unsafe {
            match form {
                Form::Plain | Form::Raw => unreachable!("a string has no trees"),
                Form::List => Self::List(Tree::new()),
                Form::HashSmall => Self::HashSmall(Tree::new()),
                Form::HashLarge => Self::HashLarge(Tree::new()),
                Form::SetInts => Self::SetInts(Tree::new()),
                Form::SetLarge => Self::SetLarge(Tree::new()),
                Form::ZsetSmall => Self::ZsetSmall(Tree::new()),
                Form::ZsetLarge => Self::ZsetLarge(Tree::new(), Tree::new()),
            }
        }
    }

    pub fn form(&self) -> Form {
        match self {
            Self::List(_) => Form::List,
            Self::HashSmall(_) => Form::HashSmall,
            Self::HashLarge(_) => Form::HashLarge,
            Self::SetInts(_) => Form::SetInts,
            Self::SetLarge(_) => Form::SetLarge,
            Self::ZsetSmall(_) => Form::ZsetSmall,
            Self::ZsetLarge(..) => Form::ZsetLarge,
        }
    }

    /// The number of elements.
    pub fn len(&self, pinned: Pinned<'_>) -> usize {
        match self {
            Self::List(tree) | Self::HashSmall(tree) => tree.view(pinned).len(),
            Self::HashLarge(tree) | Self::SetLarge(tree) => tree.view(pinned).len(),
            Self::SetInts(tree) => tree.view(pinned).len(),
            Self::ZsetSmall(tree) | Self::ZsetLarge(tree, _) => tree.view(pinned).len(),
        }
    }

    /// Calls `each` with every blob.
    pub fn each_held(&self, pinned: Pinned<'_>, mut each: impl FnMut(Held)) {
        match self {
            Self::List(tree) | Self::HashSmall(tree) => all(tree, pinned, &mut each),
            Self::HashLarge(tree) | Self::SetLarge(tree) => all(tree, pinned, &mut each),
            Self::SetInts(_) => {}
            Self::ZsetSmall(tree) | Self::ZsetLarge(tree, _) => all(tree, pinned, &mut each),
        }
    }
}

fn all<I: Leads>(tree: &Tree<I>, pinned: Pinned<'_>, each: &mut dyn FnMut(Held)) {
    let view = tree.view(pinned);
    for item in view.iter(0..view.len()) {
        each(item.held());
    }
}

/// A look at a tree of an entry, in a section.
pub(crate) fn look<'p, I: Leads>(tree: &'p Tree<I>, pinned: Pinned<'p>) -> Look<'p, I> {
    // SAFETY: edits retire blobs after the commit that removed them, and entries are retired as a whole.
    unsafe { Look::new(tree.view(pinned)) }
}
