//! A workload under `perf stat`, for the sake of its `counters`.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

use perflab_drivers::counters;
use perflab_experiment::{Sample, Status};
use perflab_machine::resolve_in_path;

use crate::environment::Environment;
use crate::fault::Fault;
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
) -> Result<Vec<OsString>, Fault> {
    if events.is_empty() {
        return Ok(argv);
    }
    // What is not there is better reported here than by `perf`, or by what `perf` is started within.
    if !is_there(OsStr::new("perf"), environment) {
        return Err(Fault::no_run(
            "cannot start `perf`, which `counters` needs: it is in no directory of PATH; install it \
             (on Debian, the package linux-perf)",
        ));
    }
    if let Some(program) = argv.first().filter(|name| !is_there(name, environment)) {
        return Err(Fault::no_run(format!(
            "cannot start `{}`: it is in no directory of PATH; install it, or give its full path",
            program.to_string_lossy()
        )));
    }
    Ok([counters::argv(events, file, code), argv].concat())
}

/// A path is left to the system: it may be relative to the workload's directory.
fn is_there(program: &OsStr, environment: &Environment) -> bool {
    let name = program.to_string_lossy();
    let path = environment
        .get("PATH")
        .unwrap_or(OsStr::new("/usr/bin:/bin"));
    name.contains('/') || resolve_in_path(&name, path).is_some()
}

/// How the workload itself ended, where `perf` was there and ended well.
pub(super) fn exit(events: &[String], ended: &Ended, code: &Path) -> Result<Exit, Fault> {
    if events.is_empty() || ended.stopped.is_some() || ended.exit != Exit::Code(0) {
        return Ok(ended.exit);
    }
    let text = fs::read_to_string(code).unwrap_or_default();
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
