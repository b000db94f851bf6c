//! The flag for autocorrelated runs: how often it goes up over independent runs, and over
//! restless machines.

use perflab_stats::dependence::{looks_dependent, without_medians};

use crate::runs::{BLOCKED, PAIRS, in_order};
use crate::scenario::{Kind, Promise, Scenario};
use crate::simulated::{Design, Machine, Noise, Random, SideOf};
use crate::trials::rates;

/// Percent of series of independent runs that may be flagged.
const PROMISED: f64 = 0.1;

/// Prints a line for each machine; whether all promises are kept.
pub fn table(trials: u64, seed: u64) -> bool {
    println!("two variants that are 2 % apart, 30 runs each, in the order of execution\n");
    println!("{:44} {:8} {:>8}  promise", "runs", "blocks", "flagged");
    let most = PROMISED + crate::trials::three_errors(PROMISED, trials);
    let mut kept = true;
    for (name, noise, machine, design) in lines() {
        let scenario = Scenario {
            name,
            a: SideOf { noise, factor: 1.0 },
            b: SideOf {
                noise,
                factor: 1.02,
            },
            machine,
            design,
            kind: Kind::Single,
            promise: Promise::Shown,
        };
        let [flagged] = rates(
            trials,
            seed,
            || (),
            |random, ()| [is_flagged(&scenario, random)],
        );
        let quiet = machine.drift == 0.0 && machine.autocorrelation == 0.0;
        let promise = if quiet {
            kept &= flagged <= most;
            let word = if flagged <= most { "kept" } else { "BROKEN" };
            format!("at most {most:.2}: {word}")
        } else {
            "-".to_owned()
        };
        println!("{name:44} {:8} {flagged:>8.2}  {promise}", design.name());
    }
    kept
}

fn lines() -> Vec<(&'static str, Noise, Machine, Design)> {
    let slow = Noise::SlowMode {
        cv: 0.005,
        share: 0.15,
    };
    let normal = Noise::Normal(0.01);
    let quiet = Machine::default();
    let machine = |drift, autocorrelation| Machine {
        drift,
        autocorrelation,
    };
    vec![
        ("independent: normal", normal, quiet, BLOCKED),
        ("independent: normal", normal, quiet, PAIRS),
        (
            "independent: heavy tails (t3)",
            Noise::HeavyTails(0.01),
            quiet,
            BLOCKED,
        ),
        ("independent: slow mode, 15 % of runs", slow, quiet, BLOCKED),
        ("autocorrelation 0.3", normal, machine(0.0, 0.3), BLOCKED),
        ("autocorrelation 0.6", normal, machine(0.0, 0.6), BLOCKED),
        ("autocorrelation 0.8", normal, machine(0.0, 0.8), BLOCKED),
        ("drift 2 %, sd 1 %", normal, machine(0.02, 0.0), BLOCKED),
        ("drift 5 %, sd 1 %", normal, machine(0.05, 0.0), BLOCKED),
    ]
}

fn is_flagged(scenario: &Scenario, random: &mut Random) -> bool {
    let runs: Vec<(usize, f64)> = in_order(scenario, random);
    looks_dependent(&without_medians(&runs))
}
