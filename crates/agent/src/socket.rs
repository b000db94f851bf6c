//! The socket through which a process is asked about its probes.
#![expect(unsafe_code, reason = "who is at the other end has no safe wrapper")]

use std::ffi::CString;
use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use perflab_probe_abi::{HEADER_SIZE, Header, Kind, LONGEST_MESSAGE, Reader, Writer};

use crate::agent::Switched;
use crate::pattern::Pattern;
use crate::process::refreshed;

/// How often the agent looks for objects that came and tracers that ask.
const PERIOD: Duration = Duration::from_millis(100);

/// How long a peer may take for a message.
const PATIENCE: Duration = Duration::from_secs(1);

/// Of the process that bound it, with the socket's place.
static BOUND: Mutex<Option<(u32, CString)>> = Mutex::new(None);

/// A socket that is bound.
#[derive(Debug)]
pub struct Socket(UnixListener);

/// Removes the socket at the process's end.
pub fn remove() {
    let Ok(mut bound) = BOUND.try_lock() else {
        return;
    };
    if let Some((process, path)) = bound.take()
        && process == std::process::id()
    {
        // SAFETY: a path that ends with zero.
        unsafe { libc::unlink(path.as_ptr()) };
    }
}

/// Where the sockets of a user's processes are: `$XDG_RUNTIME_DIR/perflab`, else `/tmp/perflab-UID`. A child
/// does not ask its environment anew, whose lock a thread of its parent may hold.
pub fn directory() -> &'static Path {
    static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
    DIRECTORY.get_or_init(find_directory)
}

fn find_directory() -> PathBuf {
    match std::env::var_os("XDG_RUNTIME_DIR").filter(|dir| Path::new(dir).is_absolute()) {
        Some(dir) => PathBuf::from(dir).join("perflab"),
        None => PathBuf::from(format!("/tmp/perflab-{}", user())),
    }
}

fn user() -> u32 {
    // SAFETY: it cannot fail.
    unsafe { libc::geteuid() }
}

impl Socket {
    /// Binds this process's socket; nothing if another agent of the process has it.
    ///
    /// # Errors
    /// When its directory is not the user's alone, or the socket cannot be made.
    pub fn bind() -> Result<Option<Self>, String> {
        let directory = directory();
        own_directory(directory)?;
        let path = directory.join(name()?);
        let failed = |error: io::Error| format!("{} cannot be bound: {error}", path.display());
        SocketAddr::from_pathname(&path).map_err(failed)?;
        // It gets its name when it can be called, so that nobody finds one that refuses.
        let unnamed = directory.join(format!(".{}", thread()));
        let _ = fs::remove_file(&unnamed);
        let listener = UnixListener::bind(&unnamed).map_err(failed)?;
        let named = named(&unnamed, &path);
        let _ = fs::remove_file(&unnamed);
        if !named.map_err(failed)? {
            return Ok(None);
        }
        listener.set_nonblocking(true).map_err(failed)?;
        let text =
            CString::new(path.as_os_str().as_encoded_bytes()).map_err(|_| "a zero in a path")?;
        let mut bound = BOUND.lock().unwrap_or_else(PoisonError::into_inner);
        *bound = Some((std::process::id(), text));
        Ok(Some(Self(listener)))
    }

    /// Answers for as long as the process lives.
    pub fn serve(&self) {
        loop {
            let mut poll = libc::pollfd {
                fd: self.0.as_raw_fd(),
                events: libc::POLLIN,
                revents: 0,
            };
            // SAFETY: one entry, as is said.
            unsafe { libc::poll(&raw mut poll, 1, PERIOD.as_millis() as libc::c_int) };
            if let Some(mut agent) = refreshed() {
                agent.keep_up();
            }
            if let Ok((stream, _)) = self.0.accept() {
                // A peer that misbehaves loses its connection, and nobody else anything.
                let _ = answer(stream);
            }
        }
    }
}

/// Gives a socket its name, unless another agent of the process has it.
fn named(unnamed: &Path, path: &Path) -> io::Result<bool> {
    match fs::hard_link(unnamed, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            if UnixStream::connect(path).is_ok() {
                return Ok(false);
            }
            // Left by a program that this process was before it called exec.
            fs::remove_file(path)?;
            fs::hard_link(unnamed, path)?;
            Ok(true)
        }
        other => other.map(|()| true),
    }
}

fn thread() -> i32 {
    // SAFETY: it cannot fail.
    unsafe { libc::gettid() }
}

/// `PID-START.sock`: the start, in clock ticks since boot, tells a process from a later one.
fn name() -> Result<String, String> {
    let text = fs::read("/proc/self/stat")
        .map_err(|error| format!("/proc/self/stat cannot be read: {error}"))?;
    let text = String::from_utf8_lossy(&text);
    // The name of the program, in parentheses, may contain anything.
    let after = text.rsplit_once(')').map_or("", |(_, after)| after);
    let start = after.split_whitespace().nth(19).unwrap_or("0");
    Ok(format!("{}-{start}.sock", std::process::id()))
}

