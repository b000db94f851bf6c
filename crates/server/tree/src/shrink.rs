//! Items leave, and nodes with few elements share with their neighbours.

use crate::find;
use crate::node::{Content, Element, Link, NodeMut, Nodes};
use crate::shape::{self, Lean};

/// Takes the item at a position below a link, which has more than one. Its node may have too few elements then.
pub(crate) fn remove<T: Copy>(nodes: &mut Nodes<T>, link: &mut Link<T>, position: usize) -> T {
    let found = match link.node().content() {
        Content::Items(_) => None,
        Content::Children(children) => Some(find::item(children, position)),
    };
    let mut node = nodes.own(link, 0);
    let item = match found {
        None => node.remove_item(position),
        Some((at, rest)) => {
            let child = node.child(at);
            let item = remove(nodes, child, rest);
            if child.node().len() < shape::least(child.node().height()) {
                mend(nodes, &mut node, at);
            }
            item
        }
    };
    link.refresh();
    item
}

/// Lets a child that has too few elements share with a neighbour. The node has two children at least.
fn mend<T: Copy>(nodes: &mut Nodes<T>, node: &mut NodeMut<'_, T>, at: usize) {
    let left = at.min(node.seen().len() - 2);
    let right = node.remove_child(left + 1);
    if let Some(right) = pair(nodes, node.child(left), right, Lean::Even) {
        node.insert(left + 1, Element::Child(right));
    }
}

/// Makes neighbours of two nodes of the same height, of which any may have too few elements. The right one is returned,
/// unless they were merged.
pub(crate) fn pair<T: Copy>(
    nodes: &mut Nodes<T>,
    left: &mut Link<T>,
    mut right: Link<T>,
    lean: Lean,
) -> Option<Link<T>> {
    let height = left.node().height();
    let (before, behind) = (left.node().len(), right.node().len());
    if before.min(behind) >= shape::least(height) {
        return Some(right);
    }
    let sum = before + behind;
    if sum <= shape::merged(height) {
        nodes.merge(left, right);
        return None;
    }
    nodes.share(left, &mut right, lean.left(height, sum));
    Some(right)
}
