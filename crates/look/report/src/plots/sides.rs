//! Both sides of a row with their runs, and which of them were slow.

use std::cell::OnceCell;

use perflab_compare::Row;
use perflab_compare::{Measured, Origins};
use perflab_experiment::Better;
use perflab_stats::modes::{Mode, common_split};

use crate::number;

/// Values of a side that have labels.
const MOST_LABELS: usize = 1000;

/// One side of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Sided {
    /// The variant.
    pub variant: String,
    /// Its values in order of execution; without runs where they are of no single one.
    pub values: Vec<(f64, Option<Measured>)>,
    /// Whether each is a slow run, where either side has a slow mode.
    pub is_slow: Vec<bool>,
    labels: OnceCell<Vec<String>>,
}

impl Sided {
    /// The values alone.
    pub fn numbers(&self) -> Vec<f64> {
        self.values.iter().map(|(value, _)| *value).collect()
    }

    /// What each value is: the variant, the value, the run. Nothing where they are so many that their place has to
    /// tell.
    pub(super) fn labels(&self, row: &Row) -> &[String] {
        if self.values.len() > MOST_LABELS {
            return &[];
        }
        self.labels.get_or_init(|| {
            let all = self.values.iter().zip(&self.is_slow);
            all.map(|((value, measured), slow)| label(row, &self.variant, *value, *measured, *slow))
                .collect()
        })
    }
}

/// The baseline's side and the candidate's.
pub fn sided(row: &Row, baseline: &str, origins: &Origins<'_>) -> [Sided; 2] {
    let side = |variant: &str, values: &[f64]| {
        // Only where they are the same values, which they are not for what was derived from them.
        let own = origins.of(row, variant).filter(|own| {
            own.len() == values.len()
                && own
                    .iter()
                    .zip(values)
                    .all(|(measured, value)| measured.value.to_bits() == value.to_bits())
        });
        Sided {
            variant: variant.to_owned(),
            values: values
                .iter()
                .enumerate()
                .map(|(index, value)| {
                    (*value, own.as_ref().and_then(|own| own.get(index).copied()))
                })
                .collect(),
            is_slow: vec![false; values.len()],
            labels: OnceCell::new(),
        }
    };
    let mut sides = [
        side(baseline, &row.base.values),
        side(&row.variant, &row.candidate.values),
    ];
    mark_slow(row, &mut sides);
    sides
}

fn label(row: &Row, variant: &str, value: f64, measured: Option<Measured>, slow: bool) -> String {
    let value = number::value_with_unit(value, &row.key.metric.unit);
    let slow = if slow { ", a slow run" } else { "" };
    match measured {
        Some(Measured { run, block, .. }) => {
            format!("{variant}: {value}{slow}\nrun {run}, block {block}")
        }
        None => format!("{variant}: {value}{slow}"),
    }
}

/// As the report counts them; it does where every value is a replicate.
fn mark_slow(row: &Row, [base, candidate]: &mut [Sided; 2]) {
    let is_counted = row.slow.is_some()
        && row.base.values.len() == row.base.n
        && row.candidate.values.len() == row.candidate.n;
    if !is_counted {
        return;
    }
    let better = match row.key.metric.better {
        Better::Higher => perflab_stats::Better::Higher,
        Better::Lower | Better::Neither => perflab_stats::Better::Lower,
    };
    let Ok(Some(split)) = common_split(&row.base.values, &row.candidate.values, better) else {
        return;
    };
    for (side, modes) in [(base, split.a), (candidate, split.b)] {
        let slow = side
            .values
            .iter()
            .map(|(value, _)| modes.mode_of(*value) == Mode::Slow);
        side.is_slow = slow.collect();
    }
}
