//! A node in memory: a header, and behind it items or children, in one allocation.
#![expect(
    unsafe_code,
    reason = "what a node has is behind its header, and its address says nothing about its life"
)]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::marker::PhantomData;
use std::ptr::{self, NonNull};

use super::link::Link;
use crate::shape;

/// The header of a node.
#[repr(C)]
pub(crate) struct Node<T> {
    /// Items or children that are there.
    len: u8,
    /// Items or children for which there is memory.
    capacity: u8,
    /// 0: a leaf, which has items. Children of an inner node are one lower than the node.
    height: u8,
    /// Its place in the list of the edit that made it, and 1. 0: readers may see it, so it does not change any more.
    number: u32,
    items: PhantomData<T>,
}

impl<T: Copy> Node<T> {
    /// Where the items of a leaf begin, in bytes.
    const ITEMS: usize = size_of::<Self>().next_multiple_of(align_of::<T>());
    /// Where the children of an inner node begin, in bytes.
    const CHILDREN: usize = size_of::<Self>().next_multiple_of(align_of::<Link<T>>());

    /// Where the elements of a node begin, and how large one is, in bytes.
    const fn elements(height: u8) -> (usize, usize) {
        if height == 0 {
            (Self::ITEMS, size_of::<T>())
        } else {
            (Self::CHILDREN, size_of::<Link<T>>())
        }
    }

    fn layout(height: u8, capacity: usize) -> Layout {
        let (begin, size) = Self::elements(height);
        let element = match height {
            0 => align_of::<T>(),
            _ => align_of::<Link<T>>(),
        };
        Layout::from_size_align(begin + capacity * size, element.max(align_of::<Self>()))
            .expect("a few elements fit in memory")
    }

    /// For how many elements a node has memory that needs it for `len`. Allocators hand out memory in steps of 16
    /// bytes, and glibc's keeps 8 bytes of each piece: up to there more elements cost nothing.
    fn capacity(height: u8, len: usize) -> usize {
        let (begin, size) = Self::elements(height);
        let bytes = (begin + len * size).saturating_sub(8).next_multiple_of(16) + 8;
        let most = shape::most(height);
        match (bytes - begin).checked_div(size) {
            Some(capacity) => capacity.min(most),
            None => most,
        }
    }
}

/// The address of a node. It does not keep the node alive.
#[derive(Clone, Copy)]
pub(super) struct Address<T>(NonNull<Node<T>>);

impl<T: Copy> Address<T> {
    /// A new node without elements, and with memory for at least `len` of them. It is the caller's to free.
    ///
    /// # Panics
    /// If no node of this height has as many elements.
    pub fn new(height: u8, len: usize) -> Self {
        assert!(len <= shape::most(height), "{len} elements in one node");
        let capacity = Node::<T>::capacity(height, len);
        let layout = Node::<T>::layout(height, capacity);
        // SAFETY: the size is not 0, since a header is part of it.
        let memory = unsafe { alloc(layout) };
        let Some(node) = NonNull::new(memory.cast::<Node<T>>()) else {
            handle_alloc_error(layout)
        };
        let header = Node {
            len: 0,
            capacity: capacity as u8,
            height,
            number: 0,
            items: PhantomData,
        };
        // SAFETY: the memory is new, is aligned for a header, and begins with room for one.
        unsafe { node.write(header) };
        Self(node)
    }

    /// The address, unless it is null.
    pub fn from_raw(node: *mut Node<T>) -> Option<Self> {
        NonNull::new(node).map(Self)
    }

    pub fn as_ptr(self) -> *mut Node<T> {
        self.0.as_ptr()
    }

    /// Elements that are there.
    ///
    /// # Safety
    /// The node is alive, and no other thread changes it.
    pub unsafe fn len(self) -> usize {
        // SAFETY: as the caller promises.
        usize::from(unsafe { (*self.as_ptr()).len })
    }

    /// Elements for which there is memory.
    ///
    /// # Safety
    /// The node is alive.
    pub unsafe fn capacity(self) -> usize {
        // SAFETY: as the caller promises. The field never changes.
        usize::from(unsafe { (*self.as_ptr()).capacity })
    }

    /// # Safety
    /// The node is alive.
    pub unsafe fn height(self) -> u8 {
        // SAFETY: as the caller promises. The field never changes.
        unsafe { (*self.as_ptr()).height }
    }

    /// Its place in the list of the edit that made it, or none if readers may see it.
    ///
    /// # Safety
    /// The node is alive, and no other thread changes it.
    pub unsafe fn place(self) -> Option<usize> {
        // SAFETY: as the caller promises.
        let number = unsafe { (*self.as_ptr()).number };
        (number as usize).checked_sub(1)
    }

    /// # Safety
    /// The node is alive, and nobody else uses it.
    pub unsafe fn set_place(self, place: Option<usize>) {
        let number = place.map_or(0, |place| place + 1);
        let number = u32::try_from(number).expect("an edit makes fewer than 2^32 nodes");
        // SAFETY: as the caller promises.
        unsafe { (*self.as_ptr()).number = number };
    }

