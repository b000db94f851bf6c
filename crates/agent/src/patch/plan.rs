//! Which way of patching can be used here and now.

use crate::status::Threads;

use super::stop::{self, Owner, Stop};
use super::sync::{self, Sync};
use super::text::{self, Text, Writing};

/// See the documentation of [`super`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// By an instruction that stops threads.
    Stop(Stop),
    /// By stores of the first two bytes at once.
    Word,
}

impl Protocol {
    /// As it is shown.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stop(Stop::Fault) => "fault",
            Self::Stop(Stop::Trap) => "trap",
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
                "fault" => Some(Protocol::Stop(Stop::Fault)),
                "trap" => Some(Protocol::Stop(Stop::Trap)),
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
        let protocol = match self.wanted.protocol {
            Some(wanted) => wanted,
            None => best(addresses, &mut reasons)?,
        };
        let writable = || Text::open(Writing::Protection, addresses).map(Text::close);
        let writing = match (protocol, self.wanted.writing) {
            (Protocol::Word, _) => {
                writable()?;
                Writing::Protection
            }
            (Protocol::Stop(_), Some(wanted)) => wanted,
            (Protocol::Stop(_), None) => match try_memory(addresses) {
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
        if let Protocol::Stop(stop) = protocol {
            stop::install(stop)?;
        }
        Ok(Method {
            protocol,
            writing,
            sync,
            reasons,
        })
    }
}

/// What speaks against stopping threads in one way.
struct Obstacle {
    reason: String,
    /// Whether a thread could be ended by it, rather than somebody be disturbed.
    is_fatal: bool,
}

/// The protocol with the least against it: the fault; a word; the fault, if it only disturbs; the trap, if
/// nothing else is left.
fn best(addresses: &[usize], reasons: &mut Vec<String>) -> Result<Protocol, String> {
    let signals = [Stop::Fault, Stop::Trap].map(Stop::signal);
    let bits = signals
        .iter()
        .fold(0, |bits, signal| bits | 1 << (signal - 1));
    let threads = Threads::look(bits).map_err(|error| error.to_string());
    let Some(against_faults) = obstacle(Stop::Fault, &threads) else {
        return Ok(Protocol::Stop(Stop::Fault));
    };
    reasons.push(against_faults.reason);
    match Text::open(Writing::Protection, addresses) {
        Ok(text) => {
            text.close();
            return Ok(Protocol::Word);
        }
        Err(reason) => reasons.push(reason),
    }
    if !against_faults.is_fatal {
        return Ok(Protocol::Stop(Stop::Fault));
    }
    if let Some(against_traps) = obstacle(Stop::Trap, &threads) {
        reasons.push(against_traps.reason);
        if against_traps.is_fatal {
            return Err(reasons.join("; "));
        }
    }
    Ok(Protocol::Stop(Stop::Trap))
}

fn obstacle(stop: Stop, threads: &Result<Threads, String>) -> Option<Obstacle> {
    let signal = stop.signal_name();
    let fatal = |reason: String| {
        Some(Obstacle {
            reason,
            is_fatal: true,
        })
    };
    let threads = match threads {
        Ok(threads) => threads,
        Err(error) => return fatal(format!("the threads cannot be looked at ({error})")),
    };
    if stop::is_blocked_by_a_handler(stop) {
        return fatal(format!("a signal handler of the program blocks {signal}"));
    }
    if threads.block(stop.signal()) {
        return fatal(format!(
            "a thread blocks {signal}, which would end the process"
        ));
    }
    if threads.is_traced {
        return Some(Obstacle {
            reason: format!("a debugger is attached, which {signal} would stop"),
            // Debuggers keep SIGTRAP for themselves, and leave the thread in the middle of the site.
            is_fatal: stop == Stop::Trap,
        });
    }
    (stop::owner(stop) == Owner::Other).then(|| Obstacle {
        reason: format!("the program has its own handler of {signal}"),
        is_fatal: false,
    })
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
