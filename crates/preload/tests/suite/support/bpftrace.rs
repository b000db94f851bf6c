//! bpftrace, as it is installed.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

/// Why it cannot be used here.
fn missing() -> Option<&'static str> {
    let user = Command::new("id").arg("-u").output().unwrap();
    if user.stdout != b"0\n" {
        return Some("bpftrace needs root");
    }
    if !Path::new("/sys/bus/event_source/devices/uprobe").exists() {
        return Some("the kernel has no uprobes");
    }
    let found = Command::new("bpftrace").arg("--version").output();
    found.is_err().then_some("bpftrace is not installed")
}

/// Whether a test is possible here; says why not.
pub fn is_possible() -> bool {
    if let Some(reason) = missing() {
        eprintln!("not tested: {reason}");
    }
    missing().is_none()
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
        let pid = self.child.id().to_string();
        let told = Command::new("kill").args(["-INT", &pid]).status().unwrap();
        assert!(told.success());
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
