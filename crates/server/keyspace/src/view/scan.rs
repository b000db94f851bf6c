//! Walking through a collection that is ordered by hash, in steps, while it changes.

use crate::blob::Blob;
use crate::item::Hashed;
use crate::look::Look;

/// Gives at least `count` blobs whose hash is `cursor` or above, and returns the cursor of the next step; 0 at the end.
/// Blobs of one hash are given in one step, so an element that stays is given in each walk, and twice in none.
pub(super) fn scan<'p>(
    look: Look<'p, Hashed>,
    cursor: u64,
    count: usize,
    mut each: impl FnMut(&'p Blob),
) -> u64 {
    let start = look.partition_point(|seen| seen.item().hash < cursor);
    let mut last = None;
    for (given, seen) in look.iter(start..look.len()).enumerate() {
        let hash = seen.item().hash;
        if given >= count.max(1) && last != Some(hash) {
            return hash;
        }
        each(seen.blob());
        last = Some(hash);
    }
    0
}
