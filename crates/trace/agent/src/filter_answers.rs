//! Answers to messages that have a filter.

use std::os::unix::net::UnixStream;
use std::sync::Arc;

use perflab_abi::{FilterWish, Filtered, Kind, LONGEST_MESSAGE, Reader, Writer};

use crate::agent::Agent;
use crate::answers::{refused, send};
use crate::filter::Filter;
use crate::pattern::Pattern;

/// The filter of a message, if it is one of those that have one. It is verified, which takes its time, so the agent's
/// lock should be free.
///
/// # Errors
/// When it cannot be read, or a program is refused.
pub fn filter(kind: Kind, fields: &mut Reader<'_>) -> Result<Option<Arc<Filter>>, String> {
    if !matches!(kind, Kind::OnWhen | Kind::RecordWhen) {
        return Ok(None);
    }
    let wish = FilterWish::decode(fields).map_err(refused)?;
    Ok(Some(Arc::new(Filter::read(&wish)?)))
}

/// What became of a filter, for each probe that was meant.
#[derive(Debug)]
pub struct Told(Vec<Vec<u8>>);

impl Told {
    /// Of the filters of sites that a pattern means. What no message has room for is left out.
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
        Self(all)
    }

    /// Sends it. Nobody shall wait for a peer that does not read, so the agent's lock should be free.
    pub fn send(&self, stream: &mut UnixStream) {
        for filtered in &self.0 {
            // If the peer does not hear it, the connection is found closed.
            let _ = send(stream, Kind::Filtered, filtered);
        }
    }
}
