//! bpftrace, where the kernel lets this user have it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::OnceLock;

use perflab_testing::{needs, not_checked, test_name};
use rustix::process::{Pid, Signal, kill_process};

/// Why it cannot be used here, although it is installed.
fn forbidden() -> Option<String> {
    let user = Command::new("id").arg("-u").output().unwrap();
    if user.stdout != b"0\n" {
        return Some("bpftrace works for root only".to_owned());
    }
    if !Path::new("/sys/bus/event_source/devices/uprobe").exists() {
        return Some("the kernel has no uprobes".to_owned());
    }
    // A container's root may not be enough, nor one of a kernel that is locked down.
    let trial = ["-e", "BEGIN { exit(); }"];
    let output = Command::new("bpftrace").args(trial).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    (!output.status.success()).then(|| format!("bpftrace cannot be used: {said}"))
}

/// Whether this user may use it. If not, that is written down for the test that asks.
pub fn is_allowed() -> bool {
    static FORBIDDEN: OnceLock<Option<String>> = OnceLock::new();
    needs("bpftrace", "bpftrace");
    let reason = FORBIDDEN.get_or_init(forbidden);
    if let Some(reason) = reason {
        not_checked(&test_name(), reason);
    }
    reason.is_none()
}

/// The probes that it finds in a file.
pub fn listed(path: &Path) -> BTreeSet<String> {
    let output = Command::new("bpftrace")
        .arg("-l")
        .arg(format!("usdt:{}:*", path.display()))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_whitespace().map(str::to_owned).collect()
}

/// A running bpftrace.
pub struct Bpftrace {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Bpftrace {
    /// Starts it and waits until all its probes are attached: only then it shows what comes from the kernel.
    pub fn start(script: &str) -> Self {
        let mut child = Command::new("bpftrace")
            .args(["-B", "line", "-e"])
            .arg(format!(
                "{script} interval:ms:50 {{ printf(\"tick\\n\"); }}"
            ))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while line != "tick\n" {
            line.clear();
            if output.read_line(&mut line).unwrap() == 0 {
                let mut said = String::new();
                let _ = child.stderr.take().unwrap().read_to_string(&mut said);
                panic!("bpftrace ended: {said}");
            }
        }
        Self { child, output }
    }

    /// Ends it. Its numbers, by what it calls them.
    pub fn ends(mut self) -> BTreeMap<String, i64> {
        kill_process(Pid::from_child(&self.child), Signal::INT).unwrap();
        let mut text = String::new();
        self.output.read_to_string(&mut text).unwrap();
        self.child.wait().unwrap();
        text.lines()
            .filter_map(|line| line.strip_prefix('@')?.rsplit_once(": "))
            .map(|(name, number)| {
                // A sum is shown without its sign.
                let number = number.parse::<i128>().unwrap() as i64;
                (name.to_owned(), number)
            })
            .collect()
    }
}

impl Drop for Bpftrace {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
