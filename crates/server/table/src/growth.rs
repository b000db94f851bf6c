//! The segments that take over the entries of one that has no room.

use super::bits;
use super::entry::Entry;
use super::segment::{Fresh, Segment};
use super::sizes::{MAX_DEPTH, SIZES};
use super::slot::Link;

/// Segments that hold these entries, in the order of hashes. All hashes belong to one segment of this depth.
///
/// It is a larger segment of the same depth, or two or more that are deeper. Entries that all of their bits leave
/// together get a chain of segments of the greatest depth.
pub fn build<'a, E: Entry>(links: &mut [Link<E>], depth: u32) -> Vec<Segment<'a, E>> {
    links.sort_unstable_by_key(|link| link.hash());
    let mut segments = Vec::new();
    divide(links, depth, &mut segments);
    segments
}

/// Builds the segments of entries in the order of their hashes.
fn divide<'a, E: Entry>(links: &[Link<E>], depth: u32, segments: &mut Vec<Segment<'a, E>>) {
    let mut fitting = SIZES.iter().filter(|size| links.len() <= size.fill);
    if let Some(fresh) = fitting.find_map(|size| filled(links, size.buckets, depth)) {
        segments.push(fresh.publish());
    } else if depth == MAX_DEPTH {
        segments.push(chain(links));
    } else {
        let lower = links.partition_point(|link| !bits::is_upper(link.hash(), depth));
        let (lower, upper) = links.split_at(lower);
        divide(lower, depth + 1, segments);
        divide(upper, depth + 1, segments);
    }
}

/// A segment with these entries, if it has room.
fn filled<E: Entry>(links: &[Link<E>], buckets: usize, depth: u32) -> Option<Fresh<E>> {
    let mut fresh = Fresh::new(buckets, depth);
    links.iter().all(|link| fresh.add(*link)).then_some(fresh)
}

/// A chain of segments of the greatest depth with these entries.
pub fn chain<'a, E: Entry>(links: &[Link<E>]) -> Segment<'a, E> {
    let mut fresh = Fresh::chained();
    let mut left = links.to_vec();
    left.retain(|link| !fresh.add(*link));
    let segment = fresh.publish();
    if !left.is_empty() {
        segment.append(chain(&left));
    }
    segment
}
