//! The file of a trace, as it is written.

use std::fs::{File, OpenOptions};
use std::io::BufWriter;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use perflab_machine::MachineFacts;
use perflab_recorder::{directories, sweep};
use perflab_trace_file::TraceWriter;

use crate::failure::{Code, Failure, is_disk_full};
use crate::terminal;

/// What dead processes left is kept for so long.
const ORPHANED_FOR: Duration = Duration::from_secs(24 * 3600);

/// A new file that nobody else may read: a trace has what the process worked on.
pub fn create(path: &Path) -> Result<TraceWriter<BufWriter<File>>, Failure> {
    sweep(&directories(), ORPHANED_FOR);
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .map_err(|error| {
            if is_disk_full(&error) {
                let text = format!("{} cannot be made: {error}", path.display());
                return Failure::disk_full(text);
            }
            let hint = if error.kind() == std::io::ErrorKind::AlreadyExists {
                ": nothing is written over; remove it, or choose another name with --output"
            } else {
                ""
            };
            Failure::usage(format!("{} cannot be made: {error}{hint}", path.display()))
        })?;
    let mut trace = TraceWriter::new(BufWriter::with_capacity(1 << 20, file));
    let machine = serde_json::to_string(&MachineFacts::take(Path::new("/")));
    let machine = machine.map_err(Failure::environment)?;
    // From now on it can be read.
    let begun = trace.machine(&machine).and_then(|()| trace.flush());
    begun.map_err(|error| {
        let _ = std::fs::remove_file(path);
        Failure::new(
            Code::NoData,
            format!("{} cannot be written: {error}", path.display()),
        )
    })?;
    Ok(trace)
}

/// That a trace could not be written to its end, with what there is of it.
pub fn with_rest(failure: &Failure, path: &Path) -> Failure {
    let path = terminal::escape(&path.to_string_lossy());
    Failure::new(
        failure.code,
        format!("{failure}; {path} has what was written before and can be read"),
    )
}

/// The trace cannot be written.
pub fn not_written(error: impl std::fmt::Display) -> Failure {
    Failure::new(Code::NoData, format!("the trace is not whole: {error}"))
}
