//! Which way of patching can be used here and now.

use perflab_abi::variable;

use super::change::Change;
use super::protocol::Protocol;
use super::pun::Puns;
use super::stop::{self, Stop};
use super::sync::{self, Sync};
use super::text::{self, Text, Writing};
use crate::pages::PAGE;

/// How changes were made, and why so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Method {
    /// The steps.
    pub protocol: Protocol,
    /// How code was written.
    pub writing: Writing,
    /// How all threads were made to forget the old code.
    pub sync: Sync,
    /// What spoke against a better way.
    pub reasons: Vec<String>,
}

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (protocol, writing, sync) =
            (self.protocol.name(), self.writing.name(), self.sync.name());
        write!(f, "by {protocol}, through {writing}, with {sync}")?;
        for reason in &self.reasons {
            write!(f, "; {reason}")?;
        }
        Ok(())
    }
}

/// What is known of the kernel, and what somebody asked for.
#[derive(Debug)]
pub struct Planner {
    sync: Result<Sync, String>,
    wanted: Wanted,
}

/// Ways that the environment asks for, for tests and for those who know better.
#[derive(Debug, Default)]
struct Wanted {
    protocol: Option<Protocol>,
    writing: Option<Writing>,
    sync: Option<Sync>,
}

impl Wanted {
    fn from_environment() -> Self {
        let value = |name: &str| std::env::var(name).unwrap_or_default();
        Self {
            protocol: match value(variable::PROTOCOL).as_str() {
                "fault" => Some(Protocol::Stop(Stop::Fault)),
                "trap" => Some(Protocol::Stop(Stop::Trap)),
                "word" => Some(Protocol::Word),
                "pun" => Some(Protocol::Pun),
                _ => None,
            },
            writing: match value(variable::WRITING).as_str() {
                "memory" => Some(Writing::Memory),
                "protection" => Some(Writing::Protection),
                _ => None,
            },
            sync: match value(variable::SYNC).as_str() {
                "membarrier" => Some(Sync::Membarrier),
                "visit" => Some(Sync::Visit),
                _ => None,
            },
        }
    }
}

impl Planner {
    /// Registers for `membarrier`, which is cheap while there is one thread.
    pub fn new() -> Self {
        Self {
            sync: sync::register()
                .map(|()| Sync::Membarrier)
                .map_err(|error| format!("membarrier cannot be used ({error})")),
            wanted: Wanted::from_environment(),
        }
    }

    /// Registers the child of a fork as its parent was: what is known of the kernel and asked for holds on.
    pub fn after_fork(&mut self) {
        if self.sync.is_ok() {
            self.sync = sync::register_again()
                .map(|()| Sync::Membarrier)
                .map_err(|error| format!("membarrier cannot be used ({error})"));
        }
    }

    /// How all threads are made to serialise, and what speaks against a better way.
    pub fn sync(&self, reasons: &mut Vec<String>) -> Sync {
        match (&self.sync, self.wanted.sync) {
            // A filter of system calls may have come since it was registered.
            (Ok(sync), None) => match sync.all_threads() {
                Ok(()) => *sync,
                Err(reason) => {
                    reasons.push(reason);
                    Sync::Visit
                }
            },
            (Err(reason), None) => {
                reasons.push(reason.clone());
                Sync::Visit
            }
            (_, Some(wanted)) => wanted,
        }
    }

    /// The best way for these changes, and the code of their sites, sorted, open for writing.
    ///
    /// # Errors
    /// When there is none, with all that speaks against each.
    pub fn choose(
        &self,
        changes: &[Change],
        addresses: &[usize],
        puns: &mut Puns,
    ) -> Result<(Method, Text), String> {
        let mut reasons = Vec::new();
        let sync = self.sync(&mut reasons);
        let (protocol, opened) = match self.wanted.protocol {
            Some(Protocol::Pun) => {
                puns.prepare(changes)?;
                (Protocol::Pun, None)
            }
            Some(wanted) => (wanted, None),
            None => best(changes, addresses, puns, &mut reasons)?,
        };
        let (writing, text) = match (protocol, self.wanted.writing) {
            (Protocol::Word, _) => (
                Writing::Protection,
                opened.map_or_else(|| Text::open(Writing::Protection, addresses), Ok)?,
            ),
            (_, Some(wanted)) => (wanted, Text::open(wanted, addresses)?),
            (_, None) => match try_memory(addresses) {
                Ok(text) => (Writing::Memory, text),
                Err(reason) => {
                    reasons.push(reason);
                    let text = Text::open(Writing::Protection, addresses).map_err(|reason| {
                        reasons.push(reason);
                        reasons.join("; ")
                    })?;
                    (Writing::Protection, text)
                }
            },
        };
        if let Protocol::Stop(stop) = protocol {
            stop::install(stop)?;
        }
        let method = Method {
            protocol,
            writing,
            sync,
            reasons,
        };
        Ok((method, text))
    }
}

/// The word, where pages can be made writable; else the pun. Threads are stopped only if somebody asks for it: one that
/// blocks the signal would be killed, and no look can tell that none will.
///
/// For a word the code is open already.
fn best(
    changes: &[Change],
    addresses: &[usize],
    puns: &mut Puns,
    reasons: &mut Vec<String>,
) -> Result<(Protocol, Option<Text>), String> {
    match Text::open(Writing::Protection, addresses) {
        Ok(text) => return Ok((Protocol::Word, Some(text))),
        Err(reason) => reasons.push(reason),
    }
    match puns.prepare(changes) {
        Ok(()) => Ok((Protocol::Pun, None)),
        Err(reason) => {
            reasons.push(reason);
            Err(reasons.join("; "))
        }
    }
}

/// Opens memory, and writes the first byte of a site on each page as it is.
fn try_memory(addresses: &[usize]) -> Result<Text, String> {
    let text = Text::open(Writing::Memory, &[])?;
    let mut tried = None;
    for address in addresses {
        if tried != Some(address / PAGE) {
            let [first, ..] = text::read(*address);
            text.write(*address, &[first])?;
            tried = Some(address / PAGE);
        }
    }
    Ok(text)
}
