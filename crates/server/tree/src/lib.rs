//! Sequences that one writer edits while any number of readers read them under RCU, without waiting.
//!
//! A [`Tree`] is a B+-tree that counts the items below each node. So items are found by position, as in a list, and by
//! any order in which the caller keeps them, as in a sorted set. Readers see a tree before a commit or after it, never
//! between: a commit copies the nodes on the paths to its changes, and replaces the root.
//!
//! ```text
//! tree            the pointer to the root
//! view, chunks    reading: by position, by order, in ranges
//! edit            writing: changes that are published as one
//!
//! grow            elements come into nodes, and full nodes are split
//! shrink          items leave, and nodes with few elements share with neighbours
//! join            whole trees are joined and split
//! find            the child that has a position
//! shape           how many elements a node has
//!
//! node            nodes in memory, and the nodes of an edit
//! ```
//!
//! A leaf has memory for as many items as it has, and few more. So each push copies the last leaf. It could instead
//! write behind the items that readers know of, if the count of items was with the pointer to the leaf rather than in
//! the leaf: readers of an older root would not look at what is behind.

mod chunks;
mod edit;
mod find;
mod grow;
mod join;
mod node;
mod shape;
mod shrink;
#[cfg(test)]
mod tests;
mod tree;
mod view;

pub use chunks::{Chunks, Iter};
pub use edit::Edit;
pub use tree::Tree;
pub use view::View;
