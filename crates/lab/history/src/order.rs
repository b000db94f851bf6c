//! In which order revisions are measured: first where least is known.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Revisions that are not measured yet, in the order in which to measure them: both ends first, then again and again the
/// middle of the widest gap between those that are measured or will be by then. So the first campaign shows the whole
/// history coarsely, and most campaigns have revisions on both sides of a change, of which the noise of the control says
/// nothing.
///
/// `is_measured`: whether each revision is, in the order of the history. Returns their places in this list.
pub fn order(is_measured: &[bool]) -> Vec<usize> {
    let Some(last) = is_measured.len().checked_sub(1) else {
        return Vec::new();
    };
    let mut order: Vec<usize> = Vec::new();
    for end in [0, last] {
        if !is_measured[end] && !order.contains(&end) {
            order.push(end);
        }
    }
    let is_known = |place: &usize| is_measured[*place] || *place == 0 || *place == last;
    let known: Vec<usize> = (0..=last).filter(is_known).collect();
    // The widest gap comes first; of equal ones the earliest.
    let mut gaps: BinaryHeap<(usize, Reverse<usize>)> = BinaryHeap::new();
    gaps.extend(known.windows(2).filter_map(|pair| gap(pair[0], pair[1])));
    while let Some((width, Reverse(from))) = gaps.pop() {
        let middle = from + width / 2;
        order.push(middle);
        gaps.extend(gap(from, middle));
        gaps.extend(gap(middle, from + width));
    }
    order
}

/// The distance of two revisions between which there are others, and the first of the two.
fn gap(from: usize, to: usize) -> Option<(usize, Reverse<usize>)> {
    (to - from > 1).then_some((to - from, Reverse(from)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_first_then_the_middle_of_the_widest_gap() {
        assert_eq!(order(&[false; 9]), [0, 8, 4, 2, 6, 1, 3, 5, 7]);
        assert_eq!(order(&[]), [] as [usize; 0]);
        assert_eq!(order(&[false]), [0]);
        assert_eq!(order(&[true]), [] as [usize; 0]);
        assert_eq!(order(&[false, false]), [0, 1]);
        // Two are new since those before were measured.
        assert_eq!(order(&[true, true, true, false, false]), [4, 3]);
        assert_eq!(
            order(&[true, false, false, false, true, false, true]),
            [2, 1, 3, 5]
        );
    }

    #[test]
    fn each_is_there_once() {
        for count in 0..200 {
            for step in 1..7 {
                let is_measured: Vec<bool> = (0..count).map(|place| place % step == 3).collect();
                let mut places = order(&is_measured);
                places.sort_unstable();
                let left: Vec<usize> = (0..count).filter(|place| !is_measured[*place]).collect();
                assert_eq!(places, left);
            }
        }
    }
}
