//! The socket through which a process is asked about its probes.
#![expect(unsafe_code, reason = "who is at the other end has no safe wrapper")]

use std::ffi::CString;
use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::time::Duration;

use perflab_abi::{HEADER_SIZE, Header, Kind, LONGEST_MESSAGE, Reader, RecordWish, Writer};

use crate::agent::{Switched, Wish};
use crate::objects::Unusable;
use crate::pattern::Pattern;
use crate::process::{agent, refreshed};

/// How often the agent looks for objects that came and tracers that ask.
const PERIOD: Duration = Duration::from_millis(100);

/// The same, while events are recorded: threads that come want rings.
const RECORDING: Duration = Duration::from_millis(5);

/// How long a peer may take for a message.
const PATIENCE: Duration = Duration::from_secs(1);

/// Of the process that bound it, with the socket's place. No lock: in the child of a fork it might stay closed for ever.
static BOUND: AtomicPtr<(u32, CString)> = AtomicPtr::new(std::ptr::null_mut());

/// A socket that is bound.
#[derive(Debug)]
pub struct Socket(UnixListener);

/// Puts something there. Returns what was there.
fn bound(new: *mut (u32, CString)) -> Option<(u32, CString)> {
    let before = BOUND.swap(new, Ordering::AcqRel);
    // SAFETY: null, or a box that was put there, and that nobody else takes.
    (!before.is_null()).then(|| unsafe { *Box::from_raw(before) })
}

/// Removes the socket at the process's end.
pub fn remove() {
    if let Some((process, path)) = bound(std::ptr::null_mut())
        && process == std::process::id()
    {
        // SAFETY: a path that ends with zero.
        unsafe { libc::unlink(path.as_ptr()) };
    }
}

/// Where the sockets of a user's processes are: `$XDG_RUNTIME_DIR/perflab`, else `/tmp/perflab-UID`. A child
/// does not read its environment again, whose lock a thread of its parent may hold.
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

/// The directory for the sockets of this process's user: [`directory`] if that is the user's alone, else
/// `/tmp/perflab-UID`. A process may have got the environment of another user, or have become another user itself.
///
/// # Errors
/// When neither is the user's alone.
pub fn usable_directory() -> Result<PathBuf, String> {
    let asked = directory();
    let Err(reason) = own_directory(asked) else {
        return Ok(asked.to_owned());
    };
    let usual = PathBuf::from(format!("/tmp/perflab-{}", user()));
    if asked == usual {
        return Err(reason);
    }
    own_directory(&usual).map_err(|error| format!("{reason}; {error}"))?;
    Ok(usual)
}

/// The user whose process this is.
pub fn user() -> u32 {
    // SAFETY: it cannot fail.
    unsafe { libc::geteuid() }
}

impl Socket {
    /// Binds this process's socket; nothing if another agent of the process has it.
    ///
    /// # Errors
    /// When its directory is not the user's alone, or the socket cannot be made.
    pub fn bind() -> Result<Option<Self>, String> {
        let directory = usable_directory()?;
        let path = directory.join(format!("{}.sock", identity()?));
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
        bound(Box::into_raw(Box::new((std::process::id(), text))));
        Ok(Some(Self(listener)))
    }

    /// Answers for as long as the process lives.
    pub fn serve(&self) {
        // Who records all events, as long as the connection is there.
        let mut recorder: Option<UnixStream> = None;
        loop {
            let is_recording = agent().is_some_and(|agent| agent.is_recording());
            let period = if is_recording { RECORDING } else { PERIOD };
            self.wait(recorder.as_ref(), period);
            let_go(&mut recorder);
            if let Some(mut agent) = refreshed() {
                agent.keep_up();
                agent.look_after_recording();
            }
            if let Ok((stream, _)) = self.0.accept() {
                // It may be another recorder, which came when the first had gone.
                let_go(&mut recorder);
                // A peer that misbehaves loses its connection, and nobody else anything.
                if let Ok(Some(stays)) = answer(stream) {
                    recorder = Some(stays);
                }
            }
        }
    }

    /// Waits for a call, for the recorder to go, or for so long.
    fn wait(&self, recorder: Option<&UnixStream>, period: Duration) {
        let entry = |fd| libc::pollfd {
            fd,
            events: libc::POLLIN,
            revents: 0,
        };
        // The kernel passes over -1.
        let mut entries = [
            entry(self.0.as_raw_fd()),
            entry(recorder.map_or(-1, AsRawFd::as_raw_fd)),
        ];
        // SAFETY: as many entries as is said.
        unsafe { libc::poll(entries.as_mut_ptr(), 2, period.as_millis() as libc::c_int) };
    }
}

/// Keeps events no longer for a recorder that has gone. It sees the end of its connection, and that all is there.
fn let_go(recorder: &mut Option<UnixStream>) {
    if !recorder.as_ref().is_some_and(has_gone) {
        return;
    }
    if let Some(mut agent) = refreshed() {
        agent.detach();
        agent.look_after_recording();
    }
    *recorder = None;
}

