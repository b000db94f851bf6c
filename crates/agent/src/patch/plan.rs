//! Which way of patching can be used here and now.

use crate::status::threads_against_traps;

use super::sync::{self, Sync};
use super::text::{self, Text, Writing};
use super::trap::{self, Owner};

/// See the documentation of [`super`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// By a trap.
    Trap,
    /// By one store of eight bytes.
    Word,
}

impl Protocol {
    /// As it is shown.
    pub fn name(self) -> &'static str {
        match self {
            Self::Trap => "trap",
            Self::Word => "word",
        }
    }
}

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
            protocol: match value("PERFLAB_AGENT_PROTOCOL").as_str() {
                "trap" => Some(Protocol::Trap),
                "word" => Some(Protocol::Word),
                _ => None,
            },
            writing: match value("PERFLAB_AGENT_WRITING").as_str() {
                "memory" => Some(Writing::Memory),
                "protection" => Some(Writing::Protection),
                _ => None,
            },
            sync: match value("PERFLAB_AGENT_SYNC").as_str() {
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

    /// The best way for these sites.
    ///
    /// # Errors
    /// When there is none, with all that speaks against each.
    pub fn choose(&self, addresses: &[usize]) -> Result<Method, String> {
        let mut reasons = Vec::new();
        let sync = match (&self.sync, self.wanted.sync) {
            (Ok(sync), None) => *sync,
            (Err(reason), None) => {
                reasons.push(reason.clone());
                Sync::Visit
            }
            (_, Some(wanted)) => wanted,
        };
        let obstacle = match self.wanted.protocol {
            Some(_) => None,
            None => against_traps(),
        };
        let mut protocol = match (self.wanted.protocol, &obstacle) {
            (Some(wanted), _) => wanted,
            (None, None) => Protocol::Trap,
            (None, Some(_)) => Protocol::Word,
        };
        let writable = || Text::open(Writing::Protection, addresses).map(Text::close);
        let may_trap = !matches!(&obstacle, Some(obstacle) if obstacle.is_fatal);
        reasons.extend(obstacle.map(|obstacle| obstacle.reason));
        if protocol == Protocol::Word
            && let Err(reason) = writable()
        {
            reasons.push(reason);
            if !may_trap || self.wanted.protocol.is_some() {
                return Err(reasons.join("; "));
            }
            protocol = Protocol::Trap;
        }
        let writing = match (protocol, self.wanted.writing) {
            (Protocol::Word, _) => Writing::Protection,
            (Protocol::Trap, Some(wanted)) => wanted,
            (Protocol::Trap, None) => match try_memory(addresses) {
                Ok(()) => Writing::Memory,
                Err(reason) => {
                    reasons.push(reason);
                    writable().map_err(|reason| {
                        reasons.push(reason);
                        reasons.join("; ")
                    })?;
                    Writing::Protection
                }
            },
        };
        if protocol == Protocol::Trap {
            trap::install()?;
        }
        Ok(Method {
            protocol,
            writing,
            sync,
            reasons,
        })
    }
}

/// What speaks against traps.
struct Obstacle {
    reason: String,
    /// Whether a trap could end the process, rather than be in somebody's way.
    is_fatal: bool,
}

fn against_traps() -> Option<Obstacle> {
    let fatal = |reason: String| Obstacle {
        reason,
        is_fatal: true,
    };
    if trap::is_blocked_by_a_handler() {
        return Some(fatal(
            "a signal handler of the program blocks SIGTRAP".to_owned(),
        ));
    }
    match lasting_objection() {
        Ok(Some(reason)) => return Some(fatal(reason.to_owned())),
        Ok(None) => {}
        Err(error) => return Some(fatal(format!("the threads cannot be looked at ({error})"))),
    }
    (trap::owner() == Owner::Other).then(|| Obstacle {
        reason: "the program has its own handler of SIGTRAP".to_owned(),
        is_fatal: false,
    })
}

/// What threads have against traps in several looks: one that is just being made blocks all signals for a
/// moment, in which it executes the C library only.
fn lasting_objection() -> std::io::Result<Option<&'static str>> {
    const LOOKS: u32 = 10;
    let own = thread_number();
    let mut objection = threads_against_traps(own)?;
    for _ in 1..LOOKS {
        if objection.is_none() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
        objection = threads_against_traps(own)?;
    }
    Ok(objection)
}

fn thread_number() -> u32 {
    let link = std::fs::read_link("/proc/thread-self").ok();
    let name = link.as_ref().and_then(|link| link.file_name()?.to_str());
    name.and_then(|name| name.parse().ok()).unwrap_or(0)
}

/// Writes the first byte of a site as it is.
fn try_memory(addresses: &[usize]) -> Result<(), String> {
    let Some(address) = addresses.first() else {
        return Ok(());
    };
    let text = Text::open(Writing::Memory, &[])?;
    let [first, ..] = text::read(*address);
    text.write(*address, &[first])
}
