//! How a workload ended, and the samples in what it wrote.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::Duration;

use perflab_drivers::{Driver, Output, ReadError, Usage};
use perflab_experiment::{Sample, Status, Workload};

use crate::aside::last_line_from;
use crate::fault::{Fault, Trouble};
use crate::host::{Ended, Exit, Host};

/// Most that is read of what a workload writes to one stream, in bytes.
const MOST_OUTPUT_BYTES: u64 = 1 << 28;

/// Whether the workload ended by itself with a code that is fine. What it wrote stands in its streams from these
/// places on.
pub(super) fn well_ended(
    host: &dyn Host,
    ended: &Ended,
    workload: &Workload,
    limit: Duration,
    [stdout, stderr]: [&Path; 2],
    from: [u64; 2],
) -> Result<(), Fault> {
    let said = || match last_line_from(host, stderr, from[1]) {
        nothing if nothing.is_empty() => last_line_from(host, stdout, from[0]),
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

/// The samples in what the workload used, and wrote to its streams from these places on.
pub(super) fn read(
    host: &dyn Host,
    driver: &dyn Driver,
    args: &[String],
    ended: &Ended,
    [stdout, stderr]: [&Path; 2],
    from: [u64; 2],
) -> Result<Vec<Sample>, Trouble> {
    let mut samples = match driver.reads_output() {
        true => {
            let stdout = contents(host, stdout, from[0])?;
            let stderr = contents(host, stderr, from[1])?;
            read_by(ended, [&stdout, &stderr], |output| driver.read(output))?
        }
        false => read_by(ended, [&[], &[]], |output| driver.read(output))?,
    };
    for sample in &mut samples {
        sample.step = driver.step(&sample.metric.name, sample.value, args);
    }
    Ok(samples)
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
pub(super) fn contents(host: &dyn Host, file: &Path, from: u64) -> Result<Vec<u8>, Trouble> {
    let stream = file.file_name().unwrap_or_default().to_string_lossy();
    let lost = |error: io::Error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Trouble::from(Fault::new(
            Status::Fail,
            format!("{stream}: removed or replaced during the run: {error}"),
        )),
        ErrorKind::PermissionDenied => Trouble::from(Fault::new(
            Status::Fail,
            format!("{stream}: cannot be read: {error}; the run has changed its permissions"),
        )),
        _ => Trouble::Fatal(error),
    };
    let length = host.length(file).map_err(lost)?;
    let Some(length) = length.checked_sub(from) else {
        let detail =
            format!("{stream}: expected {from} bytes of earlier slices, found {length} bytes");
        return Err(Fault::new(Status::Fail, detail).into());
    };
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
    host.read(file, from, length).map_err(lost)
}
