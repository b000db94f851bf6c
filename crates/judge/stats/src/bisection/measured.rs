//! Evidence from the values of a metric.
//!
//! See `measured/filter.rs` for the model. What it does not know, it integrates over the points of `measured/grid.rs`:
//! the standard deviation of a run, how far the machine's level wanders, how far builds differ, how many runs lie far
//! off, how large the step is.

mod anchor;
mod cloud;
mod filter;
mod grid;
#[cfg(test)]
mod tests;

use super::block::{Block, Revision, Run};
use super::evidence::{CONFIDENCE, Design, Evidence, Learnt, MOST_CONFIRMING, POWER, Sealed};
use super::hypotheses::NO_CHANGE;
use crate::check;
use crate::detectable::runs_to_show;
use crate::error::Error;
use crate::location::Scale;
use crate::summary::median;
use anchor::Anchor;
use cloud::Cloud;
use filter::Of;
use grid::Point;

/// Classes are dropped whose likelihood is so far below that of the best one, as a logarithm.
const DROP_CLASS: f64 = 25.0;
/// Points of it.
const DROP_ALL: f64 = 14.0;
/// Share of the weight at an end of the grid from which on the grid is moved.
const AT_END: f64 = 0.05;
/// Most builds that are known at once; the one that was not run for the longest time is forgotten, and is a new one if
/// it comes again.
const MOST_BUILDS: usize = 24;

/// A revision is run this often in a block where the step is one standard deviation; less often for larger steps.
const RUNS_OF_ONE: f64 = 2.0;
/// Most runs of a revision in a block.
const MOST_RUNS: f64 = 3.0;
/// By how much what is unknown of the ends may add to the variance of the mean of a revision's runs, as a share.
const ADDED: f64 = 0.125;
/// Most runs of the ends beside a revision.
const MOST_ENDS: f64 = 4.0;

/// Share of the step that was learnt which a comparison is to show. The values that chose an answer make a step that is
/// as small as can be found look larger than it is, by about a sixth.
const AS_SHOWN: f64 = 0.85;

/// What is known of the ends.
struct Ends {
    /// Size of the step from good to bad, in standard deviations of a run of a new build.
    step: f64,
    /// Variance of the middle between good and bad in the next block, in those of a run.
    unsure: f64,
}

/// Values of a metric.
#[derive(Debug, Clone)]
pub struct Measured {
    scale: Scale,
    smallest: f64,
    builds_vary: bool,
    anchor: Option<Anchor>,
    points: Vec<Point>,
    /// For each class what it makes of the values with each point that is left; empty once it is refuted.
    classes: Vec<Cloud>,
    /// Builds among what the filters estimate, in their order, and the block in which each was run last.
    builds: Vec<(Revision, u32, usize)>,
    blocks: usize,
    session: Option<u32>,
}

impl Measured {
    /// For a metric whose differences are ratios or shifts. `smallest` is the smallest step from good to bad that is to
    /// be found, in standard deviations of a run. `builds_vary` says whether another build of the same revision may
    /// have another level, because of its layout for instance.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a smallest step that is not between 0.01 and 100.
    pub fn new(scale: Scale, smallest: f64, builds_vary: bool) -> Result<Self, Error> {
        check::between("smallest step", smallest, 0.01, 100.0)?;
        Ok(Self {
            scale,
            smallest,
            builds_vary,
            anchor: None,
            points: Vec::new(),
            classes: Vec::new(),
            builds: Vec::new(),
            blocks: 0,
            session: None,
        })
    }

    /// The place of a build among what is estimated; a new one is entered.
    fn build(&mut self, run: &Run<f64>) -> Option<usize> {
        if !self.builds_vary {
            return None;
        }
        let known = |&(revision, build, _): &(Revision, u32, usize)| {
            revision == run.revision && build == run.build
        };
        if let Some(at) = self.builds.iter().position(known) {
            self.builds[at].2 = self.blocks;
            return Some(at);
        }
        if self.builds.len() == MOST_BUILDS {
            let last = |at: &usize| self.builds[*at].2;
            let oldest = (0..MOST_BUILDS).min_by_key(last).unwrap_or_default();
            self.builds.remove(oldest);
            self.classes
                .iter_mut()
                .for_each(|class| class.drop_build(oldest));
        }
        self.builds.push((run.revision, run.build, self.blocks));
        for class in &mut self.classes {
            class.add_build(&self.points);
        }
        Some(self.builds.len() - 1)
    }

