//! Which processes have an agent.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::error::{ControlError, Untrusted};
use crate::peer::{Claim, is_dead};

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

/// What is called as a socket is, or a directory of sockets, and cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignored {
    /// Where it is.
    pub path: PathBuf,
    /// Why it cannot be used.
    pub reason: String,
}

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// Processes that may be asked, by number.
    pub processes: Vec<Traced>,
    /// Places where somebody claims what is not theirs, or that cannot be read.
    pub ignored: Vec<Ignored>,
}

impl IntoIterator for Found {
    type Item = Traced;
    type IntoIter = std::vec::IntoIter<Traced>;

    fn into_iter(self) -> Self::IntoIter {
        self.processes.into_iter()
    }
}

/// The processes of this user that have an agent; of all users, for the superuser.
///
/// Sockets that dead processes left are removed.
///
/// # Errors
/// When a directory of this user's sockets is there and cannot be read.
pub fn traced() -> io::Result<Found> {
    let user = rustix::process::geteuid().as_raw();
    let mut found = Found::default();
    for directory in directories(user) {
        search(&directory, user, &mut found)?;
    }
    found.processes.sort_by_key(|traced| traced.pid);
    found.processes.dedup_by_key(|traced| traced.pid);
    Ok(found)
}

/// Where sockets of a user's processes may be; those of all users, for the superuser. Whoever looks there checks
/// whose a directory is.
pub fn directories(user: u32) -> Vec<PathBuf> {
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

fn search(directory: &Path, user: u32, found: &mut Found) -> io::Result<()> {
    let Ok(about) = fs::symlink_metadata(directory) else {
        return Ok(());
    };
    if !about.is_dir() || about.mode() & 0o077 != 0 || (about.uid() != user && user != 0) {
        // Somebody else's, who may put there what they like.
        return Ok(());
    }
    match sockets(directory) {
        Ok(sockets) => {
            for socket in sockets {
                take(socket, found);
            }
        }
        Err(error) if about.uid() != user => found.ignored.push(Ignored {
            path: directory.to_owned(),
            reason: error.to_string(),
        }),
        Err(error) => return Err(error),
    }
    Ok(())
}

fn sockets(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(directory)?;
    entries.map(|entry| Ok(entry?.path())).collect()
}

fn take(socket: PathBuf, found: &mut Found) {
    match Claim::of(&socket) {
        Ok(claim) => found.processes.push(Traced {
            pid: claim.process.pid,
            name: claim.process.name(),
            socket,
        }),
        // Something else.
        Err(ControlError::Untrusted(Untrusted::Name)) => {}
        Err(ControlError::Untrusted(reason)) => found.ignored.push(Ignored {
            path: socket,
            reason: reason.to_string(),
        }),
        Err(ControlError::Gone) => {
            if is_dead(&socket) {
                // It may be gone already.
                let _ = fs::remove_file(&socket);
            }
        }
        Err(error) => found.ignored.push(Ignored {
            path: socket,
            reason: error.to_string(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::tests::own;
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

    fn found_in(directory: &Path) -> Found {
        let mut found = Found::default();
        search(directory, user(), &mut found).unwrap();
        found
    }

    #[test]
    fn the_living_and_the_dead() {
        let directory = directory(0o700);
        let (own, start) = (own().pid, own().start);
        let socket = |name: String| directory.path().join(name);
        let _living = UnixListener::bind(socket(format!("{own}-{start}.sock"))).unwrap();
        // Of a former process with this number; the listener is gone.
        drop(UnixListener::bind(socket(format!("{own}-{}.sock", start - 1))).unwrap());
        fs::write(socket("other".to_owned()), "").unwrap();
        let found = found_in(directory.path());
        assert!(found.ignored.is_empty(), "{found:?}");
        assert_eq!(found.processes.len(), 1);
        assert_eq!(found.processes[0].pid, own);
        assert!(!found.processes[0].name.is_empty());
        assert!(!socket(format!("{own}-{}.sock", start - 1)).exists());
        assert!(socket("other".to_owned()).exists());
    }

    #[test]
    fn a_directory_that_others_may_enter_is_not_believed() {
        let directory = directory(0o755);
        let name = format!("{}-{}.sock", own().pid, own().start);
        let _living = UnixListener::bind(directory.path().join(name)).unwrap();
        assert_eq!(found_in(directory.path()), Found::default());
        assert_eq!(found_in(Path::new("/does/not/exist")), Found::default());
    }

    #[test]
    fn nobody_speaks_for_another_users_process() {
        if user() != 0 {
            perflab_testing::not_checked(
                &perflab_testing::test_name(),
                "only root can give a directory to another user",
            );
            return;
        }
        let directory = directory(0o700);
        let name = format!("{}-{}.sock", own().pid, own().start);
        let _listener = UnixListener::bind(directory.path().join(name)).unwrap();
        std::os::unix::fs::chown(directory.path(), Some(65534), None).unwrap();
        let found = found_in(directory.path());
        assert!(found.processes.is_empty(), "{found:?}");
        assert!(
            found.ignored[0].reason.contains("belongs to user 65534"),
            "{found:?}"
        );
    }
}
