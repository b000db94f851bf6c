//! The runs of a set: brought up, executed by turns, stopped, and what became of each.

use std::io;

use perflab_experiment::Status;

use super::builds::cell_key;
use super::error::LabError;
use super::member::{Member, Up};
use super::room::{disk_full, no_room};
use super::{Lab, settings};
use crate::aside::is_full;
use crate::fault::{Fault, Trouble};
use crate::kept::RunDirectory;
use crate::observer::ObservedRun;

/// Of a run whose directory has gone.
const REMOVED: &str =
    "the directory of the run was removed or replaced while it ran, and its output with it";

/// Of a run beside such a one.
const BESIDE: &str = "the directory of another run of the block was removed or replaced";

impl<'a> Lab<'a> {
    /// Performs the runs of a set; each has its fate then.
    ///
    /// # Errors
    /// What ends the experiment.
    pub(super) fn attempt(&mut self, set: &mut [Member<'_, 'a>]) -> Result<(), LabError> {
        let own = set.iter().map(|member| RunDirectory::of(&member.run.logs));
        let own = own.collect::<io::Result<Vec<_>>>()?;
        let outcome = self.perform(set);
        // Before the scratch directory goes, and with it the room that the run had.
        let full = no_room(self.host, &self.root);
        for member in &*set {
            let scratch = self
                .scratch()
                .join(format!("run-{}", member.run.planned.run));
            self.host.remove(&scratch);
        }
        if full {
            return Err(disk_full(&self.root, io::ErrorKind::StorageFull.into()));
        }
        self.result.check_is_there()?;
        let mut are_left = true;
        for (member, own) in set.iter_mut().zip(own) {
            if own.is_left() {
                continue;
            }
            are_left = false;
            // The record has a directory, though there is nothing in it.
            self.result.begin_run(member.run.planned.run)?;
            if !member.fate.as_ref().is_err_and(says_how_it_ended) {
                member.fate = Err(Fault::new(Status::Fail, REMOVED));
            }
        }
        match outcome {
            Ok(()) => Ok(()),
            Err(Trouble::Interrupted) => Err(LabError::Interrupted),
            // A fault of one run is its fate.
            Err(Trouble::Fault(fault)) => Err(LabError::Plan(fault.detail)),
            Err(Trouble::Fatal(error)) if is_full(&error) => Err(disk_full(&self.root, error)),
            // A directory of its own is what the laboratory could not write to.
            Err(Trouble::Fatal(_)) if !are_left => {
                for member in set.iter_mut().filter(|member| member.fate.is_ok()) {
                    member.fate = Err(Fault::new(Status::Fail, BESIDE));
                }
                Ok(())
            }
            Err(Trouble::Fatal(error)) => Err(LabError::System(error)),
        }
    }

    fn perform(&mut self, set: &mut [Member<'_, 'a>]) -> Result<(), Trouble> {
        for member in &mut *set {
            self.step(member, Self::serve)?;
        }
        self.take_turns(set)?;
        for member in &mut *set {
            self.bring_down(member)?;
            self.step(member, |lab, member| lab.look_back(member))?;
        }
        Ok(())
    }

    /// Does a step of a run that has fared well so far. What goes wrong with the run is its fate: what served it is
    /// stopped, so that it takes nothing from the others of its set, which go on.
    ///
    /// # Errors
    /// What ends the whole set.
    pub(super) fn step<'r>(
        &mut self,
        member: &mut Member<'r, 'a>,
        step: impl FnOnce(&mut Self, &mut Member<'r, 'a>) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        if member.fate.is_err() {
            return Ok(());
        }
        match step(self, member) {
            Err(Trouble::Fault(fault)) => {
                member.fate = Err(fault);
                self.bring_down(member)
            }
            outcome => outcome,
        }
    }

    /// Brings up what serves a run, and makes its load ready.
    fn serve(&mut self, member: &mut Member<'_, 'a>) -> Result<(), Trouble> {
        let run = &mut member.run;
        run.outcome.settings = settings::settle(self.settings.as_deref_mut(), run.variant)?;
        for observer in &mut run.observers {
            observer.begin(&ObservedRun {
                host: self.host,
                directory: &run.logs,
            })?;
        }
        let built = self.built(run)?;
        let (instance, is_fresh) = self.instance(run, built.as_ref())?;
        run.outcome.layout.clone_from(&instance.layout);
        let up = member.up.insert(Up {
            built,
            instance,
            load: None,
        });
        self.move_to(&mut up.instance, run.place)?;
        let load = self.load(run, &mut up.instance, up.built.as_ref(), is_fresh)?;
        up.load = Some(load);
        Ok(())
    }

    /// Stops what serves a run, unless it is kept. A load that failed says more than a system that then does not stop
    /// either.
    fn bring_down(&mut self, member: &mut Member<'_, 'a>) -> Result<(), Trouble> {
        let Some(up) = member.up.take() else {
            return Ok(());
        };
        if self.keeps() && (member.fate.is_ok() || up.instance.check_alive().is_ok()) {
            self.kept.insert(cell_key(member.run.cell), up.instance);
            return Ok(());
        }
        match self.stop(&mut member.run, up.built.as_ref(), up.instance) {
            Err(Trouble::Fault(fault)) => {
                if member.fate.is_ok() {
                    member.fate = Err(fault);
                }
                Ok(())
            }
            stopped => stopped,
        }
    }

    /// Has what looked on at a run say what it saw.
    fn look_back(&self, member: &mut Member<'_, 'a>) -> Result<(), Trouble> {
        let run = &mut member.run;
        for observer in &mut run.observers {
            let seen = observer.end(&ObservedRun {
                host: self.host,
                directory: &run.logs,
            })?;
            run.outcome.samples.extend(seen.samples);
            run.outcome.evidence.extend(seen.evidence);
        }
        Ok(())
    }
}

/// Whether a fault says more than that the output is lost.
fn says_how_it_ended(fault: &Fault) -> bool {
    !matches!(fault.status, Status::Fail | Status::NoRun)
}
