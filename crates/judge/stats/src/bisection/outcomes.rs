//! Evidence from runs that pass or fail, and may do either by chance.
//!
//! A good revision fails with probability `p`, a bad one with `q`, and `q - p` is [`KNOWN`] or more; without a change all
//! fail with one probability. With the weight `certain`, `p` is 0; with the same weight, `q` is 1. Else they are on a
//! grid, `p` with weights in proportion to `(1 - p)^3`, as in Beta(1, 4), and `q` with equal ones. Pairs that are too
//! near to each other have no weight.
//!
//! With `certain` near 1 and a test that never errs, this is plain bisection.

use std::iter;

use super::block::{Block, Revision, Run};
use super::evidence::{CONFIDENCE, Design, Evidence, Learnt, MOST_CONFIRMING, POWER, Sealed};
use super::hypotheses::NO_CHANGE;
use super::{Bisection, Lineage, Terms};
use crate::check;
use crate::distribution::normal_upper_quantile;
use crate::error::Error;

/// Failures and passes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Count {
    failed: f64,
    passed: f64,
}

/// Least difference of the probabilities to fail that is looked for.
const LEAST: f64 = 0.2;

/// Least difference that the model knows. It is smaller, as a difference at the limit of the model would be taken for
/// larger than it is.
const KNOWN: f64 = 0.17;

/// Points of the grid of probabilities.
const POINTS: usize = 32;

/// Probabilities to fail of good and of bad revisions.
#[derive(Debug, Clone, Copy)]
struct Point {
    fails: [f64; 2],
    /// Logarithms of those to fail and to pass.
    ln: [[f64; 2]; 2],
    ln_weight: f64,
}

/// Most runs of the ends beyond those of candidates: enough to learn how flaky a test is.
const ENDS_AHEAD: usize = 10;

/// Runs that pass or fail; the value says whether the run failed.
#[derive(Debug, Clone)]
pub struct Outcomes {
    change: Vec<Point>,
    no_change: Vec<Point>,
    /// For each class the counts of good and of bad revisions.
    classes: Vec<[Count; 2]>,
    ends: [usize; 2],
    candidates: usize,
}

impl Outcomes {
    /// `certain` is how likely it is that good revisions never fail, and that bad ones always do, before anything was
    /// measured: 0.99 for most tests, 0.1 for one that is suspected to be flaky.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a probability that is none.
    pub fn new(certain: f64) -> Result<Self, Error> {
        check::probability("probability that the test never errs", certain)?;
        let grid = |sure: f64, weight: fn(f64) -> f64| -> Vec<(f64, f64)> {
            let at = |point: usize| (point as f64 + 0.5) / POINTS as f64;
            let total: f64 = (0..POINTS).map(|point| weight(at(point))).sum();
            let uncertain = (1.0 - certain) / total;
            let points = (0..POINTS).map(|point| (at(point), uncertain * weight(at(point))));
            iter::once((sure, certain)).chain(points).collect()
        };
        let (good, bad) = (grid(0.0, |p| (1.0 - p).powi(3)), grid(1.0, |_| 1.0));
        let pairs = good
            .iter()
            .flat_map(|p| bad.iter().map(move |q| ([p.0, q.0], p.1 * q.1)));
        let change = pairs.filter(|([p, q], _)| q - p >= KNOWN).collect();
        // All pass, all fail, or anything between.
        let mut one: Vec<([f64; 2], f64)> =
            bad.iter().map(|&(p, weight)| ([p; 2], weight)).collect();
        one[0].1 *= 0.5;
        one.push(([0.0; 2], one[0].1));
        Ok(Self {
            change: normalized(change),
            no_change: normalized(one),
            classes: Vec::new(),
            ends: [0; 2],
            candidates: 0,
        })
    }

    /// A search in the other direction, which has seen only the ends: its answer is a change if the older end fails more
    /// often without doubt. `ends`: of the older and of the newer one, how many runs failed and how many passed.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn other_way_round(certain: f64, ends: [[usize; 2]; 2]) -> Result<Bisection<Self>, Error> {
        let mut search =
            Bisection::new(Lineage::linear(1)?, Terms::default(), Self::new(certain)?)?;
        let sides = [Revision::At(0), Revision::Good].into_iter().zip(ends);
        let runs = sides.flat_map(|(revision, [failed, passed])| {
            let run = move |value| Run {
                revision,
                build: 0,
                value,
            };
            let passes = iter::repeat_n(run(false), passed);
            iter::repeat_n(run(true), failed).chain(passes)
        });
        let runs = runs.collect();
        search.observe(&Block { session: 0, runs })?;
        Ok(search)
    }

    fn points(&self, class: usize) -> &[Point] {
        if class == NO_CHANGE {
            &self.no_change
        } else {
            &self.change
        }
    }

    /// Logarithms of weight and likelihood of each point.
    fn ln_weights(&self, class: usize) -> Vec<f64> {
        let counts = self.classes[class];
        // What is impossible and did not happen has the likelihood 1.
        let times = |count: f64, ln: f64| if count == 0.0 { 0.0 } else { count * ln };
        let of = |point: &Point| {
            let sides = counts.iter().zip(point.ln);
            let likelihood = sides.map(|(count, [fails, passes])| {
                times(count.failed, fails) + times(count.passed, passes)
            });
            point.ln_weight + likelihood.sum::<f64>()
        };
        self.points(class).iter().map(of).collect()
    }

    /// The expected probabilities that a good and a bad revision fail.
    fn failing(&self, class: usize) -> [f64; 2] {
        let ln = self.ln_weights(class);
        let most = ln.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (mut total, mut sums) = (0.0, [0.0; 2]);
        for (point, ln) in self.points(class).iter().zip(ln) {
            let weight = (ln - most).exp();
            total += weight;
            for (sum, p) in sums.iter_mut().zip(point.fails) {
                *sum += weight * p;
            }
        }
        sums.map(|sum| sum / total)
    }
}

