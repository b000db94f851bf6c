//! How a workload ended, and the samples in what it wrote.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use perflab_drivers::{Driver, Evidence, Numbers, Output, ReadError, Usage};
use perflab_experiment::{Sample, Status, Workload};

use crate::aside::last_line;
use crate::fault::{Fault, Trouble};
use crate::host::{Ended, Exit, Host};

/// Most that is read of what a workload writes to one stream, in bytes.
const MOST_OUTPUT_BYTES: u64 = 1 << 28;

/// The files that hold what a workload writes.
pub(super) const STREAMS: [&str; 2] = ["stdout", "stderr"];

/// What the names of those end with that hold what a single slice writes.
const OF_SLICE: &str = ".slice";

/// The file that holds what a single slice writes to a stream, before it is added to that of the run.
pub(super) fn slice_file(logs: &Path, stream: &str) -> PathBuf {
    logs.join(format!("{stream}{OF_SLICE}"))
}

/// Whether the workload ended by itself with a code that is fine.
pub(super) fn well_ended(
    host: &dyn Host,
    ended: &Ended,
    workload: &Workload,
    limit: Duration,
    [stdout, stderr]: [&Path; 2],
) -> Result<(), Fault> {
    let said = || match last_line(host, stderr) {
        nothing if nothing.is_empty() => last_line(host, stdout),
        said => said,
    };
    match (ended.stopped, ended.exit) {
        (Some(_), _) => Err(Fault::new(
            Status::Timeout,
            format!(
                "the workload took longer than {limit:?}{}{}",
                match ended.exit {
                    Exit::Signal(_) => " and was killed",
                    Exit::Code(_) => "",
                },
                said()
            ),
        )),
        (None, Exit::Code(code))
            if workload
                .exit_codes
                .iter()
                .any(|fine| i32::from(*fine) == code) =>
        {
            Ok(())
        }
        (None, exit) => {
            let status = match exit {
                Exit::Code(_) => Status::Exit,
                Exit::Signal(_) => Status::Signal,
            };
            Err(Fault::new(status, format!("the workload {exit}{}", said())))
        }
    }
}

/// The samples in what the workload used, and wrote to its streams.
pub(super) fn read(
    host: &dyn Host,
    driver: &dyn Driver,
    args: &[String],
    ended: &Ended,
    [stdout, stderr]: [&Path; 2],
) -> Result<Vec<Sample>, Trouble> {
    let mut samples = match driver.reads_output() {
        true => {
            let stdout = contents(host, stdout)?;
            let stderr = contents(host, stderr)?;
            read_by(ended, [&stdout, &stderr], |output| driver.read(output))?
        }
        false => read_by(ended, [&[], &[]], |output| driver.read(output))?,
    };
    for sample in &mut samples {
        sample.step = driver.step(&sample.metric.name, sample.value, args);
    }
    Ok(samples)
}

/// The evidence in what the workload wrote to its streams.
pub(super) fn read_evidence(
    host: &dyn Host,
    evidence: &Evidence,
    ended: &Ended,
    [stdout, stderr]: [&Path; 2],
) -> Result<Numbers, Trouble> {
    if evidence.is_empty() {
        return Ok(Numbers::new());
    }
    let stdout = contents(host, stdout)?;
    let stderr = contents(host, stderr)?;
    Ok(read_by(ended, [&stdout, &stderr], |output| {
        evidence.read(output)
    })?)
}

/// What a reader finds in the output of a process.
pub(super) fn read_by<T>(
    ended: &Ended,
    [stdout, stderr]: [&[u8]; 2],
    read: impl FnOnce(&Output<'_>) -> Result<T, ReadError>,
) -> Result<T, Fault> {
    let output = Output {
        stdout,
        stderr,
        usage: Usage {
            wall_s: ended.wall.as_secs_f64(),
            user_s: ended.usage.user.as_secs_f64(),
            system_s: ended.usage.system.as_secs_f64(),
            max_rss_bytes: ended.usage.max_rss_bytes,
            exit_code: match ended.exit {
                Exit::Code(code) => code,
                Exit::Signal(signal) => 128 + signal,
            },
        },
    };
    read(&output).map_err(|error| {
        let detail = format!("{error}{}", output.quoted(error.place));
        Fault::new(Status::Fail, detail)
    })
}

/// What a stream was captured in, as far as it can be held in memory.
pub(super) fn contents(host: &dyn Host, file: &Path) -> Result<Vec<u8>, Trouble> {
    let length = host.length(file).map_err(|error| lost(file, error))?;
    let stream = name(file);
    if length > MOST_OUTPUT_BYTES {
        return Err(Fault::new(
            Status::Fail,
            format!(
                "{stream}: expected at most {MOST_OUTPUT_BYTES} bytes, found {length} bytes; let the \
                 workload say less, or send what is not needed to /dev/null"
            ),
        )
        .into());
    }
    host.read(file, 0, length)
        .map_err(|error| lost(file, error))
}

/// Why what a stream was captured in cannot be had: a fault of the run that has removed or replaced it, or of the disk.
pub(super) fn lost(file: &Path, error: io::Error) -> Trouble {
    let stream = name(file);
    let detail = match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory => {
            format!("{stream}: removed or replaced during the run: {error}")
        }
        ErrorKind::PermissionDenied => {
            format!("{stream}: cannot be read: {error}; the run has changed its permissions")
        }
        _ => return Trouble::Fatal(error),
    };
    Fault::new(Status::Fail, detail).into()
}

/// The stream that a file holds.
fn name(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.trim_end_matches(OF_SLICE).to_owned()
}
