//! All pairs of runs within blocks, and order statistics of their effects.

use super::null::Sizes;
use super::ranks::StratumRanks;
use super::scale::Scale;
use crate::check;
use crate::error::Error;
use crate::stratum::Stratum;
use crate::summary::sorted;

/// Up to this many pairs are written out and sorted; beyond it, order statistics are found by
/// counting.
const WRITTEN_OUT: usize = 1 << 13;

/// The blocks with runs of both sides, each side in ascending order.
pub(super) struct Pairs {
    blocks: Vec<(Vec<f64>, Vec<f64>)>,
    scale: Scale,
    count: usize,
}

impl Pairs {
    pub(super) fn new(strata: &[Stratum], scale: Scale) -> Result<Self, Error> {
        let mut blocks = Vec::with_capacity(strata.len());
        for (index, stratum) in strata.iter().enumerate() {
            for (side, values) in [("baseline", &stratum.a), ("candidate", &stratum.b)] {
                let what = format_args!("block {}, {side}", index + 1);
                match scale {
                    Scale::Ratio => check::positive(what, values, 0)?,
                    Scale::Shift => check::sample(what, values, 0)?,
                }
            }
            if stratum.has_pairs() {
                blocks.push((sorted(&stratum.a), sorted(&stratum.b)));
            }
        }
        let count = blocks.iter().map(|(a, b)| a.len() * b.len()).sum();
        if count == 0 {
            return Err(Error::NoPairs {
                blocks: strata.len(),
            });
        }
        Ok(Self {
            blocks,
            scale,
            count,
        })
    }

    /// Number of pairs.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn sizes(&self) -> Vec<Sizes> {
        self.blocks
            .iter()
            .map(|(a, b)| (a.len(), b.len()))
            .collect()
    }

    pub(super) fn ranks(&self, null_effect: f64) -> Vec<StratumRanks> {
        self.blocks
            .iter()
            .map(|(a, b)| StratumRanks::new(a, b, self.scale, null_effect))
            .collect()
    }

    /// The pairwise effects with the given ranks, counted from 1 in ascending order.
    pub(super) fn order_statistics(&self, ranks: &[usize]) -> Vec<f64> {
        if self.count <= WRITTEN_OUT {
            let effects = self.written_out();
            ranks.iter().map(|r| effects[r - 1]).collect()
        } else {
            ranks.iter().map(|&r| self.counted(r)).collect()
        }
    }

    fn written_out(&self) -> Vec<f64> {
        let mut effects = Vec::with_capacity(self.count);
        for (a, b) in &self.blocks {
            for &y in b {
                effects.extend(a.iter().map(|&x| self.scale.effect(x, y)));
            }
        }
        effects.sort_unstable_by(f64::total_cmp);
        effects
    }

    /// The effect with this rank, without forming all pairs.
    ///
    /// It is the smallest number up to which at least `rank` effects lie. Bisection runs over the
    /// bit patterns of the numbers in their order, so at most 64 counts end in the exact value.
    fn counted(&self, rank: usize) -> f64 {
        let ends = self.blocks.iter().map(|(a, b)| {
            let (a_last, b_last) = (a[a.len() - 1], b[b.len() - 1]);
            (
                self.scale.effect(a_last, b[0]),
                self.scale.effect(a[0], b_last),
            )
        });
        let (least, most) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), (l, h)| {
            (lo.min(l), hi.max(h))
        });
        let (mut low, mut high) = (order_key(least), order_key(most));
        while low < high {
            let middle = low + (high - low) / 2;
            if self.count_up_to(from_order_key(middle)) >= rank {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        from_order_key(low)
    }

    /// Number of effects that are at most `value`.
    ///
    /// A rounded quotient or difference never falls as the candidate's value rises or the
    /// baseline's falls, so one walk along both sides finds the border.
    pub(super) fn count_up_to(&self, value: f64) -> usize {
        let mut count = 0;
        for (a, b) in &self.blocks {
            let mut i = 0;
            for &y in b {
                while i < a.len() && self.scale.effect(a[i], y) > value {
                    i += 1;
                }
                count += a.len() - i;
            }
        }
        count
    }
}

/// An integer that orders as the number does.
fn order_key(x: f64) -> u64 {
    // Adding zero turns -0 into 0, which must not come before it.
    let bits = (x + 0.0).to_bits();
    if bits >> 63 == 0 {
        bits | 1 << 63
    } else {
        !bits
    }
}

fn from_order_key(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 {
        key & !(1 << 63)
    } else {
        !key
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn blocks() -> impl Strategy<Value = Vec<Stratum>> {
        // Few distinct values, so that many pairs are equal.
        let side = || prop::collection::vec((1..40_i32).prop_map(|v| f64::from(v) / 7.0), 1..12);
        let block = (side(), side()).prop_map(|(a, b)| Stratum { a, b });
        prop::collection::vec(block, 1..5)
    }

    proptest! {
        #[test]
        fn counting_finds_what_sorting_finds(strata in blocks()) {
            for scale in [Scale::Ratio, Scale::Shift] {
                let pairs = Pairs::new(&strata, scale).unwrap();
                for (index, &effect) in pairs.written_out().iter().enumerate() {
                    prop_assert_eq!(pairs.counted(index + 1), effect);
                }
            }
        }

        #[test]
        fn keys_keep_the_order(x in -1e9..1e9_f64, y in -1e9..1e9_f64) {
            prop_assert_eq!(order_key(x) < order_key(y), x < y);
            prop_assert_eq!(from_order_key(order_key(x)), x);
        }
    }

    #[test]
    fn blocks_with_one_side_hold_no_pairs_but_are_checked() {
        let one_sided = Stratum::new([1.0, 2.0], []);
        let error = Pairs::new(std::slice::from_ref(&one_sided), Scale::Ratio).err();
        assert_eq!(error, Some(Error::NoPairs { blocks: 1 }));
        let bad = Stratum::new([], [1.0, -2.0]);
        let error = Pairs::new(&[one_sided, bad], Scale::Ratio).err().unwrap();
        assert!(
            error
                .to_string()
                .starts_with("block 2, candidate, value 2: ")
        );
    }
}
