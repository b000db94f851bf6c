//! What the kernel says of a thread.

use std::fs;

/// What the kernel says of a thread.
pub struct Thread {
    /// In clock ticks since boot.
    pub start: u64,
    /// Its name as words.
    pub name: [u64; 2],
}

/// What a look at a thread comes to.
pub enum Look {
    /// It goes on.
    There(Thread),
    /// There is none of this number.
    Gone,
    /// The kernel does not say: files cannot be opened now.
    Unknown,
}

impl Thread {
    /// Looks at the thread of this process with a number.
    pub fn look(thread: u32) -> Look {
        match fs::read(format!("/proc/self/task/{thread}/stat")) {
            Ok(text) => Self::parse(&text).map_or(Look::Unknown, Look::There),
            Err(error) => match error.raw_os_error() {
                Some(libc::ENOENT | libc::ESRCH) => Look::Gone,
                _ => Look::Unknown,
            },
        }
    }

    fn parse(text: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(text);
        let (before, after) = text.rsplit_once(')')?;
        let start = after.split_whitespace().nth(19)?.parse().ok()?;
        let name = before.split_once('(').map_or("", |(_, name)| name);
        let mut bytes = [0; 16];
        for (to, from) in bytes.iter_mut().zip(name.bytes()) {
            *to = from;
        }
        let [a, b, c, d, e, f, g, h, rest @ ..] = bytes;
        Some(Self {
            start,
            name: [
                u64::from_le_bytes([a, b, c, d, e, f, g, h]),
                u64::from_le_bytes(rest),
            ],
        })
    }
}
