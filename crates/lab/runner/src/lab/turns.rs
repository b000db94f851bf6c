//! The turns of a set: its loads are prepared, warmed up, and executed slice by slice.
//!
//! 1. Each run is prepared and warmed up as its workload says.
//! 2. In each round, every run executes one slice of its load, in random order. Where a driver has its benchmarks
//!    executed apart, the runs take turns for each benchmark: so two variants execute the same one soon after each other. With
//!    `together` all of them execute it at the same time, see [`together`](super::together).
//!
//!    A tool that holds all targets at once takes the turns itself: see [`one_process`](super::one_process).
//! 3. The samples of a run's slices are combined by the rules of its metrics.
//!
//! A run that fails drops out, and the others go on.

use std::path::Path;

use perflab_drivers::combined;
use perflab_experiment::{Sample, Status};
use perflab_store::{RUNS_IN_TURNS, SLICES, SLICES_FILE, SYSTEM_IDLE, SliceRecord, StepKind};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::Lab;
use super::execution::Part;
use super::load::Load;
use super::member::Member;
use super::together::{Swaps, evidence};
use crate::aside::Aside;
use crate::fault::{Fault, Trouble};

/// Separates the order of turns from all else that a run's seed feeds.
const ORDER: u64 = 2;

impl<'a> Lab<'a> {
    /// Executes the loads of a set, which are ready.
    pub(super) fn take_turns(&mut self, set: &mut [Member<'_, 'a>]) -> Result<(), Trouble> {
        self.settle_slices(set)?;
        let longest = |count: fn(&Member<'_, '_>) -> usize| set.iter().map(count).max();
        let warmups = longest(|member| member.load().map_or(0, |load| load.warmups as usize));
        let slices = longest(|member| member.load().map_or(0, |load| load.slices.len()));
        let parts = longest(|member| member.load().map_or(0, Load::parts));
        let parts = parts.unwrap_or(0);
        // What takes the turns itself warms up, too.
        let takes_turns = |load: &Load| load.driver.takes_turns().is_some();
        let in_one = set.iter().filter_map(Member::load).any(takes_turns);
        let [warmups, slices] = [warmups, slices].map(|count| count.filter(|_| !in_one));
        for warmup in 0..warmups.unwrap_or(0) {
            for member in &mut *set {
                let is_due = |load: &Load| warmup < load.warmups as usize;
                if member.load().is_some_and(is_due) {
                    self.step(member, |lab, member| {
                        lab.aside(member, StepKind::Prepare)?;
                        for part in 0..parts {
                            let now = lab.host.now();
                            lab.turn(member, Part::warm_up(part), now)?;
                        }
                        lab.aside(member, StepKind::CleanUp)
                    })?;
                }
            }
        }
        for member in &mut *set {
            self.step(member, |lab, member| lab.aside(member, StepKind::Prepare))?;
        }
        // What a system does while another one is prepared, or cleaned up after, is none of its work between turns.
        set.iter_mut().for_each(Member::begin_turns);
        let in_turns = set.iter().filter(|member| member.fate.is_ok()).count();
        let seed = set.first().map_or(0, |member| member.run.planned.seed);
        let mut random = ChaCha8Rng::seed_from_u64(seed ^ ORDER);
        let first_turn = self.host.now();
        let mut order: Vec<usize> = (0..set.len()).collect();
        let mut swaps = Swaps::new(self.places.len(), seed);
        for slice in 0..slices.unwrap_or(0) {
            self.swap(set, &mut swaps)?;
            for part in 0..parts {
                order.shuffle(&mut random);
                if swaps.are_made() {
                    self.round(set, &order, Part::measured(slice, part), first_turn)?;
                    continue;
                }
                for index in &order {
                    if let Some(member) = set.get_mut(*index) {
                        self.step(member, |lab, member| {
                            lab.turn(member, Part::measured(slice, part), first_turn)
                        })?;
                    }
                }
            }
        }
        if in_one {
            self.take_turns_in_one_process(set)?;
        }
        for member in &mut *set {
            self.step(member, |lab, member| lab.combine(member, in_turns))?;
        }
        for member in &mut *set {
            self.step(member, |lab, member| lab.aside(member, StepKind::CleanUp))?;
        }
        Ok(())
    }

