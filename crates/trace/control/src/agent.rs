//! Questions to one agent.

use std::io::{self, BufReader, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use perflab_abi::{Header, Kind, MessageError, Reader, RecordWish, SiteState, Writer};

use crate::answer::{Site, Switched, receive, refused, site, switched};
use crate::awaited::Awaited;
use crate::error::{ControlError, LONGEST_ANSWER};
use crate::filter::EncodedFilter;
use crate::peer::Claim;
use crate::process::State;
use crate::value::ValueHits;

/// How long a whole answer may take: switching many sites of many threads takes its time.
const PATIENCE: Duration = Duration::from_secs(10);

/// Longest time from the end of a process's sockets to its own, or to its next program's, as far as it is waited
/// for, and how often that is looked at.
const END: Duration = Duration::from_millis(500);
const LOOK: Duration = Duration::from_millis(10);

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

/// What an agent is asked.
struct Question<'a> {
    kind: Kind,
    pattern: &'a str,
    wish: Option<RecordWish>,
    argument: Option<&'a str>,
    filter: Option<&'a EncodedFilter>,
}

impl<'a> Question<'a> {
    fn new(kind: Kind, pattern: &'a str) -> Self {
        Self {
            kind,
            pattern,
            wish: None,
            argument: None,
            filter: None,
        }
    }

    /// What follows the header.
    fn content(&self) -> Result<Vec<u8>, MessageError> {
        let argument = self.argument.unwrap_or_default();
        let mut content = vec![0; self.pattern.len() + argument.len() + 32];
        let mut writer = Writer::new(&mut content);
        writer.text(self.pattern)?;
        if let Some(wish) = self.wish {
            wish.encode(&mut writer)?;
        }
        if self.argument.is_some() {
            writer.text(argument)?;
        }
        let written = writer.written();
        content.truncate(written);
        if let Some(filter) = self.filter {
            content.extend_from_slice(filter.bytes());
        }
        Ok(content)
    }
}

