//! The socket through which a process is asked about its probes.
#![expect(
    unsafe_code,
    reason = "waiting for several files has no safe wrapper, and a place is kept without a lock"
)]

use std::ffi::CString;
use std::fs;
use std::io::{self, Read};
use std::net::Shutdown;
use std::os::fd::AsRawFd;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::Path;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::time::Duration;

use perflab_abi::Kind;

use crate::agent::{agent, refreshed};
use crate::answers::{Stays, answer, send};
use crate::{directories, numbers};

/// How often the agent looks for objects that came and tracers that ask.
const PERIOD: Duration = Duration::from_millis(100);

/// The same, while events are recorded: threads that come want rings. And while filters are to be looked after.
const RECORDING: Duration = Duration::from_millis(5);

/// Of the process that bound it, with the socket's place. No lock: in the child of a fork it might stay closed for ever.
static BOUND: AtomicPtr<(u32, CString)> = AtomicPtr::new(std::ptr::null_mut());

/// A socket that is bound.
#[derive(Debug)]
pub struct Socket(UnixListener);

/// Puts something there. Returns what was there.
fn bound(new: *mut (u32, CString)) -> Option<(u32, CString)> {
    let before = BOUND.swap(new, Ordering::AcqRel);
    // SAFETY: null, or a box that was put there, and that nobody else takes.
    (!before.is_null()).then(|| unsafe { *Box::from_raw(before) })
}

/// Removes the socket at the process's end.
pub fn remove() {
    if let Some((process, path)) = bound(std::ptr::null_mut())
        && process == std::process::id()
    {
        // SAFETY: a path that ends with zero.
        unsafe { libc::unlink(path.as_ptr()) };
    }
}

impl Socket {
    /// Binds this process's socket; nothing if another agent of the process has it.
    ///
    /// # Errors
    /// When its directory is not the user's alone, or the socket cannot be made.
    pub fn bind() -> Result<Option<Self>, String> {
        let directory = directories::for_sockets()?;
        let path = directory.join(format!("{}.sock", numbers::identity()?));
        let failed = |error: io::Error| format!("{} cannot be bound: {error}", path.display());
        SocketAddr::from_pathname(&path).map_err(failed)?;
        // It gets its name when it can be called, so that nobody finds one that refuses.
        let unnamed = directory.join(format!(".{}", numbers::thread().unwrap_or(0)));
        let _ = fs::remove_file(&unnamed);
        let listener = UnixListener::bind(&unnamed).map_err(failed)?;
        let named = named(&unnamed, &path);
        let _ = fs::remove_file(&unnamed);
        if !named.map_err(failed)? {
            return Ok(None);
        }
        listener.set_nonblocking(true).map_err(failed)?;
        let text =
            CString::new(path.as_os_str().as_encoded_bytes()).map_err(|_| "a zero in a path")?;
        bound(Box::into_raw(Box::new((std::process::id(), text))));
        Ok(Some(Self(listener)))
    }

    /// Answers for as long as the process lives.
    pub fn serve(&self) {
        // Who records all events, as long as the connection is there.
        let mut recorder: Option<UnixStream> = None;
        // Who waits for an event.
        let mut waiting: Option<UnixStream> = None;
        loop {
            let is_busy =
                agent().is_some_and(|agent| agent.is_recording() || agent.has_busy_filters());
            let period = if is_busy { RECORDING } else { PERIOD };
            self.wait([recorder.as_ref(), waiting.as_ref()], period);
            let_go(&mut recorder);
            look_for_event(&mut waiting);
            if let Some(mut agent) = refreshed() {
                agent.keep_up();
                agent.look_after_recording();
                agent.look_after_filters();
            }
            if let Ok((stream, _)) = self.0.accept() {
                // It may be another recorder, which came when the first had gone.
                let_go(&mut recorder);
                look_for_event(&mut waiting);
                // A peer that misbehaves loses its connection, and nobody else anything.
                match answer(stream) {
                    Ok(Some((Stays::Records, stream))) => recorder = Some(stream),
                    Ok(Some((Stays::Waits, stream))) => waiting = Some(stream),
                    Ok(None) | Err(_) => {}
                }
            }
        }
    }

    /// Waits for a call, for others to go, or for so long.
    fn wait(&self, [recorder, waiting]: [Option<&UnixStream>; 2], period: Duration) {
        let entry = |fd| libc::pollfd {
            fd,
            events: libc::POLLIN,
            revents: 0,
        };
        // The kernel passes over -1.
        let mut entries = [
            entry(self.0.as_raw_fd()),
            entry(recorder.map_or(-1, AsRawFd::as_raw_fd)),
            entry(waiting.map_or(-1, AsRawFd::as_raw_fd)),
        ];
        // SAFETY: as many entries as is said.
        unsafe { libc::poll(entries.as_mut_ptr(), 3, period.as_millis() as libc::c_int) };
    }
}

/// Keeps events no longer for a recorder that has gone. It sees the end of its connection, and that all is there.
fn let_go(recorder: &mut Option<UnixStream>) {
    if !recorder.as_ref().is_some_and(has_gone) {
        return;
    }
    if let Some(mut agent) = refreshed() {
        agent.detach();
        agent.look_after_recording();
    }
    *recorder = None;
}

/// Tells whoever waits for an event that it has come, and forgets one who has gone.
fn look_for_event(waiting: &mut Option<UnixStream>) {
    let Some(stream) = waiting else { return };
    let has_come = agent().is_some_and(|agent| agent.has_come());
    if has_come {
        let _ = stream.set_nonblocking(false);
        let _ = send(stream, Kind::Triggered, &[]);
    }
    if has_come || has_gone(stream) {
        if let Some(mut agent) = refreshed() {
            agent.wait_no_longer();
        }
        // Also for children that have the connection.
        let _ = stream.shutdown(Shutdown::Both);
        *waiting = None;
    }
}

/// Whether the other end was closed. Nothing more is expected from it.
fn has_gone(stream: &UnixStream) -> bool {
    let _ = stream.set_nonblocking(true);
    match (&mut &*stream).read(&mut [0; 64]) {
        Ok(count) => count == 0,
        Err(error) => error.kind() != io::ErrorKind::WouldBlock,
    }
}

/// Gives a socket its name, unless another agent of the process has it.
fn named(unnamed: &Path, path: &Path) -> io::Result<bool> {
    match fs::hard_link(unnamed, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            if UnixStream::connect(path).is_ok() {
                return Ok(false);
            }
            // Left by a program that this process was before it called exec.
            fs::remove_file(path)?;
            fs::hard_link(unnamed, path)?;
            Ok(true)
        }
        other => other.map(|()| true),
    }
}
