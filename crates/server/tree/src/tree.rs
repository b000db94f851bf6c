//! The tree: a pointer to its root, which a commit replaces.
#![expect(
    unsafe_code,
    reason = "nodes live until a grace period after the commit that replaced them"
)]

use std::fmt;
use std::marker::PhantomData;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use perflab_rcu::{Pinned, Retire};

use crate::edit::Edit;
use crate::node::{Link, Node, NodeRef, Nodes, free_all};
use crate::view::View;

/// A sequence of items that one writer edits while any number of readers read it.
///
/// Items are copied: small things such as a pointer, or a score and a pointer. A tree does not free what they lead to.
/// It has the size of a pointer, and no other memory while it is empty; with one item of 8 bytes it has 24 more.
///
/// ```
/// use perflab_rcu::{Limbo, Limits, OwnQsbr, Pinned, as_reader};
/// use perflab_tree::Tree;
///
/// // SAFETY: only OwnQsbr is used with it.
/// let tree = unsafe { Tree::new() };
/// let mut limbo: Limbo<OwnQsbr> = Limbo::new(Limits::default());
///
/// // SAFETY: no other thread edits it.
/// let mut edit = unsafe { tree.edit() };
/// edit.extend_back([10, 20, 40]);
/// edit.insert(2, 30);
/// edit.commit(&mut limbo);
///
/// as_reader::<OwnQsbr, _>(|reader| {
///     let section = reader.enter();
///     let view = tree.view(Pinned::by(&section));
///     assert_eq!(view.get(2), Some(30));
///     assert_eq!(view.position_by(|item| item.cmp(&40)), Ok(3));
///     assert!(view.iter(1..).rev().eq([40, 30, 20]));
/// })
/// .unwrap();
/// ```
///
/// A view ends with the section:
///
/// ```compile_fail,E0505
/// # use perflab_rcu::{OwnQsbr, Pinned, as_reader};
/// # let tree = unsafe { perflab_tree::Tree::<u64>::new() };
/// as_reader::<OwnQsbr, _>(|reader| {
///     let section = reader.enter();
///     let view = tree.view(Pinned::by(&section));
///     drop(section);
///     println!("{:?}", view.get(0));
/// });
/// ```
pub struct Tree<T: Copy> {
    /// Null if there is no item.
    root: AtomicPtr<Node<T>>,
    /// Threads share the items. This suppresses what the compiler concludes from the pointer; see below.
    items: PhantomData<*mut T>,
}

// SAFETY: nobody has a view or an edit of the tree while its only owner moves. Retired nodes go to other threads, where
// they are freed but not read.
unsafe impl<T: Copy + Send> Send for Tree<T> {}
// SAFETY: threads read the same items, and get copies of what others inserted.
unsafe impl<T: Copy + Send + Sync> Sync for Tree<T> {}

impl<T: Copy> Tree<T> {
    /// An empty tree.
    ///
    /// # Safety
    /// All sections of which [`Tree::view`] gets a proof, and all limbos that [`Edit::commit`] gets, are of one flavour.
    pub const unsafe fn new() -> Self {
        Self {
            root: AtomicPtr::new(ptr::null_mut()),
            items: PhantomData,
        }
    }

    /// What the tree has now. Later commits do not change the view.
    ///
    /// It is one load; everything that a view does then takes a bounded number of steps.
    #[inline]
    pub fn view<'p>(&'p self, _: Pinned<'p>) -> View<'p, T> {
        // Acquire pairs with the release of `publish`.
        let root = self.root.load(Ordering::Acquire);
        // SAFETY: nodes that can be found do not change. A commit retires them when it has published another root, and
        // the limbo waits for the section, which began before the load. Dropping the tree frees nodes at once, but it
        // is borrowed.
        View::new(unsafe { NodeRef::root(root) })
    }

    /// Begins to edit the tree. Readers see nothing of it before [`Edit::commit`].
    ///
    /// # Safety
    /// Until the edit ends, no other edit of this tree begins. What the last one did happened before: the caller has
    /// the lock that all have who edit this tree.
    pub unsafe fn edit(&self) -> Edit<'_, T> {
        let root = self.root.load(Ordering::Acquire);
        // SAFETY: there is no other edit, as the caller promises, and the tree is borrowed. The edit keeps its nodes
        // and links for itself, and ends with them.
        let (nodes, root) = unsafe { Nodes::begin(root) };
        Edit::new(self, root, nodes)
    }

    /// Memory of all nodes, in bytes, without the tree itself and without the limbos. Looks at each node.
    pub fn bytes(&self, pinned: Pinned<'_>) -> usize {
        self.view(pinned).bytes()
    }

    /// Empties a tree that nobody else can reach. `take` gets each item, in order. Returns how many bytes the nodes had,
    /// which are freed at once.
    ///
    /// If `take` panics, what is left is leaked.
    pub fn drain(&mut self, mut take: impl FnMut(T)) -> usize {
        let root = std::mem::replace(self.root.get_mut(), ptr::null_mut());
        // SAFETY: views and edits borrow the tree, so there are none. The root is the only way to its nodes.
        unsafe { free_all(root, &mut take) }
    }

    /// Makes what an edit leaves what readers find, and retires what it replaced. Returns how many bytes more the nodes
    /// have now.
    pub(crate) fn publish(
        &self,
        root: Option<Link<T>>,
        mut nodes: Nodes<T>,
        retire: &mut dyn Retire,
    ) -> isize {
        // Release: who finds the root finds everything that was written to its nodes.
        self.root.store(nodes.publish(root), Ordering::Release);
        // SAFETY: the new root was published. The limbo is of the flavour of all sections, as `new` was promised.
        unsafe { nodes.retire(retire) }
    }
}

impl<T: Copy> Drop for Tree<T> {
    fn drop(&mut self) {
        self.drain(drop);
    }
}

impl<T: Copy> fmt::Debug for Tree<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tree({:p})", self.root.load(Ordering::Relaxed))
    }
}
