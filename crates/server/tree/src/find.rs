//! The child that has a position.

use crate::node::Link;

/// The child that has the item at a position, and its position there. A position behind the last item is in the last
/// child, behind its last item.
pub(crate) fn item<T: Copy>(children: &[Link<T>], mut position: usize) -> (usize, usize) {
    let last = children.len() - 1;
    for (place, child) in children[..last].iter().enumerate() {
        if position < child.count() {
            return (place, position);
        }
        position -= child.count();
    }
    (last, position)
}

/// The child in which an item is inserted to come to a position, and its position there. Between two children that is
/// the end of the left one.
pub(crate) fn gap<T: Copy>(children: &[Link<T>], position: usize) -> (usize, usize) {
    match position.checked_sub(1) {
        None => (0, 0),
        Some(before) => {
            let (place, before) = item(children, before);
            (place, before + 1)
        }
    }
}
