//! What cannot be claimed of values that another tool measured.

use indexmap::IndexMap;
use perflab_experiment::counted;

use crate::model::Report;

/// Fewer processes than this hardly show how much one differs from another; with 4 and 4 the most
/// extreme order has a chance of 2 in 70, so that a proof at 95 % is possible at all.
const FEWEST: usize = 4;

/// The least that is known of a variant: units of evidence, the values behind them, and the units
/// that they are compared with.
#[derive(Debug, Clone, Copy)]
struct Least {
    runs: usize,
    values: usize,
    others: usize,
}

/// Caveats of a report whose runs were imported.
pub(crate) fn caveats(report: &Report) -> Vec<String> {
    let mut caveats = vec![
        "these runs were imported, and nothing is known of their order: if they were not \
         interleaved, whatever changed meanwhile on the machine counts as a difference"
            .to_owned(),
    ];
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
    caveats.extend(
        variants
            .into_iter()
            .filter_map(|(name, least)| caveat(name, least, alpha)),
    );
    caveats
}

fn caveat(name: &str, least: Least, alpha: f64) -> Option<String> {
    let Least {
        runs,
        values,
        others,
    } = least;
    let processes = counted(runs, "process");
    let count = match values > runs {
        true => format!("{name}: {values} values come from {processes} and count as {runs}"),
        false => format!("{name}: only {processes}"),
    };
    if runs >= FEWEST {
        return (values > runs).then_some(count);
    }
    let claim = match (rarest(runs, others) <= alpha, runs) {
        (true, _) => "how much another process would differ is hardly known",
        (false, 1) => {
            "how much another process would differ is not known, so nothing can be claimed"
        }
        (false, _) => "nothing can be claimed of the typical run",
    };
    Some(format!(
        "{count}: {claim}; measure in at least {FEWEST} processes, better 10"
    ))
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
    fn what_cannot_be_claimed_is_said_and_no_more() {
        let said = |own| caveat("old", own, 0.05).unwrap_or_default();
        assert!(said(least(1, 30, 1)).contains("nothing can be claimed;"));
        assert!(said(least(3, 30, 3)).contains("nothing can be claimed of the typical run"));
        assert!(said(least(3, 3, 30)).contains("only 3 processes: how much"));
        assert_eq!(
            said(least(10, 30, 10)),
            "old: 30 values come from 10 processes and count as 10"
        );
        assert_eq!(caveat("old", least(10, 10, 10), 0.05), None);
    }
}
