//! A Redis of a test's own, behind a Unix socket.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use perflab_resp::{Value, ValueLimits};
use perflab_testing::needs;
use tempfile::TempDir;

use crate::random::request;

/// The password, where one is asked for.
pub const PASSWORD: &str = "secret";

/// How long Redis may take to start.
const START: Duration = Duration::from_secs(20);

pub struct Redis {
    process: Child,
    socket: PathBuf,
    /// A connection by which is known that Redis has done what it had to do.
    control: UnixStream,
    _directory: TempDir,
}

/// What a connection gets.
pub struct Heard {
    pub bytes: Vec<u8>,
    pub is_closed: bool,
}

impl Redis {
    /// Starts one without a password.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts one that wants [`PASSWORD`] first.
    pub fn start_with_password() -> Self {
        let mut redis = Self::start_with(&["--requirepass", PASSWORD]);
        let asked = request(&[b"AUTH", PASSWORD.as_bytes()]);
        assert_eq!(redis.control(&asked, 1), [Value::Simple(b"OK".to_vec())]);
        redis
    }

    fn start_with(arguments: &[&str]) -> Self {
        needs("redis-server", "redis-server");
        let directory = tempfile::tempdir().unwrap();
        let socket = directory.path().join("socket");
        let log = directory.path().join("log");
        let mut process = Command::new("redis-server")
            .args(["--port", "0", "--save", "", "--appendonly", "no"])
            // Sets keep their scores as numbers, not as texts.
            .args(["--zset-max-listpack-entries", "0"])
            .arg("--unixsocket")
            .arg(&socket)
            .arg("--logfile")
            .arg(&log)
            .arg("--dir")
            .arg(directory.path())
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let begin = Instant::now();
        let control = loop {
            if let Ok(control) = UnixStream::connect(&socket) {
                break control;
            }
            let has_ended = process.try_wait().unwrap().is_some();
            if has_ended || begin.elapsed() > START {
                let _ = process.kill();
                let said = std::fs::read_to_string(&log).unwrap_or_default();
                panic!("redis-server does not start:\n{said}");
            }
            thread::sleep(Duration::from_millis(5));
        };
        control.set_read_timeout(Some(START)).unwrap();
        Self {
            process,
            socket,
            control,
            _directory: directory,
        }
    }

    /// Sends bytes by a connection that is open all the time, and returns so many replies.
    pub fn control(&mut self, input: &[u8], replies: usize) -> Vec<Value> {
        self.control.write_all(input).unwrap();
        let mut heard = Vec::new();
        let mut values = Vec::new();
        let mut read = 0;
        let mut buffer = [0; 64 * 1024];
        loop {
            while let Some((value, length)) =
                Value::read(&heard[read..], &ValueLimits::default()).unwrap()
            {
                values.push(value);
                read += length;
            }
            if values.len() >= replies {
                assert_eq!((values.len(), read), (replies, heard.len()));
                return values;
            }
            let length = self.control.read(&mut buffer).unwrap();
            assert!(length > 0, "Redis closed the connection of the test");
            heard.extend_from_slice(&buffer[..length]);
        }
    }

    /// Sends bytes by a new connection, and returns what Redis has answered when it waits for more.
    pub fn ask(&mut self, input: &[u8]) -> Heard {
        let mut connection = UnixStream::connect(&self.socket).unwrap();
        // Redis closes the connection before it has read everything, where it finds an error.
        let sent = connection.write_all(input);
        if let Err(error) = sent {
            assert!(
                matches!(
                    error.kind(),
                    ErrorKind::BrokenPipe | ErrorKind::ConnectionReset
                ),
                "{error}"
            );
        }
        // Redis goes through all connections that have something in turns, and reads 16 KiB of each at once. It answers
        // one turn later, and closes after that. A reply to the other connection ends at least one turn.
        for _ in 0..input.len() / (16 * 1024) + 8 {
            self.control(b"*1\r\n$4\r\nPING\r\n", 1);
        }
        connection.set_nonblocking(true).unwrap();
        let mut heard = Heard {
            bytes: Vec::new(),
            is_closed: false,
        };
        let mut buffer = [0; 64 * 1024];
        loop {
            match connection.read(&mut buffer) {
                Ok(0) => heard.is_closed = true,
                Ok(length) => {
                    heard.bytes.extend_from_slice(&buffer[..length]);
                    continue;
                }
                Err(error) if error.kind() == ErrorKind::ConnectionReset => heard.is_closed = true,
                Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock, "{error}"),
            }
            return heard;
        }
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
