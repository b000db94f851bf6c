//! A workload under `perf stat`, for the sake of its `counters`.

use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::path::Path;

use perflab_drivers::counters;
use perflab_experiment::{Sample, Status};

use crate::environment::Environment;
use crate::fault::Fault;
use crate::kept::open_own;
use crate::locate::locate;
use crate::process::Ended;
use crate::sys::Exit;

/// The command line that also counts `events` into `file` and leaves the exit code in `code`; the
/// same one if there are no events.
pub(super) fn argv(
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
            && let Err(why) = locate(program.as_ref().as_ref(), directory, &environment.path())
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

/// How the workload itself ended, where `perf` was there and ended well.
pub(super) fn exit(events: &[String], ended: &Ended, code: &Path) -> Result<Exit, Fault> {
    if events.is_empty() || ended.stopped.is_some() || ended.exit != Exit::Code(0) {
        return Ok(ended.exit);
    }
    let mut text = String::new();
    let _none = open_own(code).and_then(|mut file| file.read_to_string(&mut text));
    // The next execution must not find it.
    let _ = fs::remove_file(code);
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
