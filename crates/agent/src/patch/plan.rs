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
    /// Whether a thread was ever seen to wait with a mask for that time: it will again.
    wait_masked: bool,
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
            wait_masked: false,
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

    /// The best way for these sites, and their code, open for writing.
    ///
    /// # Errors
    /// When there is none, with all that speaks against each.
    pub fn choose(&mut self, addresses: &[usize]) -> Result<(Method, Text), String> {
        let mut reasons = Vec::new();
        let sync = match (&self.sync, self.wanted.sync) {
            (Ok(sync), None) => *sync,
            (Err(reason), None) => {
                reasons.push(reason.clone());
                Sync::Visit
            }
            (_, Some(wanted)) => wanted,
        };
        let (protocol, opened) = match self.wanted.protocol {
            Some(wanted) => (wanted, None),
            None => self.best(addresses, &mut reasons)?,
        };
        let (writing, text) = match (protocol, self.wanted.writing) {
            (Protocol::Word, _) => (
                Writing::Protection,
                opened.map_or_else(|| Text::open(Writing::Protection, addresses), Ok)?,
            ),
            (Protocol::Stop(_), Some(wanted)) => (wanted, Text::open(wanted, addresses)?),
            (Protocol::Stop(_), None) => match try_memory(addresses) {
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

    /// The protocol with the least against it: the word, where pages can be made writable; the fault, else
    /// the trap, where no thread blocks its signal.
    ///
    /// For a word the code is open already.
    fn best(
        &mut self,
        addresses: &[usize],
        reasons: &mut Vec<String>,
    ) -> Result<(Protocol, Option<Text>), String> {
        match Text::open(Writing::Protection, addresses) {
            Ok(text) => return Ok((Protocol::Word, Some(text))),
            Err(reason) => reasons.push(reason),
        }
        let signals = [Stop::Fault, Stop::Trap].map(Stop::signal);
        let bits = signals
            .iter()
            .fold(0, |bits, signal| bits | 1 << (signal - 1));
        let mut threads = Threads::look(bits).map_err(|error| error.to_string());
        if let Ok(threads) = &mut threads {
            self.wait_masked |= threads.wait_masked;
            threads.wait_masked = self.wait_masked;
        }
        for stop in [Stop::Fault, Stop::Trap] {
            let Some(obstacle) = obstacle(stop, &threads) else {
                return Ok((Protocol::Stop(stop), None));
            };
            reasons.push(obstacle.reason);
            if !obstacle.is_fatal {
                return Ok((Protocol::Stop(stop), None));
            }
        }
        Err(reasons.join("; "))
    }
}

/// What speaks against stopping threads in one way.
struct Obstacle {
    reason: String,
    /// Whether a thread could be ended by it, rather than somebody be disturbed.
    is_fatal: bool,
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
    if threads.wait_masked {
        return fatal(format!(
            "a thread waits with a mask for that time, and may block {signal} else"
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

/// Opens memory, and writes the first byte of a site on each page as it is.
fn try_memory(addresses: &[usize]) -> Result<Text, String> {
    const PAGE: usize = 4096;
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
