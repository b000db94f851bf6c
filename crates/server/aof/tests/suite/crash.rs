//! A server is killed, over and over: what it had said to be durable is there.
//!
//! The server is this test program, which executes the test [`server`] alone.

use std::collections::HashMap;
use std::env;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use perflab_aof::{Log, Policy};

use crate::fixture::{names, open, place};

/// The path of the log, for the server.
const PATH: &str = "PERFLAB_AOF_PATH";

/// The policy of the server, and whether it rewrites its file.
const HOW: &str = "PERFLAB_AOF_HOW";

/// How many threads of the server append.
const THREADS: usize = 3;

/// Not a test, unless a test has started it: appends until it is killed, and prints what is durable.
#[test]
fn server() {
    let Some(path) = env::var_os(PATH).map(PathBuf::from) else {
        return;
    };
    let how = env::var(HOW).unwrap();
    let (policy, rewrites) = how.split_once(' ').unwrap();
    let (log, _, blocks) = open(&path, policy.parse().unwrap());
    let data = Mutex::new(blocks);
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (log, data) = (&log, &data);
            scope.spawn(move || append(log, data, thread));
        }
        if rewrites == "rewrites" {
            loop {
                rewrite(&log, &data);
            }
        }
    });
}

fn append(log: &Log, data: &Mutex<Vec<Vec<u8>>>, thread: usize) {
    for number in 0_u64.. {
        let payload = format!("{thread} {number}").into_bytes();
        let mut all = data.lock().unwrap();
        let ticket = log.append(&payload).unwrap();
        all.push(payload);
        drop(all);
        log.wait(ticket).unwrap();
        // One write, so that lines do not mix. The first one may come behind what the test program prints.
        let line = format!("durable {thread} {number}\n");
        io::stdout().write_all(line.as_bytes()).unwrap();
    }
}

fn rewrite(log: &Log, data: &Mutex<Vec<Vec<u8>>>) {
    let guard = data.lock().unwrap();
    let mut rewrite = log.begin_rewrite().unwrap();
    let all = guard.clone();
    drop(guard);
    for payload in &all {
        rewrite.append(payload).unwrap();
    }
    rewrite.finish().unwrap();
}

/// A server that was started, and what it prints.
struct Server {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start(path: &Path, how: &str) -> Self {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", "crash::server", "--nocapture"]);
        command.env(PATH, path).env(HOW, how).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, output }
    }

    /// The next number that a thread calls durable. `None` if the server has ended.
    fn next(&mut self) -> Option<(usize, u64)> {
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            // The last line may be cut short.
            let Some((_, said)) = line
                .strip_suffix('\n')
                .and_then(|line| line.rsplit_once("durable "))
            else {
                continue;
            };
            let (thread, number) = said.split_once(' ').unwrap();
            return Some((thread.parse().unwrap(), number.parse().unwrap()));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _waited = self.child.wait();
    }
}

/// How many numbers of each thread a log has: from 0 on, in order, without a gap.
fn counts(path: &Path) -> HashMap<usize, u64> {
    let (_log, _, blocks) = open(path, Policy::Always);
    let mut counts = HashMap::new();
    for block in blocks {
        let text = String::from_utf8(block).unwrap();
        let (thread, number) = text.split_once(' ').unwrap();
        let count = counts.entry(thread.parse().unwrap()).or_insert(0);
        assert_eq!(number.parse::<u64>().unwrap(), *count, "of thread {thread}");
        *count += 1;
    }
    counts
}

fn killed(how: &str) {
    for round in 0..20 {
        let (directory, path) = place();
        let mut server = Server::start(&path, how);
        let mut last = HashMap::new();
        let mut note = |said: Option<(usize, u64)>| {
            said.map(|(thread, number)| last.insert(thread, number))
                .is_some()
        };
        assert!(note(server.next()), "the server has not begun");
        // Anything between 0 and 100 ms.
        let micros = RandomState::new().hash_one(round) % 100_000;
        let end = Instant::now() + Duration::from_micros(micros);
        while Instant::now() < end && note(server.next()) {}
        server.child.kill().unwrap();
        while note(server.next()) {}
        drop(server);
        let counts = counts(&path);
        for (thread, number) in &last {
            let count = counts.get(thread).copied().unwrap_or(0);
            assert!(
                count > *number,
                "round {round}: {last:?} were durable, the log has {counts:?}"
            );
        }
        let kept = |name: &String| name == "log.aof" || name.starts_with("log.aof.cut-");
        assert!(names(directory.path()).iter().all(kept));
    }
}

#[test]
fn what_was_durable_survives_being_killed() {
    killed("always appends");
}

#[test]
fn what_was_durable_survives_being_killed_in_a_rewrite() {
    killed("always rewrites");
}

#[test]
fn a_killed_server_loses_at_most_a_second_without_syncs() {
    for how in ["everysec appends", "everysec rewrites", "no appends"] {
        let (_directory, path) = place();
        let mut server = Server::start(&path, how);
        let began = Instant::now();
        let (mut said, mut is_killed) = (Vec::new(), false);
        while let Some((thread, number)) = server.next() {
            said.push((began.elapsed(), thread, number));
            if !is_killed && began.elapsed() > Duration::from_millis(1500) {
                server.child.kill().unwrap();
                is_killed = true;
            }
        }
        let end = began.elapsed();
        drop(server);
        let counts = counts(&path);
        let lost = |(_, thread, number): &&(Duration, usize, u64)| {
            counts.get(thread).copied().unwrap_or(0) <= *number
        };
        let first = said.iter().find(lost).map_or(end, |(at, ..)| *at);
        assert!(said.len() > 100, "{}", said.len());
        assert!(
            end - first < Duration::from_secs(1),
            "{how}: {:?} are lost",
            end - first
        );
    }
}
