//! How many runs are saved.

use crate::scenario::{FIXED, PAIRS, QUIET, Scenario, WIDE, slow, with};
use crate::simulated::Noise;
use crate::trials::{rate, simulate};

/// Largest share of the fixed design's runs that may be used where a saving is promised.
const SAVING: f64 = 0.6;

/// Prints how many runs are used; whether the promised share is saved.
pub fn savings(trials: u64, seed: u64) -> bool {
    println!(
        "\ndecided: within the blocks of the fixed design, in percent; runs: of each side until then, \
         at most 30;\nused: the mean, in percent of the fixed design's 30\n"
    );
    println!(
        "{:46} {:8} {:>8} {:>6} {:>7} {:>7} {:>6}  promise",
        "difference", "blocks", "decided", "wrong", "median", "mean", "used"
    );
    let list = [
        (
            "+2 %: normal, sd 1 %",
            with(Noise::Normal(0.01), 1.02),
            true,
        ),
        (
            "+2 %: slow mode, main sd 0.5 %",
            with(slow(0.005), 1.02),
            true,
        ),
        ("+2 %: slow mode, main sd 1 %", with(slow(0.01), 1.02), true),
        (
            "+2 %: slow mode, main sd 1 %, reversed",
            with(slow(0.01), 1.0 / 1.02),
            false,
        ),
        (
            "+2 %: heavy tails (t3), scale 1 %",
            with(Noise::HeavyTails(0.01), 1.02),
            false,
        ),
        (
            "+2 %: normal, sd 2 %",
            with(Noise::Normal(0.02), 1.02),
            false,
        ),
        (
            "+2 %: slow mode, main sd 2 %",
            with(slow(0.02), 1.02),
            false,
        ),
        (
            "+5 %: normal, sd 1 %",
            with(Noise::Normal(0.01), 1.05),
            false,
        ),
        (
            "+1 %: normal, sd 1 %",
            with(Noise::Normal(0.01), 1.01),
            false,
        ),
        (
            "none: normal, sd 1 %",
            with(Noise::Normal(0.01), 1.0),
            false,
        ),
    ];
    let mut kept = true;
    for design in [FIXED, PAIRS, WIDE] {
        for (name, sides, promised) in list {
            let scenario = Scenario {
                name,
                sides,
                machine: QUIET,
                design,
                parts: 1,
            };
            let outcomes = simulate(&scenario, trials, seed, true);
            let mut used: Vec<usize> = outcomes.iter().map(|o| o.blocks * design.each).collect();
            used.sort_unstable();
            let mean = used.iter().sum::<usize>() as f64 / used.len() as f64;
            let share = mean / (design.each * design.blocks) as f64;
            let wrong = if sides[1].factor > 1.0 {
                rate(&outcomes, |o| o.smaller)
            } else {
                rate(&outcomes, |o| o.larger)
            };
            // Promised for the default design.
            let promised = promised && design.blocks == FIXED.blocks;
            let holds = !promised || share <= SAVING;
            kept &= holds;
            let promise = match (promised, holds) {
                (false, _) => "-".to_owned(),
                (true, true) => "at most 60: kept".to_owned(),
                (true, false) => "at most 60: BROKEN".to_owned(),
            };
            println!(
                "{name:46} {:8} {:>8.1} {wrong:>6.2} {:>7} {mean:>7.1} {:>6.1}  {promise}",
                design.name(),
                rate(&outcomes, |o| o.decided),
                used[used.len() / 2],
                100.0 * share,
            );
        }
    }
    kept
}
