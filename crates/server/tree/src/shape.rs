//! How many items and children nodes have.
//!
//! Each node but the root has at least a quarter of what it can have, so the height is logarithmic. Neighbours are
//! merged only if the node that results has room left: otherwise a removal and an insertion in turns could merge and
//! split the same nodes again and again.

/// Most items of a leaf.
pub(crate) const LEAF_ITEMS: usize = 32;
/// Most children of an inner node.
pub(crate) const CHILDREN: usize = 16;
/// A node that an edit made, and that is too small for one more element, gets memory for as many more.
pub(crate) const STEP: usize = 8;

/// Most elements of a node: items of a leaf (height 0), or children of an inner node.
pub(crate) const fn most(height: u8) -> usize {
    if height == 0 { LEAF_ITEMS } else { CHILDREN }
}

/// Fewest elements of a node that is not the root. An inner root has at least 2.
pub(crate) const fn least(height: u8) -> usize {
    most(height) / 4
}

/// Two neighbours with at most this many elements together are merged when one of them is below [`least`].
pub(crate) const fn merged(height: u8) -> usize {
    most(height) / 4 * 3
}

/// Where a full node is split for an element that comes to the place `at`. If that is at most the place of the split,
/// the element comes to the left half, otherwise to the right half.
///
/// At an end the other half stays nearly full: what grows at an end has full nodes.
pub(crate) const fn split(height: u8, at: usize) -> usize {
    let most = most(height);
    if at == most {
        most + 1 - least(height)
    } else if at == 0 {
        least(height) - 1
    } else {
        most / 2
    }
}

/// To which of two neighbours elements are moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lean {
    /// Both get half.
    Even,
    /// The left one gets as many as possible: the sequence grows at its end.
    Left,
    /// The right one gets as many as possible.
    Right,
}

impl Lean {
    /// How many of `sum` elements the left neighbour gets. The sum is more than [`merged`], and one of the neighbours
    /// has fewer than [`least`] now.
    pub const fn left(self, height: u8, sum: usize) -> usize {
        match self {
            Self::Even => sum / 2,
            Self::Left => sum - least(height),
            Self::Right => least(height),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_a_node_are_neither_too_small_nor_too_large() {
        for height in [0, 1] {
            let (least, most) = (least(height), most(height));
            for at in 0..=most {
                let left = split(height, at);
                let halves = match at <= left {
                    true => [left + 1, most - left],
                    false => [left, most - left + 1],
                };
                assert!(halves.iter().all(|half| (least..=most).contains(half)));
            }
        }
    }

    #[test]
    fn shares_of_neighbours_are_neither_too_small_nor_too_large() {
        for height in [0, 1] {
            let (least, most) = (least(height), most(height));
            assert!(merged(height) < most);
            for sum in merged(height) + 1..least + most {
                for lean in [Lean::Even, Lean::Left, Lean::Right] {
                    let left = lean.left(height, sum);
                    assert!((least..=most).contains(&left), "{sum} {lean:?}");
                    assert!((least..=most).contains(&(sum - left)), "{sum} {lean:?}");
                }
            }
        }
    }
}
