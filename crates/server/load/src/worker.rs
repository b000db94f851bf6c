//! A thread of the client: its connections, and its part of a turn.

use std::num::NonZeroU64;
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use rustix::event::epoll;
use rustix::thread::{CpuSet, sched_setaffinity, set_current_timer_slack};

use crate::clock::{Clock, own_cpu_ns};
use crate::connection::Connection;
use crate::plan::Plan;
use crate::play::{Limits, Play};
use crate::problem::Problem;
use crate::random::Random;
use crate::reply::Reader;
use crate::requests::Requests;
use crate::schedule::Schedule;
use crate::tally::Tally;
use crate::target::Target;
use crate::values::Values;

/// Requests on a connection that wait for replies while keys are set before the measurement.
const PRELOAD_PIPELINE: usize = 64;

/// What all threads of a load share.
#[derive(Debug)]
pub struct Shared {
    pub clock: Clock,
    /// Set when there will be no result any more.
    pub is_stopped: AtomicBool,
    /// Replies so far, of each target.
    pub replies: Vec<AtomicU64>,
    pub values: Values,
}

impl Shared {
    pub fn new(plan: &Plan) -> Self {
        Self {
            clock: Clock::new(),
            is_stopped: AtomicBool::new(false),
            replies: plan.targets.iter().map(|_| AtomicU64::new(0)).collect(),
            values: Values::new(plan.value_bytes.clone(), plan.seed),
        }
    }

    /// Replies of all targets so far.
    pub fn replies(&self) -> u64 {
        let targets = self.replies.iter();
        targets.map(|replies| replies.load(Ordering::Relaxed)).sum()
    }

    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }
}

/// What is done in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// Each key is set.
    Preload,
    /// The commands of the mix.
    Mix,
}

/// A turn of a target, for all threads.
#[derive(Debug, Clone, Copy)]
pub struct Turn {
    /// Its number.
    pub target: usize,
    pub what: What,
    pub time: Option<Duration>,
    /// Requests of all threads together.
    pub operations: Option<u64>,
}

/// A thread's connections to a target, and what it asks on them.
#[derive(Debug)]
pub struct Side<'p> {
    pub target: &'p Target,
    pub epoll: OwnedFd,
    pub connections: Vec<Connection>,
    pub requests: Requests<'p>,
    /// How many commands the mix has.
    commands: usize,
    /// In an open loop, when the next request is due. It goes on where the last turn ended.
    schedule: Option<Schedule>,
}

/// A thread of the client.
pub struct Worker<'p> {
    number: usize,
    plan: &'p Plan,
    shared: &'p Shared,
    sides: Vec<Side<'p>>,
    events: Vec<epoll::Event>,
}

/// Events that are taken at once.
const EVENTS: usize = 256;

impl<'p> Worker<'p> {
    /// Binds the calling thread, and connects it to each target.
    ///
    /// # Errors
    /// If it cannot be bound, or a target cannot be reached.
    pub fn new(number: usize, plan: &'p Plan, shared: &'p Shared) -> Result<Self, Problem> {
        if !plan.cpus.is_empty() {
            bind(plan.cpus[number % plan.cpus.len()])?;
        }
        // Intended times are met to the microsecond. Without it they are late by up to 50 µs, which counts as latency.
        let _ = set_current_timer_slack(NonZeroU64::new(1));
        let sides = plan.targets.iter();
        let sides = sides.map(|target| Side::new(number, target, plan, &shared.values));
        Ok(Self {
            number,
            plan,
            shared,
            sides: sides.collect::<Result<_, _>>()?,
            events: Vec::with_capacity(EVENTS),
        })
    }

