//! Settings of the machine that an experiment's variants ask for: allowed, made, put back.

use std::path::Path;

use perflab_experiment::Experiment;
use perflab_machine::tune::Session;
use perflab_runner::Restorer;

use crate::failure::Failure;
use crate::tune::{directory, must_be_root, start_restorer};

/// The settings that variants ask for, each variant in a few words.
pub fn named(experiment: &Experiment) -> Vec<String> {
    experiment
        .variants
        .iter()
        .filter(|(_, variant)| !variant.machine.is_empty())
        .map(|(name, variant)| format!("{name}: {}", variant.machine.names().join(", ")))
        .collect()
}

/// Refuses an experiment that changes settings of the machine, unless that was said.
pub fn check(experiment: &Experiment, file: &Path, allowed: bool) -> Result<(), Failure> {
    let named = named(experiment);
    if named.is_empty() {
        return Ok(());
    }
    if !allowed {
        return Err(Failure::usage(format!(
            "{} would change settings of this machine ({}), and put them back afterwards: allow it \
             with --allow-machine-settings",
            file.display(),
            named.join("; ")
        )));
    }
    must_be_root("--allow-machine-settings")
}

/// Settings under way, where an experiment has any.
pub struct Settings(Option<Inner>);

struct Inner {
    session: Session,
    /// Waits for the restorer when it is dropped, so the session must be over by then: fields are
    /// dropped in order.
    _restorer: Restorer,
}

/// Begins: nothing is changed yet.
pub fn begin(experiment: &Experiment) -> Result<Settings, Failure> {
    if named(experiment).is_empty() {
        return Ok(Settings(None));
    }
    let root = Path::new("/");
    let directory = directory()?;
    let restorer = start_restorer(root, &directory)?;
    let session = Session::begin(root, &directory)?;
    Ok(Settings(Some(Inner {
        session,
        _restorer: restorer,
    })))
}

impl Settings {
    /// What changes them.
    pub fn session(&mut self) -> Option<&mut Session> {
        self.0.as_mut().map(|inner| &mut inner.session)
    }

    /// Puts everything back.
    pub fn end(self) -> Result<(), Failure> {
        match self.0 {
            None => Ok(()),
            Some(inner) => inner.session.restore().map(drop).map_err(Failure::from),
        }
    }
}
