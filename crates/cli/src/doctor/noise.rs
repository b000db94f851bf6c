//! Measures how the speed of a CPU wanders, and shows how far that is.

use std::time::Duration;

use perflab_machine::doctor::measured::noise::{self, LEAST_TIME, MOST_TIME, Noise};
use perflab_runner::{Host, ThisMachine};

use crate::failure::Failure;
use crate::progress::counting;

/// The value of `--noise`.
pub fn time(text: &str) -> Result<Duration, String> {
    let time = perflab_experiment::parse_duration(text).map_err(|error| error.to_string())?;
    match (LEAST_TIME..=MOST_TIME).contains(&time) {
        true => Ok(time),
        false => Err(format!(
            "expected {} to {}, found {text}",
            perflab_experiment::format_duration(LEAST_TIME),
            perflab_experiment::format_duration(MOST_TIME)
        )),
    }
}

/// Measures for so long; `None` if the user asked to stop meanwhile.
pub fn measure(cpu: u32, time: Duration, machine: &ThisMachine) -> Result<Option<Noise>, Failure> {
    let before = machine.moment();
    let seconds = u32::try_from(time.as_secs()).unwrap_or(u32::MAX);
    let what = format!("doctor: noise of CPU {cpu}, seconds");
    let seen = counting(&what, seconds, |show| {
        noise::measure(cpu, time, &mut |passed| {
            show(u32::try_from(passed.as_secs()).map_or(seconds, |passed| passed.min(seconds)));
            !machine.interrupt.asked()
        })
    })
    .map_err(|error| {
        Failure::environment(format!("cannot measure the noise of CPU {cpu}: {error}"))
    })?;
    match before.until(&machine.moment()) {
        // A stop would count as an interrupt of that length.
        Some(why) => Err(Failure::environment(format!(
            "{why} while the noise of CPU {cpu} was measured; measure again"
        ))),
        None => Ok(seen),
    }
}
