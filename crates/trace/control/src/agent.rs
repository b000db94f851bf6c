//! Questions to one agent.

use std::io::{self, BufReader, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use perflab_abi::{
    Description, HEADER_SIZE, Header, Kind, MessageError, Reader, RecordWish, SiteState, Writer,
};

use crate::error::{ControlError, LONGEST_ANSWER};
use crate::peer::Claim;
use crate::process::State;

/// How long a whole answer may take: switching many sites of many threads takes its time.
const PATIENCE: Duration = Duration::from_secs(10);

/// Longest time from the end of a process's sockets to its own, or to its next program's, as far as it is waited
/// for, and how often that is looked at.
const END: Duration = Duration::from_millis(500);
const LOOK: Duration = Duration::from_millis(10);

/// One site of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// Who offers the probe.
    pub provider: String,
    /// What it is called there.
    pub name: String,
    /// Types and names of its arguments.
    pub arguments: Vec<(String, String)>,
    /// The source file.
    pub file: String,
    /// The line in it.
    pub line: u32,
    /// The executable or shared object; empty for the executable.
    pub object: String,
    /// Address of the site in the process.
    pub address: u64,
    /// Sites with the same are copies of one place in the source, and are counted together.
    pub point: u64,
    /// Hits of the point while it was on and counted.
    pub hits: u64,
    /// Whether it is on.
    pub on: bool,
    /// Whether a flag is tested instead of a no-op.
    pub is_branch: bool,
    /// Tracers in the kernel and debuggers that want it open.
    pub tracers: u16,
    /// Whether its events are recorded, instead of counting them.
    pub is_recorded: bool,
    /// Whether the time of an event is taken when all that comes before it is done.
    pub is_ordered: bool,
}

/// What an agent did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switched {
    /// Sites that were meant.
    pub matched: u32,
    /// Sites whose state changed.
    pub changed: u32,
    /// Time that it took.
    pub took: Duration,
    /// How it was done; after a list, what is wrong with objects that cannot be used.
    pub how: String,
}

/// What an agent records.
#[derive(Debug)]
pub struct Recorded {
    /// Where the process's rings are.
    pub directory: PathBuf,
    /// What was switched for that.
    pub switched: Switched,
    /// The connection, to be kept for as long as events are to be kept.
    pub connection: UnixStream,
}

/// All that an agent said.
#[derive(Debug)]
struct Answer {
    sites: Vec<Site>,
    switched: Switched,
    directory: Option<PathBuf>,
    connection: UnixStream,
}

/// An agent that answers, one call for each question.
#[derive(Debug, Clone)]
pub struct Agent {
    socket: PathBuf,
    patience: Duration,
    /// How long a process without a socket is watched.
    end: Duration,
}

impl Agent {
    /// The agent with this socket. It is believed only if the process answers that its name says.
    pub fn at(socket: &Path) -> Self {
        Self {
            socket: socket.to_owned(),
            patience: PATIENCE,
            end: END,
        }
    }

    /// Waits so long for a whole answer, instead of 10 s.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Takes a process that has closed its socket for [`ControlError::Closed`] at once, instead of half a second later
    /// where it has not ended by then.
    #[must_use]
    pub fn at_once(self) -> Self {
        let end = Duration::ZERO;
        Self { end, ..self }
    }

    /// The sites that a pattern means, and problems with others.
    ///
    /// # Errors
    /// When the agent refuses or cannot be understood.
    pub fn list(&self, pattern: &str) -> Result<(Vec<Site>, Switched), ControlError> {
        let answer = self.ask(Kind::List, pattern, None)?;
        Ok((answer.sites, answer.switched))
    }

    /// Switches the sites that a pattern means, now and when they come later.
    ///
    /// # Errors
    /// When the agent refuses, then nothing was switched, or cannot be understood.
    pub fn switch(&self, pattern: &str, on: bool) -> Result<Switched, ControlError> {
        let kind = if on { Kind::On } else { Kind::Off };
        self.ask(kind, pattern, None).map(|answer| answer.switched)
    }

    /// Records the sites that a pattern means, now and when they come later.
    ///
    /// # Errors
    /// As those of [`Agent::switch`].
    pub fn record(&self, pattern: &str, wish: RecordWish) -> Result<Recorded, ControlError> {
        let answer = self.ask(Kind::Record, pattern, Some(wish))?;
        Ok(Recorded {
            directory: answer.directory.ok_or(ControlError::Nonsense)?,
            switched: answer.switched,
            connection: answer.connection,
        })
    }

