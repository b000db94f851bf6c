//! Drift over the blocks: how often a level or a difference is called drifting, on machines that do
//! and on machines that do not.

use perflab_stats::Observation;
use perflab_stats::drift::drift;
use perflab_stats::location::Scale;

use crate::runs::{BLOCKED, PAIRS, SHORT};
use crate::simulated::{Design, Machine, Noise, Random, SideOf, runs};
use crate::trials::{ALPHA, rates, three_errors};

/// What is simulated.
struct Case {
    name: &'static str,
    noise: Noise,
    machine: Machine,
    /// Change of the difference from the first run to the last, relative.
    difference: f64,
}

/// Prints a line for each case and design; whether all promises are kept.
pub fn table(trials: u64, seed: u64) -> bool {
    println!(
        "two variants that are 2 % apart, one row alone\n\
         level: the baseline is called drifting; difference: the difference is\n"
    );
    println!(
        "{:44} {:8} {:>8} {:>11}  promise",
        "runs", "blocks", "level", "difference"
    );
    let most = 100.0 * ALPHA + three_errors(100.0 * ALPHA, trials);
    let mut kept = true;
    for design in [BLOCKED, SHORT, PAIRS] {
        for case in cases() {
            let [level, difference] = rates(
                trials,
                seed,
                || (),
                |random, ()| tests(&case, design, random),
            );
            let quiet = case.machine.drift == 0.0 && case.machine.autocorrelation == 0.0;
            let promised = [(quiet, level), (case.difference == 0.0, difference)];
            let holds = promised
                .iter()
                .all(|(promised, rate)| !promised || *rate <= most);
            kept &= holds;
            let what = match promised.map(|(promised, _)| promised) {
                [true, true] => "both",
                [true, false] => "level",
                [false, _] => "difference",
            };
            let word = if holds { "kept" } else { "BROKEN" };
            let promise = match promised {
                [(false, _), (false, _)] => "-".to_owned(),
                _ => format!("{what} at most {most:.2}: {word}"),
            };
            println!(
                "{:44} {:8} {level:>8.2} {difference:>11.2}  {promise}",
                case.name,
                design.name()
            );
        }
    }
    kept
}

fn cases() -> Vec<Case> {
    let slow = Noise::SlowMode {
        cv: 0.005,
        share: 0.15,
    };
    let normal = Noise::Normal(0.01);
    let case = |name, noise, [drift, autocorrelation, difference]: [f64; 3]| Case {
        name,
        noise,
        machine: Machine {
            drift,
            autocorrelation,
        },
        difference,
    };
    vec![
        case("quiet: normal, sd 1 %", normal, [0.0, 0.0, 0.0]),
        case(
            "quiet: heavy tails (t3)",
            Noise::HeavyTails(0.01),
            [0.0, 0.0, 0.0],
        ),
        case("quiet: slow mode, 15 % of runs", slow, [0.0, 0.0, 0.0]),
        case("autocorrelation 0.3", normal, [0.0, 0.3, 0.0]),
        case("autocorrelation 0.8", normal, [0.0, 0.8, 0.0]),
        case("drift 2 %", normal, [0.02, 0.0, 0.0]),
        case("slow mode, drift 3 %", slow, [0.03, 0.0, 0.0]),
        case("autocorrelation 0.8, drift 5 %", normal, [0.05, 0.8, 0.0]),
        case("the difference drifts by 2 %", normal, [0.0, 0.0, 0.02]),
        case("the difference drifts by 3.5 %", normal, [0.0, 0.0, 0.035]),
        case(
            "the difference by 3.5 %, slow mode",
            slow,
            [0.0, 0.0, 0.035],
        ),
        case(
            "the same, autocorrelation 0.8, drift 5 %",
            slow,
            [0.05, 0.8, 0.035],
        ),
    ]
}

fn tests(case: &Case, design: Design, random: &mut Random) -> [bool; 2] {
    let side = |factor| SideOf {
        noise: case.noise,
        factor,
    };
    let (a, b) = runs([side(1.0), side(1.02)], case.machine, design, 1, random);
    let total = (2 * design.each * design.blocks) as f64;
    let moved: Vec<Observation> = b
        .concat()
        .into_iter()
        .map(|run| Observation {
            value: run.value * (1.0 + case.difference * f64::from(run.unit) / total),
            ..run
        })
        .collect();
    match drift(&a.concat(), &moved, Scale::Ratio, 1.0 - ALPHA) {
        Ok(found) => [found.base.p <= ALPHA, found.difference.p <= ALPHA],
        Err(_) => [true, true],
    }
}
