//! An entry with another key and the same value.
#![expect(
    unsafe_code,
    reason = "the lock that the thread has protects what it copies"
)]

use std::ptr::NonNull;

use perflab_rcu::{Pinned, Retire};
use perflab_tree::Tree;

use crate::blob::Held;
use crate::collection::{Collection, Trees, look};
use crate::edit::{Work, sorted};
use crate::entry::{Draft, Entry};
use crate::item::Leads;
use crate::look::Seen;

/// Who has the blobs of the copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Blobs {
    /// Both entries, until the original is retired without them.
    Shared,
    /// Each its own.
    Copied,
}

/// The copy of an entry, which nobody else knows. It takes time in proportion to the elements.
///
/// # Safety
/// The caller has the lock of the entry.
pub(super) unsafe fn copy(
    entry: &Entry,
    draft: Draft<'_>,
    blobs: Blobs,
    retire: &mut dyn Retire,
) -> NonNull<Entry> {
    let Some(original) = entry.collection() else {
        let value = entry.as_string().unwrap_or_default();
        return draft.string(entry.form(), &[value]);
    };
    // SAFETY: the trees are for the same sections and limbos as those of the entry.
    let copy = draft.collection(unsafe { Trees::new(entry.form()) });
    // SAFETY: nobody else knows it.
    if let Some(collection) = unsafe { copy.as_ref() }.collection() {
        // SAFETY: the caller has the lock of the entry, and nobody else knows the copy.
        unsafe { fill(original, collection, blobs, retire) };
    }
    copy
}

/// Fills the trees of a copy.
///
/// # Safety
/// The caller has the lock of the original, and nobody else knows the copy.
unsafe fn fill(original: &Collection, copy: &Collection, blobs: Blobs, retire: &mut dyn Retire) {
    // SAFETY: as the caller promises.
    let pinned = unsafe { Pinned::unprotected() };
    // SAFETY: as the caller promises, also for the copy of a tree of integers.
    let (mut bytes, mut nodes) = unsafe {
        match (original.trees(), copy.trees()) {
            (Trees::List(from), Trees::List(to))
            | (Trees::HashSmall(from), Trees::HashSmall(to)) => {
                fill_tree(from, to, pinned, blobs, retire)
            }
            (Trees::HashLarge(from), Trees::HashLarge(to))
            | (Trees::SetLarge(from), Trees::SetLarge(to)) => {
                fill_tree(from, to, pinned, blobs, retire)
            }
            (
                Trees::ZsetSmall(from) | Trees::ZsetLarge(from, _),
                Trees::ZsetSmall(to) | Trees::ZsetLarge(to, _),
            ) => fill_tree(from, to, pinned, blobs, retire),
            (Trees::SetInts(from), Trees::SetInts(to)) => {
                let mut edit = to.edit();
                edit.extend_back(from.view(pinned).iter(..));
                (0, edit.commit(retire) as i64)
            }
            _ => unreachable!("a copy has the form of its original"),
        }
    };
    if let Trees::ZsetLarge(scores, index) = copy.trees() {
        // SAFETY: nobody else knows the copy.
        let mut edit = unsafe { index.edit() };
        edit.extend_back(sorted(look(scores, pinned).all()));
        nodes += edit.commit(retire) as i64;
    }
    if blobs == Blobs::Shared {
        bytes = original.blobs() as i64;
    }
    copy.count(bytes, nodes);
}

/// Fills a tree. Returns the bytes of new blobs, and those of nodes.
///
/// # Safety
/// As of [`fill`].
unsafe fn fill_tree<I: Leads>(
    from: &Tree<I>,
    to: &Tree<I>,
    pinned: Pinned<'_>,
    blobs: Blobs,
    retire: &mut dyn Retire,
) -> (i64, i64) {
    let from = look(from, pinned);
    // SAFETY: nobody else knows the tree.
    let mut work = unsafe { Work::begin(to) };
    match blobs {
        Blobs::Shared => work.adopt(from.all().map(Seen::item)),
        Blobs::Copied => work.extend(from.all().map(|seen| {
            let blob = seen.blob();
            seen.item().leading_to(Held::new(blob.key(), blob.value()))
        })),
    }
    let (changes, nodes) = work.commit(retire);
    (changes.blobs, nodes)
}
