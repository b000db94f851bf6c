//! Waits until a system under test can be used.

use std::fs;
use std::io;
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use regex::bytes::Regex;

use crate::interrupt::Interrupt;
use crate::listener::{Listener, listener};
use crate::process::{Process, later};

/// How to tell that it is ready, with every placeholder filled in.
pub(crate) enum Check<'a> {
    /// A TCP connection to this `host:port` is accepted by the system itself.
    Tcp(String),
    /// A connection to this Unix socket is accepted.
    Unix(PathBuf),
    /// A line of its output matches.
    Line(Regex),
    /// This answers "yes", as a command that ends with code 0 does.
    Probe(Box<dyn Fn(Duration) -> Result<bool, String> + 'a>),
}

/// Why it is not.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotReady {
    #[error("it ended before it was ready")]
    Ended,
    #[error("it was not ready within {0:?}: {1}")]
    TooLate(Duration, String),
    #[error(
        "{0} is listened on by a process that this laboratory did not start; is another server running?"
    )]
    Taken(String),
    #[error("{0}")]
    Impossible(String),
    #[error("the wait was interrupted")]
    Interrupted,
}

/// Longest sleep between two tries.
const SLOWEST_POLL: Duration = Duration::from_millis(20);

/// Waits until `check` holds for `process`, whose output goes to `log`.
pub(crate) fn wait(
    check: &Check<'_>,
    process: &Process<'_>,
    log: &Path,
    patience: Duration,
    interrupt: &Interrupt,
) -> Result<(), NotReady> {
    let deadline = later(Instant::now(), patience);
    let mut pause = Duration::from_millis(1);
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let missing = match holds(check, process, log, left)? {
            // A system that says so with its last breath is not ready.
            None if process.alive() => return Ok(()),
            None => return Err(NotReady::Ended),
            Some(missing) => missing,
        };
        if interrupt.asked() {
            return Err(NotReady::Interrupted);
        }
        if left.is_zero() {
            return Err(NotReady::TooLate(patience, missing));
        }
        if process.ends_within(pause.min(left)) {
            return Err(NotReady::Ended);
        }
        pause = (pause * 2).min(SLOWEST_POLL);
    }
}

/// Nothing when the check holds, else what is still missing.
fn holds(
    check: &Check<'_>,
    process: &Process<'_>,
    log: &Path,
    left: Duration,
) -> Result<Option<String>, NotReady> {
    match check {
        Check::Tcp(address) => tcp(address, process, left),
        Check::Unix(path) => Ok(UnixStream::connect(path)
            .err()
            .map(|error| format!("no connection to {}: {error}", path.display()))),
        Check::Line(line) => {
            let text = fs::read(log).unwrap_or_default();
            let found = text
                .split(|byte| *byte == b'\n')
                .any(|text| line.is_match(text));
            Ok((!found).then(|| format!("no line of its output matches `{line}`")))
        }
        Check::Probe(probe) => match probe(left) {
            Ok(true) => Ok(None),
            Ok(false) => Ok(Some("its ready command did not end with code 0".to_owned())),
            Err(error) => Err(NotReady::Impossible(error)),
        },
    }
}

fn tcp(address: &str, process: &Process<'_>, left: Duration) -> Result<Option<String>, NotReady> {
    let unresolved = |error: io::Error| {
        NotReady::Impossible(format!(
            "`{address}` is not an address to connect to: {error}"
        ))
    };
    let Some(target) = address.to_socket_addrs().map_err(unresolved)?.next() else {
        return Err(unresolved(io::ErrorKind::NotFound.into()));
    };
    let patience = left.clamp(Duration::from_millis(1), Duration::from_secs(1));
    if let Err(error) = TcpStream::connect_timeout(&target, patience) {
        return Ok(Some(format!("no connection to {address}: {error}")));
    }
    if !target.ip().is_loopback() {
        return Ok(None);
    }
    match listener(Path::new("/proc"), target.port(), process.pid()) {
        Listener::Ours | Listener::Unknown => Ok(None),
        Listener::Other => Err(NotReady::Taken(address.to_owned())),
        Listener::Nobody => Ok(Some(format!("{address} was listened on for a moment only"))),
    }
}