    fn ask(
        &self,
        kind: Kind,
        pattern: &str,
        wish: Option<RecordWish>,
    ) -> Result<Answer, ControlError> {
        let claim = Claim::of(&self.socket)?;
        if claim.process.state() == State::Stopped {
            return Err(ControlError::Stopped(claim.process.pid));
        }
        let socket = identity(&self.socket);
        self.exchange(&claim, kind, pattern, wish)
            .map_err(|error| match error {
                // The stop of a process arrives only when it is next scheduled.
                ControlError::Io(error)
                    if is_late(&error) && claim.process.state() == State::Stopped =>
                {
                    ControlError::Stopped(claim.process.pid)
                }
                ControlError::Io(error) if is_late(&error) => ControlError::Late(self.patience),
                // A process takes the socket away when it begins to end.
                ControlError::Io(error) if error.kind() == io::ErrorKind::NotFound => {
                    ControlError::Gone
                }
                ControlError::Io(error) if is_closed(&error) => self.closed(&claim, socket),
                other => other,
            })
    }

    /// Why nobody listens. A process closes its socket before it has ended, and before its next program makes one.
    fn closed(&self, claim: &Claim, before: Option<Identity>) -> ControlError {
        let end = Instant::now() + self.end;
        while claim.process.state() != State::Ended {
            let now = identity(&self.socket);
            if (now.is_some() && now != before) || Instant::now() >= end {
                return ControlError::Closed;
            }
            thread::sleep(LOOK);
        }
        ControlError::Gone
    }

    fn exchange(
        &self,
        claim: &Claim,
        kind: Kind,
        pattern: &str,
        wish: Option<RecordWish>,
    ) -> Result<Answer, ControlError> {
        let mut content = vec![0; pattern.len() + 32];
        let mut writer = Writer::new(&mut content);
        writer.text(pattern)?;
        if let Some(wish) = wish {
            wish.encode(&mut writer)?;
        }
        let written = writer.written();
        content.truncate(written);
        let length = u32::try_from(content.len()).map_err(|_| MessageError::Short)?;
        let mut message = Header { kind, length }.encode().to_vec();
        message.extend_from_slice(&content);
        let mut stream = claim.connect(&self.socket, self.patience)?;
        stream.write_all(&message)?;
        let mut stream = BufReader::new(stream);
        let mut left = LONGEST_ANSWER;
        let mut sites = Vec::new();
        let mut directory = None;
        loop {
            let (kind, content) = receive(&mut stream, &mut left)?;
            let mut fields = Reader::new(&content);
            match kind {
                Kind::Site => sites.push(site(&SiteState::decode(&mut fields)?)?),
                Kind::Recording => directory = Some(PathBuf::from(fields.text()?)),
                Kind::Done => {
                    return Ok(Answer {
                        sites,
                        switched: switched(&mut fields)?,
                        directory,
                        connection: stream.into_inner().into_inner(),
                    });
                }
                Kind::Refused => return Err(ControlError::Refused(printable(fields.text()?))),
                _ => return Err(ControlError::Nonsense),
            }
        }
    }
}

/// Whether it took longer than it may, as a socket or a conversation says it.
fn is_late(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}

/// Whether nobody listens, or does not any more.
fn is_closed(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::UnexpectedEof
    )
}

/// What tells a socket from another of the same name: its inode and the time of its making.
type Identity = (u64, i64, i64);

fn identity(socket: &Path) -> Option<Identity> {
    let metadata = std::fs::symlink_metadata(socket).ok()?;
    Some((metadata.ino(), metadata.mtime(), metadata.mtime_nsec()))
}

/// One message, which may take no more than the bytes that are left.
fn receive(stream: &mut impl Read, left: &mut u64) -> Result<(Kind, Vec<u8>), ControlError> {
    let mut header = [0; HEADER_SIZE];
    stream.read_exact(&mut header)?;
    let header = Header::decode(&header)?;
    let size = HEADER_SIZE as u64 + u64::from(header.length);
    *left = left.checked_sub(size).ok_or(ControlError::TooLong)?;
    let mut content = vec![0; header.length as usize];
    stream.read_exact(&mut content)?;
    Ok((header.kind, content))
}

fn site(state: &SiteState<'_>) -> Result<Site, ControlError> {
    let description = Description::parse(state.description)?;
    let arguments = description.arguments();
    Ok(Site {
        provider: description.provider.to_owned(),
        name: description.name.to_owned(),
        arguments: arguments
            .map(|argument| (printable(argument.kind_text), argument.name.to_owned()))
            .collect(),
        file: printable(description.file),
        line: description.line,
        object: printable(state.object),
        address: state.address,
        point: state.point,
        hits: state.hits,
        on: state.on,
        is_branch: state.backend != 0,
        tracers: state.semaphore,
        is_recorded: state.recorded,
        is_ordered: state.ordered,
    })
}

fn switched(fields: &mut Reader<'_>) -> Result<Switched, ControlError> {
    Ok(Switched {
        matched: fields.u32()?,
        changed: fields.u32()?,
        took: Duration::from_nanos(fields.u64()?),
        how: printable(fields.text()?),
    })
}

/// Text of another process, with nothing in it that a terminal would obey.
fn printable(text: &str) -> String {
    let safe = |c: char| {
        if c.is_control() {
            char::REPLACEMENT_CHARACTER
        } else {
            c
        }
    };
    text.chars().map(safe).collect()
}
