//! The nodes of an edit: those that it made, and those that it replaced.
#![expect(
    unsafe_code,
    reason = "an edit owns the nodes that it made, by their addresses"
)]

use perflab_rcu::Retire;

use super::link::Link;
use super::list::List;
use super::memory::{self, Address, Node};
use super::mutable::NodeMut;
use crate::shape;

/// The nodes of one edit. Nodes that it made are freed when it is dropped, unless they were published.
///
/// A node that the edit made has a place in the list of these nodes, and says which. A node without a place may be seen
/// by readers: instead of a change a copy is made, and the node is retired once the edit is published.
pub(crate) struct Nodes<T: Copy> {
    made: List<T>,
    replaced: List<T>,
    /// Memory of the nodes that were made less that of the nodes that were replaced.
    bytes: isize,
}

impl<T: Copy> Nodes<T> {
    /// The nodes of a new edit, and the link to the root of a tree. The pointer is null if the tree is empty.
    ///
    /// # Safety
    /// As long as nodes or links of this edit are used, nobody else edits or frees the tree. They are used with no
    /// other edit, and not after this one was dropped or retired its nodes.
    pub unsafe fn begin(root: *mut Node<T>) -> (Self, Option<Link<T>>) {
        let nodes = Self {
            made: List::new(),
            replaced: List::new(),
            bytes: 0,
        };
        // SAFETY: a root has an element. Only an edit retires it, and there is no other.
        let root = Address::from_raw(root).map(|root| unsafe { Link::new(root) });
        (nodes, root)
    }

    /// Whether the edit changed anything.
    pub fn is_changed(&self) -> bool {
        !self.made.is_empty() || !self.replaced.is_empty()
    }

    /// A leaf.
    ///
    /// # Panics
    /// If there are no items, or more than a leaf can have.
    pub fn leaf(&mut self, items: &[T]) -> Link<T> {
        assert!(!items.is_empty(), "a leaf has items");
        let node = self.make(0, items.len());
        // SAFETY: nobody has a link to the new leaf. There is memory for the items, which are elsewhere.
        unsafe {
            let begin = node.items();
            begin.copy_from_nonoverlapping(items.as_ptr(), items.len());
            node.set_len(items.len());
            Link::new(node)
        }
    }

    /// An inner node with two children of the same height.
    ///
    /// # Panics
    /// If their heights differ.
    pub fn inner(&mut self, left: Link<T>, right: Link<T>) -> Link<T> {
        let height = left.node().height();
        assert_eq!(height, right.node().height(), "heights of children");
        let node = self.make(height + 1, 2);
        // SAFETY: nobody has a link to the new node, which has memory for 2 children.
        unsafe {
            node.children().write(left);
            node.children().add(1).write(right);
            node.set_len(2);
            Link::new(node)
        }
    }

