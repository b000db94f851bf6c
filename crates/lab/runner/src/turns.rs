//! Several processes on the same CPUs, one at a time, in turns.
//!
//! 1. Each process is started at its first turn, while all others are stopped, so that none runs alone at full length.
//! 2. A round gives each process that is left one turn, in random order.
//! 3. A process that has left its group is not stopped, and told of. It is continued once, should it have been stopped
//!    while it left.
//! 4. A process that has ended is collected at once, with all that it left: what is left in its group would run during
//!    the turns of others.
//!
//! What slows the machine down then slows all of them down alike. They are to be compared by CPU time: wall time
//! contains the turns of the others. So [`Seen`] has what makes CPU time in turns say little of a program.

mod seen;

use std::collections::HashSet;
use std::io::{self, ErrorKind};
use std::time::Duration;

use rustix::thread::CpuSet;

use crate::host::{
    Ended, Exit, Host, Launch, LaunchError, Process, Relative, Stopped, Turn, TurnEnd,
};

use seen::Look;
pub use seen::Seen;

/// Turns from one look to the next, at least, and as a share of all turns so far: so the looks are spread over all of a
/// run, and are few, as a look takes longer than a turn may.
const LEAST_TURNS: u32 = 2;
const SHARE_OF_TURNS: u32 = 8;

/// How processes take turns.
#[derive(Debug, Clone, Copy)]
pub struct Turns {
    /// Length of a turn.
    pub length: Duration,
    /// Longest time that one process may have in its turns together.
    pub limit: Option<Duration>,
}

/// One process that has ended, and its turns.
#[derive(Debug, Clone)]
pub struct TurnsTaken {
    /// How it ended. The wall time contains the turns of the others.
    pub ended: Ended,
    /// Its turns.
    pub turns: u32,
    /// The time of its turns together, and of its start.
    pub time: Duration,
    /// What was seen of it meanwhile.
    pub seen: Seen,
}

/// Why there is no result of all processes.
#[derive(Debug, thiserror::Error)]
pub enum TurnsError {
    /// One could not be started.
    #[error(transparent)]
    Start(LaunchError),
    /// One could no longer be watched or waited for.
    #[error("lost track of a process: {0}")]
    Lost(io::Error),
    /// One has ended as it should not.
    #[error("a process {exit}")]
    Failed {
        /// Its place.
        place: usize,
        /// How it has ended.
        exit: Exit,
    },
    /// One wanted the terminal, which stops it for good.
    #[error("a process was stopped as it reads or sets the terminal")]
    Terminal {
        /// Its place.
        place: usize,
    },
    /// One may not be stopped, as it runs as another user. It goes on.
    #[error("process {process} may not be stopped")]
    Foreign {
        /// Its place.
        place: usize,
        /// Its number.
        process: i32,
    },
    /// One did not stop at the end of its turn.
    #[error("thread {thread} of a process does not stop: its state is {state}")]
    Unstopped {
        /// Its place.
        place: usize,
        /// A thread of it that does not.
        thread: i32,
        /// The letter of its state, proc(5).
        state: char,
    },
    /// One had its time, or the user asked to stop.
    #[error("stopped: {why:?}")]
    Stopped {
        /// Its place.
        place: usize,
        /// Which of the two.
        why: Stopped,
    },
    /// The laboratory or the machine stood still, see [`crate::Moment`].
    #[error("the laboratory or the machine stood still")]
    Standstill,
}

/// A process that has not ended.
#[derive(Debug)]
struct Player<'h> {
    process: Box<dyn Process + 'h>,
    turns: u32,
    time: Duration,
    seen: Seen,
    /// The CPUs that it was given.
    cpus: Option<CpuSet>,
    /// The turn that is looked at next.
    next_look: u32,
    /// What was there at the last look, and the time of the turns before.
    last: (Vec<Relative>, Duration),
    /// Those that have left the group, and were let go on since.
    free: HashSet<i32>,
}

