//! How often bisection finds the revision that introduced a change, and how many runs it takes, by simulation.
//!
//! `cargo run --release -p perflab-stats --example bisection [TRIALS [SEED [NAME]]]` prints a table; with a name only
//! the rows that begin with it. It ends with code 1 if a promise is broken: fewer than 95 % - 3 standard errors of the
//! answers right in any row, fewer than 90 % - 3 standard errors of those confirmed, or more runs of candidates than
//! promised.
#![expect(
    clippy::print_stdout,
    reason = "a table on standard output is what it is for"
)]

mod flaky;
#[path = "../simulated/mod.rs"]
#[expect(dead_code, reason = "of the designs only the noise is used")]
mod simulated;
mod trials;
mod world;

use std::process::ExitCode;

use flaky::Flaky;
use simulated::{Noise, Random};
use trials::{End, Outcome, plain, search, simulate};
use world::{Machine, SD, World};

/// Trials where none are asked for.
const TRIALS: u64 = 1000;

/// Runs of candidates that were published for 1000 revisions and known ends, times what is allowed for unknown ones.
const ALLOWED: f64 = 1.3;
/// Least share of the revisions that are found which a comparison confirms.
const CONFIRMED: f64 = 0.9;

const PUBLISHED: [(f64, f64); 3] = [(1.0, 69.0), (2.0, 21.5), (4.0, 11.0)];

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default: u64| arguments.next().map_or(Ok(default), |word| word.parse());
    let (Ok(trials), Ok(seed)) = (number(TRIALS), number(1)) else {
        println!("usage: bisection [TRIALS [SEED [NAME]]], the first two whole numbers");
        return ExitCode::from(2);
    };
    let name = arguments.next().unwrap_or_default();
    println!(
        "{trials} histories each, seed {seed}; steps in standard deviations of a run; runs: mean, median and nine tenths\n\
         of those of candidates, mean of those of the ends, and both; answers in percent, where 95 has a standard error of {:.1};\n\
         of the revisions that are found, and of wrong ones, how many a comparison with the one before confirms\n\n\
         {:44} {:>6} {:>5} {:>5} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6}  promise",
        100.0 * (0.95 * 0.05 / trials as f64).sqrt(),
        "history",
        "mean",
        "half",
        "9/10",
        "ends",
        "total",
        "right",
        "conf.",
        "wrong",
        "conf.",
        "missed",
        "open"
    );
    let mut kept = true;
    for world in worlds()
        .iter()
        .filter(|world| world.name.starts_with(&name))
    {
        // Builds are estimated one by one, which takes seconds for each search.
        let trials = if world.builds > 0.0 {
            trials.div_ceil(20)
        } else {
            trials
        };
        let outcomes = simulate(trials, |trial| search(world, Random::of(seed, trial)));
        let quiet = world.name.ends_with("normal") && world.revisions == 1000;
        let published = PUBLISHED
            .iter()
            .find(|(step, _)| quiet && *step == world.step);
        kept &= row(
            world.name,
            &outcomes,
            published.map(|(_, runs)| ALLOWED * runs),
            true,
        );
    }
    for flaky in flaky_tests()
        .iter()
        .filter(|flaky| flaky.name.starts_with(&name))
    {
        let outcomes = simulate(trials, |trial| {
            flaky::search(flaky, Random::of(seed, trial))
        });
        kept &= row(flaky.name, &outcomes, flaky.promised, true);
    }
    for (step, each) in [(1.0, 20), (2.0, 5), (2.0, 10), (4.0, 2)] {
        let world = World {
            step,
            ..worlds()[0]
        };
        let name_of = format!("plain: step {step}, {each} runs for each decision");
        if name_of.starts_with(&name) {
            let outcomes = simulate(trials, |trial| plain(&world, each, Random::of(seed, trial)));
            row(&name_of, &outcomes, None, false);
        }
    }
    println!(
        "\n{}",
        if kept {
            "every promise is kept"
        } else {
            "A PROMISE IS BROKEN"
        }
    );
    if kept {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Prints a row; whether what it promises is kept.
fn row(name: &str, outcomes: &[Outcome], most: Option<f64>, is_promised: bool) -> bool {
    let n = outcomes.len() as f64;
    let share = |is: &dyn Fn(End) -> bool| {
        outcomes.iter().filter(|outcome| is(outcome.end)).count() as f64 / n
    };
    let mean =
        |runs: &dyn Fn(&Outcome) -> usize| outcomes.iter().map(runs).sum::<usize>() as f64 / n;
    let mut candidates: Vec<usize> = outcomes.iter().map(|outcome| outcome.candidates).collect();
    candidates.sort_unstable();
    let quantile =
        |tenths: usize| candidates[(tenths * candidates.len() / 10).min(candidates.len() - 1)];
    let (own, ends) = (
        mean(&|outcome| outcome.candidates),
        mean(&|outcome| outcome.ends),
    );
    let found = share(&|end| matches!(end, End::Found { .. }));
    let right = found + share(&|end| end == End::Right);
    let of_found = share(&|end| end == End::Found { confirmed: true }) / found;
    let wrong = share(&|end| matches!(end, End::Wrong { .. }));
    let confirmed = share(&|end| end == End::Wrong { confirmed: true });
    let (missed, open) = (
        share(&|end| end == End::Missed),
        share(&|end| end == End::Undecided),
    );
    let least = 0.95 - 3.0 * (0.95 * 0.05 / n).sqrt();
    let is_shown = found == 0.0
        || of_found >= CONFIRMED - 3.0 * (CONFIRMED * (1.0 - CONFIRMED) / (found * n)).sqrt();
    let holds = right >= least && is_shown && most.is_none_or(|most| own <= most);
    let few = most.map_or(String::new(), |most| format!(", mean {most:.1} at most"));
    let promise = match (is_promised, holds) {
        (false, _) => "-".to_owned(),
        (true, true) => format!("right {:.1}{few}: kept", 100.0 * least),
        (true, false) => format!("right {:.1}{few}: BROKEN", 100.0 * least),
    };
    let [right, wrong, missed, open, confirmed] =
        [right, wrong, missed, open, confirmed].map(|share| 100.0 * share);
    let of_found = match found > 0.0 {
        true => format!("{:.1}", 100.0 * of_found),
        false => "-".to_owned(),
    };
    println!(
        "{name:44} {own:>6.1} {:>5} {:>5} {ends:>6.1} {:>6.1} {right:>6.1} {of_found:>6} {wrong:>6.1} {confirmed:>6.1} \
         {missed:>6.1} {open:>6.1}  {promise}",
        quantile(5),
        quantile(9),
        own + ends
    );
    holds || !is_promised
}

fn worlds() -> Vec<World> {
    let quiet = Machine::default();
    let slow = Noise::SlowMode { cv: SD, share: 0.1 };
    let correlated = Machine {
        autocorrelation: 0.3,
        ..quiet
    };
    let drifting = Machine {
        drift: 0.05,
        ..quiet
    };
    let wandering = Machine {
        wander: 0.2,
        ..quiet
    };
    let jumping = Machine {
        jump: Some(60),
        ..quiet
    };
    let normal = Noise::Normal(SD);
    let kinds = [
        (
            [
                "step 1: normal",
                "step 2: normal",
                "step 4: normal",
                "no change: normal",
            ],
            normal,
            quiet,
        ),
        (
            [
                "step 1: heavy tails (t3)",
                "step 2: heavy tails (t3)",
                "",
                "no change: heavy tails (t3)",
            ],
            Noise::HeavyTails(SD),
            quiet,
        ),
        (
            [
                "step 1: slow mode, 10 % of runs",
                "step 2: slow mode, 10 % of runs",
                "",
                "no change: slow mode, 10 % of runs",
            ],
            slow,
            quiet,
        ),
        (
            [
                "step 1: autocorrelation 0.3",
                "step 2: autocorrelation 0.3",
                "",
                "no change: autocorrelation 0.3",
            ],
            normal,
            correlated,
        ),
        (
            [
                "step 1: drift, 0.05 in each run",
                "step 2: drift, 0.05 in each run",
                "",
                "no change: drift, 0.05 in each run",
            ],
            normal,
            drifting,
        ),
        (
            [
                "",
                "step 2: level wanders, 0.2 in each run",
                "",
                "no change: level wanders, 0.2 in each run",
            ],
            normal,
            wandering,
        ),
        (
            [
                "",
                "step 2: level jumps by 3 after 60 runs",
                "",
                "no change: level jumps by 3 after 60 runs",
            ],
            normal,
            jumping,
        ),
    ];
    let mut worlds = Vec::new();
    for (names, noise, machine) in kinds {
        for (name, step) in names.into_iter().zip([1.0, 2.0, 4.0, 0.0]) {
            if !name.is_empty() {
                worlds.push(World {
                    name,
                    revisions: 1000,
                    step,
                    noise,
                    machine,
                    builds: 0.0,
                });
            }
        }
    }
    for (name, step) in [
        ("64 revisions, builds vary by 1: step 3", 3.0),
        ("64 revisions, builds vary by 1: no change", 0.0),
    ] {
        worlds.push(World {
            name,
            revisions: 64,
            step,
            noise: normal,
            machine: quiet,
            builds: 1.0,
        });
    }
    worlds
}

fn flaky_tests() -> [Flaky; 8] {
    let of = |name, certain, fails, promised| Flaky {
        name,
        certain,
        fails,
        promised,
    };
    [
        of("test: never errs", 0.99, [0.0, 1.0], Some(10.5)),
        of("test: bad fails 20 %", 0.1, [0.0, 0.2], None),
        of("test: bad fails 30 %", 0.1, [0.0, 0.3], None),
        of("test: good fails 5 %, bad 25 %", 0.1, [0.05, 0.25], None),
        of("test: good fails 30 %, bad 55 %", 0.1, [0.3, 0.55], None),
        of("test: good fails 5 %, bad 60 %", 0.1, [0.05, 0.6], None),
        of("test: good fails 20 %, bad 80 %", 0.1, [0.2, 0.8], None),
        of("test: no change, fails 20 %", 0.1, [0.2, 0.2], None),
    ]
}
