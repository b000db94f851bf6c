//! A connection: requests out, replies in.

use std::collections::VecDeque;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::buffer::spare_capacity;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};

use crate::reply::{Kind, Reader};

/// Bytes that are asked for at once.
const READ: usize = 64 * 1024;

/// Bytes of a reply at most. A server that sends more is not waited for, so that no memory is filled.
pub const MOST_REPLY: usize = 64 << 20;

/// A request without a reply.
#[derive(Debug, Clone, Copy)]
pub struct Pending {
    /// The number of its command.
    pub command: usize,
    /// When its latency begins, in ns of the clock.
    pub from_ns: u64,
    /// When it was given to the kernel, or was to be.
    pub sent_ns: u64,
}

/// A connection to a server.
#[derive(Debug)]
pub struct Connection {
    socket: OwnedFd,
    reader: Reader,
    /// Requests, of which the kernel has taken the first bytes.
    pub out: Vec<u8>,
    taken: usize,
    /// Bytes that have arrived, beginning with a reply.
    input: Vec<u8>,
    /// In the order in which they were written, as replies come in that order.
    pub pending: VecDeque<Pending>,
    /// Whether the loop is told when the kernel takes more.
    pub waits_for_room: bool,
    /// Replies that came.
    replies: u64,
}

/// Why a connection is of no use any more.
#[derive(Debug, PartialEq, Eq)]
pub enum Lost {
    /// The server closed it, or it broke.
    Closed { replies: u64, pending: usize },
    /// The server sent what is no reply.
    Malformed(String),
    /// A reply came without a request.
    Unasked,
    /// A reply did not end.
    Endless,
    /// The kernel refused.
    Refused(Errno),
}

impl Connection {
    /// By a socket that does not block.
    pub fn new(socket: OwnedFd, reader: Reader) -> Self {
        Self {
            socket,
            reader,
            out: Vec::new(),
            taken: 0,
            input: Vec::new(),
            pending: VecDeque::new(),
            waits_for_room: false,
            replies: 0,
        }
    }