impl Turns {
    /// Executes all, each in its place of the result. `order` shuffles the places of a round; `accepts` says whether an
    /// end is as it should be.
    ///
    /// # Errors
    /// See [`TurnsError`]. Whatever has been started is ended, but for what may not be signalled.
    pub fn execute(
        &self,
        host: &dyn Host,
        launches: &[Launch<'_>],
        order: &mut dyn FnMut(&mut [usize]),
        accepts: &dyn Fn(Exit) -> bool,
    ) -> Result<Vec<TurnsTaken>, TurnsError> {
        let moment = host.moment();
        let mut players: Vec<Option<Player<'_>>> = launches.iter().map(|_| None).collect();
        let mut taken: Vec<Option<TurnsTaken>> = launches.iter().map(|_| None).collect();
        while taken.iter().any(Option::is_none) {
            let mut round: Vec<usize> = (0..taken.len())
                .filter(|place| taken[*place].is_none())
                .collect();
            order(&mut round);
            for place in round {
                let mut player = match players[place].take() {
                    Some(player) => player,
                    None => Player::start(host, &launches[place])?,
                };
                let left = self.limit.map(|limit| limit.saturating_sub(player.time));
                let end = player.turn(self.length, left);
                let end = end.map_err(|error| match error.kind() {
                    ErrorKind::PermissionDenied => TurnsError::Foreign {
                        place,
                        process: player.process.number(),
                    },
                    _ => TurnsError::Lost(error),
                })?;
                // Who stopped the laboratory may have stopped or continued the processes as well.
                if moment.until(&host.moment()).is_some() {
                    return Err(TurnsError::Standstill);
                }
                let is_late = self.limit.is_some_and(|limit| player.time > limit);
                let stopped = |why| TurnsError::Stopped { place, why };
                match end {
                    TurnEnd::Interrupted => return Err(stopped(Stopped::Interrupted)),
                    _ if is_late => return Err(stopped(Stopped::TimeLimit)),
                    TurnEnd::Terminal => return Err(TurnsError::Terminal { place }),
                    TurnEnd::Unstopped { thread, state } => {
                        return Err(TurnsError::Unstopped {
                            place,
                            thread,
                            state,
                        });
                    }
                    TurnEnd::Over => players[place] = Some(player),
                    TurnEnd::Ended => {
                        let own = player.collect().map_err(TurnsError::Lost)?;
                        let exit = own.ended.exit;
                        if !accepts(exit) {
                            return Err(TurnsError::Failed { place, exit });
                        }
                        taken[place] = Some(own);
                    }
                }
            }
        }
        Ok(taken.into_iter().flatten().collect())
    }
}

impl<'h> Player<'h> {
    /// Its start is a part of its time: the kernel counts it as CPU time of the process.
    fn start(host: &'h dyn Host, launch: &Launch<'_>) -> Result<Self, TurnsError> {
        let before = host.now();
        let process = host.start(launch).map_err(TurnsError::Start)?;
        Ok(Self {
            process,
            turns: 0,
            time: host.now() - before,
            seen: Seen::default(),
            cpus: launch.cpus.copied(),
            next_look: LEAST_TURNS,
            last: (Vec::new(), Duration::ZERO),
            free: HashSet::new(),
        })
    }

    /// One turn, which is looked at now and then. If the process does not stop, it takes `limit` at most.
    fn turn(&mut self, length: Duration, limit: Option<Duration>) -> io::Result<TurnEnd> {
        let is_looked_at = self.turns + 1 == self.next_look;
        let before = is_looked_at.then(|| self.process.relatives());
        self.free(before.as_deref().unwrap_or_default());
        let Turn { took, end } = self.process.take_turn(length, limit)?;
        self.turns += 1;
        self.time += took;
        if let (Some(before), TurnEnd::Over) = (before, end) {
            let after = self.process.relatives();
            let (last, at) = &self.last;
            self.seen.look(&Look {
                last,
                before: &before,
                after: &after,
                cpus: self.cpus.as_ref(),
                since: self.time - *at,
                took,
            });
            self.last = (after, self.time);
            self.next_look = self.turns + LEAST_TURNS.max(self.turns / SHARE_OF_TURNS);
        }
        Ok(end)
    }

    /// A process that leaves the group while the group is being stopped keeps that stop, and no turn continues it. Once
    /// is enough: when it is stopped later, that is its own matter.
    fn free(&mut self, relatives: &[Relative]) {
        for relative in relatives.iter().filter(|relative| !relative.in_group) {
            if self.free.insert(relative.process) {
                self.process.go_on(relative.process);
            }
        }
    }

    fn collect(self) -> io::Result<TurnsTaken> {
        let left = self.process.relatives();
        let mut seen = self.seen;
        seen.names(&left, self.cpus.as_ref());
        seen.left = left.first().map(|relative| relative.name.clone());
        Ok(TurnsTaken {
            ended: self.process.wait(None)?,
            turns: self.turns,
            time: self.time,
            seen,
        })
    }
}