    /// # Safety
    /// The node is alive, nobody else uses it, and it has as many elements.
    pub unsafe fn set_len(self, len: usize) {
        // SAFETY: as the caller promises. No node has more elements than a byte can say.
        unsafe { (*self.as_ptr()).len = len as u8 };
    }

    /// Memory of the node.
    ///
    /// # Safety
    /// The node is alive.
    pub unsafe fn bytes(self) -> usize {
        // SAFETY: as the caller promises.
        let (height, capacity) = unsafe { (self.height(), self.capacity()) };
        Node::<T>::layout(height, capacity).size()
    }

    /// The items of a leaf.
    ///
    /// # Safety
    /// The node is alive, and a leaf.
    pub unsafe fn items(self) -> *mut T {
        // SAFETY: items begin there in the memory of a leaf.
        unsafe { self.0.byte_add(Node::<T>::ITEMS).cast().as_ptr() }
    }

    /// The children of an inner node.
    ///
    /// # Safety
    /// The node is alive, and not a leaf.
    pub unsafe fn children(self) -> *mut Link<T> {
        // SAFETY: children begin there in the memory of an inner node.
        unsafe { self.0.byte_add(Node::<T>::CHILDREN).cast().as_ptr() }
    }

    /// Copies `count` elements from a place here to a place in a node of the same height, which may be this node.
    ///
    /// # Safety
    /// Both nodes are alive and of the same height. As many elements are here, and there is memory for them there.
    /// Nobody else uses `to`. An element that is in two nodes then is used as an element of one of them only.
    pub unsafe fn copy(self, from: usize, to: Self, at: usize, count: usize) {
        // SAFETY: as the caller promises.
        unsafe {
            if self.height() == 0 {
                ptr::copy(self.items().add(from), to.items().add(at), count);
            } else {
                ptr::copy(self.children().add(from), to.children().add(at), count);
            }
        }
    }

    /// Frees the node.
    ///
    /// # Safety
    /// The node is alive, and nobody uses it any more. Its children were taken, or are freed by others.
    pub unsafe fn free(self) {
        // SAFETY: as the caller promises. `new` allocated it with this layout.
        unsafe {
            let layout = Node::<T>::layout(self.height(), self.capacity());
            let memory = self.as_ptr().cast::<u8>();
            // Whoever reads it now finds no order in it.
            if cfg!(debug_assertions) {
                memory.write_bytes(0xa5, layout.size());
            }
            dealloc(memory, layout);
        }
    }
}

/// Frees one node, for a limbo.
///
/// # Safety
/// As of [`Address::free`].
pub(super) unsafe fn free<T: Copy>(node: *mut u8) {
    if let Some(node) = Address::<T>::from_raw(node.cast()) {
        // SAFETY: as the caller promises.
        unsafe { node.free() };
    }
}

/// Frees a node and all below it, and returns how many bytes that were. `take` gets each item before, in their order.
///
/// # Safety
/// The pointer is null, or the node is the root of a tree that nobody uses any more.
pub(crate) unsafe fn free_all<T: Copy>(root: *mut Node<T>, take: &mut dyn FnMut(T)) -> usize {
    let Some(node) = Address::from_raw(root) else {
        return 0;
    };
    // SAFETY: the node is alive, and has as many elements. Each child has one parent, so nobody uses it any more.
    unsafe {
        let mut bytes = node.bytes();
        for place in 0..node.len() {
            if node.height() == 0 {
                take(node.items().add(place).read());
            } else {
                let child: &Link<T> = &*node.children().add(place);
                bytes += free_all(child.address().as_ptr(), take);
            }
        }
        node.free();
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The memory of a leaf for as many items.
    fn bytes<T: Copy>(len: usize) -> usize {
        let node = Address::<T>::new(0, len);
        // SAFETY: it is alive, and nobody else has it.
        unsafe {
            let bytes = node.bytes();
            assert!((len..=shape::LEAF_ITEMS).contains(&node.capacity()));
            assert!(node.items().is_aligned() && node.len() == 0 && node.place().is_none());
            node.free();
            bytes
        }
    }

    #[test]
    fn a_small_leaf_has_few_bytes() {
        assert_eq!([1, 2, 3, 4].map(bytes::<usize>), [24, 24, 40, 40]);
        assert_eq!([1, 2].map(bytes::<(f64, usize)>), [24, 40]);
        assert_eq!([31, 32].map(bytes::<usize>), [264, 264]);
        assert_eq!([1, 5, 17].map(bytes::<u8>), [24, 24, 40]);
        assert_eq!(bytes::<()>(1), 8);
    }

    #[test]
    fn items_are_aligned_as_they_must_be() {
        #[derive(Clone, Copy)]
        #[repr(align(64))]
        struct Line {
            _bytes: [u8; 64],
        }
        assert!(bytes::<Line>(1) >= 128);
        assert_eq!(bytes::<u128>(1) % 8, 0);
        let node = Address::<Line>::new(1, shape::CHILDREN);
        // SAFETY: it is alive, and nobody else has it.
        unsafe {
            assert!(node.children().is_aligned());
            assert_eq!(node.capacity(), shape::CHILDREN);
            node.free();
        }
    }
}
