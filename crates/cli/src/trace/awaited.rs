//! Waits for an event in processes that record on their own.

use std::thread::sleep;
use std::time::Duration;

use perflab_control::{Agent, Awaited, News, Process, State, Traced};

use super::interrupt::interrupt;
use super::judged::exceptions;
use super::outcome::Outcome;
use super::trigger::Event;
use super::when::awaited;
use crate::failure::Failure;
use crate::terminal;

/// How often agents are looked at.
const LOOK: Duration = Duration::from_millis(5);

/// The event is told before it is recorded, which it is by then.
const RECORDED: Duration = Duration::from_millis(10);

/// Waits until an event comes in one of these processes, or the user asks to stop. Returns whether there is anything to
/// look at then.
///
/// # Errors
/// When the condition is wrong, or signals cannot be taken.
pub fn wait(processes: &[Traced], event: &Event, outcome: &mut Outcome) -> Result<bool, Failure> {
    let filter = awaited(processes, event)?;
    let interrupt = interrupt()?;
    let mut all: Vec<(Option<Process>, Awaited)> = Vec::new();
    for process in processes {
        let answer = Agent::at(&process.socket).await_event(&event.probes, &filter);
        let Some(waiting) = outcome.take(process, answer) else {
            continue;
        };
        let switched = &waiting.switched;
        if switched.matched == 0 {
            terminal::say(&format!(
                "process {} has no probe that is called {:?} now; those of objects that are loaded later count",
                process.pid, event.probes
            ));
        }
        for exception in exceptions(&switched.filtered) {
            terminal::say(&format!("process {}: {exception}", process.pid));
        }
        all.push((Process::of(process.pid), waiting));
    }
    if all.is_empty() {
        outcome.nothing("no process has answered");
        return Ok(false);
    }
    while !interrupt.asked() {
        let mut has_come = false;
        all.retain_mut(|(process, waiting)| {
            // A child may have the other end of the connection, too.
            let has_ended = process.is_none_or(|process| process.state() == State::Ended);
            let news = waiting.look();
            has_come |= news == News::Came;
            news == News::None && !has_ended
        });
        if has_come {
            sleep(RECORDED);
            return Ok(true);
        }
        if all.is_empty() {
            outcome.fail(&Failure::no_data(
                "all processes have ended before such an event came: `perflab trace recover` writes what they recorded",
            ));
            return Ok(false);
        }
        interrupt.sleep(LOOK);
    }
    terminal::say("no such event came: these are the last ones");
    Ok(true)
}
