//! A workload under `perf stat`, for the sake of its `counters`.

use std::ffi::OsString;
use std::path::Path;

use perflab_drivers::counters;
use perflab_experiment::{Sample, Status};

use crate::environment::Environment;
use crate::fault::Fault;
use crate::host::{Ended, Exit, Host};

/// The command line that also counts `events` into `file` and leaves the exit code in `code`; the
/// same one if there are no events.
pub(super) fn argv(
    host: &dyn Host,
    events: &[String],
    file: &Path,
    code: &Path,
    argv: Vec<OsString>,
    environment: &Environment,
    directory: &Path,
) -> Result<Vec<OsString>, Fault> {
    if events.is_empty() {
        return Ok(argv);
    }
    // What is not there is better reported here than by `perf`, or by what `perf` is started within.
    for (program, purpose) in programs(&argv) {
        let program = program.to_string_lossy();
        // What has a path may be made by `prepare`.
        let by_name = !program.contains('/');
        if by_name
            && let Err(why) = host.locate(program.as_ref().as_ref(), directory, &environment.path())
        {
            return Err(Fault::no_run(format!(
                "cannot start `{program}`{purpose}: {why}"
            )));
        }
    }
    Ok([counters::argv(events, file, code), argv].concat())
}

/// What `perf stat` takes to start this command, each with what it is for.
pub(crate) fn programs(argv: &[OsString]) -> Vec<(OsString, &'static str)> {
    let perf = (OsString::from("perf"), ", which `counters` needs");
    let program = argv.first().map(|program| (program.clone(), ""));
    [perf].into_iter().chain(program).collect()
}

/// Most that is read of an exit code, in bytes.
const LONGEST_CODE_BYTES: u64 = 64;

/// How the workload itself ended, where `perf` was there and ended well.
pub(super) fn exit(
    host: &dyn Host,
    events: &[String],
    ended: &Ended,
    code: &Path,
) -> Result<Exit, Fault> {
    if events.is_empty() || ended.stopped.is_some() || ended.exit != Exit::Code(0) {
        return Ok(ended.exit);
    }
    let text = host.read(code, 0, LONGEST_CODE_BYTES).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    // The next execution must not find it.
    host.remove(code);
    match text.trim().parse::<i32>() {
        Ok(code @ 0..=128) => Ok(Exit::Code(code)),
        Ok(code @ 129..=255) => Ok(Exit::Signal(code - 128)),
        _ => Err(Fault::new(
            Status::Fail,
            format!("under `perf stat`: expected the exit code of the workload, found {text:?}"),
        )),
    }
}

/// The counts in what `perf stat` wrote.
pub(super) fn read(events: &[String], file: &[u8]) -> Result<Vec<Sample>, Fault> {
    counters::read(events, file).map_err(|error| Fault::new(Status::Fail, error.to_string()))
}
