//! The file of a Unix socket.

use std::fs::{self, File, Permissions, TryLockError};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType};

use crate::failure::OpenError;
use crate::listen::{BACKLOG, SOCKET_FLAGS};

/// How often, and with which pauses, to try to lock the directory.
const TRIES: u32 = 100;
const PAUSE: Duration = Duration::from_millis(10);

/// The file of a Unix socket that listens. It is removed when this is dropped, unless another file has its path by
/// then.
#[derive(Debug)]
pub(crate) struct SocketFile {
    path: PathBuf,
    device: u64,
    inode: u64,
}

impl SocketFile {
    /// Listens at a path. A socket to which nobody listens is replaced.
    pub(crate) fn listen(path: &Path, mode: u32) -> Result<(OwnedFd, Self), OpenError> {
        let failed = |error: io::Error| OpenError::Listen {
            at: path.display().to_string(),
            error,
        };
        let address = SocketAddrUnix::new(path).map_err(|error| failed(error.into()))?;
        // Of two servers that find the socket of a dead one, the second must not remove that of the first.
        let _lock = lock_directory(path)?;
        let socket = stream().map_err(|error| failed(error.into()))?;
        match rustix::net::bind(&socket, &address) {
            Ok(()) => {}
            Err(Errno::ADDRINUSE) => {
                remove_dead(path, &address)?;
                rustix::net::bind(&socket, &address).map_err(|error| failed(error.into()))?;
            }
            Err(error) => return Err(failed(error.into())),
        }
        let meta = fs::symlink_metadata(path).map_err(failed)?;
        let file = Self {
            path: path.to_owned(),
            device: meta.dev(),
            inode: meta.ino(),
        };
        // Nobody connects before it listens, so nobody comes in by the mode that it has until here.
        fs::set_permissions(path, Permissions::from_mode(mode)).map_err(failed)?;
        rustix::net::listen(&socket, BACKLOG).map_err(|error| failed(error.into()))?;
        Ok((socket, file))
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        let is_ours = fs::symlink_metadata(&self.path)
            .is_ok_and(|meta| (meta.dev(), meta.ino()) == (self.device, self.inode));
        if is_ours {
            // A file that stays is replaced by the next server.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn stream() -> rustix::io::Result<OwnedFd> {
    rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, SOCKET_FLAGS, None)
}

/// Removes the socket of a server that is no more.
fn remove_dead(path: &Path, address: &SocketAddrUnix) -> Result<(), OpenError> {
    let failed = |error: io::Error| OpenError::Listen {
        at: path.display().to_string(),
        error,
    };
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.file_type().is_socket() => {}
        Ok(_) => return Err(OpenError::NoSocket(path.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(error)),
    }
    let client = stream().map_err(|error| failed(error.into()))?;
    match rustix::net::connect(&client, address) {
        // A server with a full queue, or with a socket of another kind, is alive as well.
        Ok(()) | Err(Errno::AGAIN | Errno::PROTOTYPE) => Err(OpenError::Alive(path.to_owned())),
        Err(Errno::CONNREFUSED) => fs::remove_file(path).map_err(failed),
        Err(error) => Err(failed(error.into())),
    }
}

/// Locks the directory of a path until the file is dropped. The file system itself takes no notice.
fn lock_directory(path: &Path) -> Result<File, OpenError> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let failed = |error: io::Error| OpenError::Listen {
        at: path.display().to_string(),
        error,
    };
    let file = File::open(directory).map_err(failed)?;
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
    }
    Err(OpenError::Locked(path.to_owned()))
}
