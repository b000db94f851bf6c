//! A control that does not run exactly what the baseline does.

use perflab_experiment::Experiment;

use crate::terminal;

/// Warns of it: what is found between the two is no false alarm then.
pub(super) fn warn(experiment: &Experiment) {
    let cells = experiment.unequal_controls();
    let (Some(cell), Some(control)) = (cells.first(), &experiment.design.control) else {
        return;
    };
    let more = match cells.len() {
        1 => String::new(),
        several => format!(" and {} more", several - 1),
    };
    terminal::say(&format!(
        "warning: the control {control} does not run exactly what the baseline {} does, in {}{more}: a placeholder such \
         as `{{variant}}` has another value there, so a difference between the two may be real; give both the same value",
        experiment.baseline(),
        terminal::escape(cell),
    ));
}
