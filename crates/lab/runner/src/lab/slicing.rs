//! How many slices a run has, where the experiment says how long one is.
//!
//! The first run of a cell that gets so far tells how long its load takes: one slice of a few is executed before the
//! turns begin. All later runs of the cell have as many slices, those of a resumed experiment as well.

use std::collections::BTreeMap;
use std::time::Duration;

use perflab_experiment::{Cell, MOST_SLICES};
use perflab_store::{RunRecord, SLICES, StepKind};

use super::Lab;
use super::execution::Part;
use super::load::Load;
use super::member::Member;
use crate::fault::Trouble;

/// Slices of the load that is timed.
const FIRST: u32 = 20;

/// Slices of the runs of each cell, as recorded.
pub(super) fn counts(records: &[RunRecord]) -> BTreeMap<String, u32> {
    let of = |record: &RunRecord| {
        let slices = *record.evidence.get(SLICES)?;
        Some((record.cell.clone(), slices as u32))
    };
    records.iter().filter_map(of).collect()
}

impl<'a> Lab<'a> {
    /// How many slices a run of this cell has, and the fewest with which it can do where its driver refuses so many.
    pub(super) fn slices_of(&self, cell: &Cell) -> (u32, u32) {
        let design = &self.experiment.design;
        match (design.slice, self.slices.get(&cell.id)) {
            (None, _) => {
                let slices = design.slices.unwrap_or(1);
                (slices, slices)
            }
            (Some(_), Some(known)) => (*known, 2),
            (Some(_), None) => (FIRST, 2),
        }
    }

    /// Settles how many slices the runs of a set have, if that is not known yet; their loads are ready.
    pub(super) fn settle_slices(&mut self, set: &mut [Member<'_, 'a>]) -> Result<(), Trouble> {
        let Some(slice) = self.experiment.design.slice else {
            return Ok(());
        };
        let known = |member: &Member<'_, '_>| self.slices.get(&member.run.cell.id).copied();
        let count = match set.iter().find_map(known) {
            Some(count) => count,
            None => match self.timed(set)? {
                Some(whole) => fitting(whole, slice),
                None => return Ok(()),
            },
        };
        for member in &mut *set {
            if self.slices.insert(member.run.cell.id.clone(), count) != Some(count) {
                self.step(member, Self::load_again)?;
            }
        }
        Ok(())
    }

    /// How long the load of a run takes as a whole, from one of its slices: of the first run that gets so far.
    fn timed(&mut self, set: &mut [Member<'_, 'a>]) -> Result<Option<Duration>, Trouble> {
        for member in &mut *set {
            let (slices, parts) = member
                .load()
                .map_or((0, 0), |load| (load.slices.len(), load.parts()));
            let mut took = Duration::ZERO;
            self.step(member, |lab, member| {
                lab.aside(member, StepKind::Prepare)?;
                let begun = lab.host.now();
                for part in 0..parts {
                    lab.turn(member, Part::warm_up(part), begun)?;
                }
                took = lab.host.now() - begun;
                lab.aside(member, StepKind::CleanUp)
            })?;
            if member.fate.is_ok() {
                // The executions of a slice are parts of it.
                return Ok(Some(took * slices as u32 / parts.max(1) as u32));
            }
        }
        Ok(None)
    }

    /// Makes a load ready once more, with other slices.
    fn load_again(&mut self, member: &mut Member<'_, 'a>) -> Result<(), Trouble> {
        let Some(up) = &mut member.up else {
            return Ok(());
        };
        let warmups = up.load.as_ref().map_or(0, |load| load.warmups);
        let load = self.load(&mut member.run, &mut up.instance, up.built.as_ref(), false)?;
        up.load = Some(Load { warmups, ..load });
        Ok(())
    }
}

/// How many slices of this length a load has that takes so long as a whole.
fn fitting(whole: Duration, slice: Duration) -> u32 {
    let count = whole.as_secs_f64() / slice.as_secs_f64();
    (count.round() as u32).clamp(2, MOST_SLICES)
}
