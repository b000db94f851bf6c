//! Answers to messages that have a filter.

use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use perflab_abi::{FilterWish, Filtered, Kind, LONGEST_MESSAGE, Reader, ValueHits, Writer};

use crate::agent::{Agent, agent};
use crate::answers::{refused, send};
use crate::filter::Filter;
use crate::pattern::Pattern;

/// The filter of a message, if it is one of those that have one. It is verified, which takes its time, so the agent's
/// lock should be free.
///
/// # Errors
/// When it cannot be read, or a program is refused.
pub fn filter(kind: Kind, fields: &mut Reader<'_>) -> Result<Option<Arc<Filter>>, String> {
    let argument = match kind {
        Kind::OnWhen | Kind::RecordWhen | Kind::Await => "",
        Kind::CountBy => fields.text().map_err(refused)?,
        _ => return Ok(None),
    };
    let filter = Filter::read(&FilterWish::decode(fields).map_err(refused)?)?;
    Ok(Some(Arc::new(match kind {
        Kind::RecordWhen => filter.with_triggers(fields)?,
        Kind::CountBy => filter.counting(argument),
        Kind::Await => filter.awaited()?,
        _ => filter,
    })))
}

/// How long a filter waits for those before it where too many of them cannot be freed, and how often it looks.
const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(1);

/// Waits until there is room for another filter, or none is to be hoped for. The agent's lock is free meanwhile: a fork
/// of the program waits for it.
pub fn wait_for_room() {
    let end = Instant::now() + PATIENCE;
    let has_room = || agent().is_none_or(|mut agent| agent.has_room_for_filters());
    while !has_room() && Instant::now() < end {
        std::thread::sleep(PAUSE);
    }
}

/// What is told of filters, before the end of an answer.
#[derive(Debug)]
pub struct Told {
    kind: Kind,
    all: Vec<Vec<u8>>,
}

impl Told {
    /// What became of the filters of sites that a pattern means. What no message has room for is left out.
    pub fn of(agent: &Agent, pattern: &Pattern) -> Self {
        let mut buffer = vec![0; LONGEST_MESSAGE as usize];
        let mut all = Vec::new();
        agent.each_filtered(pattern, |filtered: &Filtered<'_>| {
            let mut writer = Writer::new(&mut buffer);
            if filtered.encode(&mut writer).is_ok() {
                let written = writer.written();
                all.push(buffer[..written].to_vec());
            }
        });
        let kind = Kind::Filtered;
        Self { kind, all }
    }

    /// How often values came, of the sites that a pattern means.
    pub fn values(agent: &Agent, pattern: &Pattern) -> Self {
        let mut buffer = vec![0; LONGEST_MESSAGE as usize];
        let mut all = Vec::new();
        agent.each_value(pattern, |value, hits| {
            let mut writer = Writer::new(&mut buffer);
            if (ValueHits { value, hits }).encode(&mut writer).is_ok() {
                let written = writer.written();
                all.push(buffer[..written].to_vec());
            }
        });
        let kind = Kind::Value;
        Self { kind, all }
    }

    /// Sends it. Nobody shall wait for a peer that does not read, so the agent's lock should be free.
    pub fn send(&self, stream: &mut UnixStream) {
        let mut all = self.all.iter();
        // Nothing more to a peer that does not read: each try takes its time. The connection is found closed.
        let _ = all.try_for_each(|content| send(stream, self.kind, content));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_that_does_not_read_is_waited_for_once() {
        let (mut own, _peer) = UnixStream::pair().unwrap();
        let patience = Duration::from_millis(50);
        own.set_write_timeout(Some(patience)).unwrap();
        let told = Told {
            kind: Kind::Value,
            all: vec![vec![0; 1 << 15]; 200],
        };
        let begin = Instant::now();
        told.send(&mut own);
        assert!(begin.elapsed() < 40 * patience);
    }
}
