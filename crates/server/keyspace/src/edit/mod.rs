//! Collections as a command changes them: readers see all that an edit did, or nothing of it.

mod hash;
mod index;
mod list;
mod set;
mod work;
mod zset;

pub use hash::HashEdit;
pub use list::ListEdit;
pub use set::SetEdit;
pub use zset::{NotANumber, Zadd, ZaddFlags, ZsetEdit};

pub(crate) use work::{Changes, Work, sorted};

use std::ptr::NonNull;

use crate::entry::Entry;

/// What an edit has done.
pub(crate) struct Done {
    /// Blobs that came and went. Those that went are retired when readers cannot find them any more.
    pub changes: Changes,
    /// Bytes of nodes more than before; of a converted collection, all bytes of its nodes.
    pub nodes: i64,
    /// Elements that there are now.
    pub len: usize,
    /// An entry of another form, which takes the place of the one that was edited. Its blobs are the same.
    pub converted: Option<NonNull<Entry>>,
}