/// Points whose weights add up to 1.
fn normalized(points: Vec<([f64; 2], f64)>) -> Vec<Point> {
    let total: f64 = points.iter().map(|(_, weight)| weight).sum();
    let of = |(fails, weight): ([f64; 2], f64)| Point {
        fails,
        ln: fails.map(|p| [p.ln(), (1.0 - p).ln()]),
        ln_weight: (weight / total).ln(),
    };
    points.into_iter().map(of).collect()
}

/// Entropy of a coin, in nats.
fn entropy(p: f64) -> f64 {
    let term = |p: f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
    term(p) + term(1.0 - p)
}

impl Sealed for Outcomes {}

impl Evidence for Outcomes {
    type Value = bool;

    const LEFT: f64 = 0.4;

    fn check(&self, _: &Block<bool>) -> Result<(), Error> {
        Ok(())
    }

    fn restart(&mut self, classes: usize, _: &[Block<bool>], _: usize) -> bool {
        self.classes = vec![Default::default(); classes];
        self.ends = [0; 2];
        self.candidates = 0;
        true
    }

    fn divide(&mut self, class: usize) {
        self.classes.push(self.classes[class]);
    }

    fn learn(
        &mut self,
        block: &Block<bool>,
        bad: usize,
        is_bad: &dyn Fn(usize, Revision) -> bool,
    ) -> Learnt {
        for run in &block.runs {
            match run.revision {
                Revision::Good => self.ends[0] += 1,
                Revision::At(at) if at == bad => self.ends[1] += 1,
                Revision::At(_) => self.candidates += 1,
            }
            for (class, counts) in self.classes.iter_mut().enumerate() {
                let count = &mut counts[usize::from(is_bad(class, run.revision))];
                if run.value {
                    count.failed += 1.0;
                } else {
                    count.passed += 1.0;
                }
            }
        }
        Learnt::Kept
    }

    fn ln_likelihood(&self, class: usize) -> f64 {
        let ln = self.ln_weights(class);
        let most = ln.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        most + ln.iter().map(|ln| (ln - most).exp()).sum::<f64>().ln()
    }

    fn opening(&self) -> Option<[usize; 2]> {
        let missing = self.ends.map(|runs| 1_usize.saturating_sub(runs));
        (missing != [0, 0]).then_some(missing)
    }

    fn doubt(&self) -> [usize; 2] {
        [1, 1]
    }

    fn gain(&self, class: usize) -> impl Fn(f64) -> f64 {
        let [good_fails, bad_fails] = self.failing(class);
        let known = [good_fails, bad_fails].map(entropy);
        move |bad| {
            let fails = bad * bad_fails + (1.0 - bad) * good_fails;
            entropy(fails) - bad * known[1] - (1.0 - bad) * known[0]
        }
    }

    fn design(&self, class: usize) -> Design {
        // Ends that never err need not be run again.
        let [good_fails, bad_fails] = self.failing(class);
        let errs = good_fails.max(1.0 - bad_fails);
        let ends = self.ends[0] + self.ends[1];
        let wanted = errs > 0.01 && ends < self.candidates + ENDS_AHEAD;
        Design {
            runs: 1,
            ends: usize::from(wanted),
        }
    }

    fn smallest(&self) -> f64 {
        LEAST
    }

    /// By the normal approximation with the correction for continuity of Casagrande, Pike and Smith, *Biometrics* 34
    /// (1978) 483.
    fn confirming(&self, class: usize) -> usize {
        let [good, bad] = self.failing(class);
        let of_test = normal_upper_quantile(0.5 * (1.0 - CONFIDENCE));
        let of_power = normal_upper_quantile(1.0 - POWER);
        let apart = (bad - good).max(LEAST);
        let variance = |p: f64| p * (1.0 - p);
        let pooled = 2.0 * variance(0.5 * (good + bad));
        let own = variance(good) + variance(bad);
        let normal = ((of_test * pooled.sqrt() + of_power * own.sqrt()) / apart).powi(2);
        let runs = 0.25 * normal * (1.0 + (1.0 + 4.0 / (normal * apart)).sqrt()).powi(2);
        // Without any variance the correction is all there is.
        let runs = if normal > 0.0 { runs } else { 1.0 / apart };
        (runs.ceil() as usize).min(MOST_CONFIRMING)
    }
}
