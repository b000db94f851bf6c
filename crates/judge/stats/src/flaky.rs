//! Is a test broken since a revision, or flaky?
//!
//! Runs of a test over the revisions of a repository pass or fail. Each revision has a failure rate, which stays from one
//! revision to the next unless the code or the test changes. A rate of 0 passes always, a rate of 1 fails always, and a
//! test with a rate between them is flaky: the same code gives both outcomes. So the question is which rate the last
//! revision has, and since when: a hidden Markov chain, whose posterior is computed exactly by the forward and backward
//! recursions (Rabiner, *Proceedings of the IEEE* 77, 1989; as a model of changes: Barry and Hartigan, *JASA* 88, 1993).
//!
//! ```text
//! rate     0, 1, or between them: a third each a priori; between them the logit is uniform from 1/1000 to 999/1000
//! change   with the same chance between any two neighbouring revisions: then a rate is drawn again
//! chance   unknown: its logarithm is uniform from 1/1000 to 1/10
//! ```
//!
//! Both outcomes at one revision have probability 0 where the rate is 0 or 1: that the test was flaky there is certain,
//! whatever the prior. What one revision alone does not show, the number of changes does: a test that fails now and then
//! would have to break and be repaired as often. The priors are those of no test in particular; `docs/statistics/flaky.md`
//! has the errors by simulation.
//!
//! A test that fails nearly always is broken for whoever reads the history, and one that passes nearly always works. So
//! two levels are told apart, rates below and above 1/2. Another question is whether the rate is between 0 and 1.

use crate::check;
use crate::error::Error;

/// How many runs of a test passed and failed at one revision. A revision without runs has neither.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Trials {
    /// Runs that ended as expected.
    pub passed: u32,
    /// Runs that did not.
    pub failed: u32,
}

impl Trials {
    /// Whether the revision has both outcomes.
    pub fn is_mixed(self) -> bool {
        self.passed > 0 && self.failed > 0
    }
}

/// What a test does most of the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// More than half of the runs pass.
    Passes,
    /// More than half of the runs fail.
    Fails,
}

/// What is proven of a test at the last revision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// It has been so at all revisions. As for the next two, it is more probable than not that it always is so now.
    Steady(Level),
    /// It fails since a revision, and passed before.
    Broken(Since),
    /// It passes since a revision, and failed before.
    Fixed(Since),
    /// It is flaky, since a revision or at all of them.
    Flaky(Since),
    /// Nothing of this is as probable as was asked for. More runs of the last revision decide most such cases.
    NotProven,
}

/// The first revision of a state that lasts to the end, as a place in the history, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Since {
    /// The most probable one.
    pub likeliest: usize,
    /// The first and the last that the credible interval has.
    pub range: (usize, usize),
}

/// What the history of a test says of its last revision.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// What is proven.
    pub verdict: Verdict,
    /// Probability that it always passes now.
    pub passes: f64,
    /// Probability that it always fails now.
    pub fails: f64,
    /// Probability that it does either now, by chance. The three add up to 1.
    pub flaky: f64,
    /// Expected share of runs that fail now, from 0 to 1.
    pub rate: f64,
    /// The revisions that have both outcomes, as places in the history. There, the test was flaky for certain.
    pub mixed: Vec<usize>,
}

/// Failure rates between 0 and 1 that are told apart, and chances of a change.
const CELLS: usize = 24;
const CHANCES: usize = 8;

/// The states: the rates 0 and 1, and those between them.
const STATES: usize = CELLS + 2;
const PASSES: usize = 0;
const FAILS: usize = 1;

/// The smallest rate between 0 and 1, and the smallest and the largest chance of a change.
const SMALLEST_RATE: f64 = 1e-3;
const SMALLEST_CHANCE: f64 = 1e-3;
const LARGEST_CHANCE: f64 = 1e-1;

/// A value for each state.
type Each = [f64; STATES];

/// The failure rate of each state.
fn rates() -> Each {
    let top = ((1.0 - SMALLEST_RATE) / SMALLEST_RATE).ln();
    std::array::from_fn(|state| match state {
        PASSES => 0.0,
        FAILS => 1.0,
        _ => {
            let share = ((state - 2) as f64 + 0.5) / CELLS as f64;
            (1.0 + (top - 2.0 * top * share).exp()).recip()
        }
    })
}

