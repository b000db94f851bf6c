//! What processes say that cannot be recorded.

use std::io::{self, PipeReader, PipeWriter, Read};
use std::os::fd::AsRawFd;

use perflab_control::variable::LONGEST_REFUSAL;
use rustix::fs::{OFlags, fcntl_setfl, fstat};

/// Reads of the pipe at one time: whoever writes without end does not hold up the recording.
const READS: usize = 16;

/// A process that could not be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Its number, as the kernel has it.
    pub process: u32,
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// The pipe by which processes say so themselves: one may have ended before it can be asked.
#[derive(Debug)]
pub struct Pipe {
    read: PipeReader,
    /// Else the end of the last process that has it open would be the end of what can be read.
    write: PipeWriter,
    /// The beginning of a line.
    rest: Vec<u8>,
}

impl Pipe {
    /// One that nothing was written to.
    pub fn new() -> io::Result<Self> {
        let (read, write) = io::pipe()?;
        fcntl_setfl(&read, OFlags::NONBLOCK)?;
        Ok(Self {
            read,
            write,
            rest: Vec::new(),
        })
    }

    /// Its path and the number of its inode, for processes that this one starts.
    pub fn name(&self) -> io::Result<String> {
        let (process, file) = (std::process::id(), self.write.as_raw_fd());
        let inode = fstat(&self.write)?.st_ino;
        Ok(format!("/proc/{process}/fd/{file} {inode}"))
    }

    /// What was said since the last time.
    pub fn refusals(&mut self) -> Vec<Refusal> {
        let mut buffer = [0; 4096];
        for _ in 0..READS {
            let Ok(count @ 1..) = self.read.read(&mut buffer) else {
                break;
            };
            self.rest.extend(&buffer[..count]);
        }
        let Some(end) = self.rest.iter().rposition(|byte| *byte == b'\n') else {
            // No agent says as much at once.
            if self.rest.len() > LONGEST_REFUSAL {
                self.rest.clear();
            }
            return Vec::new();
        };
        let lines: Vec<u8> = self.rest.drain(..=end).collect();
        let lines = String::from_utf8_lossy(&lines);
        lines.lines().filter_map(parse).collect()
    }
}

fn parse(line: &str) -> Option<Refusal> {
    let mut words = line.splitn(3, '\t');
    Some(Refusal {
        process: words.next()?.parse().ok()?,
        name: words.next()?.to_owned(),
        reason: words.next()?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::io::Write;

    use super::*;

    #[test]
    fn what_processes_say() {
        let mut pipe = Pipe::new().unwrap();
        assert_eq!(pipe.refusals(), []);
        let name = pipe.name().unwrap();
        let (path, _) = name.split_once(' ').unwrap();
        let mut other = OpenOptions::new().write(true).open(path).unwrap();
        other
            .write_all(b"7\tone\tno room\nnonsense\n8\ttwo")
            .unwrap();
        let refusal = |process, name: &str, reason: &str| Refusal {
            process,
            name: name.to_owned(),
            reason: reason.to_owned(),
        };
        assert_eq!(pipe.refusals(), [refusal(7, "one", "no room")]);
        other.write_all(b"\tno\tpipe\n").unwrap();
        assert_eq!(pipe.refusals(), [refusal(8, "two", "no\tpipe")]);
        other.write_all(&[b'x'; 2 * LONGEST_REFUSAL]).unwrap();
        assert_eq!(pipe.refusals(), []);
        assert!(pipe.rest.is_empty());
        other.write_all(b"\n9\tthree\tno room\n").unwrap();
        drop(other);
        assert_eq!(pipe.refusals(), [refusal(9, "three", "no room")]);
    }
}
