//! Collections as readers see them: each view is one state, whatever writers do meanwhile.

mod both;
mod hash;
mod list;
mod scan;
mod set;
mod zset;

pub use hash::HashView;
pub use list::ListView;
pub use set::{Member, SetView};
pub use zset::ZsetView;

pub(crate) use zset::{by_member, by_score};

use perflab_rcu::Pinned;

use crate::collection::{Trees, look};
use crate::entry::Entry;
use crate::form::WrongType;

impl Entry {
    /// A view of the list.
    ///
    /// # Errors
    /// If it is none.
    pub fn as_list<'p>(&'p self, pinned: Pinned<'p>) -> Result<ListView<'p>, WrongType> {
        match self.trees()? {
            Trees::List(tree) => Ok(ListView::new(look(tree, pinned))),
            _ => Err(WrongType),
        }
    }

    /// A view of the hash.
    ///
    /// # Errors
    /// If it is none.
    pub fn as_hash<'p>(&'p self, pinned: Pinned<'p>) -> Result<HashView<'p>, WrongType> {
        match self.trees()? {
            Trees::HashSmall(tree) => Ok(HashView::small(look(tree, pinned))),
            Trees::HashLarge(tree) => Ok(HashView::large(look(tree, pinned))),
            _ => Err(WrongType),
        }
    }

    /// A view of the set.
    ///
    /// # Errors
    /// If it is none.
    pub fn as_set<'p>(&'p self, pinned: Pinned<'p>) -> Result<SetView<'p>, WrongType> {
        match self.trees()? {
            Trees::SetInts(tree) => Ok(SetView::ints(tree.view(pinned))),
            Trees::SetLarge(tree) => Ok(SetView::large(look(tree, pinned))),
            _ => Err(WrongType),
        }
    }

    /// A view of the sorted set.
    ///
    /// # Errors
    /// If it is none.
    pub fn as_zset<'p>(&'p self, pinned: Pinned<'p>) -> Result<ZsetView<'p>, WrongType> {
        match self.trees()? {
            Trees::ZsetSmall(scores) => Ok(ZsetView::small(look(scores, pinned))),
            Trees::ZsetLarge(scores, index) => Ok(ZsetView::large(scores, index, pinned)),
            _ => Err(WrongType),
        }
    }

    /// The number of elements of a collection; of a string, its bytes.
    pub fn len(&self, pinned: Pinned<'_>) -> usize {
        match (self.trees(), self.as_string()) {
            (Ok(trees), _) => trees.len(pinned),
            (_, Ok(value)) => value.len(),
            _ => 0,
        }
    }

    fn trees(&self) -> Result<&Trees, WrongType> {
        let collection = self.collection().ok_or(WrongType)?;
        Ok(collection.trees())
    }
}
