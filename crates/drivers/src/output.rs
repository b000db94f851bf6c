//! What is left of a run when it has ended.

use crate::Stream;

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
