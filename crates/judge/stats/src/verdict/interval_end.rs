//! The search for the end of an interval, by a test that excludes what is beyond it.

use crate::error::Error;

/// Share of the interval's width to which its end is found.
const FINE: f64 = 1e-9;

/// Doublings of the width before the interval is taken to have no end.
const DOUBLINGS: i32 = 50;

/// The first place outwards of `from` that the test excludes: `from` itself if the next place is excluded, and nothing
/// if no place is. `outward` is the interval's width, below zero for a search downwards.
pub(super) fn first_excluded(
    from: f64,
    outward: f64,
    mut is_excluded: impl FnMut(f64) -> Result<bool, Error>,
) -> Result<Option<f64>, Error> {
    let (mut inside, mut outside) = (from, from + FINE * outward);
    if is_excluded(outside)? {
        return Ok(Some(from));
    }
    for doubling in 0..=DOUBLINGS {
        (inside, outside) = (outside, from + outward * f64::from(doubling).exp2());
        if is_excluded(outside)? {
            break;
        }
        if doubling == DOUBLINGS {
            return Ok(None);
        }
    }
    while (outside - inside).abs() > FINE * outward.abs() {
        let middle = 0.5 * (inside + outside);
        if middle == inside || middle == outside {
            break;
        }
        if is_excluded(middle)? {
            outside = middle;
        } else {
            inside = middle;
        }
    }
    Ok(Some(outside))
}
