//! What agents answer: sites, and what they did.

use std::io::Read;
use std::time::Duration;

use perflab_abi::{Description, HEADER_SIZE, Header, Kind, MessageError, Reader, SiteState};

use crate::error::ControlError;
use crate::filter::{Filtered, SiteFilter};

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
    /// What judges its events, if anything does. Then its hits are those that were accepted.
    pub filter: Option<SiteFilter>,
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
    /// What became of a filter that was sent, for each probe that was meant.
    pub filtered: Vec<Filtered>,
}

/// One message, which may take no more than the bytes that are left.
pub(crate) fn receive(
    stream: &mut impl Read,
    left: &mut u64,
) -> Result<(Kind, Vec<u8>), ControlError> {
    let mut header = [0; HEADER_SIZE];
    stream.read_exact(&mut header)?;
    let header = Header::decode(&header)?;
    let size = HEADER_SIZE as u64 + u64::from(header.length);
    *left = left.checked_sub(size).ok_or(ControlError::TooLong)?;
    let mut content = vec![0; header.length as usize];
    stream.read_exact(&mut content)?;
    Ok((header.kind, content))
}

/// Why an agent has refused. One of an earlier version knows no filters, and refuses their kinds of messages.
pub(crate) fn refused(kind: Kind, reason: &str) -> ControlError {
    if reason.ends_with(&MessageError::Kind(kind.number()).to_string()) {
        ControlError::TooOld
    } else {
        ControlError::Refused(printable(reason))
    }
}

/// A site, from its fields.
pub(crate) fn site(state: &SiteState<'_>) -> Result<Site, ControlError> {
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
        filter: state.filter.map(SiteFilter::from),
    })
}

/// What an agent did, from the fields of the end of its answer.
pub(crate) fn switched(
    fields: &mut Reader<'_>,
    filtered: Vec<Filtered>,
) -> Result<Switched, ControlError> {
    Ok(Switched {
        matched: fields.u32()?,
        changed: fields.u32()?,
        took: Duration::from_nanos(fields.u64()?),
        how: printable(fields.text()?),
        filtered,
    })
}

/// Text of another process, with nothing in it that a terminal would obey.
pub(crate) fn printable(text: &str) -> String {
    let safe = |c: char| {
        if c.is_control() {
            char::REPLACEMENT_CHARACTER
        } else {
            c
        }
    };
    text.chars().map(safe).collect()
}
