//! Ranks with ties.

use crate::check;
use crate::error::Error;

/// Rank of every value, counted from 1 in ascending order; equal values share the mean of the
/// ranks they occupy (midranks).
pub fn midranks(values: &[f64]) -> Result<Vec<f64>, Error> {
    check::sample("sample", values, 0)?;
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&i, &j| values[i].total_cmp(&values[j]));
    let mut ranks = vec![0.0; values.len()];
    let mut below = 0;
    for group in order.chunk_by(|&i, &j| values[i] == values[j]) {
        for &i in group {
            ranks[i] = below as f64 + 0.5 * (group.len() + 1) as f64;
        }
        below += group.len();
    }
    Ok(ranks)
}

/// Number of equal values in each group of equal values, in ascending order of the values. A
/// value that stands alone is a group of one, so the sizes add up to the number of values.
pub fn tie_groups(values: &[f64]) -> Result<Vec<usize>, Error> {
    check::sample("sample", values, 0)?;
    let sorted = crate::summary::sorted(values);
    Ok(sorted.chunk_by(|x, y| x == y).map(<[f64]>::len).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_their_mean_rank() {
        let ranks = midranks(&[30.0, 10.0, 20.0, 20.0, 30.0, 30.0]).unwrap();
        assert_eq!(ranks, [5.0, 1.0, 2.5, 2.5, 5.0, 5.0]);
        assert_eq!(midranks(&[-0.0, 0.0]).unwrap(), [1.5, 1.5]);
        assert!(midranks(&[]).unwrap().is_empty());
    }

    #[test]
    fn groups_add_up_to_the_sample() {
        let groups = tie_groups(&[3.0, 1.0, 2.0, 2.0, 3.0, 3.0]).unwrap();
        assert_eq!(groups, [1, 2, 3]);
    }
}
