//! One turn of a process, and what can be seen of it between turns.

use std::time::Duration;

use rustix::thread::CpuSet;

#[cfg(doc)]
use super::Process;

/// One turn of a process: see [`Process::take_turn`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// From when it was let go on until it was told to stop, or had ended.
    pub took: Duration,
    /// What came of it.
    pub end: TurnEnd,
}

/// Why a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnEnd {
    /// Its time was up; the group is stopped.
    Over,
    /// The process ended. What it left in its group may still run.
    Ended,
    /// The process was stopped already, since something of its group reads or sets a terminal that it may not
    /// (SIGTTIN, SIGTTOU).
    Terminal,
    /// The user asked to stop. The group may still run.
    Interrupted,
    /// Its stop did not hold, so that it may still run. It was given up once the turn had taken its limit, or once no
    /// thread had run for some seconds.
    Unstopped {
        /// A thread that does not stop.
        thread: i32,
        /// The letter of its state, proc(5).
        state: char,
    },
}

/// A process that came of another one, as its host shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relative {
    /// Its number.
    pub process: i32,
    /// What the kernel calls it.
    pub name: String,
    /// Whether it is in the group that was started.
    pub in_group: bool,
    /// Whether it has a timer that goes on while it is stopped, of those that can be seen (`timer_create`, `timerfd`).
    pub has_timer: bool,
    /// Whether it does something of its own when it is continued (SIGCONT).
    pub handles_continue: bool,
    /// Whether it runs as another user, so that it may not be stopped.
    pub is_foreign: bool,
    /// The CPUs that its first thread may run on; `None` if the host does not say.
    pub cpus: Option<CpuSet>,
    /// Its threads.
    pub threads: Vec<Thread>,
}

/// A thread of such a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thread {
    /// Its number.
    pub number: i32,
    /// How long it was on a CPU.
    pub ran: Duration,
    /// How long it was on a CPU or waited for one, as other threads had it.
    pub wanted: Duration,
}
