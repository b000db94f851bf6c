//! The runs of a scenario.

use perflab_stats::Observation;

use crate::scenario::{Kind, Scenario};
use crate::simulated::{self, Design, Random};

pub const BLOCKED: Design = Design {
    each: 3,
    blocks: 10,
};
pub const UNBLOCKED: Design = Design {
    each: 30,
    blocks: 1,
};
pub const SHORT: Design = Design { each: 3, blocks: 5 };
pub const PAIRS: Design = Design {
    each: 1,
    blocks: 30,
};

/// All runs of both sides, for each part, in random order within blocks.
pub fn runs(
    scenario: &Scenario,
    random: &mut Random,
) -> (Vec<Vec<Observation>>, Vec<Vec<Observation>>) {
    let parts = match scenario.kind {
        Kind::Single => 1,
        Kind::Pooled(parts) | Kind::Family(parts) => parts,
    };
    simulated::runs(
        [scenario.a, scenario.b],
        scenario.machine,
        scenario.design,
        parts,
        random,
    )
}

/// The runs of a scenario with a single part in the order in which they are executed: the side, and
/// the value.
pub fn in_order(scenario: &Scenario, random: &mut Random) -> Vec<(usize, f64)> {
    let (a, b) = runs(scenario, random);
    let mut all: Vec<(u32, usize, f64)> = [a, b]
        .into_iter()
        .enumerate()
        .flat_map(|(side, parts)| {
            parts
                .concat()
                .into_iter()
                .map(move |o| (o.unit, side, o.value))
        })
        .collect();
    all.sort_unstable_by_key(|(slot, ..)| *slot);
    all.into_iter()
        .map(|(_, side, value)| (side, value))
        .collect()
}

/// The geometric mean over parts of each run, which is what a pooled verdict is about.
pub fn pooled(parts: &[Vec<Observation>]) -> Vec<Observation> {
    let Some(first) = parts.first() else {
        return Vec::new();
    };
    (0..first.len())
        .map(|run| {
            let logs: f64 = parts.iter().map(|part| part[run].value.ln()).sum();
            Observation {
                value: (logs / parts.len() as f64).exp(),
                ..first[run]
            }
        })
        .collect()
}
