//! Signals that stop a server.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;

use signal_hook::SigId;
use signal_hook::low_level::{pipe, unregister};

/// Signals that were asked for: each makes this readable. They are ignored once it is dropped.
#[derive(Debug)]
pub(crate) struct Signals {
    readable: UnixStream,
    registered: Vec<SigId>,
}

impl Signals {
    pub(crate) fn new(signals: &[i32]) -> io::Result<Self> {
        let (readable, writable) = UnixStream::pair()?;
        readable.set_nonblocking(true)?;
        let mut these = Self {
            readable,
            registered: Vec::new(),
        };
        for &signal in signals {
            let id = pipe::register(signal, writable.try_clone()?)?;
            these.registered.push(id);
        }
        Ok(these)
    }

    /// Whether a signal came since this was called last.
    pub(crate) fn came(&self) -> bool {
        (&self.readable)
            .read(&mut [0; 64])
            .is_ok_and(|count| count > 0)
    }

    pub(crate) fn descriptor(&self) -> &UnixStream {
        &self.readable
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        for &id in &self.registered {
            unregister(id);
        }
    }
}
