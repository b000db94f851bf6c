//! Servers: their names, addresses and protocols.

use std::fmt;
use std::io;
use std::net::{TcpStream, ToSocketAddrs};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// What a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// Version 2 of Redis' protocol.
    Resp,
    /// memcached's text protocol.
    Memcached,
}

/// Where a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Address {
    /// A host with its port.
    Tcp(String),
    Unix(PathBuf),
}

/// A server that is loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The name under which the output has it.
    pub name: String,
    /// The number of its process, if its CPU time is wanted.
    pub pid: Option<u32>,
    protocol: Protocol,
    address: Address,
    text: String,
}

/// The beginnings of addresses, with what they mean.
const SCHEMES: [(&str, Protocol, Option<u16>); 4] = [
    ("redis://", Protocol::Resp, Some(6379)),
    ("unix:", Protocol::Resp, None),
    ("memcached://", Protocol::Memcached, Some(11211)),
    ("memcached-unix:", Protocol::Memcached, None),
];

impl FromStr for Target {
    type Err = String;

    /// As `NAME=redis://HOST:PORT`, `NAME=unix:PATH`, `NAME=memcached://HOST:PORT` or `NAME=memcached-unix:PATH`. The
    /// port may be missing: then it is the protocol's.
    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || {
            "expected NAME=redis://HOST:PORT, NAME=unix:PATH, NAME=memcached://HOST:PORT or \
             NAME=memcached-unix:PATH"
                .to_owned()
        };
        let (name, address) = text.split_once('=').ok_or_else(expected)?;
        let found = SCHEMES.iter().find_map(|(scheme, protocol, port)| {
            let place = address.strip_prefix(scheme)?;
            Some((place, *protocol, *port))
        });
        let (place, protocol, port) = found.ok_or_else(expected)?;
        if name.is_empty() || place.is_empty() {
            return Err(expected());
        }
        let address_of = match port {
            None => Address::Unix(place.into()),
            Some(port) => Address::Tcp(with_port(place.trim_end_matches('/'), port)),
        };
        Ok(Self {
            name: name.to_owned(),
            pid: None,
            protocol,
            address: address_of,
            text: address.to_owned(),
        })
    }
}

/// A host with a port: its own, or else this one.
fn with_port(host: &str, port: u16) -> String {
    // The colons of an address of IPv6 are within brackets.
    let behind = host.rsplit(']').next().unwrap_or(host);
    if behind.contains(':') {
        host.to_owned()
    } else {
        format!("{host}:{port}")
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}={}", self.name, self.text)
    }
}

impl Target {
    /// What it speaks.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// Its address, as it was given.
    pub fn address(&self) -> &str {
        &self.text
    }

    /// A connection that does not block.
    ///
    /// # Errors
    /// If there is no such host, or nobody listens there within this time.
    pub(crate) fn connect(&self, limit: Duration) -> io::Result<OwnedFd> {
        match &self.address {
            Address::Unix(path) => {
                let stream = UnixStream::connect(path)?;
                stream.set_nonblocking(true)?;
                Ok(stream.into())
            }
            Address::Tcp(host) => {
                let mut failed = io::Error::other("the host has no address");
                for address in host.to_socket_addrs()? {
                    match TcpStream::connect_timeout(&address, limit) {
                        Ok(stream) => {
                            stream.set_nodelay(true)?;
                            stream.set_nonblocking(true)?;
                            return Ok(stream.into());
                        }
                        Err(error) => failed = error,
                    }
                }
                Err(failed)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Address, Protocol, Target};

    #[test]
    fn addresses_say_protocol_and_place() {
        let tcp = |host: &str| Address::Tcp(host.to_owned());
        let unix = |path: &str| Address::Unix(path.into());
        for (text, protocol, address) in [
            (
                "a=redis://127.0.0.1:7000",
                Protocol::Resp,
                tcp("127.0.0.1:7000"),
            ),
            (
                "a=redis://localhost/",
                Protocol::Resp,
                tcp("localhost:6379"),
            ),
            ("a=redis://[::1]", Protocol::Resp, tcp("[::1]:6379")),
            ("a=redis://[::1]:1", Protocol::Resp, tcp("[::1]:1")),
            (
                "a=unix:/run/a=b.sock",
                Protocol::Resp,
                unix("/run/a=b.sock"),
            ),
            ("a=memcached://host", Protocol::Memcached, tcp("host:11211")),
            ("a=memcached-unix:m", Protocol::Memcached, unix("m")),
        ] {
            let target: Target = text.parse().expect(text);
            assert_eq!((target.protocol, &target.address), (protocol, &address));
            assert_eq!(
                (target.name.as_str(), target.to_string().as_str()),
                ("a", text)
            );
        }
    }

    #[test]
    fn other_addresses_are_refused() {
        for text in [
            "redis://a",
            "=redis://a",
            "a=redis://",
            "a=http://b",
            "a=b",
            "a",
            "",
        ] {
            let refused = text.parse::<Target>().expect_err(text);
            assert!(refused.contains("NAME=unix:PATH"), "{refused}");
        }
    }
}
