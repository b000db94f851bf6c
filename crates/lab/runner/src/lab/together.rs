//! Slices that all variants of a set execute at the same time, each on CPUs of its own, its place.
//!
//! 1. Before each round the places are swapped: in as many rounds as there are places each variant has each of them once,
//!    in an order that is drawn. So a place that is faster than another favours no variant over a run. The systems of a
//!    variant are moved with its load.
//! 2. In a round all executions are started, one right after the other in random order, and waited for. One that ends
//!    sooner waits for the others, whose end it must not disturb: what it measured is read when the round is over, and
//!    what serves a run that failed is stopped then.

use std::collections::BTreeMap;
use std::time::Instant;

use perflab_experiment::{Better, Status};
use perflab_store::{PLACE_SPEED, SliceRecord, TOGETHER};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rustix::thread::CpuSet;

use super::Lab;
use super::current::Current;
use super::execution::{Begun, Part};
use super::instance::Instance;
use super::member::Member;
use super::system_times::used;
use crate::aside::launch_trouble;
use crate::fault::{Fault, Trouble};

/// Separates the order of places from all else that a run's seed feeds.
const SWAPS: u64 = 3;

/// Who has which place in each round.
#[derive(Debug)]
pub(super) struct Swaps {
    count: usize,
    random: ChaCha8Rng,
    /// The places in a circle, around which the members go.
    circle: Vec<usize>,
    /// By how many steps, in the rounds that are left of this cycle.
    steps: Vec<usize>,
}

impl Swaps {
    /// Swaps of so many places; 0 where variants are not executed at the same time.
    pub(super) fn new(count: usize, seed: u64) -> Self {
        Self {
            count,
            random: ChaCha8Rng::seed_from_u64(seed ^ SWAPS),
            circle: (0..count).collect(),
            steps: Vec::new(),
        }
    }

    /// Whether there are places to swap.
    pub(super) fn are_made(&self) -> bool {
        self.count > 0
    }

    /// The places of the next round, of each member.
    fn next(&mut self) -> Vec<usize> {
        if self.steps.is_empty() {
            self.steps = (0..self.count).collect();
            self.steps.shuffle(&mut self.random);
            self.circle.shuffle(&mut self.random);
        }
        let steps = self.steps.pop().unwrap_or(0);
        let mut places = self.circle.clone();
        places.rotate_left(steps);
        places
    }
}

impl<'a> Lab<'a> {
    /// The CPUs of a run's load.
    pub(super) fn load_cpus(&self, run: &Current<'_>) -> Option<&CpuSet> {
        self.places.get(run.place).or(self.load_cpus.as_ref())
    }

    /// Gives each member the place of the next round, where there are places.
    pub(super) fn swap(
        &mut self,
        set: &mut [Member<'_, 'a>],
        swaps: &mut Swaps,
    ) -> Result<(), Trouble> {
        for (member, place) in set.iter_mut().zip(swaps.next()) {
            self.step(member, |lab, member| {
                member.run.place = place;
                match &mut member.up {
                    Some(up) => lab.move_to(&mut up.instance, place),
                    None => Ok(()),
                }
            })?;
        }
        Ok(())
    }

    /// Moves systems to a place, unless they are there.
    pub(super) fn move_to(&self, instance: &mut Instance<'_>, place: usize) -> Result<(), Trouble> {
        let is_there = instance.place == Some(place);
        let Some(cpus) = self.places.get(place).filter(|_| !is_there) else {
            return Ok(());
        };
        instance.place = None;
        for system in &instance.systems {
            system.move_to(cpus).map_err(|error| {
                let detail = format!(
                    "{} cannot be moved to the CPUs of place {}: {error}",
                    system.called(),
                    place + 1
                );
                Fault::new(Status::Fail, detail)
            })?;
        }
        instance.place = Some(place);
        Ok(())
    }

    /// Has all members execute a part of their loads at the same time, started in this order.
    pub(super) fn round(
        &mut self,
        set: &mut [Member<'_, 'a>],
        order: &[usize],
        part: Part,
        first_turn: Instant,
    ) -> Result<(), Trouble> {
        let mut begun: Vec<(usize, Begun)> = Vec::new();
        for index in order {
            if let Some(member) = set.get_mut(*index) {
                self.step(member, |lab, member| {
                    begun.extend(lab.begin(member, part)?.map(|begun| (*index, begun)));
                    Ok(())
                })?;
            }
        }
        let mut members = Vec::new();
        let mut launches = Vec::new();
        for (index, begun) in &begun {
            let member = set.get(*index);
            if let Some((member, launch)) = member.zip(member.and_then(|of| begun.launch(self, of)))
            {
                launches.push((launch, begun.limit));
                members.push((*index, begun, member.up.as_ref()));
            }
        }
        // What its systems do when its own execution is over is none of its work.
        let mut after = vec![None; members.len()];
        let ended = self.host.execute_all(&launches, &mut |ended| {
            if let (Some(after), Some((_, _, Some(up)))) =
                (after.get_mut(ended), members.get(ended))
            {
                *after = used(&up.instance.systems);
            }
        });
        drop(launches);
        let members: Vec<_> = members
            .into_iter()
            .map(|(index, begun, _)| (index, begun))
            .collect();
        for (((index, begun), ended), after) in members.into_iter().zip(ended).zip(after) {
            if let Some(member) = set.get_mut(index) {
                self.step(member, |lab, member| {
                    let ended = ended
                        .map_err(|error| launch_trouble(error, Fault::no_run))?
                        .map_err(Trouble::Fatal)?;
                    lab.end(member, begun, ended, (ended.wall, after), first_turn)
                })?;
            }
        }
        Ok(())
    }
}

