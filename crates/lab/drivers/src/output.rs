//! What is left of a run when it has ended.

use crate::error::{Place, ReadError, Stream, excerpt};

/// The output of one finished run, as captured.
#[derive(Debug, Clone, Copy)]
pub struct Output<'a> {
    /// Everything written to standard output.
    pub stdout: &'a [u8],
    /// Everything written to standard error.
    pub stderr: &'a [u8],
    /// What the process used.
    pub usage: Usage,
}

impl<'a> Output<'a> {
    /// The bytes of one stream.
    pub fn stream(&self, stream: Stream) -> &'a [u8] {
        match stream {
            Stream::Stdout => self.stdout,
            Stream::Stderr => self.stderr,
        }
    }

    /// What stands at the end of a stream in which something was not found, for the end of a message;
    /// nothing for a place that an error quotes itself.
    pub fn quoted(&self, place: Place) -> String {
        let Place::Whole(stream) = place else {
            return String::new();
        };
        if let Some(lines) = last_lines(self.stream(stream)) {
            return format!("; {stream} ends with {lines}");
        }
        let other = match stream {
            Stream::Stdout => Stream::Stderr,
            Stream::Stderr => Stream::Stdout,
        };
        let said = last_lines(self.stream(other));
        let said = said.map_or_else(String::new, |lines| format!(", {other} ends with {lines}"));
        format!("; {stream} is empty{said}")
    }

    /// Refuses an exit code other than 0, in the tool's own words: what it wrote to standard error,
    /// or else the first line of standard output.
    pub(crate) fn refuse_exit_code(&self) -> Result<(), ReadError> {
        let code = self.usage.exit_code;
        if code == 0 {
            return Ok(());
        }
        let stderr = String::from_utf8_lossy(self.stderr);
        let stdout = String::from_utf8_lossy(self.stdout);
        let (stream, text) = match stderr.trim() {
            "" => (Stream::Stdout, stdout.lines().next().unwrap_or_default()),
            text => (Stream::Stderr, text),
        };
        Err(ReadError::new(
            Place::Whole(stream),
            "exit code 0",
            format!("exit code {code} and {}", excerpt(text)),
        ))
    }
}

/// What a process and its waited-for children used, as the kernel counted it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Usage {
    /// Seconds from start to end.
    pub wall_s: f64,
    /// Seconds of CPU time in user mode.
    pub user_s: f64,
    /// Seconds of CPU time in the kernel.
    pub system_s: f64,
    /// Largest resident set, in bytes; absent where the kernel's figure cannot be told from the
    /// memory of the process that started this one.
    pub max_rss_bytes: Option<u64>,
    /// Exit code; 0 is success.
    pub exit_code: i32,
}

/// The last lines of a stream that hold anything, for a message of one line: few, short, and with
/// control characters spelt out. `None` if there are none.
fn last_lines(stream: &[u8]) -> Option<String> {
    const LINES: usize = 3;
    const LOOKED_AT_BYTES: usize = 4096;
    let tail = &stream[stream.len().saturating_sub(LOOKED_AT_BYTES)..];
    let text = String::from_utf8_lossy(tail);
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let last = &lines[lines.len().saturating_sub(LINES)..];
    let shown: Vec<String> = last.iter().map(|line| excerpt(line)).collect();
    (!shown.is_empty()).then(|| shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_few_and_short_and_plain() {
        let said = last_lines(b"a\nb\n\n c\x1b[31m \r\nd\n").unwrap();
        assert_eq!(said, "`b`, `c\\u{1b}[31m`, `d`");
        assert_eq!(last_lines(b" \n\n"), None);
        assert_eq!(last_lines(b""), None);
        let long = last_lines(&b"x\xff".repeat(1 << 20)).unwrap();
        assert!(long.chars().count() < 130, "{long}");
    }
}