    /// Executes the command before or after an execution of the load, where there is one.
    pub(super) fn aside(&self, member: &mut Member<'_, '_>, step: StepKind) -> Result<(), Trouble> {
        let Some(load) = member.up.as_ref().and_then(|up| up.load.as_ref()) else {
            return Ok(());
        };
        let (purpose, argv) = match step {
            StepKind::Prepare => ("prepare", &load.prepare),
            _ => ("cleanup", &load.cleanup),
        };
        let Some(argv) = argv else {
            return Ok(());
        };
        let begun = self.host.now();
        let done = Aside {
            purpose,
            status: Status::NoRun,
            argv,
            environment: &load.environment,
            directory: &load.directory,
            log: &member.run.logs.join(format!("{purpose}.log")),
            cpus: self.load_cpus(&member.run),
            limit: load.limit,
        }
        .execute(self.host);
        member.run.outcome.note(step, self.host.now() - begun);
        done
    }

    /// Makes the samples of a run from those of its slices, if its evidence is as it must be.
    fn combine(&self, member: &mut Member<'_, '_>, in_turns: usize) -> Result<(), Trouble> {
        let Some(up) = &member.up else { return Ok(()) };
        let Some(load) = &up.load else { return Ok(()) };
        // It may have died while others had their turn.
        up.instance.check_alive()?;
        let executed = std::mem::take(&mut member.executed);
        let outcome = &mut member.run.outcome;
        let count = match load.driver.takes_turns() {
            Some(_) => self.experiment.design.slices.unwrap_or(1) as usize,
            None => load.slices.len(),
        };
        if count > 1 {
            self.keep_slices(&member.run.logs, &executed)?;
            outcome.evidence.insert(SLICES.to_owned(), count as f64);
            let in_turns = in_turns as f64;
            outcome.evidence.insert(RUNS_IN_TURNS.to_owned(), in_turns);
            if !self.places.is_empty() {
                let places = evidence(&executed, self.places.len());
                outcome.evidence.extend(places);
            } else if let Some(idle) = member.times.idle(&up.instance.systems) {
                let idle = idle.as_secs_f64();
                outcome.evidence.insert(SYSTEM_IDLE.to_owned(), idle);
            }
            let mut slices: Vec<Vec<Sample>> = vec![Vec::new(); count];
            for execution in executed {
                let index = (execution.slice as usize).wrapping_sub(1);
                if let Some(slice) = slices.get_mut(index) {
                    slice.extend(execution.samples);
                }
            }
            let combined = combined(&slices, load.alike, load.driver.as_ref());
            outcome.samples = combined.map_err(|why| Fault::new(Status::Fail, why))?;
        } else {
            let samples = executed.into_iter().flat_map(|whole| whole.samples);
            outcome.samples = samples.collect();
        }
        outcome.samples.extend(member.times.samples());
        let mut rules = member.run.workload.evidence.iter();
        let complaint = rules.find_map(|rule| rule.complaint(*outcome.evidence.get(&rule.name)?));
        match complaint {
            Some(complaint) => Err(Fault::new(Status::Fail, complaint).into()),
            None => Ok(()),
        }
    }

    /// Keeps what each execution measured beside the output of the run.
    fn keep_slices(&self, directory: &Path, executed: &[SliceRecord]) -> Result<(), Trouble> {
        let lines = executed.iter().map(SliceRecord::to_line);
        let lines = lines.collect::<serde_json::Result<String>>();
        let lines = lines.map_err(|error| Trouble::Fatal(error.into()))?;
        let file = directory.join(SLICES_FILE);
        self.host
            .write(&file, lines.as_bytes())
            .map_err(Trouble::Fatal)
    }
}
