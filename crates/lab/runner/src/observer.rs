//! What looks on during a run: counters, recorded probes, a profiler.
//!
//! An observer sees a run from outside the laboratory and adds to its record. Which runs are observed is part of the
//! plan. The same cells run unobserved in the same blocks, so the cost of looking is measured like everything else.
//!
//! The calls of a run, in order:
//!
//! 1. [`begin`](Observer::begin), before anything of the run is started;
//! 2. [`variables`](Observer::variables), for each system and for the load;
//! 3. [`wrap`](Observer::wrap), with the command line of the load;
//! 4. [`start`](Observer::start), just before each execution of the load, warm-ups included;
//! 5. [`stop`](Observer::stop), when it has ended, and [`exit`](Observer::exit), which says how;
//! 6. [`end`](Observer::end), when the systems have ended: what it saw.
//!
//! A run that fails ends the calls at any point; the next call is a [`begin`](Observer::begin) then.

use std::ffi::OsString;
use std::fmt::Debug;
use std::path::Path;

use indexmap::IndexMap;
use perflab_experiment::Sample;

use crate::environment::Environment;
use crate::fault::Fault;
use crate::host::{Ended, Exit, Host};

pub use perflab_store::HITS;

/// The run that is observed.
#[derive(Debug, Clone, Copy)]
pub struct ObservedRun<'a> {
    /// Where it runs.
    pub host: &'a dyn Host,
    /// Its directory in the result, which keeps the observer's files.
    pub directory: &'a Path,
}

/// What an observer saw of a run.
#[derive(Debug, Clone, Default)]
pub struct Observation {
    /// What it measured.
    pub samples: Vec<Sample>,
    /// What shows that it looked on, and what it missed.
    pub evidence: IndexMap<String, f64>,
}

/// Something that looks on during runs.
pub trait Observer: Debug {
    /// What records call it, as `probes`.
    fn name(&self) -> &str;

    /// A run begins.
    ///
    /// # Errors
    /// When it cannot be observed.
    fn begin(&mut self, _run: &ObservedRun<'_>) -> Result<(), Fault> {
        Ok(())
    }

    /// Variables that every process of the run gets.
    fn variables(&self) -> Vec<(OsString, OsString)> {
        Vec::new()
    }

    /// The command line of the load, with the observer's own in front. `directory` and `environment` are those that it
    /// is started with.
    ///
    /// # Errors
    /// When it could not be started that way.
    fn wrap(
        &self,
        _run: &ObservedRun<'_>,
        argv: Vec<OsString>,
        _directory: &Path,
        _environment: &Environment,
    ) -> Result<Vec<OsString>, Fault> {
        Ok(argv)
    }

    /// An execution of the load is about to begin; its results are kept if it `is_measured`, else it is a warm-up.
    ///
    /// # Errors
    /// When it cannot be observed.
    fn start(&mut self, _is_measured: bool) -> Result<(), Fault> {
        Ok(())
    }

    /// The load has ended.
    fn stop(&mut self) {}

    /// How the load itself ended, where what stands in front of it ended in its place.
    ///
    /// # Errors
    /// When that cannot be told.
    fn exit(&self, _run: &ObservedRun<'_>, ended: &Ended) -> Result<Exit, Fault> {
        Ok(ended.exit)
    }

    /// The run has passed, and its systems have ended, unless they are kept.
    ///
    /// # Errors
    /// When what it saw cannot be read.
    fn end(&mut self, run: &ObservedRun<'_>) -> Result<Observation, Fault>;
}
