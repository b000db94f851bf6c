//! The Brunner-Munzel test by rearranging the labels.

use super::arrangement::Groups;
use super::size;
use crate::permutation::{PermutationTest, permute};
use crate::{Error, Resampling, check};

/// Brunner-Munzel test by rearrangement of the labels; at least two runs per side.
///
/// Valid for few runs. All arrangements are tried if there are at most
/// [`EXACT_ARRANGEMENTS`](crate::permutation::EXACT_ARRANGEMENTS); otherwise `resampling` says how
/// many to draw, and p is `(1 + extreme) / (1 + draws)`. Samples that do not overlap are the most
/// extreme arrangements there are.
pub fn brunner_munzel_permutation(
    a: &[f64],
    b: &[f64],
    resampling: Resampling,
) -> Result<PermutationTest, Error> {
    check::sample("baseline", a, 2)?;
    check::sample("candidate", b, 2)?;
    let (groups, labels) = Groups::of(a, b);
    // Equal sizes may come out of different sums, so allow for their rounding.
    let observed = size(&groups.placements(&labels)) * (1.0 - 1e-12);
    permute(labels, resampling, |labels| {
        size(&groups.placements(labels)) >= observed
    })
}