    pub fn socket(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// Gives requests to the kernel. Returns how many bytes it took; there are more if `has_more`.
    ///
    /// # Errors
    /// If the kernel refuses. Where the server has closed the connection, the next look for replies says so, as there
    /// may be some.
    pub fn flush(&mut self) -> Result<usize, Lost> {
        let begin = self.taken;
        while self.taken < self.out.len() {
            match send(&self.socket, &self.out[self.taken..], SendFlags::NOSIGNAL) {
                Ok(bytes) => self.taken += bytes,
                Err(Errno::AGAIN) => return Ok(self.taken - begin),
                Err(Errno::INTR) => {}
                Err(Errno::PIPE | Errno::CONNRESET) => break,
                Err(error) => return Err(Lost::Refused(error)),
            }
        }
        let bytes = self.taken - begin;
        self.out.clear();
        self.taken = 0;
        Ok(bytes)
    }

    /// Whether the kernel has still to take requests.
    pub fn has_more(&self) -> bool {
        !self.out.is_empty()
    }

    /// Takes what has arrived. Returns how many bytes, 0 if nothing has.
    ///
    /// # Errors
    /// If the server has closed the connection.
    pub fn receive(&mut self) -> Result<usize, Lost> {
        self.input.reserve(READ);
        loop {
            let received = recv(
                &self.socket,
                spare_capacity(&mut self.input),
                RecvFlags::empty(),
            );
            return match received {
                Ok((_, 0)) | Err(Errno::PIPE | Errno::CONNRESET) => Err(self.closed()),
                Ok((_, bytes)) => Ok(bytes),
                Err(Errno::AGAIN) => Ok(0),
                Err(Errno::INTR) => continue,
                Err(error) => Err(Lost::Refused(error)),
            };
        }
    }

    fn closed(&self) -> Lost {
        Lost::Closed {
            replies: self.replies,
            pending: self.pending.len(),
        }
    }

    /// Hands out each reply that has arrived, with its request and its bytes. Returns how many there were.
    ///
    /// # Errors
    /// If the server did not keep to its protocol.
    pub fn replies(&mut self, mut each: impl FnMut(Pending, Kind, &[u8])) -> Result<usize, Lost> {
        let (mut begin, mut count) = (0, 0);
        while begin < self.input.len() {
            let rest = &self.input[begin..];
            let Some(reply) = self.reader.next(rest).map_err(Lost::Malformed)? else {
                break;
            };
            let pending = self.pending.pop_front().ok_or(Lost::Unasked)?;
            each(pending, reply.kind, &rest[..reply.length]);
            begin += reply.length;
            count += 1;
        }
        self.replies += count as u64;
        if begin == self.input.len() {
            self.input.clear();
        } else {
            self.input.drain(..begin);
        }
        if self.input.len() > MOST_REPLY {
            return Err(Lost::Endless);
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;

    use super::{Connection, Lost, Pending};
    use crate::reply::{Kind, Reader};
    use crate::target::Protocol;

    fn pair() -> (Connection, UnixStream) {
        let (own, other) = UnixStream::pair().expect("sockets");
        own.set_nonblocking(true).expect("a socket");
        let reader = Reader::new(Protocol::Memcached);
        (Connection::new(own.into(), reader), other)
    }

    fn ask(connection: &mut Connection, command: usize) {
        connection.pending.push_back(Pending {
            command,
            from_ns: 0,
            sent_ns: 0,
        });
    }

    #[test]
    fn replies_come_in_the_order_of_requests() {
        let (mut connection, mut server) = pair();
        assert_eq!(connection.receive(), Ok(0));
        for command in [7, 8] {
            connection.out.extend_from_slice(b"get x\r\n");
            ask(&mut connection, command);
        }
        assert_eq!((connection.flush(), connection.has_more()), (Ok(14), false));
        let mut asked = [0; 14];
        server.read_exact(&mut asked).expect("requests");
        server.write_all(b"END\r\nVALUE x 0 1\r\ny").expect("room");
        let mut seen = Vec::new();
        for bytes in [19, 7] {
            assert_eq!(connection.receive(), Ok(bytes));
            let count = connection.replies(|pending, kind, reply| {
                seen.push((pending.command, kind, reply.len()));
            });
            assert_eq!(count, Ok(1));
            // The rest of the second one.
            let _ = server.write_all(b"\r\nEND\r\n");
        }
        assert_eq!(seen, [(7, Kind::Nothing, 5), (8, Kind::Value, 21)]);
    }

    #[test]
    fn servers_that_misbehave_are_lost() {
        let (mut connection, mut server) = pair();
        server.write_all(b"END\r\n").expect("room");
        assert_eq!(connection.receive(), Ok(5));
        assert_eq!(connection.replies(|_, _, _| {}), Err(Lost::Unasked));

        let (mut connection, mut server) = pair();
        server.write_all(b"+OK\r\n").expect("room");
        ask(&mut connection, 0);
        assert_eq!(connection.receive(), Ok(5));
        let malformed = connection.replies(|_, _, _| {});
        assert_eq!(malformed, Err(Lost::Malformed("`+OK`".to_owned())));

        let (mut connection, server) = pair();
        ask(&mut connection, 0);
        drop(server);
        connection.out.extend_from_slice(b"get x\r\n");
        assert!(connection.flush().is_ok());
        let closed = Lost::Closed {
            replies: 0,
            pending: 1,
        };
        assert_eq!(connection.receive(), Err(closed));
    }

    #[test]
    fn what_the_kernel_does_not_take_stays() {
        let (mut connection, mut server) = pair();
        connection.out = vec![b'x'; 4 << 20];
        let mut sent = 0;
        let mut read = vec![0; 1 << 20];
        loop {
            sent += connection.flush().expect("an open connection");
            if !connection.has_more() {
                break;
            }
            assert!(server.read(&mut read).expect("requests") > 0);
        }
        assert_eq!(sent, 4 << 20);
    }
}