/// All that an agent said.
#[derive(Debug)]
struct Answer {
    sites: Vec<Site>,
    values: Vec<ValueHits>,
    switched: Switched,
    directory: Option<PathBuf>,
    connection: UnixStream,
    /// What was read behind its end.
    rest: Vec<u8>,
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
        let answer = self.ask(&Question::new(Kind::List, pattern))?;
        Ok((answer.sites, answer.switched))
    }

    /// Switches the sites that a pattern means, now and when they come later.
    ///
    /// # Errors
    /// When the agent refuses, then nothing was switched, or cannot be understood.
    pub fn switch(&self, pattern: &str, on: bool) -> Result<Switched, ControlError> {
        let kind = if on { Kind::On } else { Kind::Off };
        let answer = self.ask(&Question::new(kind, pattern))?;
        Ok(answer.switched)
    }

    /// Switches the sites that a pattern means on, now and when they come later. They count the events that a filter
    /// accepts. It takes the place of one that judged the same sites before.
    ///
    /// # Errors
    /// As those of [`Agent::switch`], also when the agent does not accept the filter, or knows none.
    pub fn on_when(&self, pattern: &str, filter: &EncodedFilter) -> Result<Switched, ControlError> {
        let answer = self.ask(&Question {
            filter: Some(filter),
            ..Question::new(Kind::OnWhen, pattern)
        })?;
        Ok(answer.switched)
    }

    /// Records the sites that a pattern means, now and when they come later.
    ///
    /// # Errors
    /// As those of [`Agent::switch`].
    pub fn record(&self, pattern: &str, wish: RecordWish) -> Result<Recorded, ControlError> {
        recorded(self.ask(&Question {
            wish: Some(wish),
            ..Question::new(Kind::Record, pattern)
        })?)
    }

    /// Records the events that a filter accepts, of the sites that a pattern means, now and when they come later.
    ///
    /// # Errors
    /// As those of [`Agent::on_when`].
    pub fn record_when(
        &self,
        pattern: &str,
        wish: RecordWish,
        filter: &EncodedFilter,
    ) -> Result<Recorded, ControlError> {
        recorded(self.ask(&Question {
            wish: Some(wish),
            filter: Some(filter),
            ..Question::new(Kind::RecordWhen, pattern)
        })?)
    }

    /// Switches the sites that a pattern means on, now and when they come later. The events that a filter accepts are
    /// counted by the value of an argument, or of `$ctx.` and a name, see [`Agent::values`]. They are not among the
    /// hits of the sites. This ends when the sites are switched again.
    ///
    /// # Errors
    /// As those of [`Agent::on_when`].
    pub fn count_by(
        &self,
        pattern: &str,
        argument: &str,
        filter: &EncodedFilter,
    ) -> Result<Switched, ControlError> {
        let answer = self.ask(&Question {
            argument: Some(argument),
            filter: Some(filter),
            ..Question::new(Kind::CountBy, pattern)
        })?;
        Ok(answer.switched)
    }

    /// How often each value came, of the sites that a pattern means and that count by value.
    ///
    /// # Errors
    /// When the agent refuses or cannot be understood.
    pub fn values(&self, pattern: &str) -> Result<Vec<ValueHits>, ControlError> {
        Ok(self.ask(&Question::new(Kind::Values, pattern))?.values)
    }

    /// Asks to be told when an event of these sites comes that a filter accepts, of a process that records on its own.
    ///
    /// # Errors
    /// As those of [`Agent::on_when`], also when somebody else waits there, or nothing is recorded.
    pub fn await_event(
        &self,
        pattern: &str,
        filter: &EncodedFilter,
    ) -> Result<Awaited, ControlError> {
        let answer = self.ask(&Question {
            filter: Some(filter),
            ..Question::new(Kind::Await, pattern)
        })?;
        Awaited::new(answer.switched, answer.connection, answer.rest)
    }

    fn ask(&self, question: &Question<'_>) -> Result<Answer, ControlError> {
        let claim = Claim::of(&self.socket)?;
        if claim.process.state() == State::Stopped {
            return Err(ControlError::Stopped(claim.process.pid));
        }
        let socket = identity(&self.socket);
        self.exchange(&claim, question)
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

    fn exchange(&self, claim: &Claim, question: &Question<'_>) -> Result<Answer, ControlError> {
        let content = question.content()?;
        let length = u32::try_from(content.len()).map_err(|_| MessageError::Short)?;
        let kind = question.kind;
        let mut message = Header { kind, length }.encode().to_vec();
        message.extend_from_slice(&content);
        let mut stream = claim.connect(&self.socket, self.patience)?;
        stream.write_all(&message)?;
        let mut stream = BufReader::new(stream);
        let mut left = LONGEST_ANSWER;
        let mut sites = Vec::new();
        let mut filtered = Vec::new();
        let mut values = Vec::new();
        let mut directory = None;
        loop {
            let (kind, content) = receive(&mut stream, &mut left)?;
            let mut fields = Reader::new(&content);
            match kind {
                Kind::Site => sites.push(site(&SiteState::decode(&mut fields)?)?),
                Kind::Recording => directory = Some(PathBuf::from(fields.text()?)),
                Kind::Filtered => {
                    filtered.push(perflab_abi::Filtered::decode(&mut fields)?.into());
                }
                Kind::Value => values.push(perflab_abi::ValueHits::decode(&mut fields)?.into()),
                Kind::Done => {
                    return Ok(Answer {
                        sites,
                        values,
                        switched: switched(&mut fields, filtered)?,
                        directory,
                        rest: stream.buffer().to_vec(),
                        connection: stream.into_inner().into_inner(),
                    });
                }
                Kind::Refused => return Err(refused(question.kind, fields.text()?)),
                _ => return Err(ControlError::Nonsense),
            }
        }
    }
}

fn recorded(answer: Answer) -> Result<Recorded, ControlError> {
    Ok(Recorded {
        directory: answer.directory.ok_or(ControlError::Nonsense)?,
        switched: answer.switched,
        connection: answer.connection,
    })
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
