//! False verdicts and power, in several kinds of noise.

use perflab_stats::mean::student;
use perflab_stats::multiplicity::holm_weighted;
use perflab_stats::verdict::{
    Cache, Comparison, MEAN_WEIGHT, Sides, TYPICAL_WEIGHT, Terms, compare,
};
use perflab_stats::{Better, Observation};

use crate::runs::{pooled, runs};
use crate::scenario::{Kind, Rates, Scenario};
use crate::scenarios::scenarios;
use crate::simulated::Random;
use crate::trials::{ALPHA, rates};

/// Prints a line for each scenario; whether all promises are kept.
pub fn table(trials: u64, seed: u64) -> bool {
    println!(
        "two variants with 30 runs each (15 with 3+3x5)\n\
         typical, mean: verdicts of that question alone; report: any verdict of the two (Holm, 4:1);\n\
         faster: reports whose headline is `faster` without more; ministat: Student's t\n"
    );
    println!(
        "{:44} {:8} {:>8} {:>8} {:>8} {:>8} {:>8}  promise",
        "noise", "blocks", "typical", "mean", "report", "faster", "ministat"
    );
    let mut kept = true;
    for scenario in scenarios() {
        let [typical, mean, report, faster, ministat] =
            rates(trials, seed, Cache::default, |random, cache| {
                one_trial(&scenario, random, cache)
            });
        let rates = Rates {
            typical,
            mean,
            report,
            faster,
        };
        let (promise, holds) = scenario.promise.check(&rates, trials);
        kept &= holds;
        println!(
            "{:44} {:8} {typical:>8.2} {mean:>8.2} {report:>8.2} {faster:>8.2} {ministat:>8.2}  {promise}",
            scenario.name,
            scenario.design.name(),
        );
    }
    kept
}

/// Whether the typical run, the mean, the report and ministat call a difference, and whether the
/// headline is `faster`.
fn one_trial(scenario: &Scenario, random: &mut Random, cache: &mut Cache) -> [bool; 5] {
    let (base, candidate) = runs(scenario, random);
    let parts: Vec<(Vec<Observation>, Vec<Observation>)> = match scenario.kind {
        Kind::Single | Kind::Family(_) => base.into_iter().zip(candidate).collect(),
        Kind::Pooled(_) => vec![(pooled(&base), pooled(&candidate))],
    };
    let comparisons: Vec<Comparison> = parts
        .iter()
        .filter_map(|(a, b)| compared(a, b, cache))
        .collect();
    let tests: Vec<(f64, f64)> = comparisons
        .iter()
        .flat_map(|c| [(c.typical.p, TYPICAL_WEIGHT), (c.mean.p, MEAN_WEIGHT)])
        .collect();
    let adjusted = holm_weighted(&tests).unwrap_or_default();
    let one = comparisons.len() == 1;
    let first = comparisons.first();
    let faster = |p: f64, difference: f64| p <= ALPHA && difference > 0.0;
    [
        one && first.is_some_and(|c| c.typical.p <= ALPHA),
        one && first.is_some_and(|c| c.mean.p <= ALPHA),
        adjusted.iter().any(|p| *p <= ALPHA),
        match (first, adjusted.as_slice()) {
            (Some(c), [typical, mean]) => {
                c.slow.is_none()
                    && faster(*typical, c.typical.difference)
                    && faster(*mean, c.mean.difference)
            }
            _ => false,
        },
        parts.first().is_some_and(|(a, b)| {
            let values = |side: &[Observation]| side.iter().map(|o| o.value).collect::<Vec<_>>();
            one && student(&values(a), &values(b), 1.0 - ALPHA).is_ok_and(|t| t.p < ALPHA)
        }),
    ]
}

fn compared(a: &[Observation], b: &[Observation], cache: &mut Cache) -> Option<Comparison> {
    let terms = Terms {
        better: Better::Higher,
        confidence: 1.0 - ALPHA,
        margin: None,
        in_turns: false,
    };
    compare(Sides::of(a, b).ok()?, &terms, cache).ok()
}
