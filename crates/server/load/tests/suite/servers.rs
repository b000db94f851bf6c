//! Servers for a test: each has a directory and a port of its own, and ends with the test.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use perflab_testing::{not_checked, test_name};
use tempfile::TempDir;

/// Time for a server to begin.
const LIMIT: Duration = Duration::from_secs(10);

/// A server.
pub struct Server {
    process: Child,
    directory: TempDir,
    port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Server {
    /// Redis, on a Unix socket and on a port. None where it is missing, which is written down.
    #[track_caller]
    pub fn redis() -> Option<Self> {
        let server = Self::start("redis-server", |command, directory, port| {
            command.args(["--bind", "127.0.0.1", "--port", &port.to_string()]);
            command.arg("--dir").arg(directory.path());
            command
                .arg("--unixsocket")
                .arg(directory.path().join("socket"));
            command.args(["--save", "", "--appendonly", "no"]);
        })?;
        server.begun(|server| {
            let mut stream = UnixStream::connect(server.directory.path().join("socket")).ok()?;
            stream.write_all(b"PING\r\n").ok()?;
            let mut answer = [0; 7];
            stream.read_exact(&mut answer).ok()?;
            (&answer == b"+PONG\r\n").then_some(())
        });
        Some(server)
    }

    /// memcached, on a port. None where it is missing, which is written down.
    #[track_caller]
    pub fn memcached() -> Option<Self> {
        let server = Self::start("memcached", |command, _, port| {
            command.args([
                "-l",
                "127.0.0.1",
                "-p",
                &port.to_string(),
                "-U",
                "0",
                "-t",
                "1",
            ]);
            // It refuses to be root without being told so.
            command.args(["-u", "root"]);
        })?;
        server.begun(|server| server.connect().map(drop));
        Some(server)
    }

    #[track_caller]
    fn start(program: &str, arguments: impl FnOnce(&mut Command, &TempDir, u16)) -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let mut command = Command::new(program);
        arguments(&mut command, &directory, port);
        let command = command.stdout(Stdio::null()).stderr(Stdio::null());
        match command.spawn() {
            Ok(process) => Some(Self {
                process,
                directory,
                port,
            }),
            Err(error) => {
                not_checked(&test_name(), &format!("{program}: {error}"));
                None
            }
        }
    }

    /// Waits until it answers.
    fn begun(&self, answers: impl Fn(&Self) -> Option<()>) {
        let begin = Instant::now();
        while answers(self).is_none() {
            assert!(begin.elapsed() < LIMIT, "the server does not answer");
            sleep(Duration::from_millis(5));
        }
    }

    fn connect(&self) -> Option<TcpStream> {
        TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).ok()
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// As a target, by its Unix socket.
    pub fn unix(&self, name: &str) -> String {
        format!("{name}=unix:{}/socket", self.directory.path().display())
    }

    /// As a target, by its port.
    pub fn tcp(&self, name: &str, scheme: &str) -> String {
        format!("{name}={scheme}://127.0.0.1:{}", self.port)
    }

    /// The answer to a line: all until an end.
    pub fn ask(&self, line: &str, end: &str) -> String {
        let mut stream = self.connect().unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        stream.write_all(format!("{line}\r\n").as_bytes()).unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(end.as_bytes()) {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            answer.extend(byte);
        }
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// How often Redis has executed a command, by its own count.
    pub fn calls(&self, command: &str) -> u64 {
        let statistics = self.ask("INFO commandstats", "\r\n\r\n");
        let line = statistics
            .lines()
            .find_map(|line| line.strip_prefix(&format!("cmdstat_{command}:calls=")));
        let count = line.and_then(|line| line.split(',').next());
        count.map_or(0, |count| count.parse().unwrap())
    }

    /// The integer with which Redis answers.
    pub fn integer(&self, line: &str) -> u64 {
        let answer = self.ask(line, "\r\n");
        answer.trim().trim_start_matches(':').parse().unwrap()
    }

    /// One of memcached's statistics.
    pub fn statistic(&self, name: &str) -> u64 {
        let statistics = self.ask("stats", "END\r\n");
        let line = statistics
            .lines()
            .find_map(|line| line.strip_prefix(&format!("STAT {name} ")));
        line.unwrap().parse().unwrap()
    }
}