/// Says that a run was executed beside others, and how fast each place was to it.
pub(super) fn evidence(executed: &[SliceRecord], places: usize) -> Vec<(String, f64)> {
    let speeds = speeds(executed, places).unwrap_or_default();
    let speeds = (1..)
        .zip(speeds)
        .map(|(place, speed): (u32, f64)| (format!("{PLACE_SPEED}{place}"), speed));
    [(TOGETHER.to_owned(), 1.0)]
        .into_iter()
        .chain(speeds)
        .collect()
}

/// The speed of each place, as a multiple of the geometric mean of all places: from the first value of each execution
/// that is better high or low, where none of these is absent, zero or negative. Each of the executions of a slice counts
/// alike.
fn speeds(executed: &[SliceRecord], places: usize) -> Option<Vec<f64>> {
    let mut logs: BTreeMap<u32, Vec<Vec<f64>>> = BTreeMap::new();
    for slice in executed {
        let mut directed = slice.samples.iter().filter_map(|sample| {
            let sign = match sample.metric.better {
                Better::Higher => 1.0,
                Better::Lower => -1.0,
                Better::Neither => return None,
            };
            Some((sign, sample.value))
        });
        let (sign, value) = directed.next().filter(|(_, value)| *value > 0.0)?;
        let own = logs
            .entry(slice.execution)
            .or_insert_with(|| vec![Vec::new(); places]);
        own.get_mut((slice.place? as usize).checked_sub(1)?)?
            .push(sign * value.ln());
    }
    let mut sums = vec![0.0; places];
    for of_places in logs.values() {
        let means: Vec<f64> = of_places
            .iter()
            .map(|logs| mean(logs))
            .collect::<Option<_>>()?;
        let all = mean(&means)?;
        for (sum, own) in sums.iter_mut().zip(means) {
            *sum += own - all;
        }
    }
    let count = logs.len() as f64;
    (count > 0.0).then(|| sums.into_iter().map(|sum| (sum / count).exp()).collect())
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use perflab_experiment::{Metric, Sample};

    #[test]
    fn each_member_has_each_place_once_in_a_cycle() {
        let mut swaps = Swaps::new(3, 7);
        let mut firsts = std::collections::BTreeSet::new();
        for _ in 0..20 {
            let cycle: Vec<Vec<usize>> = (0..3).map(|_| swaps.next()).collect();
            firsts.insert(cycle[0].clone());
            for member in 0..3 {
                let mut places: Vec<usize> = cycle.iter().map(|round| round[member]).collect();
                places.sort_unstable();
                assert_eq!(places, [0, 1, 2]);
            }
            for round in &mut cycle.clone() {
                round.sort_unstable();
                assert_eq!(round, &[0, 1, 2]);
            }
        }
        assert_eq!(firsts.len(), 6, "{firsts:?}");
    }

    #[test]
    fn the_speed_of_a_place_is_that_of_the_same_work_elsewhere() {
        let slice = |execution, place, value, better| SliceRecord {
            slice: 1,
            execution,
            place: Some(place),
            at_s: 0.0,
            wall_s: 1.0,
            samples: vec![Sample {
                benchmark: None,
                metric: Metric::new("m".to_owned(), "u", better).into(),
                value,
                step: None,
            }],
        };
        let executed = |better| {
            [
                slice(1, 1, 100.0, better),
                slice(1, 2, 400.0, better),
                slice(2, 1, 8.0, better),
                slice(2, 2, 32.0, better),
            ]
        };
        let near = |found: Option<Vec<f64>>, expected: [f64; 2]| {
            let found = found.unwrap();
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-12, "{found} {expected}");
            }
        };
        near(speeds(&executed(Better::Higher), 2), [0.5, 2.0]);
        near(speeds(&executed(Better::Lower), 2), [2.0, 0.5]);
        let zero = [slice(1, 1, 0.0, Better::Higher)];
        assert_eq!(speeds(&zero, 2), None);
        assert_eq!(speeds(&executed(Better::Higher)[..1], 2), None);
    }
}
