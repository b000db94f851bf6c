//! Nodes that an edit has made itself, to change them in place.
#![expect(unsafe_code, reason = "elements are moved within the memory of a node")]

use std::marker::PhantomData;

use super::link::{Link, NodeRef};
use super::memory::Address;

/// What a node has.
pub(crate) enum Element<T> {
    /// Of a leaf.
    Item(T),
    /// Of an inner node.
    Child(Link<T>),
}

/// A node that only the edit that made it can reach, by the link that is borrowed as long as `'a`.
///
/// Changes here do not count items: [`Link::refresh`] follows.
pub(crate) struct NodeMut<'a, T> {
    node: Address<T>,
    link: PhantomData<&'a mut Link<T>>,
}

impl<'a, T: Copy> NodeMut<'a, T> {
    /// # Safety
    /// The node is the link's, and an edit has made it: readers do not see it.
    pub(super) unsafe fn new(_: &'a mut Link<T>, node: Address<T>) -> Self {
        Self {
            node,
            link: PhantomData,
        }
    }

    /// The node, to read it.
    pub fn seen(&self) -> NodeRef<'_, T> {
        // SAFETY: it is alive, and changes by this borrow and by `&mut` links only.
        unsafe { NodeRef::of(self.node) }
    }

    /// Inserts an element.
    ///
    /// # Panics
    /// If there is no such place or no memory, or the element belongs to another height.
    pub fn insert(&mut self, at: usize, element: Element<T>) {
        let (height, len) = (self.seen().height(), self.seen().len());
        // SAFETY: the node is alive.
        let capacity = unsafe { self.node.capacity() };
        assert!(at <= len && len < capacity, "{at} of {len} in {capacity}");
        let fits = match &element {
            Element::Item(_) => height == 0,
            Element::Child(child) => height == child.node().height() + 1,
        };
        assert!(fits, "an element of another height");
        // SAFETY: there are as many elements and memory for one more. The gap is written before the node has it. Only
        // this edit can reach the node, and its elements are of this kind.
        unsafe {
            self.node.copy(at, self.node, at + 1, len - at);
            match element {
                Element::Item(item) => self.node.items().add(at).write(item),
                Element::Child(child) => self.node.children().add(at).write(child),
            }
            self.node.set_len(len + 1);
        }
    }

    /// Adds items to a leaf.
    ///
    /// # Panics
    /// If it is no leaf, or there is no memory for them.
    pub fn push_items(&mut self, items: &[T]) {
        let len = self.check(0, 0);
        // SAFETY: the node is alive.
        let capacity = unsafe { self.node.capacity() };
        assert!(items.len() <= capacity - len, "too many items");
        // SAFETY: the node is a leaf with memory for as many more, which only this edit can reach. So they do not
        // overlap with the items that are given.
        unsafe {
            let end = self.node.items().add(len);
            end.copy_from_nonoverlapping(items.as_ptr(), items.len());
            self.node.set_len(len + items.len());
        }
    }

    /// Takes an item out of a leaf.
    ///
    /// # Panics
    /// If it is no leaf, or has no such item.
    pub fn remove_item(&mut self, at: usize) -> T {
        let len = self.check(0, at + 1);
        // SAFETY: the node is a leaf that has this item, and only this edit can reach it.
        unsafe {
            let item = self.node.items().add(at).read();
            self.close(at, len);
            item
        }
    }

    /// Replaces an item of a leaf.
    ///
    /// # Panics
    /// If it is no leaf, or has no such item.
    pub fn replace_item(&mut self, at: usize, item: T) -> T {
        self.check(0, at + 1);
        // SAFETY: the node is a leaf that has this item, and only this edit can reach it.
        unsafe { self.node.items().add(at).replace(item) }
    }

    /// A child of an inner node.
    ///
    /// # Panics
    /// If it is a leaf, or has no such child.
    pub fn child(&mut self, at: usize) -> &mut Link<T> {
        self.check(1, at + 1);
        // SAFETY: the node is an inner one that has this child. Only this edit can reach the node, by the link that is
        // borrowed.
        unsafe { &mut *self.node.children().add(at) }
    }

    /// Takes a child out of an inner node.
    ///
    /// # Panics
    /// If it is a leaf, or has no such child.
    pub fn remove_child(&mut self, at: usize) -> Link<T> {
        let len = self.check(1, at + 1);
        // SAFETY: the node is an inner one that has this child, and only this edit can reach it. The link that is
        // read is the only one once the node is closed.
        unsafe {
            let child = self.node.children().add(at).read();
            self.close(at, len);
            child
        }
    }

    /// Checks the kind of the node (0: leaf, more: inner) and that it has this many elements at least. Returns how many
    /// it has.
    fn check(&self, kind: u8, least: usize) -> usize {
        let (height, len) = (self.seen().height(), self.seen().len());
        assert!(height.min(1) == kind && least <= len, "no such element");
        len
    }

    /// Moves what is behind an element that was read to its place.
    ///
    /// # Safety
    /// The node has `len` elements, more than `at`.
    unsafe fn close(&mut self, at: usize, len: usize) {
        // SAFETY: as the caller promises. Only this edit can reach the node.
        unsafe {
            self.node.copy(at + 1, self.node, at, len - at - 1);
            self.node.set_len(len - 1);
        }
    }
}
