//! The agent's thread: begins, says so, and answers for as long as the process lives.

use std::fmt;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use super::{environment, first_thread, open_files};
use crate::agent::{agent, shared};
use crate::objects::Unusable;
use crate::refused;
use crate::signals::{block_all, restore};
use crate::socket::Socket;

/// How long the agent of a forked child waits before it can be reached, where nobody waits for it.
const CHILD: Duration = Duration::from_millis(100);

/// Why there is no agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartError {
    /// The program runs with more rights than its user.
    Privileged,
    /// Another agent in this process, or this one, has started already.
    Elected,
    /// The socket or the thread could not be made.
    Failed(String),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Privileged => f.write_str("the program runs with more rights than its user"),
            Self::Elected => f.write_str("there is an agent in this process already"),
            Self::Failed(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for StartError {}

/// How an agent came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// The program called it.
    Linked,
    /// It was loaded before the program.
    Preloaded,
    /// Its process was forked, which has gone on already.
    Forked,
    /// Its process was forked, and waits for it.
    ForkedAtOnce,
}

impl Start {
    /// Whether its process was forked.
    pub fn is_forked(self) -> bool {
        matches!(self, Self::Forked | Self::ForkedAtOnce)
    }
}

/// Makes the thread, which says when it can be reached.
///
/// # Errors
/// When there can be no thread.
pub fn spawn(start: Start) -> Result<Receiver<Result<(), StartError>>, StartError> {
    let (ready, started) = channel();
    // The thread inherits the mask. No signal of the program's shall be handled on it.
    let mask = block_all();
    let thread = std::thread::Builder::new().name("perflab-agent".to_owned());
    let result = thread.spawn(move || run(&ready, start));
    restore(&mask);
    result.map_err(|error| StartError::Failed(format!("no thread can be made: {error}")))?;
    Ok(started)
}

fn run(ready: &Sender<Result<(), StartError>>, start: Start) {
    first_thread::is_agent();
    if let Err(error) = open_files::own() {
        let reason = format!("it cannot get a table of open files of its own: {error}");
        cannot_begin(ready, reason);
        return;
    }
    if start == Start::Forked {
        std::thread::sleep(CHILD);
    }
    // While the process has the rights of its parent: what it gives up later does not take them away.
    let socket = match Socket::bind() {
        Ok(Some(socket)) => socket,
        Ok(None) => {
            shared::disown();
            let _ = ready.send(Err(StartError::Elected));
            return;
        }
        Err(reason) => {
            cannot_begin(ready, reason);
            return;
        }
    };
    // The child of a fork has its parent's wishes, and its objects; the linker's lock may never be given back.
    if start.is_forked()
        && let Some(mut agent) = agent()
    {
        let result = agent.record_after_fork();
        if let Err(reason) = &result {
            agent.note(Unusable {
                path: String::new(),
                reason: reason.clone(),
            });
        }
        drop(agent);
        let _ = ready.send(result.map_err(StartError::Failed));
    }
    if let Some(mut agent) = shared::refreshed_with(start == Start::Preloaded) {
        if !start.is_forked() {
            environment::wish(&mut agent);
        }
        // What tracers in the kernel want is on before the program begins.
        agent.keep_up();
    }
    let _ = ready.send(Ok(()));
    socket.serve();
}

/// Says why there is no agent: to the start, and to a recorder, unless the events are counted as a child's.
fn cannot_begin(ready: &Sender<Result<(), StartError>>, reason: String) {
    if agent().is_none_or(|agent| !agent.is_heir()) {
        refused::say(&reason);
    }
    let _ = ready.send(Err(StartError::Failed(reason)));
}
