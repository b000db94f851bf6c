//! A run of a set: what serves it, and how it fares.
//!
//! The runs of a set are executed by turns. With `slices` a set has a run of each variant, else it is one run.

use perflab_store::SliceRecord;

use super::builds::Built;
use super::current::Current;
use super::instance::Instance;
use super::load::Load;
use super::system_times::SystemTimes;
use crate::fault::Fault;

/// A run of a set.
#[derive(Debug)]
pub(super) struct Member<'r, 'k> {
    pub(super) run: Current<'r>,
    /// What serves it; nothing before it is brought up and when it is stopped.
    pub(super) up: Option<Up<'k>>,
    /// What it has executed so far.
    pub(super) executed: Vec<SliceRecord>,
    pub(super) times: SystemTimes,
    pub(super) fate: Result<(), Fault>,
}

/// What serves a run, and the load that is ready for it.
#[derive(Debug)]
pub(super) struct Up<'k> {
    pub(super) built: Option<Built>,
    pub(super) instance: Instance<'k>,
    pub(super) load: Option<Load>,
}

impl<'r> Member<'r, '_> {
    pub(super) fn new(run: Current<'r>) -> Self {
        Self {
            run,
            up: None,
            executed: Vec::new(),
            times: SystemTimes::default(),
            fate: Ok(()),
        }
    }
}

impl Member<'_, '_> {
    /// Its load, once that is ready.
    pub(super) fn load(&self) -> Option<&Load> {
        self.up.as_ref()?.load.as_ref()
    }

    /// The turns of its set begin, if they are more than one.
    pub(super) fn begin_turns(&mut self) {
        if let Some(up) = &self.up
            && self.load().is_some_and(|load| load.slices.len() > 1)
        {
            self.times.begin(&up.instance.systems);
        }
    }
}