/// Whether the other end was closed. Nothing more is expected from it.
fn has_gone(stream: &UnixStream) -> bool {
    let _ = stream.set_nonblocking(true);
    match (&mut &*stream).read(&mut [0; 64]) {
        Ok(count) => count == 0,
        Err(error) => error.kind() != io::ErrorKind::WouldBlock,
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

/// The number of the calling thread; negative if a filter of system calls refuses to tell it.
pub fn thread() -> i32 {
    // SAFETY: it takes nothing.
    unsafe { libc::gettid() }
}

/// The number of this process.
///
/// # Errors
/// When a filter of system calls refuses to tell it: the answer is -1 or another error then, which is nobody's number.
pub fn process() -> Result<u32, String> {
    // SAFETY: it takes nothing.
    told(unsafe { libc::getpid() }, "getpid")
}

/// Sees that the kernel tells this process's number and its threads', by which they have their rings.
///
/// # Errors
/// When a filter of system calls refuses that.
pub fn check_numbers() -> Result<(), String> {
    process()?;
    told(thread(), "gettid").map(drop)
}

fn told(number: i32, call: &str) -> Result<u32, String> {
    match u32::try_from(number) {
        Ok(number @ 1..) => Ok(number),
        _ => Err(format!(
            "a filter of system calls (seccomp) refuses {call}, without which events cannot be recorded"
        )),
    }
}

/// `PID-START`: the start, in clock ticks since boot, tells a process from a later one.
///
/// # Errors
/// When the kernel does not say.
pub fn identity() -> Result<String, String> {
    let text = fs::read("/proc/self/stat")
        .map_err(|error| format!("/proc/self/stat cannot be read: {error}"))?;
    let text = String::from_utf8_lossy(&text);
    // The name of the program, in parentheses, may contain anything.
    let after = text.rsplit_once(')').map_or("", |(_, after)| after);
    let start = after.split_whitespace().nth(19).unwrap_or("0");
    Ok(format!("{}-{start}", process()?))
}

/// Makes a directory, or sees that it is this user's alone.
///
/// # Errors
/// When it is not.
pub fn own_directory(path: &Path) -> Result<(), String> {
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
            "{} must be a directory of user {} that nobody else may enter, and is {} of user {} with mode {:o}; have it \
             removed, or set XDG_RUNTIME_DIR to another place",
            path.display(),
            user(),
            if found.is_dir() {
                "one"
            } else {
                "something else"
            },
            found.uid(),
            found.mode() & 0o7777
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

/// Answers one message of a peer. A peer that wants more calls again. Returns the connection of one that records
/// all events.
fn answer(mut stream: UnixStream) -> io::Result<Option<UnixStream>> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let peer = peer(&stream)?;
    if peer != user() && peer != 0 {
        let reason = format!("the process belongs to user {}, not to user {peer}", user());
        return refuse(&mut stream, &reason).map(|()| None);
    }
    let mut header = [0; HEADER_SIZE];
    stream.read_exact(&mut header)?;
    let header = match Header::decode(&header) {
        Ok(header) => header,
        Err(error) => {
            let reason = format!("the message is refused: {error}");
            return refuse(&mut stream, &reason).map(|()| None);
        }
    };
    let mut content = vec![0; header.length as usize];
    stream.read_exact(&mut content)?;
    let mut fields = Reader::new(&content);
    let pattern = match fields.text() {
        Ok(text) => Pattern::parse(text),
        Err(error) => Err(format!("the message is refused: {error}")),
    };
    let result = pattern.and_then(|pattern| act(&mut stream, header.kind, &pattern, fields));
    match result {
        Ok((matched, switched, keep)) => {
            let told = done(&mut stream, matched, &switched);
            if keep && told.is_err() {
                // The next look finds it closed.
                let _ = stream.shutdown(std::net::Shutdown::Both);
            }
            Ok(keep.then_some(stream))
        }
        Err(reason) => refuse(&mut stream, &reason).map(|()| None),
    }
}

fn act(
    stream: &mut UnixStream,
    kind: Kind,
    pattern: &Pattern,
    mut fields: Reader<'_>,
) -> Result<(usize, Switched, bool), String> {
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
                .map(Unusable::to_string)
                .chain(agent.trouble().map(str::to_owned))
                .chain(agent.recording_trouble().map(str::to_owned))
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
            Ok((sites.len(), switched, false))
        }
        Kind::On | Kind::Off => {
            let wish = if kind == Kind::On {
                Wish::Count
            } else {
                Wish::Off
            };
            let switched = agent.wish(pattern, wish)?;
            agent.look_after_recording();
            Ok((agent.count(pattern), switched, false))
        }
        Kind::Record => {
            let wish = RecordWish::decode(&mut fields)
                .map_err(|error| format!("the message is refused: {error}"))?;
            let size = agent.usual_size().or(wish.ring, wish.all);
            let (directory, switched) = agent.record(pattern, size, wish.keep)?;
            let matched = agent.count(pattern);
            drop(agent);
            let mut buffer = vec![0; LONGEST_MESSAGE as usize];
            let mut writer = Writer::new(&mut buffer);
            let directory = directory.to_string_lossy();
            let put = writer.text(&directory).map_err(io::Error::other);
            let written = writer.written();
            // If the peer does not hear it, the connection is found closed.
            let _ = put.and_then(|()| send(stream, Kind::Recording, &buffer[..written]));
            Ok((matched, switched, wish.keep))
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
        Ok::<usize, perflab_abi::MessageError>(writer.written())
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
