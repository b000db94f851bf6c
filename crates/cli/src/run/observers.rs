//! What looks on during the runs that an experiment wants observed.

use perflab_experiment::Experiment;
use perflab_runner::{Counters, Observer};

use super::probes::Probes;
use crate::failure::Failure;

/// The observers of an experiment.
///
/// # Errors
/// When one of them cannot look on here.
pub(crate) fn observers(experiment: &Experiment) -> Result<Vec<Box<dyn Observer>>, Failure> {
    let mut observers: Vec<Box<dyn Observer>> = Vec::new();
    let Some(observe) = &experiment.observe else {
        return Ok(observers);
    };
    if !observe.counters.is_empty() {
        observers.push(Box::new(Counters::new(observe.counters.clone())));
    }
    if !observe.probes.is_empty() {
        observers.push(Box::new(Probes::new(observe)?));
    }
    Ok(observers)
}
