//! Questions on a flavour, which a process of its own answers. Flavours of one library cannot share a process, and a
//! library may end it, or never let it go on.

use std::io::{self, Read};
use std::os::fd::AsFd;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::ioctl_fionbio;
use serde_json::{Value, json};

use super::chosen::Libraries;
use crate::failure::Failure;

/// Time for an answer.
const LIMIT: Duration = Duration::from_secs(30);

/// Time between two looks whether the process has ended.
const PAUSE: Duration = Duration::from_millis(1);

/// A question: whether a flavour can be used here.
pub struct Question<'a> {
    pub flavour: &'a str,
    pub libraries: &'a Libraries,
    /// Further arguments of `possible`.
    pub more: &'a [String],
}

impl Question<'_> {
    /// The answer as JSON: `flavour` and `available`, with the facts on the library, or with the `reason`. A process
    /// that does not answer is a reason.
    ///
    /// # Errors
    /// If there can be no process.
    pub fn answer(&self) -> Result<Value, Failure> {
        let ended = self
            .command()
            .and_then(|mut command| Ended::of(&mut command, LIMIT))
            .map_err(|error| {
                Failure::unavailable(format!("cannot execute this program again: {error}"))
            })?;
        Ok(serde_json::from_slice(&ended.output).unwrap_or_else(|_| {
            let flavour = self.flavour;
            let reason = format!("{flavour}: the process that tried it {}", ended.how);
            json!({"flavour": flavour, "available": false, "reason": reason})
        }))
    }

    fn command(&self) -> io::Result<Command> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["rcu", "possible", self.flavour, "--here"]);
        if let Some(directory) = &self.libraries.directory {
            command.arg("--libraries").arg(directory);
        }
        command.args(self.more);
        Ok(command)
    }
}

/// A process that has ended.
struct Ended {
    output: Vec<u8>,
    /// How it ended, and the last line that it said.
    how: String,
}

impl Ended {
    /// Executes a command, and kills it at the limit. One that writes more than a pipe holds waits for that.
    fn of(command: &mut Command, limit: Duration) -> io::Result<Self> {
        let command = command.stdin(Stdio::null());
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let begin = Instant::now();
        let how = loop {
            if let Some(status) = child.try_wait()? {
                break format!("ended with {status}");
            }
            if begin.elapsed() >= limit {
                child.kill()?;
                child.wait()?;
                break format!("gave no answer within {} s", limit.as_secs());
            }
            thread::sleep(PAUSE);
        };
        let said = child.stderr.map(written).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let last = said.lines().rfind(|line| !line.trim().is_empty());
        let last = last.map(|line| format!(": {line}")).unwrap_or_default();
        Ok(Self {
            output: child.stdout.map(written).unwrap_or_default(),
            how: format!("{how}{last}"),
        })
    }
}

/// The bytes that a pipe holds. A child of the process that ended may still have its other end.
fn written(mut pipe: impl Read + AsFd) -> Vec<u8> {
    let mut bytes = Vec::new();
    if ioctl_fionbio(&pipe, true).is_ok() {
        // It keeps what it read before there was no more.
        let _ = pipe.read_to_end(&mut bytes);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Ended {
        let mut command = Command::new("sh");
        Ended::of(command.args(["-c", script]), limit).expect("a shell")
    }

    #[test]
    fn a_process_that_gives_no_answer_is_killed() {
        // The second process has the pipes for longer than the first. Both outlive the test with what they inherited.
        let begin = Instant::now();
        let ended = shell("echo begun; sleep 60 & sleep 60", Duration::from_secs(1));
        assert_eq!(ended.output, b"begun\n");
        assert_eq!(ended.how, "gave no answer within 1 s");
        assert!(begin.elapsed() < Duration::from_secs(50));
    }

    #[test]
    fn the_end_of_a_process_is_a_reason_with_its_last_words() {
        let ended = shell("echo one; echo two >&2; echo >&2; exit 3", LIMIT);
        assert_eq!(ended.how, "ended with exit status: 3: two");
        let ended = shell("kill -BUS $$", LIMIT);
        assert!(ended.how.starts_with("ended with signal: 7 (SIGBUS)"));
        assert!(!ended.how.contains("):"), "{}", ended.how);
    }
}
