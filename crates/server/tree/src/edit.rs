//! A change of a tree that is to be published as one.

use std::fmt;
use std::ops::RangeBounds;

use perflab_rcu::Retire;

use crate::find;
use crate::grow;
use crate::join::{join, lone, split};
use crate::node::{Content, Link, Nodes};
use crate::shape;
use crate::shrink;
use crate::tree::Tree;
use crate::view::{View, cut};

/// Changes of a tree, of which readers see all or none: see [`Tree::edit`].
///
/// A change copies the nodes on its path, and later changes of the same edit change these copies. An edit that is
/// dropped changes nothing.
///
/// What items lead to is the caller's. Readers find removed items until the commit, so the caller retires them after
/// it, never before.
#[must_use = "an edit that is dropped changes nothing"]
pub struct Edit<'t, T: Copy> {
    tree: &'t Tree<T>,
    root: Option<Link<T>>,
    nodes: Nodes<T>,
}

impl<'t, T: Copy> Edit<'t, T> {
    pub(crate) fn new(tree: &'t Tree<T>, root: Option<Link<T>>, nodes: Nodes<T>) -> Self {
        Self { tree, root, nodes }
    }

    /// The items, with all changes so far.
    pub fn view(&self) -> View<'_, T> {
        View::new(self.root.as_ref().map(Link::node))
    }

    /// Items, with all changes so far.
    pub fn len(&self) -> usize {
        self.root.as_ref().map_or(0, Link::count)
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// Inserts an item at a position: that of the item which will be the next one, or the number of items.
    ///
    /// # Panics
    /// If the position is more than the number of items.
    pub fn insert(&mut self, position: usize, item: T) {
        let len = self.len();
        assert!(position <= len, "position {position} of {len} items");
        let Some(mut root) = self.root.take() else {
            self.root = Some(self.nodes.leaf(&[item]));
            return;
        };
        let neighbour = grow::insert(&mut self.nodes, &mut root, position, item);
        self.root = Some(match neighbour {
            Some(neighbour) => self.nodes.inner(root, neighbour),
            None => root,
        });
    }

    /// Removes the item at a position, if there is one.
    pub fn remove(&mut self, position: usize) -> Option<T> {
        let mut root = self.root.take_if(|root| position < root.count())?;
        if root.count() == 1 {
            let item = *root.first();
            self.nodes.discard(root);
            return Some(item);
        }
        let item = shrink::remove(&mut self.nodes, &mut root, position);
        self.root = Some(lone(&mut self.nodes, root));
        Some(item)
    }

    /// Replaces the item at a position, if there is one, and returns the one that was there.
    pub fn replace(&mut self, position: usize, item: T) -> Option<T> {
        let root = self.root.as_mut().filter(|root| position < root.count())?;
        Some(replace(&mut self.nodes, root, position, item))
    }

    /// Inserts an item before all others.
    pub fn push_front(&mut self, item: T) {
        self.insert(0, item);
    }

    /// Inserts an item behind all others.
    pub fn push_back(&mut self, item: T) {
        self.insert(self.len(), item);
    }

    /// Removes the first item.
    pub fn pop_front(&mut self) -> Option<T> {
        self.remove(0)
    }

    /// Removes the last item.
    pub fn pop_back(&mut self) -> Option<T> {
        self.remove(self.len().checked_sub(1)?)
    }

    /// Inserts items behind all others: in constant time for each, if there are many.
    pub fn extend_back(&mut self, items: impl IntoIterator<Item = T>) {
        let mut items = items.into_iter();
        // The iterator may panic: the tree does not change while it is called.
        let mut chunk: Vec<T> = Vec::new();
        let last = self.len().checked_sub(1);
        let last = last.and_then(|last| self.view().leaf(last));
        let room = last.map_or(0, |(items, _)| shape::LEAF_ITEMS - items.len());
        chunk.extend(items.by_ref().take(room));
        if let Some(root) = self.root.as_mut().filter(|_| !chunk.is_empty()) {
            grow::fill(&mut self.nodes, root, &chunk);
        }
        if chunk.len() < room {
            return;
        }
        loop {
            chunk.clear();
            chunk.extend(items.by_ref().take(shape::LEAF_ITEMS));
            if chunk.is_empty() {
                return;
            }
            let leaf = self.nodes.leaf(&chunk);
            self.root = join(&mut self.nodes, self.root.take(), Some(leaf));
            if chunk.len() < shape::LEAF_ITEMS {
                return;
            }
        }
    }

    /// Removes the items at a range of positions, which is cut to what is there. `take` gets each of them, in order,
    /// before the first one is removed.
    pub fn remove_range(&mut self, range: impl RangeBounds<usize>, take: impl FnMut(T)) {
        let range = cut(range, self.len());
        self.view().iter(range.clone()).for_each(take);
        // Few are removed one by one, which copies fewer nodes.
        if range.len() < shape::least(0) {
            for _ in range.clone() {
                self.remove(range.start);
            }
            return;
        }
        let Some(root) = self.root.take() else {
            return;
        };
        let (left, rest) = split(&mut self.nodes, root, range.start);
        let (gone, right) = match rest {
            Some(rest) => split(&mut self.nodes, rest, range.len()),
            None => (None, None),
        };
        if let Some(gone) = gone {
            self.nodes.discard(gone);
        }
        self.root = join(&mut self.nodes, left, right);
    }

    /// Removes all items. `take` gets each of them, in order, before the first one is removed.
    pub fn clear(&mut self, take: impl FnMut(T)) {
        self.view().iter(..).for_each(take);
        if let Some(root) = self.root.take() {
            self.nodes.discard(root);
        }
    }

    /// Publishes the changes: readers that look from now on see all of them. The nodes that they replace go to a limbo.
    ///
    /// Returns how many bytes more all nodes of the tree have than before the edit; fewer is negative. Bytes in the
    /// limbo do not count.
    pub fn commit(self, retire: &mut dyn Retire) -> isize {
        let Self { tree, root, nodes } = self;
        if !nodes.is_changed() {
            return 0;
        }
        tree.publish(root, nodes, retire)
    }
}

impl<T: Copy> fmt::Debug for Edit<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Edit({} items)", self.len())
    }
}

/// Replaces an item that is there.
fn replace<T: Copy>(nodes: &mut Nodes<T>, link: &mut Link<T>, position: usize, item: T) -> T {
    let found = match link.node().content() {
        Content::Items(_) => None,
        Content::Children(children) => Some(find::item(children, position)),
    };
    let mut node = nodes.own(link, 0);
    let before = match found {
        None => node.replace_item(position, item),
        Some((at, rest)) => replace(nodes, node.child(at), rest, item),
    };
    link.refresh();
    before
}
