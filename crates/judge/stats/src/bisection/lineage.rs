//! The revisions between a good and a bad one, and which of them contain which.
//!
//! Revisions that follow each other without a fork or a merge make a *segment*. A segment is an ancestor of a later
//! revision as a whole or not at all, so sets of ancestors are kept as bits of segments: a linear history of any length
//! is one segment.

use crate::check;
use crate::error::Error;

/// Most segments: their sets of ancestors take 128 MiB then.
const MOST_SEGMENTS: usize = 1 << 15;

/// The revisions that may have introduced the change, as a graph.
///
/// Revisions are numbered from 0, parents before children. The last one is the bad end, and all others are its
/// ancestors: what `git rev-list --topo-order --reverse GOOD..BAD` prints. The good end is outside of the graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Lineage {
    parents: Vec<Vec<usize>>,
    /// Segment of each revision, and how many of its segment come before it.
    place: Vec<(usize, usize)>,
    /// Revisions of each segment, oldest first.
    segments: Vec<Vec<usize>>,
    /// For each segment the bits of those that are its ancestors.
    above: Vec<Vec<u64>>,
    /// How likely each revision was to introduce a change before anything was measured; the sum is 1.
    prior: Vec<f64>,
}

impl Lineage {
    /// A history without merges, of so many revisions, the bad end included.
    ///
    /// # Errors
    /// [`Error::TooFew`] without a revision.
    pub fn linear(revisions: usize) -> Result<Self, Error> {
        let before = |revision: usize| revision.checked_sub(1).into_iter().collect();
        Self::new((0..revisions).map(before).collect())
    }

    /// A history with merges, from the parents of each revision. Parents that are not among the revisions, such as the
    /// good end, are left out.
    ///
    /// # Errors
    /// [`Error::TooFew`] without a revision, [`Error::Lineage`] where a parent does not come before its child or a
    /// revision is no ancestor of the last one, [`Error::TooMany`] for more than 32 768 segments.
    pub fn new(parents: Vec<Vec<usize>>) -> Result<Self, Error> {
        let count = parents.len();
        if count == 0 {
            return Err(Error::TooFew {
                what: "revisions".to_owned(),
                needed: 1,
                found: 0,
            });
        }
        let mut children = vec![0_usize; count];
        for (revision, own) in parents.iter().enumerate() {
            for &parent in own {
                if parent >= revision {
                    return Err(Error::Lineage { revision, parent });
                }
                children[parent] += 1;
            }
        }
        // Every revision with a child leads to one with a higher number, and so in the end to one without.
        if let Some(revision) = children[..count - 1].iter().position(|&own| own == 0) {
            return Err(Error::Lineage {
                revision,
                parent: count - 1,
            });
        }
        let (place, segments) = segments(&parents, &children);
        let above = above(&parents, &place, &segments)?;
        Ok(Self {
            prior: vec![1.0 / count as f64; count],
            parents,
            place,
            segments,
            above,
        })
    }

    /// With weights that say how likely each revision is to introduce a change, by the size of its commit or the paths
    /// that it touches. Only their ratios count.
    ///
    /// # Errors
    /// [`Error::Unbalanced`] if there is not one weight for each revision, [`Error::NotPositive`] for a weight that is
    /// not positive: no evidence could ever find its revision.
    pub fn weighted(mut self, weights: &[f64]) -> Result<Self, Error> {
        if weights.len() != self.len() {
            return Err(Error::Unbalanced {
                expected: self.len(),
                found: weights.len(),
            });
        }
        check::positive("weights of revisions", weights, 1)?;
        let largest = weights.iter().copied().fold(0.0, f64::max);
        let total: f64 = weights.iter().map(|weight| weight / largest).sum();
        self.prior = weights
            .iter()
            .map(|weight| weight / largest / total)
            .collect();
        Ok(self)
    }

