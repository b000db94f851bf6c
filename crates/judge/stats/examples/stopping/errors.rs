//! How often verdicts are false.

use crate::scenario::{
    DRIFT, FIXED, LONG, PAIRS, QUIET, RESTLESS, Scenario, WAVES, WIDE, slow, with,
};
use crate::simulated::{Machine, Noise, SideOf};
use crate::trials::{ALPHA, Outcome, rate, simulate};

/// Prints how often verdicts are false; whether that is as promised.
pub fn errors(trials: u64, seed: u64) -> bool {
    println!(
        "{trials} trials each, seed {seed}; looked at after every block; in percent\n\
         false: any proof of a difference; missed: the 95 % interval leaves out the true ratio at \
         some time\n"
    );
    println!(
        "{:46} {:8} {:>7} {:>7}  promise",
        "noise", "blocks", "false", "missed"
    );
    let unequal = [0.005, 0.03].map(|sd| SideOf {
        noise: Noise::Normal(sd),
        factor: 1.0,
    });
    let normal = Noise::Normal(0.02);
    let mut list: Vec<(&str, [SideOf; 2], Machine, usize)> = vec![
        ("equal: normal, sd 2 %", with(normal, 1.0), QUIET, 1),
        (
            "equal: slow mode, 15 % of runs",
            with(slow(0.005), 1.0),
            QUIET,
            1,
        ),
        (
            "equal: heavy tails (t3)",
            with(Noise::HeavyTails(0.02), 1.0),
            QUIET,
            1,
        ),
        (
            "equal: slow mode, drift 5 %",
            with(slow(0.005), 1.0),
            DRIFT,
            1,
        ),
        (
            "equal: autocorrelation 0.8",
            with(Noise::Normal(0.01), 1.0),
            WAVES,
            1,
        ),
        ("equal: both", with(Noise::Normal(0.01), 1.0), RESTLESS, 1),
        ("equal: unequal scatter, sd 0.5 v 3 %", unequal, QUIET, 1),
        ("equal: unequal scatter, drift 5 %", unequal, DRIFT, 1),
        (
            "equal: 20 correlated benchmarks, slow mode",
            with(slow(0.01), 1.0),
            QUIET,
            20,
        ),
        (
            "equal: 20 correlated benchmarks, restless",
            with(slow(0.01), 1.0),
            RESTLESS,
            20,
        ),
    ];
    let differing = [
        (
            "+2 %: slow mode, main sd 1 %",
            with(slow(0.01), 1.02),
            QUIET,
            1,
        ),
        (
            "+2 %: normal, sd 2 %, restless",
            with(normal, 1.02),
            RESTLESS,
            1,
        ),
        (
            "-10 %: heavy tails",
            with(Noise::HeavyTails(0.02), 0.9),
            QUIET,
            1,
        ),
    ];
    list.extend(differing);
    let limit = 100.0 * (ALPHA + 3.0 * (ALPHA * (1.0 - ALPHA) / trials as f64).sqrt());
    let mut kept = true;
    for design in [FIXED, LONG, PAIRS, WIDE] {
        for &(name, sides, machine, parts) in &list {
            if parts > 1 && design.blocks > 10 {
                continue;
            }
            let scenario = Scenario {
                name,
                sides,
                machine,
                design,
                parts,
            };
            let outcomes = simulate(&scenario, trials, seed, false);
            let truth = sides[1].factor;
            let share = |is: fn(&Outcome) -> bool| rate(&outcomes, is);
            let wrong = if truth > 1.0 {
                share(|o| o.smaller)
            } else if truth < 1.0 {
                share(|o| o.larger)
            } else {
                share(|o| o.larger || o.smaller)
            };
            let missed = share(|o| o.missed);
            let holds = wrong.max(missed) <= limit;
            kept &= holds;
            println!(
                "{:46} {:8} {wrong:>7.2} {missed:>7.2}  at most {limit:.2}: {}",
                scenario.name,
                design.name(),
                if holds { "kept" } else { "BROKEN" }
            );
        }
    }
    // A ratio just outside the margin, to either side, called the same.
    for (name, factor) in [
        ("called same: +2 %, margin 2 %", 1.02),
        ("called same: -2 %, margin 2 %", 1.0 / 1.02),
    ] {
        let scenario = Scenario {
            name,
            sides: with(Noise::Normal(0.01), factor),
            machine: QUIET,
            design: LONG,
            parts: 1,
        };
        let same = rate(&simulate(&scenario, trials, seed, false), |o| o.same);
        let holds = same <= limit;
        kept &= holds;
        println!(
            "{name:46} {:8} {same:>7.2} {:>7}  at most {limit:.2}: {}",
            LONG.name(),
            "-",
            if holds { "kept" } else { "BROKEN" }
        );
    }
    kept
}
