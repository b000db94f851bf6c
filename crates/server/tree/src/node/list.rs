//! A list of nodes. It needs no memory of its own as long as it is short: most edits copy one path.

use super::memory::Address;

/// Nodes in the list itself: more than the copies of a path in a large tree.
const FEW: usize = 12;

/// Addresses of nodes in any order.
pub(super) struct List<T> {
    few: [Option<Address<T>>; FEW],
    more: Vec<Address<T>>,
    len: usize,
}

impl<T: Copy> List<T> {
    pub fn new() -> Self {
        Self {
            few: [None; FEW],
            more: Vec::new(),
            len: 0,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds a node, and returns its place.
    pub fn push(&mut self, node: Address<T>) -> usize {
        let place = self.len;
        match self.few.get_mut(place) {
            Some(few) => *few = Some(node),
            None => self.more.push(node),
        }
        self.len += 1;
        place
    }

    /// Takes the last node.
    pub fn pop(&mut self) -> Option<Address<T>> {
        self.len = self.len.checked_sub(1)?;
        match self.few.get_mut(self.len) {
            Some(few) => few.take(),
            None => self.more.pop(),
        }
    }

    /// Takes the node at a place. Returns the one that is at this place now, if there is one: the one that was last.
    pub fn swap_remove(&mut self, place: usize) -> Option<Address<T>> {
        let last = self.pop()?;
        if place >= self.len {
            return None;
        }
        match self.few.get_mut(place) {
            Some(few) => *few = Some(last),
            None => self.more[place - FEW] = last,
        }
        Some(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(number: usize) -> Address<u64> {
        Address::from_raw(std::ptr::without_provenance_mut(number)).expect("it is not null")
    }

    #[test]
    fn a_list_is_a_vector() {
        let (mut list, mut model) = (List::new(), Vec::new());
        for round in 1..200_usize {
            let number = round * 8;
            assert_eq!(list.push(node(number)), model.len());
            model.push(number);
            // It grows, and gets empty, in turns.
            let removed = round / 50 % 2 * 2;
            for _ in 0..removed.min(model.len()) {
                let place = round * 7 % model.len();
                let moved = list.swap_remove(place);
                model.swap_remove(place);
                let expected = model.get(place).copied();
                assert_eq!(moved.map(|node| node.as_ptr().addr()), expected);
            }
            assert_eq!(list.is_empty(), model.is_empty());
        }
        while let Some(expected) = model.pop() {
            assert_eq!(list.pop().map(|node| node.as_ptr().addr()), Some(expected));
        }
        assert!(list.pop().is_none() && list.swap_remove(0).is_none());
    }
}
