//! Whole trees are joined and split. A root may have fewer elements than other nodes.

use std::mem;

use crate::find;
use crate::grow::place;
use crate::node::{Content, Element, Link, Nodes};
use crate::shape::Lean;
use crate::shrink::pair;

/// One tree of two.
pub(crate) fn join<T: Copy>(
    nodes: &mut Nodes<T>,
    left: Option<Link<T>>,
    right: Option<Link<T>>,
) -> Option<Link<T>> {
    let (mut left, mut right) = match (left, right) {
        (Some(left), Some(right)) => (left, right),
        (left, right) => return left.or(right),
    };
    let (root, neighbour) = if left.node().height() >= right.node().height() {
        let neighbour = append(nodes, &mut left, right);
        (left, neighbour)
    } else {
        let neighbour = prepend(nodes, &mut right, left);
        (right, neighbour)
    };
    Some(match neighbour {
        Some(neighbour) => nodes.inner(root, neighbour),
        None => root,
    })
}

/// Adds a tree at the end of another one that is as high or higher. If the root of that was split, its right neighbour
/// is returned.
fn append<T: Copy>(nodes: &mut Nodes<T>, link: &mut Link<T>, tree: Link<T>) -> Option<Link<T>> {
    if link.node().height() == tree.node().height() {
        return pair(nodes, link, tree, Lean::Left);
    }
    let last = link.node().len() - 1;
    let mut node = nodes.own(link, 1);
    let neighbour = append(nodes, node.child(last), tree);
    link.refresh();
    place(nodes, link, last + 1, Element::Child(neighbour?))
}

/// Adds a tree before another one that is as high or higher. If the root of that was split, its right neighbour is
/// returned.
fn prepend<T: Copy>(nodes: &mut Nodes<T>, link: &mut Link<T>, tree: Link<T>) -> Option<Link<T>> {
    if link.node().height() == tree.node().height() {
        let right = mem::replace(link, tree);
        return pair(nodes, link, right, Lean::Right);
    }
    let mut node = nodes.own(link, 1);
    let neighbour = prepend(nodes, node.child(0), tree);
    link.refresh();
    place(nodes, link, 1, Element::Child(neighbour?))
}

/// Two trees of one: the items before a position, and the others.
pub(crate) fn split<T: Copy>(
    nodes: &mut Nodes<T>,
    mut link: Link<T>,
    position: usize,
) -> (Option<Link<T>>, Option<Link<T>>) {
    if position == 0 {
        return (None, Some(link));
    }
    if position >= link.count() {
        return (Some(link), None);
    }
    let (at, rest) = match link.node().content() {
        Content::Items(_) => {
            let right = nodes.split_off(&mut link, position);
            return (Some(link), Some(right));
        }
        Content::Children(children) => find::item(children, position),
    };
    // Children before the one that has the position, that child, and those behind it.
    let right = (at + 1 < link.node().len()).then(|| {
        let right = nodes.split_off(&mut link, at + 1);
        lone(nodes, right)
    });
    let (left, child) = if at == 0 {
        (None, nodes.only_child(link))
    } else {
        let child = nodes.split_off(&mut link, at);
        (Some(lone(nodes, link)), nodes.only_child(child))
    };
    let (before, behind) = split(nodes, child, rest);
    (join(nodes, left, before), join(nodes, behind, right))
}

/// The tree of a root: the root has no single child.
pub(crate) fn lone<T: Copy>(nodes: &mut Nodes<T>, mut root: Link<T>) -> Link<T> {
    while root.node().height() > 0 && root.node().len() == 1 {
        root = nodes.only_child(root);
    }
    root
}
