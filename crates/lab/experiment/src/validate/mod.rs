//! Rules between the parts of an experiment file.

mod design;
mod evidence;
mod extract;
mod general;
mod machine;
mod matrix;
mod observe;
mod placeholders;
mod slices;
mod systems;
mod together;
mod turns;
mod values;
mod variant;
mod workload;

use crate::error::Fault;
use crate::file::Experiment;
use crate::source::Source;

pub use matrix::MAX_RUNS;
pub use placeholders::template as check_template;
pub use slices::names_slice;
pub use values::command as check_command;

/// Checks everything that the types alone do not guarantee. The first broken rule is reported.
pub(crate) fn validate(experiment: &Experiment, source: &Source<'_>) -> Result<(), Fault> {
    general::check(experiment, source)?;
    variant::check(experiment)?;
    workload::check(experiment)?;
    design::check(experiment, source)?;
    observe::check(experiment)?;
    matrix::check(experiment)?;
    placeholders::check(experiment)?;
    turns::check(experiment)?;
    slices::check(experiment)?;
    together::check(experiment)
}