    /// What a class makes of the ends.
    fn ends(&self, class: usize) -> Ends {
        let cloud = &self.classes[class];
        let most = cloud.largest();
        let (mut total, mut step, mut unsure) = (0.0, 0.0, 0.0);
        for (at, ln_weight, mean, covariance) in cloud.known() {
            let point = &self.points[at];
            let weight = (ln_weight - most).exp();
            let variance = point.variance();
            total += weight;
            step += weight * mean[filter::STEP].abs() / variance.sqrt();
            let middle = filter::middle_variance(covariance) + point.wander.powi(2);
            unsure += weight * middle / variance;
        }
        Ends {
            step: step / total,
            unsure: unsure / total,
        }
    }

    /// Drops what is refuted.
    fn drop_refuted(&mut self) {
        let totals: Vec<f64> = (0..self.classes.len())
            .map(|class| self.ln_likelihood(class))
            .collect();
        let best = totals.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for (class, total) in self.classes.iter_mut().zip(totals) {
            if total < best - DROP_CLASS {
                class.clear();
            }
            class.tidy(&self.points, DROP_ALL + total - best);
        }
    }

    /// The posterior mean of the logarithm of the standard deviation, if much of the weight is at an end of the grid.
    fn moved_anchor(&self) -> Option<f64> {
        let middle = self.anchor.as_ref()?.sd;
        let most = self
            .classes
            .iter()
            .map(Cloud::largest)
            .fold(f64::NEG_INFINITY, f64::max);
        let (mut total, mut at_ends, mut mean) = (0.0, [0.0; 2], 0.0);
        let [low, high] = grid::ends(middle);
        for (point, ln_weight, ..) in self.classes.iter().flat_map(Cloud::known) {
            let weight = (ln_weight - most).exp();
            let sd = self.points[point].sd;
            total += weight;
            mean += weight * sd.ln();
            if sd <= low * 1.01 {
                at_ends[0] += weight;
            }
            if sd >= high * 0.99 {
                at_ends[1] += weight;
            }
        }
        let sd = (mean / total).exp();
        let floor = self.anchor.as_ref()?.floor;
        let low = at_ends[0] > AT_END * total && middle > floor;
        let high = at_ends[1] > AT_END * total;
        (low || high).then_some(sd.max(floor))
    }
}

/// The runs of each revision with their values on the line, the nearest to their median first: after the first value the
/// filter takes its level as normal around it, and a slow run would be a bad one to begin with.
fn central_first(runs: &[Run<f64>], scale: Scale) -> Vec<(&Run<f64>, f64)> {
    let mut ordered = Vec::with_capacity(runs.len());
    for own in runs.chunk_by(|a, b| a.revision == b.revision) {
        let values: Vec<f64> = own.iter().map(|run| scale.on_line(run.value)).collect();
        let middle = median(&values).unwrap_or_default();
        let mut own: Vec<_> = own.iter().zip(values).collect();
        own.sort_by(|(_, a), (_, b)| (a - middle).abs().total_cmp(&(b - middle).abs()));
        ordered.extend(own);
    }
    ordered
}

impl Sealed for Measured {}

impl Evidence for Measured {
    type Value = f64;

    const LEFT: f64 = 0.7;

    fn check(&self, block: &Block<f64>) -> Result<(), Error> {
        let values: Vec<f64> = block.runs.iter().map(|run| run.value).collect();
        match self.scale {
            Scale::Ratio => check::positive("values of the block", &values, 0),
            Scale::Shift => check::sample("values of the block", &values, 0),
        }
    }

