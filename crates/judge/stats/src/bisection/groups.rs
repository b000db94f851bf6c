//! Revisions that nothing can tell apart, because those between them cannot be measured.
//!
//! Two revisions are told apart by one that can be measured and contains only one of them. So what counts of a revision
//! is the set of revisions that can be measured and contain it. For one that can be measured, that is itself and what
//! contains it. For another, it is what contains any of the nearest ones after it; those of them that contain none of
//! the others name the set.

use std::collections::HashMap;

use super::block::Revision;
use super::lineage::Lineage;

/// Revisions by what tells them apart.
#[derive(Debug, Clone)]
pub(super) struct Groups {
    of: Vec<usize>,
    count: usize,
}

impl Groups {
    /// The groups, if these revisions are skipped.
    pub(super) fn new(lineage: &Lineage, skipped: &[bool]) -> Self {
        let count = lineage.len();
        // The nearest revisions that can be measured and contain each.
        let mut nearest: Vec<Vec<usize>> = vec![Vec::new(); count];
        for revision in (0..count).rev() {
            if skipped[revision] {
                nearest[revision] = least(lineage, std::mem::take(&mut nearest[revision]));
            } else {
                nearest[revision] = vec![revision];
            }
            let own = nearest[revision].clone();
            for &parent in lineage.parents(revision) {
                if skipped[parent] {
                    nearest[parent].extend(&own);
                }
            }
        }
        let mut names: HashMap<Vec<usize>, usize> = HashMap::new();
        let of = nearest
            .into_iter()
            .map(|name| {
                let next = names.len();
                *names.entry(name).or_insert(next)
            })
            .collect();
        Self {
            of,
            count: names.len(),
        }
    }

    /// The group with the largest sum, and that sum.
    pub(super) fn heaviest(&self, mass: &[f64]) -> (Vec<usize>, f64) {
        let mut sums = vec![0.0; self.count];
        for (group, mass) in self.of.iter().zip(mass) {
            sums[*group] += mass;
        }
        let best = (0..self.count)
            .max_by(|&a, &b| sums[a].total_cmp(&sums[b]))
            .unwrap_or_default();
        let members = (0..self.of.len()).filter(|&revision| self.of[revision] == best);
        (members.collect(), sums.get(best).copied().unwrap_or(0.0))
    }
}

/// Those that contain none of the others, ascending.
fn least(lineage: &Lineage, mut revisions: Vec<usize>) -> Vec<usize> {
    revisions.sort_unstable();
    revisions.dedup();
    let mut least: Vec<usize> = Vec::new();
    for revision in revisions {
        // Ancestors have lower numbers.
        if !least.iter().any(|&other| lineage.contains(revision, other)) {
            least.push(revision);
        }
    }
    least
}

/// The nearest revisions that can be measured: before a group, and those that contain it.
pub(super) fn neighbours(
    lineage: &Lineage,
    skipped: &[bool],
    group: &[usize],
) -> (Vec<Revision>, Vec<usize>) {
    let within = |revision: usize| group.binary_search(&revision).is_ok();
    let mut seen = vec![false; lineage.len()];
    let mut before = Vec::new();
    let mut left: Vec<usize> = group.to_vec();
    while let Some(revision) = left.pop() {
        let parents = lineage.parents(revision);
        if parents.is_empty() {
            before.push(Revision::Good);
        }
        for &parent in parents {
            if std::mem::replace(&mut seen[parent], true) || within(parent) {
                continue;
            }
            if skipped[parent] {
                left.push(parent);
            } else {
                before.push(Revision::At(parent));
            }
        }
    }
    before.sort_unstable();
    before.dedup();
    let measurable = (0..lineage.len()).filter(|&revision| !skipped[revision]);
    let containing = |revision: &usize| {
        group
            .iter()
            .all(|&member| lineage.contains(*revision, member))
    };
    (
        before,
        least(lineage, measurable.filter(containing).collect()),
    )
}
