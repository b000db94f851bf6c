//! Makes a load.

use std::thread;

use crate::course::{Course, Progress};
use crate::crew::Crew;
use crate::outcome::Outcome;
use crate::plan::Plan;
use crate::problem::Problem;
use crate::worker::Shared;

/// Makes a load, and calls `progress` about once a second meanwhile.
///
/// Returns when all threads of the client have ended.
///
/// # Errors
///
/// If the plan contradicts itself, a server cannot be reached, misbehaves, or answers with errors that are not allowed.
pub fn measure(plan: &Plan, progress: &mut dyn FnMut(&Progress<'_>)) -> Result<Outcome, Problem> {
    plan.check()?;
    let shared = Shared::new(plan);
    thread::scope(|scope| {
        let crew = Crew::begin(scope, plan, &shared)?;
        let mut course = Course::new(plan, &shared, crew, progress);
        course.run()?;
        Ok(Outcome::new(plan, &course.played, &course.threads))
    })
}
