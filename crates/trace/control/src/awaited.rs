//! Waits for an event in a process.

use std::io::{ErrorKind, Read};
use std::os::unix::net::UnixStream;

use perflab_abi::{HEADER_SIZE, Header, Kind};

use crate::answer::Switched;
use crate::error::ControlError;

/// An event that an agent was asked to report. Dropping it ends that.
#[derive(Debug)]
pub struct Awaited {
    /// What was switched for it.
    pub switched: Switched,
    connection: UnixStream,
    /// What the agent has said since.
    said: Vec<u8>,
}

/// What is known of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News {
    /// It has not come yet.
    None,
    /// It has come.
    Came,
    /// The agent has gone, or says something else: it cannot come any more.
    Gone,
}

impl Awaited {
    /// On the connection by which the agent has answered, of which this was read too.
    pub(crate) fn new(
        switched: Switched,
        connection: UnixStream,
        said: Vec<u8>,
    ) -> Result<Self, ControlError> {
        connection.set_nonblocking(true)?;
        Ok(Self {
            switched,
            connection,
            said,
        })
    }

    /// Whether it has come. Does not wait.
    pub fn look(&mut self) -> News {
        let mut buffer = [0; HEADER_SIZE];
        let mut is_open = true;
        while is_open && self.said.len() < HEADER_SIZE {
            match self.connection.read(&mut buffer) {
                Ok(0) => is_open = false,
                Ok(count) => self.said.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(_) => is_open = false,
            }
        }
        let header = self.said.first_chunk().map(Header::decode);
        match header {
            Some(Ok(header)) if header.kind == Kind::Triggered => News::Came,
            None if is_open => News::None,
            _ => News::Gone,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::time::Duration;

    use super::*;

    fn pair(said: &[u8]) -> (UnixStream, Awaited) {
        let (agent, own) = UnixStream::pair().unwrap();
        let switched = Switched {
            matched: 1,
            changed: 1,
            took: Duration::ZERO,
            how: String::new(),
            filtered: Vec::new(),
        };
        (agent, Awaited::new(switched, own, said.to_vec()).unwrap())
    }

    #[test]
    fn what_an_agent_says_later() {
        let header = |kind| Header { kind, length: 0 }.encode();
        let triggered = header(Kind::Triggered);
        // In any pieces, of which the first may have come with the answer.
        for first in 0..=HEADER_SIZE {
            let (mut agent, mut awaited) = pair(&triggered[..first]);
            let is_all = first == HEADER_SIZE;
            let expected = if is_all { News::Came } else { News::None };
            assert_eq!(awaited.look(), expected);
            agent.write_all(&triggered[first..]).unwrap();
            drop(agent);
            assert_eq!(awaited.look(), News::Came);
            assert_eq!(awaited.look(), News::Came);
        }
        for other in [&header(Kind::Done)[..], &[0; HEADER_SIZE], &triggered[..3]] {
            let (mut agent, mut awaited) = pair(&[]);
            assert_eq!(awaited.look(), News::None);
            agent.write_all(other).unwrap();
            drop(agent);
            assert_eq!(awaited.look(), News::Gone);
        }
    }
}
