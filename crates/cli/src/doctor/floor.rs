//! The noise floor: a command compared with itself, in processes started as `bench` starts them.

use std::ffi::OsString;
use std::time::Duration;

use perflab_machine::doctor::measured::{NoiseFloor, spin as work, spins_in};
use perflab_runner::{Host, ThisMachine};

use crate::bench::{Itself, against_itself};
use crate::failure::Failure;

/// The first argument that turns the binary into a program that only works for a while: something
/// to measure that is on every machine and always the same.
pub const SPIN_ARGUMENT: &str = "spin";

/// Time that each run works.
const WORK: Duration = Duration::from_millis(10);

/// Runs of each side, and of each side in a block.
const RUNS: u32 = 30;
const BLOCK: u32 = 3;

/// A run that takes longer than this is stuck.
const LIMIT: Duration = Duration::from_secs(10);

/// Works as many rounds as the argument says.
pub fn spin(rounds: Option<&OsString>) {
    let rounds = rounds.and_then(|rounds| rounds.to_str()?.parse().ok());
    std::hint::black_box(work(rounds.unwrap_or(0)));
}

/// Compares the spin with itself on a CPU: about a second.
pub fn measure(cpu: u32, machine: &ThisMachine) -> Result<NoiseFloor, Failure> {
    let own = std::env::current_exe()
        .map_err(|error| Failure::environment(format!("cannot find the own program: {error}")))?;
    let rounds = spins_in(WORK);
    let argv = [
        own.into_os_string(),
        SPIN_ARGUMENT.into(),
        rounds.to_string().into(),
    ];
    let cpus = machine.cpus(&[cpu]).map_err(Failure::environment)?;
    let report = against_itself(&Itself {
        argv: &argv,
        cpus,
        runs: RUNS,
        block: BLOCK,
        timeout: LIMIT,
        machine,
    })?;
    let row = report.rows.first();
    let finite = |value: f64| value.is_finite().then_some(value);
    Ok(NoiseFloor {
        work_s: WORK.as_secs_f64(),
        runs: RUNS,
        mde: row.and_then(|row| row.mde).and_then(finite),
        difference: row.and_then(|row| finite(row.typical.difference)),
        false_alarm: row.is_some_and(|row| row.typical.verdict.is_difference()),
    })
}
