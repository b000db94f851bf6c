//! Trees that only the calling thread has.
#![expect(unsafe_code, reason = "tests promise what programs promise")]

use perflab_rcu::Pinned;

use crate::{Edit, Tree, View};

pub fn new<T: Copy>() -> Tree<T> {
    // SAFETY: there are no sections, and the limbos free what they have when they are told to.
    unsafe { Tree::new() }
}

/// The items. A test that frees what was retired uses no view any more that it made before.
pub fn view<T: Copy>(tree: &Tree<T>) -> View<'_, T> {
    // SAFETY: no other thread has the tree, and the test keeps to what is said above.
    tree.view(unsafe { Pinned::unprotected() })
}

/// An edit. A test has one at a time.
pub fn edit<T: Copy>(tree: &Tree<T>) -> Edit<'_, T> {
    // SAFETY: no other thread has the tree, and the test keeps to what is said above.
    unsafe { tree.edit() }
}
