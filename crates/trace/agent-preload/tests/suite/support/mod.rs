//! Programs that are started with the agent.

pub mod agreement;
pub mod bpftrace;
pub mod cargo;
pub mod compile;
pub mod filter;
pub mod link;
pub mod made;
pub mod recorded;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use perflab_control::{Agent, traced};

/// Where the header is.
pub const HEADER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../probe/include");

/// Where the programs are.
pub fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

/// The shared object that was built with these tests.
pub fn preload() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.parent().unwrap().join("libperflab_preload.so");
    assert!(path.exists(), "{} was not built", path.display());
    path
}

/// As long as nothing takes on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(60);

/// The agent of a process.
pub fn agent_of(pid: u32) -> Agent {
    let end = Instant::now() + PATIENCE;
    loop {
        let mut found = traced().unwrap().into_iter();
        match found.find(|traced| traced.pid == pid) {
            // After an exec the former program's socket is there until the new agent takes its name.
            Some(traced) if UnixStream::connect(&traced.socket).is_ok() => {
                return Agent::at(&traced.socket).with_patience(PATIENCE);
            }
            _ if Instant::now() > end => panic!("process {pid} has no agent"),
            _ => std::thread::sleep(Duration::from_millis(10)),
        }
    }
}

/// A running program with an agent. It is killed if a test fails.
pub struct Program {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Program {
    /// Starts it.
    pub fn start(command: &mut Command) -> Self {
        Self::start_alone(command.env("LD_PRELOAD", preload()))
    }

    /// Starts it, without giving it an agent.
    pub fn start_alone(command: &mut Command) -> Self {
        let mut child = command
            .env("PERFLAB_AGENT_VERBOSE", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    /// Its number.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// One line that it prints.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line
    }

    /// Names and counts that it prints before it waits, which it says by waiting for input.
    pub fn said(&mut self) -> BTreeMap<String, u64> {
        let mut said = BTreeMap::new();
        // It prints all at once, then waits.
        loop {
            let line = self.line();
            if let Some((name, count)) = line.trim().split_once(' ') {
                said.insert(name.to_owned(), count.parse().unwrap());
            }
            if line.is_empty() || !self.says_more() {
                return said;
            }
        }
    }

    /// Whether it has printed more, or does so within a time in which a busy machine lets it go on.
    fn says_more(&self) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let output = self.output.get_ref();
        let time = Timespec {
            tv_sec: 0,
            tv_nsec: 200_000_000,
        };
        let mut entries = [PollFd::new(output, PollFlags::IN)];
        !self.output.buffer().is_empty() || poll(&mut entries, Some(&time)).unwrap() > 0
    }

    /// Writes to its input.
    pub fn tell(&mut self, text: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(text.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// Its agent.
    pub fn ask(&self) -> Agent {
        agent_of(self.pid())
    }

    /// Lets it end, and sees that it does so as it should.
    pub fn ends(mut self) {
        drop(self.input.take());
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}");
    }

    /// Kills it.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if let Ok(Some(status)) = self.child.try_wait() {
            if !status.success() {
                eprintln!("the program ended: {status}");
            }
            return;
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
