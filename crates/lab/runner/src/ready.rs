//! Waits until a system under test can be used.

use std::io;
use std::net::ToSocketAddrs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use regex::bytes::Regex;

use crate::host::{Endpoint, Host, Listener, Process, later};

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
    host: &dyn Host,
    check: &Check<'_>,
    process: &dyn Process,
    log: &Path,
    patience: Duration,
) -> Result<(), NotReady> {
    let deadline = later(host.now(), patience);
    let mut pause = Duration::from_millis(1);
    let mut searched = Searched::default();
    loop {
        let left = deadline.saturating_duration_since(host.now());
        let missing = match holds(host, check, process, log, &mut searched, left)? {
            // A system that says so with its last breath is not ready.
            None if process.is_alive() => return Ok(()),
            None => return Err(NotReady::Ended),
            Some(missing) => missing,
        };
        if host.is_interrupted() {
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
    host: &dyn Host,
    check: &Check<'_>,
    process: &dyn Process,
    log: &Path,
    searched: &mut Searched,
    left: Duration,
) -> Result<Option<String>, NotReady> {
    match check {
        Check::Tcp(address) => tcp(host, address, process, left),
        Check::Unix(path) => Ok(host
            .connect(Endpoint::Unix(path), left)
            .err()
            .map(|error| format!("no connection to {}: {error}", path.display()))),
        Check::Line(line) => {
            let found = searched.finds(host, line, log).unwrap_or(false);
            Ok((!found).then(|| format!("no line of its output matches `{line}`")))
        }
        Check::Probe(probe) => match probe(left) {
            Ok(true) => Ok(None),
            Ok(false) => Ok(Some("its ready command did not end with code 0".to_owned())),
            Err(error) => Err(NotReady::Impossible(error)),
        },
    }
}

/// How far a log was searched for a line.
#[derive(Debug, Default)]
struct Searched {
    bytes: u64,
    /// The line that was not complete yet.
    line: Vec<u8>,
}

impl Searched {
    /// Whether one of the lines that have come since matches; of one that never ends, the last MiB.
    fn finds(&mut self, host: &dyn Host, wanted: &Regex, log: &Path) -> io::Result<bool> {
        const LONGEST_BYTES: usize = 1 << 20;
        const PIECE_BYTES: u64 = 1 << 16;
        // No more than is there now: who writes without end must not keep the time limit from being seen.
        let there = host.length(log)?;
        while self.bytes < there {
            let piece = host.read(log, self.bytes, PIECE_BYTES.min(there - self.bytes))?;
            if piece.is_empty() {
                break;
            }
            self.bytes += piece.len() as u64;
            for part in piece.split_inclusive(|byte| *byte == b'\n') {
                let (part, ends) = match part.strip_suffix(b"\n") {
                    Some(part) => (part, true),
                    None => (part, false),
                };
                self.line.extend_from_slice(part);
                if ends && wanted.is_match(&self.line) {
                    return Ok(true);
                }
                let kept = if ends { 0 } else { LONGEST_BYTES };
                self.line.drain(..self.line.len().saturating_sub(kept));
            }
        }
        Ok(wanted.is_match(&self.line))
    }
}

fn tcp(
    host: &dyn Host,
    address: &str,
    process: &dyn Process,
    left: Duration,
) -> Result<Option<String>, NotReady> {
    let unresolved = |error: io::Error| {
        NotReady::Impossible(format!(
            "`{address}` is not an address to connect to: {error}"
        ))
    };
    let Some(target) = address.to_socket_addrs().map_err(unresolved)?.next() else {
        return Err(unresolved(io::ErrorKind::NotFound.into()));
    };
    let patience = left.clamp(Duration::from_millis(1), Duration::from_secs(1));
    if let Err(error) = host.connect(Endpoint::Tcp(target), patience) {
        return Ok(Some(format!("no connection to {address}: {error}")));
    }
    if !target.ip().is_loopback() {
        return Ok(None);
    }
    match process.listener(target.port()) {
        Listener::Ours | Listener::Unknown => Ok(None),
        Listener::Other => Err(NotReady::Taken(address.to_owned())),
        Listener::Nobody => Ok(Some(format!("{address} was listened on for a moment only"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::this_machine::ThisMachine;
    use std::fs::File;
    use std::io::Write;

    #[test]
    fn a_line_is_found_however_it_comes() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("log");
        let mut log = File::create(&path).unwrap();
        let wanted = Regex::new("^up and running$").unwrap();
        let host = ThisMachine::alone().unwrap();
        let mut searched = Searched::default();
        for (text, found) in [
            ("starting\nup and", false),
            (" run", false),
            ("ning", true),
            (" soon\n", false),
            ("up and running\nmore\n", true),
        ] {
            log.write_all(text.as_bytes()).unwrap();
            assert_eq!(
                searched.finds(&host, &wanted, &path).unwrap(),
                found,
                "{text}"
            );
        }
        log.write_all(&vec![b'x'; 5 << 20]).unwrap();
        assert!(!searched.finds(&host, &wanted, &path).unwrap());
        assert_eq!(searched.line.len(), 1 << 20);
        log.write_all(b"\nup and running\n").unwrap();
        assert!(searched.finds(&host, &wanted, &path).unwrap());
        assert!(
            !searched
                .finds(&host, &wanted, &scratch.path().join("none"))
                .unwrap_or(false)
        );
    }
}
