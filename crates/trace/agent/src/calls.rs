//! Calls whose messages have not come as a whole yet. A peer that says nothing, or only a part, keeps no other waiting.

use std::io::{self, ErrorKind, Read};
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::{Duration, Instant};

use perflab_abi::{HEADER_SIZE, Header};

/// How long a peer may take for a message.
pub const PATIENCE: Duration = Duration::from_secs(1);

/// How many there are at one time. The oldest one whose message is not whole makes room for another.
const MOST: usize = 64;

/// A connection, and what has come of its message.
#[derive(Debug)]
pub struct Call {
    /// The connection.
    pub stream: UnixStream,
    /// The message, once it is whole: its header, and as much as that says, if it is one of this protocol.
    pub message: Vec<u8>,
    since: Instant,
}

/// Those that wait.
#[derive(Debug, Default)]
pub struct Calls(Vec<Call>);

impl Calls {
    /// Takes those that have come.
    pub fn accept(&mut self, listener: &UnixListener) {
        for _ in 0..MOST {
            if self.0.len() == MOST && !self.drop_oldest() {
                return;
            }
            let Ok((stream, _)) = listener.accept() else {
                return;
            };
            if stream.set_nonblocking(true).is_ok() {
                self.0.push(Call {
                    stream,
                    message: Vec::new(),
                    since: Instant::now(),
                });
            }
        }
    }

    /// Drops the oldest one whose message is not whole. Returns whether there was one.
    fn drop_oldest(&mut self) -> bool {
        let mut calls = self.0.iter_mut();
        let oldest = calls.position(|call| !matches!(call.is_whole(), Ok(true)));
        oldest.map(|at| self.0.remove(at)).is_some()
    }

    /// Whether messages are whole that nobody has taken.
    pub fn are_any_whole(&self) -> bool {
        self.0
            .iter()
            .any(|call| call.message.len() == call.wanted())
    }

    /// The first whose message is whole. Those that take too long for it, or have gone, lose their connection.
    pub fn take(&mut self) -> Option<Call> {
        let mut at = 0;
        while let Some(call) = self.0.get_mut(at) {
            match call.is_whole() {
                Ok(true) => return Some(self.0.remove(at)),
                Ok(false) if call.since.elapsed() < PATIENCE => at += 1,
                Ok(false) | Err(_) => drop(self.0.remove(at)),
            }
        }
        None
    }

    /// Their connections.
    pub fn streams(&self) -> impl Iterator<Item = &UnixStream> {
        self.0.iter().map(|call| &call.stream)
    }
}

impl Call {
    /// Reads what has come, and says whether that is all.
    fn is_whole(&mut self) -> io::Result<bool> {
        loop {
            let known = self.message.len();
            let wanted = self.wanted();
            if known == wanted {
                return Ok(true);
            }
            self.message.resize(wanted, 0);
            let read = self.stream.read(&mut self.message[known..]);
            self.message
                .truncate(known + read.as_ref().map_or(0, |count| *count));
            match read {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
        }
    }

    /// Bytes of the message, as far as they are known.
    fn wanted(&self) -> usize {
        let header = self.message.first_chunk::<HEADER_SIZE>();
        let header = header.and_then(|header| Header::decode(header).ok());
        HEADER_SIZE + header.map_or(0, |header| header.length as usize)
    }
}
