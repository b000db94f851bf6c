//! Elements come into nodes, and full nodes are split.

use crate::find;
use crate::node::{Content, Element, Link, Nodes};
use crate::shape;

/// Inserts an item below a link. If the node was split, its right neighbour is returned.
pub(crate) fn insert<T: Copy>(
    nodes: &mut Nodes<T>,
    link: &mut Link<T>,
    position: usize,
    item: T,
) -> Option<Link<T>> {
    let (at, rest, is_full) = match link.node().content() {
        Content::Items(_) => return place(nodes, link, position, Element::Item(item)),
        Content::Children(children) => {
            let (at, rest) = find::gap(children, position);
            let child = children[at].node();
            (at, rest, child.len() == shape::most(child.height()))
        }
    };
    // A full child may be split.
    let mut node = nodes.own(link, usize::from(is_full));
    let neighbour = insert(nodes, node.child(at), rest, item);
    link.refresh();
    place(nodes, link, at + 1, Element::Child(neighbour?))
}

/// Inserts an element into the node of a link. If the node was split, its right neighbour is returned.
pub(crate) fn place<T: Copy>(
    nodes: &mut Nodes<T>,
    link: &mut Link<T>,
    at: usize,
    element: Element<T>,
) -> Option<Link<T>> {
    let (height, len) = (link.node().height(), link.node().len());
    if len < shape::most(height) {
        nodes.own(link, 1).insert(at, element);
        link.refresh();
        return None;
    }
    let left = shape::split(height, at);
    let mut right = nodes.split_off(link, left);
    let (half, at) = match at.checked_sub(left) {
        Some(at) if at > 0 => (&mut right, at),
        _ => (link, at),
    };
    nodes.own(half, 1).insert(at, element);
    half.refresh();
    Some(right)
}

/// Adds items to the last leaf below a link, which has room for them.
pub(crate) fn fill<T: Copy>(nodes: &mut Nodes<T>, link: &mut Link<T>, items: &[T]) {
    if link.node().height() == 0 {
        nodes.own(link, items.len()).push_items(items);
    } else {
        let last = link.node().len() - 1;
        let mut node = nodes.own(link, 0);
        fill(nodes, node.child(last), items);
    }
    link.refresh();
}