    /// The node of a link, to change it, with memory for `room` elements more as far as a node can have them. The link
    /// has a copy of its node afterwards if readers may see the node.
    pub fn own<'a>(&mut self, link: &'a mut Link<T>, room: usize) -> NodeMut<'a, T> {
        let (len, most) = (link.node().len(), shape::most(link.node().height()));
        let need = (len + room).min(most);
        // SAFETY: the node of a link is alive.
        let (is_made, capacity) = unsafe {
            let node = link.address();
            (node.place().is_some(), node.capacity())
        };
        if !is_made {
            self.renew(link, len, need);
        } else if capacity < need {
            // More is to come, probably.
            self.renew(link, len, (need + shape::STEP).min(most));
        }
        let node = link.address();
        // SAFETY: this edit has made the node.
        unsafe { NodeMut::new(link, node) }
    }

    /// Cuts the elements from a place off, into a node of their own.
    ///
    /// # Panics
    /// If one of the nodes would have none.
    pub fn split_off(&mut self, link: &mut Link<T>, at: usize) -> Link<T> {
        let (height, len) = (link.node().height(), link.node().len());
        assert!(0 < at && at < len, "split of {len} at {at}");
        let most = shape::most(height);
        let right = self.make(height, (len - at + 1).min(most));
        // SAFETY: both nodes are alive and of one height. The elements from `at` are elements of the new node only,
        // since the other one loses them here or is replaced by a node without them.
        unsafe {
            let left = link.address();
            left.copy(at, right, 0, len - at);
            right.set_len(len - at);
            if left.place().is_some() {
                left.set_len(at);
            } else {
                self.renew(link, at, (at + 1).min(most));
            }
            link.refresh();
            Link::new(right)
        }
    }

    /// Moves all elements of the right neighbour to the end of the left one.
    ///
    /// # Panics
    /// If their heights differ, or a node cannot have so many elements.
    pub fn merge(&mut self, left: &mut Link<T>, right: Link<T>) {
        let (ours, theirs) = (left.node().len(), right.node().len());
        self.check(left, &right, ours + theirs);
        self.own(left, theirs);
        let (to, from) = (left.address(), right.into_address());
        // SAFETY: `own` made a node of the same height with memory for all. The right node is given up.
        unsafe {
            from.copy(0, to, ours, theirs);
            to.set_len(ours + theirs);
        }
        self.give_up(from);
        left.refresh();
    }

    /// Moves elements between neighbours: the left one has `len` afterwards.
    ///
    /// # Panics
    /// If their heights differ, or one of them would have none or too many.
    pub fn share(&mut self, left: &mut Link<T>, right: &mut Link<T>, len: usize) {
        let (before, behind) = (left.node().len(), right.node().len());
        let rest = (before + behind).saturating_sub(len);
        assert!(len > 0 && rest > 0, "a neighbour without elements");
        self.check(left, right, len.max(rest));
        self.own(left, len.saturating_sub(before));
        self.own(right, rest.saturating_sub(behind));
        let (a, b) = (left.address(), right.address());
        // SAFETY: `own` made nodes of the same height with memory for as many elements. Each element is in one of them
        // when the lengths are set, as `len + rest` is the sum of what they had.
        unsafe {
            if let Some(moved) = len.checked_sub(before) {
                b.copy(0, a, before, moved);
                b.copy(moved, b, 0, rest);
            } else {
                let moved = before - len;
                b.copy(0, b, moved, behind);
                a.copy(len, b, 0, moved);
            }
            a.set_len(len);
            b.set_len(rest);
        }
        left.refresh();
        right.refresh();
    }

    /// The child of an inner node that has no other. The node is given up.
    ///
    /// # Panics
    /// If it is a leaf, or has more children.
    pub fn only_child(&mut self, link: Link<T>) -> Link<T> {
        let (height, len) = (link.node().height(), link.node().len());
        assert!(height > 0 && len == 1, "{len} elements, height {height}");
        let node = link.into_address();
        // SAFETY: the node has this child, and is given up, so the link that is read is the only one of this edit.
        let child = unsafe { node.children().read() };
        self.give_up(node);
        child
    }

    /// Gives a node up, and all below it.
    pub fn discard(&mut self, link: Link<T>) {
        let children = match link.node().height() {
            0 => 0,
            _ => link.node().len(),
        };
        let node = link.into_address();
        for place in 0..children {
            // SAFETY: the node has this child, and is given up, so the link that is read is the only one of this edit.
            let child = unsafe { node.children().add(place).read() };
            self.discard(child);
        }
        self.give_up(node);
    }

    /// Makes the nodes what readers may see, and returns the pointer to the root that leads to them. Nothing changes
    /// them any more.
    pub fn publish(&mut self, root: Option<Link<T>>) -> *mut Node<T> {
        while let Some(node) = self.made.pop() {
            // SAFETY: the node is alive, and readers do not see it yet.
            unsafe { node.set_place(None) };
        }
        root.map_or(std::ptr::null_mut(), |root| root.into_address().as_ptr())
    }

    /// Retires the nodes that were replaced. Returns how many bytes more all nodes of the tree have than before the
    /// edit.
    ///
    /// # Safety
    /// The nodes were published, and readers that enter a section from now on find the new root. The limbo waits for
    /// all sections in which the tree is read.
    pub unsafe fn retire(mut self, retire: &mut dyn Retire) -> isize {
        while let Some(node) = self.replaced.pop() {
            // SAFETY: readers cannot find the node any more, as the caller promises. It is retired once: this edit
            // replaced it once, and no later edit can find it. Any thread may free it, as it has no items to drop.
            unsafe {
                let bytes = node.bytes();
                retire.retire_raw(node.as_ptr().cast(), bytes, memory::free::<T>);
            }
        }
        self.bytes
    }

    /// A new node without elements, and with memory for `len`.
    fn make(&mut self, height: u8, len: usize) -> Address<T> {
        let node = Address::new(height, len);
        let place = self.made.push(node);
        // SAFETY: the node is new.
        unsafe {
            node.set_place(Some(place));
            self.bytes += node.bytes() as isize;
        }
        node
    }

    /// Replaces the node of a link by a new one with the first elements of it, and with memory for `need`.
    fn renew(&mut self, link: &mut Link<T>, keep: usize, need: usize) {
        let old = link.address();
        // SAFETY: the old node is alive. The new one has its height and memory for at least as many elements, and only
        // this link leads to it. Of this edit only this link led to the old one, which is given up.
        unsafe {
            let new = self.make(old.height(), need.max(keep));
            old.copy(0, new, 0, keep);
            new.set_len(keep);
            link.set_address(new);
        }
        self.give_up(old);
    }

    /// Frees a node, or retires it later if readers may see it. No link of this edit leads to it any more.
    fn give_up(&mut self, node: Address<T>) {
        // SAFETY: a node that an edit made is in its list at the place that it says. Readers do not see it, and no link
        // leads to it any more.
        unsafe {
            self.bytes -= node.bytes() as isize;
            let Some(place) = node.place() else {
                self.replaced.push(node);
                return;
            };
            if let Some(moved) = self.made.swap_remove(place) {
                moved.set_place(Some(place));
            }
            node.free();
        }
    }

    /// Checks that two nodes are of the same height, in which a node can have `most` elements.
    fn check(&self, left: &Link<T>, right: &Link<T>, most: usize) {
        let height = left.node().height();
        assert_eq!(height, right.node().height(), "heights of neighbours");
        assert!(most <= shape::most(height), "{most} elements in one node");
    }
}

impl<T: Copy> Drop for Nodes<T> {
    fn drop(&mut self) {
        while let Some(node) = self.made.pop() {
            // SAFETY: readers do not see the node, and the edit and its links are used no more.
            unsafe { node.free() };
        }
    }
}
