//! A laboratory in a directory of its own, what it says, and what it leaves behind.

mod processes;

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

pub use processes::{processes, signal};

/// Longest that anything here is waited for.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A directory with experiments and results, and a machine lock of its own.
pub struct Laboratory {
    directory: TempDir,
}

impl Laboratory {
    pub fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("tmp")).unwrap();
        Self { directory }
    }

    /// A file or directory in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// Writes a shell script that can be executed.
    pub fn program(&self, name: &str, script: &str) {
        let path = self.write(name, format!("#!/bin/sh\n{script}"));
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Reads a file; one that is not there is empty.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// The binary under test, in this directory and with this directory's lock.
    pub fn perflab<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_perflab"));
        command
            .args(arguments)
            .current_dir(self.directory.path())
            .env("PERFLAB_LOCK", self.path("lock"))
            .env("TMPDIR", self.path("tmp"))
            .env_remove("NO_COLOR")
            .env_remove("COLUMNS")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Executes the binary to its end.
    pub fn call<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Said {
        self.perflab(arguments).output().unwrap().into()
    }

    /// Calls the binary in a directory below this one.
    pub fn call_in<S: AsRef<OsStr>>(&self, directory: &str, arguments: &[S]) -> Said {
        let mut command = self.perflab(arguments);
        command.current_dir(self.path(directory));
        command.output().unwrap().into()
    }

    /// Starts the binary.
    pub fn start<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Running {
        Running(Some(self.perflab(arguments).spawn().unwrap()))
    }

    /// Starts the binary with so many file descriptors at most.
    pub fn start_with_descriptors(&self, most: u32, arguments: &[&str]) -> Running {
        let shell = format!("ulimit -n {most}; exec \"$0\" \"$@\"");
        let mut command = Command::new("sh");
        command
            .args(["-c", &shell, env!("CARGO_BIN_EXE_perflab")])
            .args(arguments)
            .current_dir(self.directory.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Running(Some(command.spawn().unwrap()))
    }

    /// Starts the binary as a shell does, as the leader of a group that a terminal's Ctrl-C goes to.
    pub fn start_as_group<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Running {
        let mut command = self.perflab(arguments);
        Running(Some(command.process_group(0).spawn().unwrap()))
    }

    /// Writes an experiment to `exp.toml` and runs it into `result`.
    pub fn run(&self, experiment: &str) -> Said {
        self.write("exp.toml", experiment);
        self.call(&RUN)
    }

    /// Goes on with the experiment in `exp.toml`.
    pub fn resume(&self) -> Said {
        self.call(&[&RUN[..], &["--resume"]].concat())
    }

    /// The records of `result`, in order.
    pub fn records(&self) -> Vec<Value> {
        let text = self.read("result/runs.jsonl");
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The one record of `result`.
    #[track_caller]
    pub fn record(&self) -> Value {
        let mut records = self.records();
        assert_eq!(records.len(), 1, "{records:#?}");
        records.remove(0)
    }

    /// Checks that `result` has every planned run exactly once, and that all passed.
    #[track_caller]
    pub fn assert_complete(&self, runs: usize) {
        let records = self.records();
        let mut numbers: Vec<u64> = records
            .iter()
            .map(|record| record["run"].as_u64().unwrap())
            .collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (1..=runs as u64).collect::<Vec<_>>());
        for record in &records {
            assert_eq!(record["status"], "PASS", "{record:#}");
        }
    }

    /// Checks that no process is left that has to do with this directory.
    #[track_caller]
    pub fn assert_nothing_runs(&self) {
        let left = processes(self.directory.path().to_str().unwrap());
        assert!(left.is_empty(), "still running: {left:#?}");
    }

    /// Waits until no process is left that has to do with this directory.
    #[track_caller]
    pub fn await_nothing_runs(&self) {
        let word = self.directory.path().to_str().unwrap();
        wait_until("the processes to end", || processes(word).is_empty());
    }

    /// Waits until a file is there.
    #[track_caller]
    pub fn await_file(&self, name: &str) {
        let path = self.path(name);
        wait_until(name, || path.exists());
    }
}

/// What [`Laboratory::run`] executes.
pub const RUN: [&str; 4] = ["run", "exp.toml", "--out", "result"];

/// What the binary said, and how it ended.
#[derive(Debug)]
pub struct Said {
    /// Exit code, -1 where a signal ended it.
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Said {
    /// Checks the exit code.
    #[track_caller]
    pub fn code(self, code: i32) -> Self {
        assert_eq!(
            self.code, code,
            "\n--- stdout\n{}\n--- stderr\n{}",
            self.out, self.err
        );
        self
    }

    /// Checks that the message on standard error has all these words.
    #[track_caller]
    pub fn says(self, words: &[&str]) -> Self {
        for word in words {
            assert!(self.err.contains(word), "`{word}` is not in:\n{}", self.err);
        }
        self
    }

    /// Checks that standard output has all these words. A paragraph may be broken between them.
    #[track_caller]
    pub fn prints(self, words: &[&str]) -> Self {
        let unbroken = self.out.replace("\n  ", " ");
        for word in words {
            let is_there = self.out.contains(word) || unbroken.contains(word);
            assert!(is_there, "`{word}` is not in:\n{}", self.out);
        }
        self
    }

    /// Standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap()
    }
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self {
            code: output.status.code().unwrap_or(-1),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }
}

/// The binary while it runs. A test that fails takes it along.
pub struct Running(Option<Child>);

impl Running {
    pub fn pid(&self) -> u32 {
        self.0.as_ref().unwrap().id()
    }

    /// The first line of its output; the rest is dropped.
    pub fn first_line(&mut self) -> String {
        let output = self.0.as_mut().unwrap().stdout.take().unwrap();
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    pub fn is_running(&mut self) -> bool {
        self.0.as_mut().unwrap().try_wait().unwrap().is_none()
    }

    pub fn end(mut self) -> Said {
        self.0.take().unwrap().wait_with_output().unwrap().into()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Checks how a run ended, and that what is told of it has all these words. One that failed has no samples.
#[track_caller]
pub fn assert_detail(record: &Value, status: &str, words: &[&str]) {
    assert_eq!(record["status"], status, "{record:#}");
    let detail = record["detail"].as_str().unwrap();
    for word in words {
        assert!(detail.contains(word), "`{word}` is not in {detail}");
    }
    assert_eq!(record["samples"], Value::Array(Vec::new()));
}

/// Copies a directory with all below it.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(fs::copy(entry.path(), to).unwrap()),
        }
    }
}

/// Waits until a condition holds.
#[track_caller]
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Executes something of the system's own, which must succeed.
#[track_caller]
pub fn tool(argv: &[&str], directory: &Path) -> String {
    let output = Command::new(argv[0])
        .args(&argv[1..])
        .current_dir(directory)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{argv:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Executes git in a directory, on a day or now; what it prints.
pub fn git(directory: &Path, day: Option<&str>, words: &[&str]) -> String {
    let mut command = Command::new("git");
    for setting in ["user.name=n", "user.email=e", "commit.gpgSign=false"] {
        command.args(["-c", setting]);
    }
    if let Some(day) = day {
        let time = format!("{day}T12:00:00Z");
        command.env("GIT_AUTHOR_DATE", &time);
        command.env("GIT_COMMITTER_DATE", &time);
    }
    command
        .args(words)
        .current_dir(directory)
        .stdin(Stdio::null());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {said}");
    String::from_utf8(output.stdout)
        .unwrap()
        .trim_end()
        .to_owned()
}
