//! Where a server listens.

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::Duration;

use rustix::io;
use rustix::net::sockopt;
use rustix::net::{AddressFamily, SocketFlags, SocketType};

use crate::about::Peer;
use crate::failure::OpenError;
use crate::unix::SocketFile;

/// So many connections may wait to be accepted, unless the kernel allows fewer (net.core.somaxconn).
pub(crate) const BACKLOG: i32 = 511;

pub(crate) const SOCKET_FLAGS: SocketFlags = SocketFlags::CLOEXEC.union(SocketFlags::NONBLOCK);

/// Where a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listen {
    /// At this address. With port 0 the kernel chooses the port.
    Tcp(SocketAddr),
    /// At a Unix socket.
    Unix {
        /// Its file. One that a dead server left behind is replaced, and it is removed when the server stops.
        path: PathBuf,
        /// Who may connect: those who may write to the file.
        mode: u32,
    },
}

impl Listen {
    /// At a port of 127.0.0.1, where only this machine connects.
    pub fn loopback(port: u16) -> Self {
        Self::Tcp((Ipv4Addr::LOCALHOST, port).into())
    }

    /// At a Unix socket to which only this user may connect: with mode 0600.
    pub fn unix(path: impl Into<PathBuf>) -> Self {
        Self::Unix {
            path: path.into(),
            mode: 0o600,
        }
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix { path, .. } => path.display().fmt(f),
        }
    }
}

/// A socket that listens.
#[derive(Debug)]
pub(crate) struct Listener {
    pub(crate) socket: OwnedFd,
    /// Where it listens, with the port that the kernel chose.
    pub(crate) at: Listen,
    /// Removed when the listener is dropped.
    _file: Option<SocketFile>,
}

impl Listener {
    pub(crate) fn open(at: &Listen, keepalive: Option<Duration>) -> Result<Self, OpenError> {
        match at {
            Listen::Tcp(address) => {
                let (socket, address) =
                    listen_tcp(*address, keepalive).map_err(|error| OpenError::Listen {
                        at: at.to_string(),
                        error: error.into(),
                    })?;
                Ok(Self {
                    socket,
                    at: Listen::Tcp(address),
                    _file: None,
                })
            }
            Listen::Unix { path, mode } => {
                let (socket, file) = SocketFile::listen(path, *mode)?;
                Ok(Self {
                    socket,
                    at: at.clone(),
                    _file: Some(file),
                })
            }
        }
    }

    /// The next connection that waits, ready to be read without blocking.
    pub(crate) fn accept(&self) -> io::Result<(OwnedFd, Peer)> {
        let (socket, address) = rustix::net::acceptfrom_with(&self.socket, SOCKET_FLAGS)?;
        let peer = address
            .and_then(|address| SocketAddr::try_from(address).ok())
            .map_or(Peer::Unix, Peer::Tcp);
        Ok((socket, peer))
    }
}

/// Listens at an address. The kernel gives the options of the socket to those that it accepts.
fn listen_tcp(
    address: SocketAddr,
    keepalive: Option<Duration>,
) -> io::Result<(OwnedFd, SocketAddr)> {
    let family = match address {
        SocketAddr::V4(_) => AddressFamily::INET,
        SocketAddr::V6(_) => AddressFamily::INET6,
    };
    let socket = rustix::net::socket_with(family, SocketType::STREAM, SOCKET_FLAGS, None)?;
    sockopt::set_socket_reuseaddr(&socket, true)?;
    if address.is_ipv6() {
        // So that a server can listen at the same port of all addresses of both families.
        sockopt::set_ipv6_v6only(&socket, true)?;
    }
    sockopt::set_tcp_nodelay(&socket, true)?;
    if let Some(silent) = keepalive {
        let second = Duration::from_secs(1);
        sockopt::set_socket_keepalive(&socket, true)?;
        sockopt::set_tcp_keepidle(&socket, silent.max(second))?;
        sockopt::set_tcp_keepintvl(&socket, (silent / 3).max(second))?;
        sockopt::set_tcp_keepcnt(&socket, 3)?;
    }
    rustix::net::bind(&socket, &address)?;
    rustix::net::listen(&socket, BACKLOG)?;
    let address = SocketAddr::try_from(rustix::net::getsockname(&socket)?)?;
    Ok((socket, address))
}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;

    use super::*;

    #[test]
    fn accepted_connections_have_the_options_of_the_listener() {
        let keepalive = Duration::from_secs(300);
        let listener = Listener::open(&Listen::loopback(0), Some(keepalive)).unwrap();
        let Listen::Tcp(address) = listener.at else {
            panic!("it listens at {}", listener.at);
        };
        let client = TcpStream::connect(address).unwrap();
        let (socket, peer) = listener.accept().unwrap();
        assert_eq!(peer, Peer::Tcp(client.local_addr().unwrap()));
        assert!(sockopt::tcp_nodelay(&socket).unwrap());
        assert!(sockopt::socket_keepalive(&socket).unwrap());
        assert_eq!(sockopt::tcp_keepidle(&socket).unwrap(), keepalive);
        assert_eq!(sockopt::tcp_keepintvl(&socket).unwrap(), keepalive / 3);
        assert_eq!(sockopt::tcp_keepcnt(&socket).unwrap(), 3);
        let mut none = [0; 1];
        let read = rustix::net::recv(&socket, &mut none, rustix::net::RecvFlags::empty());
        assert_eq!(read.map(|(count, _)| count), Err(io::Errno::AGAIN));
    }

    #[test]
    fn a_port_that_is_taken_is_named() {
        let first = Listener::open(&Listen::loopback(0), None).unwrap();
        let second = Listener::open(&first.at, None).unwrap_err();
        assert!(second.to_string().contains(&first.at.to_string()));
    }

    #[test]
    fn both_families_can_have_one_port() {
        let first = Listener::open(&Listen::Tcp(([0, 0, 0, 0], 0).into()), None).unwrap();
        let Listen::Tcp(address) = first.at else {
            panic!("it listens at {}", first.at);
        };
        let all = Listen::Tcp((std::net::Ipv6Addr::UNSPECIFIED, address.port()).into());
        let second = Listener::open(&all, None).unwrap();
        assert_eq!(second.at, all);
    }
}