    fn restart(&mut self, classes: usize, blocks: &[Block<f64>], bad: usize) -> bool {
        let moved = self.moved_anchor();
        let found = Anchor::of(blocks, self.scale, bad);
        self.anchor = match (found, moved) {
            (Some(found), Some(sd)) => Some(Anchor { sd, ..found }),
            (found, _) => found,
        };
        self.classes = vec![Cloud::default(); classes];
        self.builds.clear();
        self.blocks = 0;
        self.session = None;
        let Some(anchor) = &self.anchor else {
            return false;
        };
        self.points = grid::points(anchor.sd, self.smallest, self.builds_vary);
        let [without, with] = [false, true]
            .map(|is_change| Cloud::new(&self.points, anchor.level, anchor.level_sd, is_change));
        self.classes.fill(with);
        if let Some(class) = self.classes.first_mut() {
            *class = without;
        }
        true
    }

    fn divide(&mut self, class: usize) {
        self.classes.push(self.classes[class].clone());
    }

    fn learn(
        &mut self,
        block: &Block<f64>,
        _: usize,
        is_bad: &dyn Fn(usize, Revision) -> bool,
    ) -> Learnt {
        let Some(anchor) = self.anchor.clone() else {
            return Learnt::Restart;
        };
        self.blocks += 1;
        let new_session = self.session.is_some_and(|session| session != block.session);
        self.session = Some(block.session);
        for (point, mut filter) in self.classes.iter_mut().flat_map(Cloud::filters) {
            if new_session {
                filter.forget_level(anchor.level_sd);
            } else {
                filter.wander(self.points[point].wander.powi(2));
            }
        }
        for (run, value) in central_first(&block.runs, self.scale) {
            let build = self.build(run);
            for (class, cloud) in self.classes.iter_mut().enumerate() {
                let of = Of {
                    is_bad: is_bad(class, run.revision),
                    build,
                };
                for (point, mut filter) in cloud.filters() {
                    filter.learn(&self.points[point], value, of);
                }
            }
        }
        self.drop_refuted();
        if self.moved_anchor().is_some() {
            Learnt::Restart
        } else {
            Learnt::Kept
        }
    }

    fn ln_likelihood(&self, class: usize) -> f64 {
        if self.anchor.is_none() {
            return 0.0;
        }
        self.classes[class].ln_total()
    }

    fn opening(&self) -> Option<[usize; 2]> {
        self.anchor.is_none().then_some([anchor::FEWEST; 2])
    }

    fn doubt(&self) -> [usize; 2] {
        [2, 2]
    }

    fn gain(&self, _: usize) -> impl Fn(f64) -> f64 {
        |bad| -(bad - 0.5_f64).abs()
    }

    fn design(&self, class: usize) -> Design {
        let Ends { step, unsure } = self.ends(class);
        let runs = (RUNS_OF_ONE / step.powi(2)).round().clamp(1.0, MOST_RUNS);
        let ends = runs / ADDED - 1.0 / unsure;
        Design {
            runs: runs as usize,
            ends: ends.ceil().clamp(runs.min(2.0), MOST_ENDS) as usize,
        }
    }

    fn smallest(&self) -> f64 {
        let Some(cloud) = self.classes.get(NO_CHANGE) else {
            return f64::NAN;
        };
        let most = cloud.largest();
        let (mut total, mut sd) = (0.0, 0.0);
        for (at, ln_weight, ..) in cloud.known() {
            let weight = (ln_weight - most).exp();
            total += weight;
            sd += weight * self.points[at].variance().sqrt();
        }
        let step = self.smallest * sd / total;
        match self.scale {
            Scale::Ratio => step.exp_m1(),
            Scale::Shift => step,
        }
    }

    fn confirming(&self, class: usize) -> usize {
        if self.anchor.is_none() {
            return MOST_CONFIRMING;
        }
        let cloud = &self.classes[class];
        let most = cloud.largest();
        let (mut total, mut step) = (0.0, 0.0);
        for (at, ln_weight, mean, _) in cloud.known() {
            let weight = (ln_weight - most).exp();
            total += weight;
            step += weight * mean[filter::STEP].abs() / self.points[at].variance_to_ranks().sqrt();
        }
        let step = AS_SHOWN * step / total;
        runs_to_show(step, CONFIDENCE, POWER, (1, MOST_CONFIRMING)).unwrap_or(MOST_CONFIRMING)
    }
}
