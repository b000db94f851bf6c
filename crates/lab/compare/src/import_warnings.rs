//! What cannot be proven of values that another tool measured.

use indexmap::IndexMap;

use crate::comparison::Comparison;
use crate::warning::{FewProcesses, Warning};

/// Fewer processes than this hardly show how much one differs from another; with 4 and 4 the most
/// extreme order has a chance of 2 in 70, so that a proof at 95 % is possible at all.
const FEWEST: usize = 4;

/// The least that is known of a variant: replicates, the values behind them, and the replicates
/// that they are compared with.
#[derive(Debug, Clone, Copy)]
struct Least {
    runs: usize,
    values: usize,
    others: usize,
}

/// What to know of a comparison whose runs were imported.
pub(crate) fn import_warnings(report: &Comparison) -> Vec<Warning> {
    let mut warnings = vec![Warning::ImportedOrder];
    let mut variants: IndexMap<&str, Least> = IndexMap::new();
    for row in &report.rows {
        let sides = [
            (report.baseline.as_str(), &row.base, &row.candidate),
            (row.variant.as_str(), &row.candidate, &row.base),
        ];
        for (name, side, other) in sides {
            let own = Least {
                runs: side.n,
                values: side.values.len(),
                others: other.n,
            };
            let least = variants.entry(name).or_insert(own);
            if own.runs < least.runs {
                *least = own;
            }
        }
    }
    let alpha = 1.0 - report.confidence;
    warnings.extend(
        variants
            .into_iter()
            .filter_map(|(name, least)| few_processes(name, least, alpha)),
    );
    warnings
}

fn few_processes(name: &str, least: Least, alpha: f64) -> Option<Warning> {
    let Least {
        runs,
        values,
        others,
    } = least;
    let consequence = match (rarest(runs, others) <= alpha, runs) {
        (_, FEWEST..) if values > runs => FewProcesses::Count,
        (_, FEWEST..) => return None,
        (true, _) => FewProcesses::HardlyKnown(FEWEST),
        (false, 1) => FewProcesses::Unknown(FEWEST),
        (false, _) => FewProcesses::NothingTypical(FEWEST),
    };
    Some(Warning::FewProcesses {
        variant: name.to_owned(),
        processes: runs,
        values,
        consequence,
    })
}

/// Probability of the most extreme orders of two groups that do not differ, 2 / C(a + b, a): no
/// rank test can give less.
fn rarest(a: usize, b: usize) -> f64 {
    let orders: f64 = (1..=a).map(|i| (b + i) as f64 / i as f64).product();
    2.0 / orders
}

#[cfg(test)]
mod tests {
    use super::*;

    fn least(runs: usize, values: usize, others: usize) -> Least {
        Least {
            runs,
            values,
            others,
        }
    }

    #[test]
    fn the_rarest_order_of_four_and_four_is_one_of_seventy_either_way() {
        assert!((rarest(4, 4) - 2.0 / 70.0).abs() < 1e-12);
        assert!((rarest(1, 9) - 0.2).abs() < 1e-12);
    }

    #[test]
    fn what_few_processes_allow_one_to_prove() {
        let of = |own| match few_processes("old", own, 0.05) {
            Some(Warning::FewProcesses { consequence, .. }) => Some(consequence),
            _ => None,
        };
        assert_eq!(of(least(1, 30, 1)), Some(FewProcesses::Unknown(FEWEST)));
        assert_eq!(
            of(least(3, 30, 3)),
            Some(FewProcesses::NothingTypical(FEWEST))
        );
        assert_eq!(of(least(3, 3, 30)), Some(FewProcesses::HardlyKnown(FEWEST)));
        assert_eq!(of(least(10, 30, 10)), Some(FewProcesses::Count));
        assert_eq!(of(least(10, 10, 10)), None);
    }
}
