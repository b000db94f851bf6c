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

use std::collections::HashSet;
use std::io;
use std::time::Duration;

use crate::host::{
    Ended, Exit, Host, Launch, LaunchError, Process, Relative, Stopped, Thread, Turn, TurnEnd,
};

/// A thread that runs or could run for this share of a turn is one that the program needs a CPU for, if it runs at all:
/// all threads wait for a CPU when they are continued, if only to sleep on.
const WANTED: f64 = 0.5;

/// The share of a turn that a thread runs at least, if it does more than to sleep on.
const RAN: f64 = 0.05;

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
    /// The time of its turns together.
    pub time: Duration,
    /// What was seen of it meanwhile.
    pub seen: Seen,
}

/// What was seen of a process, and of those that came of it, when they were looked at between turns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// One that had left the group, so that it ran during the turns of others.
    pub astray: Option<String>,
    /// One that was still there when the process had ended, so that its CPU time is not counted.
    pub left: Option<String>,
    /// One with a timer, which goes on during the turns of others.
    pub timer: Option<String>,
    /// One that handles SIGCONT, once in each turn.
    pub handler: Option<String>,
    /// Turns that were looked at.
    pub looks: u32,
    /// Those of them before which, since the last look, more than one thread needed a CPU.
    pub crowded: u32,
    /// Those of them in which no thread did.
    pub idle: u32,
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
    /// See [`TurnsError`]. Whatever has been started is ended.
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
                let end = player.turn(self.length).map_err(TurnsError::Lost)?;
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
    fn start(host: &'h dyn Host, launch: &Launch<'_>) -> Result<Self, TurnsError> {
        Ok(Self {
            process: host.start(launch).map_err(TurnsError::Start)?,
            turns: 0,
            time: Duration::ZERO,
            seen: Seen::default(),
            last: (Vec::new(), Duration::ZERO),
            free: HashSet::new(),
        })
    }

    /// One turn. The second, the fourth, the eighth and so on are looked at: few, as a look takes longer than a turn
    /// may, but over all of a run.
    fn turn(&mut self, length: Duration) -> io::Result<TurnEnd> {
        let is_looked_at = self.turns > 0 && (self.turns + 1).is_power_of_two();
        let before = is_looked_at.then(|| self.process.relatives());
        self.free(before.as_deref().unwrap_or_default());
        let since = self.time;
        let Turn { took, end } = self.process.take_turn(length)?;
        self.turns += 1;
        self.time += took;
        if let (Some(before), TurnEnd::Over) = (before, end) {
            let after = self.process.relatives();
            let (last, at) = &self.last;
            self.seen.looks += 1;
            // Where a CPU is busy, one turn is too short for all threads that need it. And threads that need it one after
            // the other do not both need it for half of a longer time.
            self.seen.crowded += u32::from(busy(last, &before, since - *at) > 1);
            self.seen.idle += u32::from(busy(&before, &after, took) == 0);
            self.seen.look(&after);
            self.last = (after, self.time);
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
        seen.look(&left);
        seen.left = left.first().map(|relative| relative.name.clone());
        Ok(TurnsTaken {
            ended: self.process.wait(None)?,
            turns: self.turns,
            time: self.time,
            seen,
        })
    }
}

impl Seen {
    /// Adds what the processes show that there are.
    fn look(&mut self, relatives: &[Relative]) {
        let add = |seen: &mut Option<String>, shows: fn(&Relative) -> bool| {
            let mut names = relatives.iter().filter(|relative| shows(relative));
            if let (None, Some(relative)) = (&seen, names.next()) {
                *seen = Some(relative.name.clone());
            }
        };
        add(&mut self.astray, |relative| !relative.in_group);
        add(&mut self.timer, |relative| relative.has_timer);
        add(&mut self.handler, |relative| relative.handles_continue);
    }

    /// What was seen of another run of the same command as well.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            astray: self.astray.or(other.astray),
            left: self.left.or(other.left),
            timer: self.timer.or(other.timer),
            handler: self.handler.or(other.handler),
            looks: self.looks + other.looks,
            crowded: self.crowded + other.crowded,
            idle: self.idle + other.idle,
        }
    }
}

/// How many threads needed a CPU for much of the time of some turns.
fn busy(before: &[Relative], after: &[Relative], took: Duration) -> usize {
    let earlier: Vec<&Thread> = before
        .iter()
        .flat_map(|relative| &relative.threads)
        .collect();
    let threads = after.iter().flat_map(|relative| &relative.threads);
    let is_busy = |thread: &&Thread| {
        let same = earlier
            .iter()
            .find(|earlier| earlier.number == thread.number);
        let (ran, wanted) = same.map_or((Duration::ZERO, Duration::ZERO), |same| {
            (same.ran, same.wanted)
        });
        let (ran, wanted) = (
            thread.ran.saturating_sub(ran),
            thread.wanted.saturating_sub(wanted),
        );
        ran > took.mul_f64(RAN) && wanted > took.mul_f64(WANTED)
    };
    threads.filter(is_busy).count()
}
