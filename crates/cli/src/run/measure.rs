//! From an experiment to its records: what is looked at before the first run, and the runs themselves.

use std::path::Path;

use perflab_experiment::{Cell, Experiment, Plan};
use perflab_machine::MachineFacts;
use perflab_runner::{
    Lab, LabError, Needed, Observer, Preflight, ThisMachine, preflight, programs,
};
use perflab_store::{Environment, ResultDir, RunRecord};

use super::refuse_all;
use super::scratch::tempdir;
use crate::failure::{Code, Failure};
use crate::progress::Progress;
use crate::settings;
use crate::terminal;

/// Looks for all that these cells of an experiment need; the machine and the programs as they are.
pub(crate) fn look(
    experiment: &Experiment,
    cells: &[Cell],
    home: &Path,
    machine: &ThisMachine,
    quiet: bool,
) -> Result<Environment, Failure> {
    let scratch = tempdir()?;
    let Preflight {
        mistakes,
        missing,
        doubtful,
        notes,
    } = preflight(experiment, cells, home, &scratch.0, machine);
    refuse_all(Code::Usage, "", &mistakes)?;
    refuse_all(
        Code::Environment,
        "this machine lacks what the experiment needs, so nothing was run:\n  ",
        &missing,
    )?;
    if !quiet {
        for line in &doubtful {
            terminal::say(&format!("note: {line}, unless a build installs it"));
        }
        for line in &notes {
            terminal::say(&format!("note: {line}"));
        }
    }
    let environment = Environment {
        machine: MachineFacts::take(Path::new("/")),
        programs: programs(experiment, cells, home, &scratch.0, machine),
    };
    // A version command that was cut short has not said the version, so this environment is incomplete.
    if machine.interrupt.asked() {
        return Err(Failure::new(
            Code::Interrupted,
            "interrupted before the first run",
        ));
    }
    Ok(environment)
}

/// What is executed, and where.
pub(crate) struct Execution<'e> {
    pub(crate) experiment: &'e Experiment,
    pub(crate) home: &'e Path,
    pub(crate) plan: &'e Plan,
    pub(crate) machine: &'e ThisMachine,
    pub(crate) observers: Vec<Box<dyn Observer>>,
    /// The variants that end it where they fail again and again.
    pub(crate) needed: Needed<'e>,
}

impl Execution<'_> {
    /// Executes the runs that are left, until all are done or `is_met` says so after a block. Settings that were changed
    /// are put back in any case. The inner result is the laboratory's.
    pub(crate) fn execute(
        self,
        result: &mut ResultDir,
        done: &[RunRecord],
        progress: &mut Progress,
        is_met: &mut dyn FnMut(&[RunRecord]) -> bool,
    ) -> Result<Result<(), LabError>, Failure> {
        let Self {
            experiment,
            home,
            plan,
            machine,
            observers,
            needed,
        } = self;
        let mut settings = settings::begin(experiment)?;
        let outcome = Lab::new(experiment, home, plan, result, machine, progress)
            .map(|lab| {
                lab.with_settings(settings.session())
                    .with_observers(observers)
                    .with_needed(needed)
            })
            .and_then(|mut lab| lab.execute(done, is_met));
        progress.finish();
        let restored = settings.end();
        if let Err(failure) = &restored {
            terminal::say_error(failure);
        }
        if outcome.is_ok() {
            restored?;
        }
        Ok(outcome)
    }
}