/// The probability of each state a priori.
fn weights() -> Each {
    std::array::from_fn(|state| match state {
        PASSES | FAILS => 1.0 / 3.0,
        _ => 1.0 / 3.0 / CELLS as f64,
    })
}

/// States of which one question is about.
#[derive(Clone, Copy, PartialEq)]
enum Set {
    Level(Level),
    Between,
}

impl Set {
    fn holds(self, state: usize, rate: f64) -> bool {
        match self {
            Self::Level(Level::Passes) => rate < 0.5,
            Self::Level(Level::Fails) => rate > 0.5,
            Self::Between => state > FAILS,
        }
    }
}

const SETS: [Set; 3] = [
    Set::Level(Level::Passes),
    Set::Level(Level::Fails),
    Set::Between,
];

/// What is proven of a test whose runs are given by revision, from the oldest.
///
/// # Errors
/// A history without a run, a confidence outside of 0 to 1.
pub fn judge(history: &[Trials], confidence: f64) -> Result<Judgement, Error> {
    check::probability("confidence", confidence)?;
    let runs = |trials: &Trials| u64::from(trials.passed) + u64::from(trials.failed);
    if history.iter().map(runs).sum::<u64>() == 0 {
        return Err(Error::TooFew {
            what: "runs of the test".to_owned(),
            needed: 1,
            found: 0,
        });
    }
    let posterior = Posterior::of(history);
    let mixed = (0..).zip(history).filter(|(_, trials)| trials.is_mixed());
    Ok(Judgement {
        verdict: posterior.verdict(confidence),
        passes: posterior.end[PASSES],
        fails: posterior.end[FAILS],
        flaky: posterior.end[FAILS + 1..].iter().sum(),
        rate: posterior
            .end
            .iter()
            .zip(rates())
            .map(|(p, rate)| p * rate)
            .sum(),
        mixed: mixed.map(|(place, _)| place).collect(),
    })
}

/// Probabilities after the last revision.
pub(crate) struct Posterior {
    /// Of each state.
    end: Each,
    /// For each set, of each revision: that the state has been in the set from there to the end, and not before. What is
    /// missing to 1 is that the last state is not in it.
    since: [Vec<f64>; 3],
}

impl Posterior {
    fn of(history: &[Trials]) -> Self {
        let likelihoods: Vec<Each> = history.iter().map(|trials| likelihoods(*trials)).collect();
        let parts: Vec<Part> = (0..CHANCES)
            .map(|cell| {
                let share = (cell as f64 + 0.5) / CHANCES as f64;
                let chance = SMALLEST_CHANCE * (LARGEST_CHANCE / SMALLEST_CHANCE).powf(share);
                Part::of(&likelihoods, chance)
            })
            .collect();
        let most = parts
            .iter()
            .map(|part| part.evidence)
            .fold(f64::MIN, f64::max);
        let shares: Vec<f64> = parts
            .iter()
            .map(|part| (part.evidence - most).exp())
            .collect();
        let total: f64 = shares.iter().sum();
        let mut end = [0.0; STATES];
        let mut since = [(); 3].map(|()| vec![0.0; history.len()]);
        for (part, share) in parts.iter().zip(shares) {
            for (all, own) in end.iter_mut().zip(part.end) {
                *all += own * share / total;
            }
            for (all, own) in since.iter_mut().zip(&part.since) {
                for (all, own) in all.iter_mut().zip(own) {
                    *all += own * share / total;
                }
            }
        }
        Self { end, since }
    }

    fn verdict(&self, confidence: f64) -> Verdict {
        let [passes, fails, between] = &self.since;
        let all = |since: &[f64]| since.iter().sum::<f64>();
        if all(between) >= confidence {
            return Verdict::Flaky(first(between, confidence));
        }
        // Most runs pass or fail the same, and yet by chance: neither word holds.
        if all(between) > 0.5 {
            return Verdict::NotProven;
        }
        for (level, since) in [(Level::Passes, passes), (Level::Fails, fails)] {
            let always = since.first().copied().unwrap_or_default();
            if always >= confidence {
                return Verdict::Steady(level);
            }
            let changed = since.get(1..).unwrap_or_default();
            if all(changed) >= confidence {
                let Since { likeliest, range } = first(changed, confidence);
                let own = Since {
                    likeliest: likeliest + 1,
                    range: (range.0 + 1, range.1 + 1),
                };
                return match level {
                    Level::Passes => Verdict::Fixed(own),
                    Level::Fails => Verdict::Broken(own),
                };
            }
        }
        Verdict::NotProven
    }

