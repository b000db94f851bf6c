//! Answers what somebody asks who calls the socket.
#![expect(unsafe_code, reason = "who is at the other end has no safe wrapper")]

use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use perflab_abi::{
    HEADER_SIZE, Header, Kind, LONGEST_MESSAGE, MessageError, Reader, RecordWish, Writer,
};

use crate::agent::{Switched, Wish, refreshed};
use crate::filter_answers::{self, Told};
use crate::numbers::user;
use crate::objects::Unusable;
use crate::pattern::Pattern;

/// What a connection stays open for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stays {
    /// All events are kept for the peer.
    Records,
    /// The peer is told when an event comes.
    Waits,
}

/// How long a peer may take for a message.
const PATIENCE: Duration = Duration::from_secs(1);

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

/// Answers one message of a peer. A peer that wants more calls again. Returns a connection that stays, and for what.
///
/// # Errors
/// When the peer is too slow, or has gone.
pub fn answer(mut stream: UnixStream) -> io::Result<Option<(Stays, UnixStream)>> {
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
        Err(error) => return refuse(&mut stream, &refused(error)).map(|()| None),
    };
    let mut content = vec![0; header.length as usize];
    stream.read_exact(&mut content)?;
    let mut fields = Reader::new(&content);
    let pattern = match fields.text() {
        Ok(text) => Pattern::parse(text),
        Err(error) => Err(refused(error)),
    };
    let result = pattern.and_then(|pattern| act(&mut stream, header.kind, &pattern, fields));
    match result {
        Ok((matched, switched, stays)) => {
            let told = done(&mut stream, matched, &switched);
            if stays.is_some() && told.is_err() {
                // The next look finds it closed.
                let _ = stream.shutdown(std::net::Shutdown::Both);
            }
            Ok(stays.map(|stays| (stays, stream)))
        }
        Err(reason) => refuse(&mut stream, &reason).map(|()| None),
    }
}

/// Why a message is refused.
pub fn refused(error: MessageError) -> String {
    format!("the message is refused: {error}")
}

fn act(
    stream: &mut UnixStream,
    kind: Kind,
    pattern: &Pattern,
    mut fields: Reader<'_>,
) -> Result<(usize, Switched, Option<Stays>), String> {
    let wish = match kind {
        Kind::Record | Kind::RecordWhen => Some(RecordWish::decode(&mut fields).map_err(refused)?),
        _ => None,
    };
    let filter = filter_answers::filter(kind, &mut fields)?;
    if filter.is_some() {
        filter_answers::wait_for_room();
    }
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
                .chain(agent.filter_troubles())
                .collect();
            // Nobody shall wait for a peer that does not read.
            drop(agent);
            for site in &sites {
                send(stream, Kind::Site, site).map_err(|error| error.to_string())?;
            }
            let switched = Switched {
                how: troubles.join("; "),
                ..Switched::nothing()
            };
            Ok((sites.len(), switched, None))
        }
        Kind::On | Kind::OnWhen | Kind::CountBy | Kind::Off => {
            let wish = if kind == Kind::Off {
                Wish::Off
            } else {
                Wish::Count
            };
            let has_filter = filter.is_some();
            let switched = agent.wish(pattern, wish, filter)?;
            agent.look_after_recording();
            let matched = agent.count(pattern);
            let told = has_filter.then(|| Told::of(&agent, pattern));
            drop(agent);
            if let Some(told) = told {
                told.send(stream);
            }
            Ok((matched, switched, None))
        }
        Kind::Values => {
            let told = Told::values(&agent, pattern);
            let matched = agent.count(pattern);
            drop(agent);
            told.send(stream);
            Ok((matched, Switched::nothing(), None))
        }
        Kind::Await => {
            let filter = filter.ok_or("the message is refused: it has no filter")?;
            let switched = agent.await_event(pattern, filter)?;
            let matched = agent.count(pattern);
            let told = Told::of(&agent, pattern);
            drop(agent);
            told.send(stream);
            Ok((matched, switched, Some(Stays::Waits)))
        }
        Kind::Record | Kind::RecordWhen => {
            let wish = wish.ok_or("the message is refused: it says nothing of memory")?;
            let size = agent.usual_size().or(wish.ring, wish.all);
            let has_filter = filter.is_some();
            let (directory, switched) = agent.record(pattern, size, wish.keep, filter)?;
            let matched = agent.count(pattern);
            let told = has_filter.then(|| Told::of(&agent, pattern));
            drop(agent);
            let mut buffer = vec![0; LONGEST_MESSAGE as usize];
            let mut writer = Writer::new(&mut buffer);
            let directory = directory.to_string_lossy();
            let put = writer.text(&directory).map_err(io::Error::other);
            let written = writer.written();
            // If the peer does not hear it, the connection is found closed.
            let _ = put.and_then(|()| send(stream, Kind::Recording, &buffer[..written]));
            if let Some(told) = told {
                told.send(stream);
            }
            Ok((matched, switched, wish.keep.then_some(Stays::Records)))
        }
        _ => Err("the message is refused: it is an answer".to_owned()),
    }
}

fn done(stream: &mut UnixStream, matched: usize, switched: &Switched) -> io::Result<()> {
    let mut buffer = [0; 8192];
    let mut writer = Writer::new(&mut buffer);
    let how: String = switched.how.chars().take(2000).collect();
    let written = (|| {
        writer.u32(u32::try_from(matched).unwrap_or(u32::MAX))?;
        writer.u32(u32::try_from(switched.changed).unwrap_or(u32::MAX))?;
        writer.u64(u64::try_from(switched.took.as_nanos()).unwrap_or(u64::MAX))?;
        writer.text(&how)?;
        Ok::<usize, MessageError>(writer.written())
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

/// Sends a message.
///
/// # Errors
/// When the peer does not take it.
pub fn send(stream: &mut UnixStream, kind: Kind, content: &[u8]) -> io::Result<()> {
    let length = u32::try_from(content.len()).map_err(io::Error::other)?;
    let mut message = Header { kind, length }.encode().to_vec();
    message.extend_from_slice(content);
    stream.write_all(&message)
}
