//! What came of asking processes: one that does not answer spoils nothing for the others.

use std::path::Path;

use perflab_control::{ControlError, Traced};
use perflab_experiment::counted;
use perflab_recorder::Problem;

use crate::failure::{Code, Failure};
use crate::terminal;

/// Why a process with probes and without an agent is not recorded.
const NO_AGENT: &str = "it has probes and no agent, as a program has that is linked statically or was started without \
                        this environment (docs/probes.md)";

/// What was refused so far; all of it has been said.
#[derive(Debug)]
pub struct Outcome {
    worst: Option<Code>,
    are_named: bool,
}

impl Outcome {
    /// Of processes that were named, or of all that were found.
    pub fn new(are_named: bool) -> Self {
        Self {
            worst: None,
            are_named,
        }
    }

    /// Says what went wrong, and remembers how bad it is.
    pub fn fail(&mut self, failure: &Failure) {
        terminal::say_error(failure);
        let is_worse = |worst: Code| failure.code as i32 > worst as i32;
        if self.worst.is_none_or(is_worse) {
            self.worst = Some(failure.code);
        }
    }

    /// A process's answer; what is wrong with it is said. That the process has gone meanwhile is no
    /// failure, nor is a socket that is not its own where nobody named the process.
    pub fn take<T>(&mut self, process: &Traced, answer: Result<T, ControlError>) -> Option<T> {
        let who = format!(
            "process {} ({})",
            process.pid,
            terminal::escape(&process.name)
        );
        match answer {
            Ok(answer) => return Some(answer),
            Err(ControlError::Gone) => terminal::say(&format!("{who} has gone")),
            Err(ControlError::Untrusted(reason)) if !self.are_named => {
                ignored(&process.socket, &reason.to_string());
            }
            Err(error) => self.fail(&Failure::environment(format!("{who}: {error}"))),
        }
        None
    }

    /// Says what went wrong with a process that was to be recorded.
    pub fn tell(&mut self, problem: Problem) {
        let words = problem_in_words(&problem);
        match problem {
            Problem::Unanswered(process, error) => {
                self.take(&process, Err::<(), _>(error));
            }
            Problem::Replaced(_) | Problem::Unended(_) => terminal::say(&words),
            // Nothing refused it, and what there is of the command is incomplete.
            Problem::Agentless { .. } => self.fail(&Failure::no_data(words)),
            _ => self.fail(&Failure::environment(words)),
        }
    }

    /// Nothing could be shown or switched: a failure, unless one was said already.
    pub fn nothing(&mut self, reason: &str) {
        if self.is_fine() {
            self.fail(&Failure::no_data(reason));
        }
    }

    /// Whether nothing was refused.
    pub fn is_fine(&self) -> bool {
        self.worst.is_none()
    }

    /// How the command ends that came to this itself.
    pub fn end(mut self, result: Result<(), Failure>) -> Option<Code> {
        if let Err(failure) = result {
            self.fail(&failure);
        }
        self.worst
    }

    /// How the command ends.
    pub fn code(&self) -> Option<Code> {
        self.worst
    }
}

/// What went wrong with a process that was to be recorded.
pub fn problem_in_words(problem: &Problem) -> String {
    let not_recorded = |pid: u32, name: &str, reason: &str| {
        let (name, reason) = (terminal::escape(name), terminal::escape(reason));
        format!("process {pid} ({name}) could not be recorded: {reason}")
    };
    match problem {
        Problem::Refused(refusal) => not_recorded(refusal.process, &refusal.name, &refusal.reason),
        Problem::Agentless { pid, name } => not_recorded(*pid, name, NO_AGENT),
        Problem::Unnamed(more) => format!(
            "and {} could not be recorded",
            counted(*more, "more process")
        ),
        Problem::Unanswered(process, error) => {
            not_recorded(process.pid, &process.name, &error.to_string())
        }
        Problem::Directory(error) => error.to_string(),
        Problem::Removed { pid, path } => format!(
            "process {pid}: {} was removed, so that what its probes hit from then on is not in the trace",
            terminal::escape(&path.to_string_lossy())
        ),
        Problem::Unended(pid) => format!(
            "process {pid} is stopped or does not answer: its agent ends the recording when it goes on"
        ),
        Problem::Replaced(pid) => {
            format!("process {pid} runs another program now, which is not recorded")
        }
    }
}

/// Says that a place is not looked at.
pub fn ignored(path: &Path, reason: &str) {
    let path = terminal::escape(&path.to_string_lossy());
    terminal::say(&format!("{path} is ignored: {reason}"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use perflab_control::Untrusted;

    fn process() -> Traced {
        Traced {
            pid: 7,
            name: "life".to_owned(),
            socket: "/7-8.sock".into(),
        }
    }

    fn after(are_named: bool, error: ControlError) -> Option<Code> {
        let mut outcome = Outcome::new(are_named);
        assert!(outcome.take(&process(), Err::<(), _>(error)).is_none());
        outcome.code()
    }

    #[test]
    fn what_is_a_failure() {
        for are_named in [false, true] {
            assert_eq!(after(are_named, ControlError::Gone), None);
            let refused = ControlError::Refused("no".to_owned());
            assert_eq!(after(are_named, refused), Some(Code::Environment));
        }
        let other = || ControlError::Untrusted(Untrusted::Name);
        assert_eq!(after(false, other()), None);
        assert_eq!(after(true, other()), Some(Code::Environment));
    }

    #[test]
    fn the_worst_counts() {
        let mut outcome = Outcome::new(true);
        assert_eq!(outcome.take(&process(), Ok(3)), Some(3));
        assert!(outcome.is_fine());
        outcome.nothing("nothing");
        assert_eq!(outcome.code(), Some(Code::NoData));
        outcome.fail(&Failure::environment("refused"));
        outcome.fail(&Failure::no_data("none"));
        assert_eq!(outcome.code(), Some(Code::Environment));
        let ended = outcome.end(Err(Failure::usage("there is such a file")));
        assert_eq!(ended, Some(Code::Environment));
        let ended = Outcome::new(true).end(Err(Failure::usage("there is such a file")));
        assert_eq!(ended, Some(Code::Usage));
    }
}