    /// For the tests: probabilities by revision of what passes, fails, is flaky since.
    #[cfg(test)]
    pub(crate) fn since(history: &[Trials]) -> [Vec<f64>; 3] {
        Self::of(history).since
    }
}

/// The likeliest place, and the places between equal tails outside of the confidence.
fn first(since: &[f64], confidence: f64) -> Since {
    let total: f64 = since.iter().sum();
    let tail = 0.5 * (1.0 - confidence) * total;
    let mut below = 0.0;
    let mut range = (0, 0);
    let mut likeliest = 0;
    for (place, own) in since.iter().enumerate() {
        if below <= tail {
            range.0 = place;
        }
        if below < total - tail {
            range.1 = place;
        }
        below += own;
        if *own > since[likeliest] {
            likeliest = place;
        }
    }
    Since { likeliest, range }
}

/// The likelihood of the runs of a revision in each state, as a share of the largest.
fn likelihoods(trials: Trials) -> Each {
    let (passed, failed) = (f64::from(trials.passed), f64::from(trials.failed));
    // 0 ln 0 is 0: a rate of 0 says nothing of no failures.
    let term = |count: f64, p: f64| if count > 0.0 { count * p.ln() } else { 0.0 };
    let logarithms = rates().map(|rate| term(passed, 1.0 - rate) + term(failed, rate));
    let most = logarithms.iter().copied().fold(f64::MIN, f64::max);
    logarithms.map(|own| (own - most).exp())
}

/// The same probabilities for one chance of a change.
struct Part {
    /// Logarithm of the probability of all runs, up to a constant that all chances share.
    evidence: f64,
    end: Each,
    since: [Vec<f64>; 3],
}

impl Part {
    fn of(likelihoods: &[Each], chance: f64) -> Self {
        let weights = weights();
        // Forward: the probability of each state after each revision, and what all of them were divided by.
        let mut forward: Vec<Each> = Vec::with_capacity(likelihoods.len());
        let mut scales = Vec::with_capacity(likelihoods.len());
        for own in likelihoods {
            let before = match forward.last() {
                Some(before) => {
                    std::array::from_fn(|s| (1.0 - chance) * before[s] + chance * weights[s])
                }
                None => weights,
            };
            let mut after: Each = std::array::from_fn(|s| before[s] * own[s]);
            let scale: f64 = after.iter().sum();
            after = after.map(|value| value / scale);
            forward.push(after);
            scales.push(scale);
        }
        let since = SETS.map(|set| backward(likelihoods, chance, &forward, &scales, set));
        Self {
            evidence: scales.iter().map(|scale| scale.ln()).sum(),
            end: forward.last().copied().unwrap_or(weights),
            since,
        }
    }
}

/// The probability of each revision that the state has been in the set from there on, and not before.
fn backward(
    likelihoods: &[Each],
    chance: f64,
    forward: &[Each],
    scales: &[f64],
    set: Set,
) -> Vec<f64> {
    let (weights, rates) = (weights(), rates());
    let inside: [bool; STATES] = std::array::from_fn(|state| set.holds(state, rates[state]));
    let only =
        |values: Each| -> Each { std::array::from_fn(|s| if inside[s] { values[s] } else { 0.0 }) };
    let mut since = vec![0.0; likelihoods.len()];
    // Backward: the probability of all later runs, with all later states in the set, in units of the forward scales.
    let mut later: Each = only([1.0; STATES]);
    for place in (0..likelihoods.len()).rev() {
        let (own, scale) = (&likelihoods[place], scales[place]);
        let here: Each = only(std::array::from_fn(|s| own[s] * later[s] / scale));
        let drawn: f64 = here
            .iter()
            .zip(weights)
            .map(|(value, weight)| value * weight)
            .sum();
        since[place] = match place.checked_sub(1) {
            Some(before) => {
                let outside = forward[before]
                    .iter()
                    .zip(inside)
                    .filter(|(_, inside)| !inside);
                chance * drawn * outside.map(|(value, _)| value).sum::<f64>()
            }
            None => drawn,
        };
        later = only(here.map(|value| (1.0 - chance) * value + chance * drawn));
    }
    since
}
