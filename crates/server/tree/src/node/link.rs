//! Links between nodes, and nodes as readers see them.
#![expect(
    unsafe_code,
    reason = "a link is the promise that its node can be read"
)]

use std::marker::PhantomData;
use std::slice;

use super::memory::{Address, Node};

/// The way to a node from its parent, or from the root of an edit.
///
/// As long as a link is borrowed, its node is alive, and changes by [`Nodes`](super::Nodes) only, which ask for the
/// link itself or `&mut`. An edit has one link to each node of its state. Links in nodes that readers may see never
/// change.
pub(crate) struct Link<T> {
    node: Address<T>,
    /// Items of the node and those below it.
    count: usize,
    /// The first of these items. So a search in an inner node reads no other node.
    first: T,
}

impl<T: Copy> Link<T> {
    /// A link to a node.
    ///
    /// # Safety
    /// What the type promises begins to hold: nobody else has a link to this node, or readers may see the node, and
    /// nobody retires it, except by this link, as long as it is used. The node has an element.
    pub(super) unsafe fn new(node: Address<T>) -> Self {
        // SAFETY: the caller promises that the node can be read.
        let seen = unsafe { NodeRef::of(node) };
        Self {
            node,
            count: seen.count(),
            first: seen.first(),
        }
    }

    /// Items of the node and those below it.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The first of these items.
    pub fn first(&self) -> &T {
        &self.first
    }

    /// The node, to read it.
    pub fn node(&self) -> NodeRef<'_, T> {
        // SAFETY: it is alive, and does not change as long as the link is borrowed.
        unsafe { NodeRef::of(self.node) }
    }

    /// Counts the items again, and looks for the first one, after the node was changed.
    ///
    /// # Panics
    /// If the node has no element.
    pub fn refresh(&mut self) {
        (self.count, self.first) = (self.node().count(), self.node().first());
    }

    pub(super) fn address(&self) -> Address<T> {
        self.node
    }

    /// The address of a node that is given up.
    pub(super) fn into_address(self) -> Address<T> {
        self.node
    }

    /// Replaces the node.
    ///
    /// # Safety
    /// Nobody else has a link to the new node.
    pub(super) unsafe fn set_address(&mut self, node: Address<T>) {
        self.node = node;
    }
}

/// A node that does not change as long as `'a`.
#[derive(Clone, Copy)]
pub(crate) struct NodeRef<'a, T> {
    node: Address<T>,
    links: PhantomData<&'a Link<T>>,
}

/// What is in a node.
#[derive(Clone, Copy)]
pub(crate) enum Content<'a, T> {
    /// The items of a leaf.
    Items(&'a [T]),
    /// The children of an inner node.
    Children(&'a [Link<T>]),
}

impl<'a, T: Copy> NodeRef<'a, T> {
    /// The root of a tree, if the pointer is not null.
    ///
    /// # Safety
    /// As long as `'a`, it is alive with all below it, and nobody changes these nodes.
    pub unsafe fn root(root: *mut Node<T>) -> Option<Self> {
        // SAFETY: as the caller promises.
        Address::from_raw(root).map(|node| unsafe { Self::of(node) })
    }

    /// # Safety
    /// As of [`NodeRef::root`].
    pub(super) unsafe fn of(node: Address<T>) -> Self {
        Self {
            node,
            links: PhantomData,
        }
    }

    /// Whether it is the same node.
    pub fn is(self, other: NodeRef<'_, T>) -> bool {
        self.node.as_ptr() == other.node.as_ptr()
    }

    /// 0 for a leaf.
    pub fn height(self) -> u8 {
        // SAFETY: the node is alive.
        unsafe { self.node.height() }
    }

    /// Its own elements.
    pub fn len(self) -> usize {
        // SAFETY: the node is alive, and does not change.
        unsafe { self.node.len() }
    }

    /// Its elements.
    pub fn content(self) -> Content<'a, T> {
        // SAFETY: the node is alive, has as many elements, and does not change as long as `'a`.
        unsafe {
            if self.height() == 0 {
                Content::Items(slice::from_raw_parts(self.node.items(), self.len()))
            } else {
                Content::Children(slice::from_raw_parts(self.node.children(), self.len()))
            }
        }
    }

    /// Items of the node and those below it.
    pub fn count(self) -> usize {
        match self.content() {
            Content::Items(items) => items.len(),
            Content::Children(children) => children.iter().map(Link::count).sum(),
        }
    }

    /// The first of these items.
    ///
    /// # Panics
    /// If it has no element.
    pub fn first(self) -> T {
        match self.content() {
            Content::Items(items) => items[0],
            Content::Children(children) => children[0].first,
        }
    }

    /// Memory of the node, in bytes, without those below it.
    pub fn bytes(self) -> usize {
        // SAFETY: the node is alive.
        unsafe { self.node.bytes() }
    }
}
