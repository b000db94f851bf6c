//! What holds for all nodes of a tree.

use std::fmt::Debug;

use crate::View;
use crate::node::{Content, NodeRef};
use crate::shape;

/// Checks the nodes of a tree, and returns their levels: 0 for an empty tree, 1 for a leaf.
pub fn check<T: Copy + PartialEq + Debug>(view: View<'_, T>) -> usize {
    let Some(root) = view.root() else {
        assert_eq!(view.len(), 0);
        return 0;
    };
    let least = if root.height() == 0 { 1 } else { 2 };
    assert_eq!(below(root, least), view.len());
    usize::from(root.height()) + 1
}

/// Checks a node that has at least `least` elements, and those below it. Returns how many items they have.
fn below<T: Copy + PartialEq + Debug>(node: NodeRef<'_, T>, least: usize) -> usize {
    let (len, height) = (node.len(), node.height());
    let most = shape::most(height);
    assert!((least..=most).contains(&len), "{len} at height {height}");
    match node.content() {
        Content::Items(items) => items.len(),
        Content::Children(children) => {
            let mut count = 0;
            for child in children {
                assert_eq!(child.node().height() + 1, height);
                assert_eq!(*child.first(), child.node().first());
                assert_eq!(child.count(), below(child.node(), shape::least(height - 1)));
                count += child.count();
            }
            count
        }
    }
}
