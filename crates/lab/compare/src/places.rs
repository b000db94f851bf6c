//! Variants that were executed at the same time: how far the places that they swapped differ.

use std::collections::BTreeMap;

use perflab_store::{PLACE_SPEED, RunRecord};

use crate::warning::Warning;

/// By how much one place is faster than another for it to be told. It cancels, but says what is done to the variants.
const DIFFERENCE: f64 = 0.02;

/// The fastest and the slowest place in the geometric mean of all runs, where they differ by more than a little.
pub(crate) fn warning(records: &[RunRecord]) -> Option<Warning> {
    let mut logs: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for run in records {
        for (name, speed) in &run.evidence {
            let place = name
                .strip_prefix(PLACE_SPEED)
                .and_then(|place| place.parse().ok());
            if let (Some(place), true) = (place, *speed > 0.0) {
                logs.entry(place).or_default().push(speed.ln());
            }
        }
    }
    let means = logs.into_iter().map(|(place, logs)| {
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        (place, mean)
    });
    let means: Vec<(u32, f64)> = means.collect();
    let (slowest, low) = *means.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let (fastest, high) = *means.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let difference = (high - low).exp_m1();
    (difference > DIFFERENCE).then_some(Warning::PlacesDiffer {
        fastest,
        slowest,
        difference,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn run(speeds: [f64; 2]) -> RunRecord {
        serde_json::from_value(json!({
            "schema": 2, "run": 1, "block": 1, "cell": "a/w", "variant": "a", "workload": "w", "parameters": {},
            "unit": 1, "started": "2026-03-01T12:00:00Z", "status": "PASS", "argv": [],
            "environment_padding_bytes": 0, "samples": [],
            "evidence": {"together": 1.0, "place_speed.1": speeds[0], "place_speed.2": speeds[1]},
        }))
        .unwrap()
    }

    #[test]
    fn places_that_differ_are_told_by_the_mean_of_all_runs() {
        let Some(Warning::PlacesDiffer {
            fastest,
            slowest,
            difference,
        }) = warning(&[run([0.8, 1.25]), run([0.9, 1.0 / 0.9])])
        else {
            panic!("nothing is told");
        };
        assert_eq!((fastest, slowest), (2, 1));
        assert!(
            (difference - (1.0 / 0.72 - 1.0)).abs() < 1e-12,
            "{difference}"
        );
        assert_eq!(warning(&[run([0.8, 1.25]), run([1.25, 0.8])]), None);
        assert_eq!(warning(&[run([1.005, 0.995])]), None);
        assert_eq!(warning(&[]), None);
    }
}
