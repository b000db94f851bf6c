//! Which processes have an agent.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

/// A process with an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traced {
    /// Its number.
    pub pid: u32,
    /// The name of its program, as the kernel has it; empty if it cannot be read.
    pub name: String,
    /// Its socket.
    pub socket: PathBuf,
}

/// The processes of this user that have an agent, by number; of all users, for the superuser.
///
/// Sockets that dead processes left are removed.
///
/// # Errors
/// When a directory of sockets is there and cannot be read, or others may write to it.
pub fn traced() -> io::Result<Vec<Traced>> {
    let user = rustix::process::geteuid().as_raw();
    let mut found = Vec::new();
    for directory in directories(user) {
        found.extend(traced_in(&directory, user)?);
    }
    found.sort_by_key(|traced| traced.pid);
    found.dedup_by_key(|traced| traced.pid);
    Ok(found)
}

fn directories(user: u32) -> Vec<PathBuf> {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let mut directories: Vec<PathBuf> = Vec::new();
    directories.extend(
        runtime
            .filter(|path| path.is_absolute())
            .map(|path| path.join("perflab")),
    );
    directories.push(PathBuf::from(format!("/tmp/perflab-{user}")));
    if user == 0 {
        let below = |path: &str| fs::read_dir(path).into_iter().flatten().flatten();
        directories.extend(below("/run/user").map(|entry| entry.path().join("perflab")));
        let of_users = below("/tmp")
            .filter(|entry| entry.file_name().to_string_lossy().starts_with("perflab-"))
            .map(|entry| entry.path());
        directories.extend(of_users);
    } else {
        directories.push(PathBuf::from(format!("/run/user/{user}/perflab")));
    }
    directories.sort();
    directories.dedup();
    directories
}

fn traced_in(directory: &Path, user: u32) -> io::Result<Vec<Traced>> {
    let Ok(about) = fs::symlink_metadata(directory) else {
        return Ok(Vec::new());
    };
    if !about.is_dir() || about.mode() & 0o077 != 0 || (about.uid() != user && user != 0) {
        // Somebody else's, who may put there what they like.
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let socket = entry?.path();
        let name = socket.file_name().and_then(|name| name.to_str());
        let Some((pid, start)) = name.and_then(parts) else {
            continue;
        };
        if started(pid) == Some(start) {
            let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
            found.push(Traced {
                pid,
                name: name.trim().to_owned(),
                socket,
            });
        } else if is_dead(&socket) {
            // It may be gone already.
            let _ = fs::remove_file(&socket);
        }
    }
    Ok(found)
}

/// Process and start of `PID-START.sock`.
fn parts(name: &str) -> Option<(u32, u64)> {
    let (pid, start) = name.strip_suffix(".sock")?.split_once('-')?;
    Some((pid.parse().ok()?, start.parse().ok()?))
}

/// When a process was started, in clock ticks since boot.
fn started(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, after) = text.rsplit_once(')')?;
    after.split_whitespace().nth(19)?.parse().ok()
}

fn is_dead(socket: &Path) -> bool {
    let result = UnixStream::connect(socket);
    result.is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixListener;

    fn user() -> u32 {
        rustix::process::geteuid().as_raw()
    }

    fn directory(mode: u32) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(mode)).unwrap();
        directory
    }

    #[test]
    fn the_living_and_the_dead() {
        let directory = directory(0o700);
        let own = std::process::id();
        let start = started(own).unwrap();
        let socket = |name: String| directory.path().join(name);
        let _living = UnixListener::bind(socket(format!("{own}-{start}.sock"))).unwrap();
        // Of a former process with this number; the listener is gone.
        drop(UnixListener::bind(socket(format!("{own}-{}.sock", start - 1))).unwrap());
        fs::write(socket("other".to_owned()), "").unwrap();
        let found = traced_in(directory.path(), user()).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].pid, own);
        assert!(!found[0].name.is_empty());
        assert!(!socket(format!("{own}-{}.sock", start - 1)).exists());
        assert!(socket("other".to_owned()).exists());
    }

    #[test]
    fn a_directory_that_others_may_enter_is_not_believed() {
        let directory = directory(0o755);
        let own = std::process::id();
        let name = format!("{own}-{}.sock", started(own).unwrap());
        let _living = UnixListener::bind(directory.path().join(name)).unwrap();
        assert!(traced_in(directory.path(), user()).unwrap().is_empty());
        assert!(
            traced_in(Path::new("/does/not/exist"), user())
                .unwrap()
                .is_empty()
        );
    }

    #[test]
    fn names() {
        assert_eq!(parts("12-34.sock"), Some((12, 34)));
        for name in ["12.sock", "12-34", "a-1.sock", "1-b.sock", "-.sock"] {
            assert_eq!(parts(name), None, "{name}");
        }
    }
}
