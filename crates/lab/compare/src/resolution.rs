//! Values that a tool rounds to steps, and how many digits they carry.

use crate::repeats::{least_gap, repeated};

/// A smaller share of the values than this does not show in the digits that are printed, and is no step that a run shows.
pub(crate) const VISIBLE: f64 = 1e-4;

/// Least distance of two different values, if it can be seen that they lie in steps: in the decimals
/// that suffice to write them all, or in the values themselves where most runs share theirs.
/// Nothing where steps are too fine to show.
pub fn step(values: &[f64]) -> Option<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let median = sorted.get(sorted.len() / 2)?.abs();
    // Nothing but 0 says nothing of what is above it.
    sorted.iter().find(|value| **value != 0.0)?;
    let printed = printed(&sorted)?;
    let gap = repeated(&sorted).and_then(|found| least_gap(&found.different));
    let gap = gap.unwrap_or(0.0);
    // In whole last digits, as 0.399 - 0.391 is not 0.008.
    let step = printed * (gap / printed).round().max(1.0);
    (step.is_finite() && step > VISIBLE * median).then_some(step)
}

/// The last decimal that suffices to write all values.
pub(crate) fn printed(values: &[f64]) -> Option<f64> {
    let decimals = values.iter().map(|value| decimals(*value)).max()?;
    Some(10_f64.powi(-i32::try_from(decimals).unwrap_or(i32::MAX)))
}

/// Digits behind the point of the shortest number that reads back as this one.
fn decimals(value: f64) -> usize {
    let text = value.to_string();
    text.split_once('.')
        .map_or(0, |(_, fraction)| fraction.len())
}

/// Decimals of a percentage of `value` that a step leaves meaning to: none below half a step.
pub fn percent_decimals(step: f64, value: f64) -> usize {
    let half_step_percent = 50.0 * (step / value).abs();
    (-half_step_percent.log10()).floor().clamp(0.0, 6.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_show_in_values_that_runs_share() {
        // As redis-benchmark prints them: buckets of 0.008 ms.
        let coarse = [0.391, 0.399, 0.391, 0.407, 0.391, 0.399, 0.391, 0.391];
        assert_eq!(step(&coarse), Some(0.008));
        assert_eq!(step(&[0.391; 8]), Some(0.001));
    }

    #[test]
    fn decimals_alone_are_a_step_where_values_differ() {
        // As wrk prints them.
        assert_eq!(step(&[1.23, 1.31, 1.27, 1.4]), Some(0.01));
        assert_eq!(step(&[1.0, 2.0, 3.0]), Some(1.0));
    }

    #[test]
    fn fine_values_have_no_step() {
        let fine: Vec<f64> = (1..40).map(|i| 12.0 + f64::from(i).sqrt() / 7.0).collect();
        assert_eq!(step(&fine), None);
        assert_eq!(step(&[1234.56, 1300.12]), None);
        assert_eq!(step(&[]), None);
        assert_eq!(step(&[0.0, 0.0]), None);
        assert_eq!(step(&[0.0, 0.0, 0.01]), Some(0.01));
        assert_eq!(step(&[f64::NAN, f64::INFINITY]), None);
    }

    #[test]
    fn a_percentage_has_no_digits_below_half_a_step() {
        assert_eq!(percent_decimals(0.008, 0.391), 0);
        assert_eq!(percent_decimals(0.008, 4.0), 1);
        assert_eq!(percent_decimals(0.01, 100.0), 2);
        assert_eq!(percent_decimals(1.0, 0.0), 0);
        assert_eq!(percent_decimals(0.0, 0.0), 0);
    }
}
