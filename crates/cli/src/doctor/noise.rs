//! Measures how the speed of a CPU wanders, and shows how far that is.

use std::io;
use std::time::Duration;

use perflab_machine::doctor::Finding;
use perflab_machine::doctor::measured::Measured;
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

/// Measures the first of these CPUs, and the next one that is of another core if there is such, at the same time, as
/// variants at once would use them. Nothing where there is one CPU, or where `time` is too short to tell how variants do
/// in turns.
pub fn at_once(
    measured: &[Measured],
    time: Duration,
    machine: &ThisMachine,
) -> Result<Option<Finding>, Failure> {
    let cores = machine.cores().map_err(Failure::environment)?;
    let core_of = |of: &Measured| cores.iter().position(|core| core.contains(&of.cpu));
    let [first, others @ ..] = measured else {
        return Ok(None);
    };
    let of_another = others.iter().find(|of| core_of(of) != core_of(first));
    let Some(second) = of_another.or(others.first()) else {
        return Ok(None);
    };
    let wall = first.noise.as_ref().map(|noise| &noise.wall);
    let in_turns = wall.and_then(|wall| {
        let mut slices = wall.slices.iter();
        slices.find(|slices| Some(slices.slice_s) == wall.best_slice_s)
    });
    let Some(in_turns) = in_turns else {
        return Ok(None);
    };
    let cpus = [first.cpu, second.cpu];
    let what = format!("CPUs {} and {} at once", cpus[0], cpus[1]);
    let seen = watched(&what, time, machine, |watch| {
        noise::measure_at_once(cpus, time, watch)
    })?;
    Ok(seen.map(|seen| noise::judge_at_once(&seen, in_turns.sd_with_switches)))
}

/// Measures for so long; `None` if the user asked to stop meanwhile.
pub fn measure(cpu: u32, time: Duration, machine: &ThisMachine) -> Result<Option<Noise>, Failure> {
    watched(&format!("CPU {cpu}"), time, machine, |watch| {
        noise::measure(cpu, time, watch)
    })
}

/// Shows how far a measurement of the noise is.
fn watched<T>(
    of: &str,
    time: Duration,
    machine: &ThisMachine,
    measure: impl FnOnce(&mut dyn FnMut(Duration) -> bool) -> io::Result<Option<T>>,
) -> Result<Option<T>, Failure> {
    let before = machine.moment();
    let seconds = u32::try_from(time.as_secs()).unwrap_or(u32::MAX);
    let what = format!("doctor: noise of {of}, seconds");
    let seen = counting(&what, seconds, |show| {
        measure(&mut |passed| {
            show(u32::try_from(passed.as_secs()).map_or(seconds, |passed| passed.min(seconds)));
            !machine.interrupt.asked()
        })
    })
    .map_err(|error| Failure::environment(format!("cannot measure the noise of {of}: {error}")))?;
    match before.until(&machine.moment()) {
        // A stop would count as an interrupt of that length.
        Some(why) => Err(Failure::environment(format!(
            "{why} while the noise of {of} was measured; measure again"
        ))),
        None => Ok(seen),
    }
}
