//! Tells a recorder that expects this process why it cannot be recorded: the process may end before anybody asks it, and
//! no file may be made to say so.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::OnceLock;

use perflab_abi::variable::{LONGEST_REFUSAL, NAMESPACE, RECORD_REFUSED, namespace_of};

use crate::numbers;
use crate::shown::shown;

/// Where to say it. A child does not read its environment again, whose lock a thread of its parent may hold.
static PLACE: OnceLock<String> = OnceLock::new();

/// Asks the environment where to say it.
pub fn prepare() {
    PLACE.get_or_init(|| std::env::var(RECORD_REFUSED).unwrap_or_default());
}

/// Says it, if the recorder is there and has room.
pub fn say(reason: &str) {
    let value = PLACE.get().map_or("", String::as_str);
    let Some((path, inode)) = value.split_once(' ') else {
        return;
    };
    let pipe = OpenOptions::new()
        .write(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC | libc::O_NOCTTY)
        .open(path);
    let Ok(mut pipe) = pipe else { return };
    // The recorder may have ended, and another process may have its number.
    let is_pipe = pipe
        .metadata()
        .is_ok_and(|about| about.file_type().is_fifo() && about.ino().to_string() == inode);
    if is_pipe {
        let name = shown(&fs::read("/proc/self/comm").unwrap_or_default());
        let _ = pipe.write(line(process(), &name, reason).as_bytes());
    }
}

/// Whether a recorder that expects this process has ended its recording: its pipe has gone. One of another namespace of
/// processes, whose number means another one here, is taken for one that has not.
pub fn has_ended(recorder: &str) -> bool {
    let value = PLACE.get().map_or("", String::as_str);
    let (Some((path, inode)), Some((process, number))) =
        (value.split_once(' '), recorder.split_once('-'))
    else {
        return false;
    };
    let is_its_own = path.starts_with(&format!("/proc/{process}/fd/"));
    let is_of_here = namespace_of(number) == fs::metadata(NAMESPACE).ok().map(|about| about.ino());
    is_its_own
        && is_of_here
        && match fs::metadata(path) {
            Ok(about) => about.ino().to_string() != inode,
            // Where processes of other users are hidden, so is the first one.
            Err(error) => error.kind() == ErrorKind::NotFound && Path::new("/proc/1").exists(),
        }
}

/// Sees that the recorder finds this directory: in a mount namespace of its own, a process may have other files in memory
/// under the same name. A recorder that this process may not look at is taken for one that does.
///
/// # Errors
/// When the recorder has no such directory, or another one.
pub fn check_seen(directory: &Path) -> Result<(), String> {
    let value = PLACE.get().map_or("", String::as_str);
    let Some((recorder, _)) = value.split_once("/fd/") else {
        return Ok(());
    };
    let root = Path::new(recorder).join("root");
    let (Ok(own), Ok(_)) = (fs::metadata(directory), fs::metadata(&root)) else {
        return Ok(());
    };
    let seen = fs::metadata(root.join(directory.strip_prefix("/").unwrap_or(directory)));
    let is_seen = match &seen {
        Ok(seen) => (seen.dev(), seen.ino()) == (own.dev(), own.ino()),
        Err(error) => error.kind() != ErrorKind::NotFound,
    };
    if is_seen {
        return Ok(());
    }
    Err(format!(
        "its events are in {}, where the recorder has other files: the process has another mount namespace or root \
         directory",
        directory.display()
    ))
}

/// The number of this process, also where a filter of system calls refuses to tell it.
fn process() -> u32 {
    numbers::process().unwrap_or_else(|| {
        let told = fs::read_link("/proc/self").ok();
        told.and_then(|path| path.to_str()?.parse().ok())
            .unwrap_or(0)
    })
}

fn line(process: u32, name: &str, reason: &str) -> String {
    let plain = |text: &str| text.replace(char::is_control, " ");
    let (name, reason) = (plain(name.trim_end()), plain(reason));
    let mut line = format!("{process}\t{name}\t{reason}");
    let mut end = line.len().min(LONGEST_REFUSAL - 1);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    line.truncate(end);
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_that_is_not_too_long() {
        let of = line(7, "a\tb\n", "no\nroom");
        assert_eq!(of, "7\ta b\tno room\n");
        let long = line(7, "name", &"\u{e4}".repeat(LONGEST_REFUSAL));
        assert!(long.len() <= LONGEST_REFUSAL && long.ends_with("\u{e4}\n"));
    }
}
