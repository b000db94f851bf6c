//! Nodes, and how an edit changes them: all that needs unsafe code but the pointer to the root.
//!
//! A node that readers may see never changes. An edit copies it before a change; nodes that an edit has made itself
//! are changed in place, as nobody else has their addresses.

mod link;
mod list;
mod memory;
mod mutable;
mod nodes;

pub(crate) use link::{Content, Link, NodeRef};
pub(crate) use memory::{Node, free_all};
pub(crate) use mutable::{Element, NodeMut};
pub(crate) use nodes::Nodes;