    /// Number of revisions, the bad end included.
    #[expect(
        clippy::len_without_is_empty,
        reason = "there is always one revision at least"
    )]
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// The parents of a revision that are in the graph; none where there is no such revision.
    pub fn parents(&self, revision: usize) -> &[usize] {
        self.parents.get(revision).map_or(&[], Vec::as_slice)
    }

    /// Whether a revision contains another one: whether it is that one, or a descendant.
    pub fn contains(&self, revision: usize, other: usize) -> bool {
        let (Some(&(own, at)), Some(&(segment, position))) =
            (self.place.get(revision), self.place.get(other))
        else {
            return false;
        };
        if own == segment {
            position <= at
        } else {
            self.above[own][segment / 64] >> (segment % 64) & 1 == 1
        }
    }

    /// The bad end.
    pub(super) fn bad(&self) -> usize {
        self.len() - 1
    }

    pub(super) fn prior(&self) -> &[f64] {
        &self.prior
    }

    /// Calls for each revision that the given one contains.
    pub(crate) fn each_contained(&self, revision: usize, mut call: impl FnMut(usize)) {
        let (own, at) = self.place[revision];
        for (word, &bits) in self.above[own].iter().enumerate() {
            let mut left = bits;
            while left != 0 {
                let segment = 64 * word + left.trailing_zeros() as usize;
                self.segments[segment].iter().copied().for_each(&mut call);
                left &= left - 1;
            }
        }
        self.segments[own][..=at]
            .iter()
            .copied()
            .for_each(&mut call);
    }

    /// For each revision, the sum of `mass` over the revisions that it contains.
    ///
    /// For each byte of the sets of ancestors, the sums of all its 256 values are made once; bytes without mass are
    /// passed over. So 10 000 segments take about 10 000 * 1250 additions at most.
    pub(crate) fn contained_mass(&self, mass: &[f64]) -> Vec<f64> {
        let totals: Vec<f64> = self
            .segments
            .iter()
            .map(|members| members.iter().map(|&member| mass[member]).sum())
            .collect();
        let tables: Vec<(usize, [f64; 256])> = totals
            .chunks(8)
            .enumerate()
            .filter(|(_, own)| own.iter().any(|&total| total > 0.0))
            .map(|(byte, own)| (byte, sums(own)))
            .collect();
        let mut sums = vec![0.0; self.len()];
        for (members, above) in self.segments.iter().zip(&self.above) {
            let bits = |byte: usize| (above[byte / 8] >> (8 * (byte % 8))) as usize & 0xff;
            let mut sum: f64 = tables.iter().map(|(byte, table)| table[bits(*byte)]).sum();
            for &member in members {
                sum += mass[member];
                sums[member] = sum;
            }
        }
        sums
    }
}

/// The sums of all subsets of up to eight numbers.
fn sums(of: &[f64]) -> [f64; 256] {
    let mut table = [0.0; 256];
    for set in 1..256_usize {
        let highest = set.ilog2() as usize;
        table[set] = table[set & !(1 << highest)] + of.get(highest).copied().unwrap_or(0.0);
    }
    table
}

type Places = (Vec<(usize, usize)>, Vec<Vec<usize>>);

/// Cuts the graph into segments.
fn segments(parents: &[Vec<usize>], children: &[usize]) -> Places {
    let mut place: Vec<(usize, usize)> = Vec::with_capacity(parents.len());
    let mut segments: Vec<Vec<usize>> = Vec::new();
    for (revision, own) in parents.iter().enumerate() {
        let segment = match own[..] {
            [only] if children[only] == 1 => place[only].0,
            _ => {
                segments.push(Vec::new());
                segments.len() - 1
            }
        };
        place.push((segment, segments[segment].len()));
        segments[segment].push(revision);
    }
    (place, segments)
}

/// For each segment the set of those that are its ancestors.
fn above(
    parents: &[Vec<usize>],
    place: &[(usize, usize)],
    segments: &[Vec<usize>],
) -> Result<Vec<Vec<u64>>, Error> {
    if segments.len() > MOST_SEGMENTS {
        return Err(Error::TooMany {
            what: "segments between forks and merges",
            most: MOST_SEGMENTS,
            found: segments.len(),
            instead: "bisect between revisions that are nearer to each other, or along first parents",
        });
    }
    let words = segments.len().div_ceil(64);
    let mut above: Vec<Vec<u64>> = Vec::with_capacity(segments.len());
    for members in segments {
        let mut set = vec![0; words];
        // A segment comes after those of its first member's parents.
        for &parent in members.first().map_or(&[][..], |&first| &parents[first]) {
            let segment = place[parent].0;
            for (word, more) in set.iter_mut().zip(&above[segment]) {
                *word |= more;
            }
            set[segment / 64] |= 1 << (segment % 64);
        }
        above.push(set);
    }
    Ok(above)
}
