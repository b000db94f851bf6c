//! Whose socket it is, and who answers; until when.
//!
//! A user may call a socket as they like, so its name is a claim. It is believed if
//!
//! 1. its directory belongs to the user whose rights the process has, or to root: so nobody speaks for
//!    another user's process;
//! 2. the process that listens has the number that is claimed, and did so with the rights of the
//!    directory's owner, as the kernel says of each connection (`SO_PEERCRED`).
//!
//! A process of root's that gave up its rights keeps its socket, which is why root's directory may
//! name any process.

use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, sockopt};

use crate::error::{ControlError, Untrusted};
use crate::process::{Process, State};

/// What a socket's name and place claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    /// Whose socket it is.
    pub process: Process,
    /// Whose directory it is in.
    owner: u32,
}

impl Claim {
    /// The claim of a socket.
    ///
    /// # Errors
    /// When it claims nothing, a process that has gone, or what its directory cannot.
    pub fn of(socket: &Path) -> Result<Self, ControlError> {
        let name = socket.file_name().and_then(|name| name.to_str());
        let process = name.and_then(parts).ok_or(Untrusted::Name)?;
        let directory = socket.parent().ok_or(Untrusted::Name)?;
        let owner = fs::symlink_metadata(directory)?.uid();
        if process.state() == State::Ended {
            return Err(ControlError::Gone);
        }
        let user = process.user().ok_or(ControlError::Gone)?;
        if owner != user && owner != 0 {
            let pid = process.pid;
            return Err(Untrusted::Directory { pid, user, owner }.into());
        }
        Ok(Self { process, owner })
    }

    /// A connection to the process that is claimed. It may take so long in all, with what is said.
    ///
    /// # Errors
    /// When nobody answers, or somebody else.
    pub fn connect(&self, socket: &Path, patience: Duration) -> Result<Conversation, ControlError> {
        let begin = Instant::now();
        let stream = connect(socket, Some(patience))?;
        let peer = sockopt::socket_peercred(&stream).map_err(io::Error::from)?;
        let found = peer.pid.as_raw_nonzero().get();
        self.check(u32::try_from(found).unwrap_or(0), peer.uid.as_raw())?;
        Ok(Conversation {
            stream,
            begin,
            patience,
        })
    }

    fn check(&self, found: u32, user: u32) -> Result<(), Untrusted> {
        let (pid, owner) = (self.process.pid, self.owner);
        if (found, user) == (pid, owner) {
            return Ok(());
        }
        Err(Untrusted::Peer {
            pid,
            owner,
            found,
            user,
        })
    }
}

/// The process that `PID-START.sock` claims.
fn parts(name: &str) -> Option<Process> {
    Process::named(name.strip_suffix(".sock")?)
}

/// Whether nobody listens at a socket any more.
pub fn is_dead(socket: &Path) -> bool {
    let result = connect(socket, None);
    result.is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}

/// Connects, or waits so long where many wait already; without a time it does not wait.
fn connect(socket: &Path, patience: Option<Duration>) -> io::Result<UnixStream> {
    let mut flags = SocketFlags::CLOEXEC;
    flags.set(SocketFlags::NONBLOCK, patience.is_none());
    let stream = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    if patience.is_some() {
        sockopt::set_socket_timeout(&stream, sockopt::Timeout::Send, patience)?;
    }
    let address = SocketAddrUnix::new(socket)?;
    rustix::io::retry_on_intr(|| rustix::net::connect(&stream, &address))?;
    Ok(stream.into())
}

/// A connection that ends at a moment, whatever the other side does.
#[derive(Debug)]
pub struct Conversation {
    stream: UnixStream,
    begin: Instant,
    patience: Duration,
}

impl Conversation {
    /// The connection, without a limit.
    pub fn into_inner(self) -> UnixStream {
        self.stream
    }

    /// The time that is left. Of a socket it must not be zero, which were for ever.
    fn left(&self) -> io::Result<Option<Duration>> {
        let left = self.patience.saturating_sub(self.begin.elapsed());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(Some(left))
    }
}

impl Read for Conversation {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(buffer)
    }
}

impl Write for Conversation {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::tests::own;

    #[test]
    fn names() {
        let process = Process { pid: 12, start: 34 };
        assert_eq!(parts("12-34.sock"), Some(process));
        for name in ["12.sock", "12-34", "a-1.sock", "1-b.sock", "-.sock"] {
            assert_eq!(parts(name), None, "{name}");
        }
    }

    #[test]
    fn who_may_answer() {
        let claim = Claim {
            process: own(),
            owner: 1000,
        };
        let pid = claim.process.pid;
        assert_eq!(claim.check(pid, 1000), Ok(()));
        // Root has a directory of its own.
        for (found, user) in [(pid + 1, 1000), (pid, 1001), (pid, 0), (0, 1000)] {
            let error = claim.check(found, user).unwrap_err().to_string();
            let expected = format!(
                "process {found} of user {user} answers, instead of process {pid} of user 1000"
            );
            assert_eq!(error, expected);
        }
    }
}
