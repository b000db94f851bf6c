//! `perflab-kv load`: loads servers of key-value stores, several in turns.

mod arguments;
mod keys;
mod turns;

use std::io::{self, IsTerminal};

use perflab_load::{Outcome, Plan, Problem, Progress, measure, table};

pub use arguments::LoadArguments;
pub use turns::{is_order, take_turns};

use crate::failure::{Code, Failure};
use crate::output;

/// Executes the command.
///
/// # Errors
/// If there is no result.
pub fn load(arguments: &LoadArguments) -> Result<Option<Code>, Failure> {
    let outcome = made(&arguments.plan()?)?;
    output::print_json(&outcome)?;
    Ok(None)
}

/// Makes a load, and shows people how it goes and what came of it.
fn made(plan: &Plan) -> Result<Outcome, Failure> {
    let is_watched = io::stderr().is_terminal();
    let mut progress = |progress: &Progress<'_>| {
        if is_watched {
            output::say(&format!(
                "{}: {:.0} s, {}, {:.0} replies/s",
                progress.stage,
                progress.elapsed.as_secs_f64(),
                progress.target,
                progress.replies_per_s
            ));
        }
    };
    let outcome = measure(plan, &mut progress).map_err(failure)?;
    output::say(table(&outcome).trim_end());
    Ok(outcome)
}

fn failure(problem: Problem) -> Failure {
    match problem {
        Problem::Plan(message) => Failure::usage(message),
        Problem::Unavailable(message) => Failure::unavailable(message),
        Problem::Broken(message) => Failure::no_number(message),
        Problem::Refused(message) => Failure::no_number(format!(
            "{message}. Use --allow-errors to count errors only"
        )),
    }
}