    /// Plays its part of a turn. Nothing if the load was stopped.
    ///
    /// # Errors
    /// If a server broke its protocol or did not answer.
    pub fn turn(&mut self, turn: &Turn) -> Result<Option<Tally>, Problem> {
        let (number, threads) = (self.number, self.plan.threads);
        let side = &mut self.sides[turn.target];
        let cpu_ns = own_cpu_ns();
        let begin_ns = self.shared.clock.now();
        let mut limits = Limits {
            pipeline: self.plan.pipeline,
            budget: turn
                .operations
                .map_or(u64::MAX, |operations| share(operations, number, threads)),
            deadline_ns: turn.time.map_or(u64::MAX, |time| {
                begin_ns.saturating_add(time.as_nanos() as u64)
            }),
            timeout_ns: self.plan.timeout.as_nanos() as u64,
        };
        let mut preload = None;
        let mut commands = side.commands;
        let mut schedule = side.schedule.clone();
        if turn.what == What::Preload {
            let keys = range(self.plan.keys.count, number, threads);
            limits.budget = keys.end - keys.start;
            limits.pipeline = limits.pipeline.max(PRELOAD_PIPELINE);
            preload = Some(keys);
            commands = 1;
            schedule = None;
        }
        let replies = &self.shared.replies[turn.target];
        let mut play = Play::new(
            side,
            &mut self.events,
            self.shared,
            replies,
            limits,
            preload,
            Tally::new(commands),
        );
        let is_whole = match &mut schedule {
            Some(schedule) => play.open(schedule, begin_ns)?,
            None => play.closed()?,
        };
        let mut tally = play.tally;
        tally.begin_ns = begin_ns;
        tally.end_ns = self.shared.clock.now();
        tally.cpu_ns = own_cpu_ns() - cpu_ns;
        if let Some(mut schedule) = schedule {
            let time = turn.time.map(|time| time.as_nanos() as u64);
            schedule.end_turn(time.unwrap_or(tally.end_ns - begin_ns));
            side.schedule = Some(schedule);
        }
        Ok(is_whole.then_some(tally))
    }
}

impl<'p> Side<'p> {
    fn new(
        number: usize,
        target: &'p Target,
        plan: &'p Plan,
        values: &'p Values,
    ) -> Result<Self, Problem> {
        let protocol = target.protocol();
        let commands = plan.mix.commands(protocol);
        // Each target gets the same requests.
        let random = Random::new(plan.seed, number as u64);
        let mut requests = Requests::new(protocol, &commands, &plan.keys, values, random)
            .map_err(|error| Problem::Plan(format!("{target}: {error}")))?;
        let refused = |error: &dyn std::fmt::Display| {
            Problem::Unavailable(format!("{target}: cannot connect: {error}"))
        };
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC).map_err(|error| refused(&error))?;
        let mut connections = Vec::with_capacity(plan.connections);
        for index in 0..plan.connections {
            let socket = target
                .connect(plan.timeout)
                .map_err(|error| refused(&error))?;
            let connection = Connection::new(socket, Reader::new(protocol));
            let data = epoll::EventData::new_u64(index as u64);
            epoll::add(&epoll, connection.socket(), data, epoll::EventFlags::IN)
                .map_err(|error| refused(&error))?;
            connections.push(connection);
        }
        let schedule = Schedule::new(plan.pace, number, plan.threads, requests.random());
        Ok(Self {
            target,
            epoll,
            connections,
            requests,
            commands: commands.len(),
            schedule,
        })
    }
}

/// Binds the calling thread to a CPU.
fn bind(cpu: usize) -> Result<(), Problem> {
    let refused = |reason: &dyn std::fmt::Display| {
        Problem::Unavailable(format!("a thread cannot be bound to CPU {cpu}: {reason}"))
    };
    if cpu >= CpuSet::MAX_CPU {
        return Err(refused(&"there is no CPU with so high a number"));
    }
    let mut set = CpuSet::new();
    set.set(cpu);
    sched_setaffinity(None, &set).map_err(|error| refused(&error))
}

/// A thread's part of a number.
fn share(number: u64, thread: usize, threads: usize) -> u64 {
    let threads = threads as u64;
    number / threads + u64::from((thread as u64) < number % threads)
}

/// A thread's part of the numbers below one.
fn range(number: u64, thread: usize, threads: usize) -> Range<u64> {
    let begin: u64 = (0..thread)
        .map(|before| share(number, before, threads))
        .sum();
    begin..begin + share(number, thread, threads)
}

#[cfg(test)]
mod tests {
    use super::{range, share};

    #[test]
    fn parts_are_the_whole() {
        for number in 0..20 {
            for threads in 1..7 {
                let parts: u64 = (0..threads)
                    .map(|thread| share(number, thread, threads))
                    .sum();
                assert_eq!(parts, number);
                let mut next = 0;
                for thread in 0..threads {
                    let range = range(number, thread, threads);
                    assert_eq!(range.start, next);
                    next = range.end;
                }
                assert_eq!(next, number);
            }
        }
    }
}
