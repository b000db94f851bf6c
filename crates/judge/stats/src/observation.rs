//! From single values to replicates.

use crate::error::Error;
use crate::stratum::Stratum;

/// One value of one variant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// The block it was made in.
    pub block: u32,
    /// The unit it belongs to: values of one variant with the same unit in the same block
    /// (iterations of one run, runs of one build) are correlated, and count as one.
    pub unit: u32,
    /// The value.
    pub value: f64,
}

/// Both sides block by block, one value per unit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Strata {
    pub(crate) strata: Vec<Stratum>,
}

impl Strata {
    /// Brings every unit down to one value by `centre`.
    pub(crate) fn of(
        base: &[Observation],
        candidate: &[Observation],
        centre: fn(&[f64]) -> Result<f64, Error>,
    ) -> Result<Self, Error> {
        let a = units(base, centre)?;
        let b = units(candidate, centre)?;
        let mut blocks: Vec<u32> = a.iter().chain(&b).map(|run| run.block).collect();
        blocks.sort_unstable();
        blocks.dedup();
        let mut strata = vec![Stratum::default(); blocks.len()];
        let place = |block: u32| blocks.binary_search(&block).unwrap_or_default();
        for run in a {
            strata[place(run.block)].a.push(run.value);
        }
        for run in b {
            strata[place(run.block)].b.push(run.value);
        }
        Ok(Self { strata })
    }

    pub(crate) fn base(&self) -> Vec<f64> {
        self.strata
            .iter()
            .flat_map(|stratum| &stratum.a)
            .copied()
            .collect()
    }

    pub(crate) fn candidate(&self) -> Vec<f64> {
        self.strata
            .iter()
            .flat_map(|stratum| &stratum.b)
            .copied()
            .collect()
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = f64> + '_ {
        self.strata
            .iter()
            .flat_map(|stratum| stratum.a.iter().chain(&stratum.b))
            .copied()
    }
}

/// One value for each unit of each block, in the order in which units first appear.
pub(crate) fn units(
    observations: &[Observation],
    centre: fn(&[f64]) -> Result<f64, Error>,
) -> Result<Vec<Observation>, Error> {
    let mut order: Vec<usize> = (0..observations.len()).collect();
    let key = |index: &usize| (observations[*index].block, observations[*index].unit);
    order.sort_by_key(key);
    let mut values: Vec<(usize, Observation)> = Vec::new();
    for members in order.chunk_by(|x, y| key(x) == key(y)) {
        let own: Vec<f64> = members
            .iter()
            .map(|index| observations[*index].value)
            .collect();
        let first = members[0];
        let value = centre(&own)?;
        values.push((
            first,
            Observation {
                value,
                ..observations[first]
            },
        ));
    }
    values.sort_by_key(|(first, _)| *first);
    Ok(values.into_iter().map(|(_, unit)| unit).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::{mean, median};

    fn observe(rows: &[(u32, u32, f64)]) -> Vec<Observation> {
        rows.iter()
            .map(|&(block, unit, value)| Observation { block, unit, value })
            .collect()
    }

    #[test]
    fn a_unit_counts_once_in_its_block() {
        let base = observe(&[
            (1, 1, 1.0),
            (1, 1, 2.0),
            (1, 1, 9.0),
            (1, 2, 5.0),
            (2, 1, 7.0),
        ]);
        let candidate = observe(&[(2, 1, 8.0), (1, 1, 3.0)]);
        let strata = Strata::of(&base, &candidate, median).unwrap().strata;
        assert_eq!(strata[0], Stratum::new([2.0, 5.0], [3.0]));
        assert_eq!(strata[1], Stratum::new([7.0], [8.0]));
        let strata = Strata::of(&base, &candidate, mean).unwrap().strata;
        assert_eq!(strata[0].a, [4.0, 5.0]);
    }
}