fn own_directory(path: &Path) -> Result<(), String> {
    let made = fs::DirBuilder::new().mode(0o700).create(path);
    if let Err(error) = made
        && error.kind() != io::ErrorKind::AlreadyExists
    {
        return Err(format!("{} cannot be made: {error}", path.display()));
    }
    let found = fs::symlink_metadata(path)
        .map_err(|error| format!("{} cannot be looked at: {error}", path.display()))?;
    if !found.is_dir() || found.uid() != user() || found.mode() & 0o077 != 0 {
        return Err(format!(
            "{} must be a directory of user {} that nobody else may enter",
            path.display(),
            user()
        ));
    }
    Ok(())
}

/// The user at the other end.
fn peer(stream: &UnixStream) -> io::Result<u32> {
    // SAFETY: the structure is plain numbers, and has the length that is said.
    unsafe {
        let mut peer: libc::ucred = std::mem::zeroed();
        let mut length = size_of::<libc::ucred>() as libc::socklen_t;
        let result = libc::getsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            (&raw mut peer).cast(),
            &raw mut length,
        );
        if result != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(peer.uid)
    }
}

/// Answers one message of a peer. A peer that wants more calls again.
fn answer(mut stream: UnixStream) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let peer = peer(&stream)?;
    if peer != user() && peer != 0 {
        let reason = format!("the process belongs to user {}, not to user {peer}", user());
        return refuse(&mut stream, &reason);
    }
    let mut header = [0; HEADER_SIZE];
    stream.read_exact(&mut header)?;
    let header = match Header::decode(&header) {
        Ok(header) => header,
        Err(error) => return refuse(&mut stream, &format!("the message is refused: {error}")),
    };
    let mut content = vec![0; header.length as usize];
    stream.read_exact(&mut content)?;
    let mut fields = Reader::new(&content);
    let pattern = match fields.text() {
        Ok(text) => Pattern::parse(text),
        Err(error) => Err(format!("the message is refused: {error}")),
    };
    let result = pattern.and_then(|pattern| act(&mut stream, header.kind, &pattern));
    match result {
        Ok((matched, switched)) => done(&mut stream, matched, &switched),
        Err(reason) => refuse(&mut stream, &reason),
    }
}

fn act(
    stream: &mut UnixStream,
    kind: Kind,
    pattern: &Pattern,
) -> Result<(usize, Switched), String> {
    let mut agent = refreshed().ok_or("there is no agent")?;
    match kind {
        Kind::List => {
            agent.keep_up();
            let mut sites = Vec::new();
            let mut buffer = vec![0; LONGEST_MESSAGE as usize];
            agent.each(pattern, |site| {
                let mut writer = Writer::new(&mut buffer);
                site.encode(&mut writer)
                    .map_err(|error| error.to_string())?;
                let written = writer.written();
                sites.push(buffer[..written].to_vec());
                Ok::<(), String>(())
            })?;
            let unusable = agent.unusable().iter();
            let troubles: Vec<String> = unusable
                .map(|problem| format!("{:?}: {}", problem.path, problem.reason))
                .chain(agent.trouble().map(str::to_owned))
                .collect();
            // Nobody shall wait for a peer that does not read.
            drop(agent);
            for site in &sites {
                send(stream, Kind::Site, site).map_err(|error| error.to_string())?;
            }
            let switched = Switched {
                changed: 0,
                took: Duration::ZERO,
                how: troubles.join("; "),
            };
            Ok((sites.len(), switched))
        }
        Kind::On | Kind::Off => {
            let switched = agent.wish(pattern, kind == Kind::On)?;
            Ok((agent.count(pattern), switched))
        }
        _ => Err("the message is refused: it is an answer".to_owned()),
    }
}

fn done(stream: &mut UnixStream, matched: usize, switched: &Switched) -> io::Result<()> {
    let mut buffer = [0; 4096];
    let mut writer = Writer::new(&mut buffer);
    let how: String = switched.how.chars().take(900).collect();
    let written = (|| {
        writer.u32(u32::try_from(matched).unwrap_or(u32::MAX))?;
        writer.u32(u32::try_from(switched.changed).unwrap_or(u32::MAX))?;
        writer.u64(u64::try_from(switched.took.as_nanos()).unwrap_or(u64::MAX))?;
        writer.text(&how)?;
        Ok::<usize, perflab_probe_abi::MessageError>(writer.written())
    })();
    let written = written.map_err(io::Error::other)?;
    send(stream, Kind::Done, &buffer[..written])
}

fn refuse(stream: &mut UnixStream, reason: &str) -> io::Result<()> {
    let reason: String = reason.chars().take(900).collect();
    let mut buffer = [0; 4096];
    let mut writer = Writer::new(&mut buffer);
    writer.text(&reason).map_err(io::Error::other)?;
    let written = writer.written();
    send(stream, Kind::Refused, &buffer[..written])
}

fn send(stream: &mut UnixStream, kind: Kind, content: &[u8]) -> io::Result<()> {
    let length = u32::try_from(content.len()).map_err(io::Error::other)?;
    let mut message = Header { kind, length }.encode().to_vec();
    message.extend_from_slice(content);
    stream.write_all(&message)
}
