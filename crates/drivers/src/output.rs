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
