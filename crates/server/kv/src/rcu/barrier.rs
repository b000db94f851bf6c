//! `perflab-kv rcu barrier`: how long a barrier takes its caller.

mod busy;
mod interrupts;

use std::thread::{self, Builder};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use perflab_rcu::Unavailable;
use perflab_rcu::membarrier::{Command, is_measurable, offered, processors};
use perflab_rcu::urcu::{Barrier, Locked, Mfence};
use serde::Serialize;

use super::cpus;
use crate::failure::{Code, Failure};
use crate::output::{print, print_json};
use busy::Busy;
use interrupts::Witness;

/// Calls of an instruction that are timed together: one takes less than a look at the clock.
const TOGETHER: u64 = 1000;

/// Calls at most: each sample takes 8 bytes.
const MOST_CALLS: u64 = 100_000_000;

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  perflab-kv rcu barrier expedited --calls 666667 --others busy",
    after_long_help = "The caller is bound to the first CPU that this process may use.\n\n\
Prints one JSON object on one line:\n  \
kind, others\n  \
calls                    those that were timed: whole samples only\n  \
calls_per_sample         calls that are timed together: 1, but of mfence and lock 1000, or all of fewer\n  \
seconds                  from the first call to the end of the last one\n  \
mean_ns, p50_ns, p99_ns, max_ns    time of one call, less that of a look at the clock; if calls are timed \
together, the quantiles are of the means of samples\n  \
evidence                 of membarrier, during all calls:\n    \
processors             processors of the machine; with 1 the kernel returns at once, which is refused\n    \
interrupts             function call interrupts of CPUs other than the caller's\n    \
sleeps                 times that the caller slept\n\n\
Ends with 4 if membarrier was not at work. With --others busy, expedited calls must have made an interrupt for each \
call and busy CPU, or 90 % of that. Calls that are not expedited must have slept, each \
once. Nothing is required of expedited calls with --others idle, as they interrupt no idle CPU. mfence and lock have \
no evidence.\n\n\
A call waits until the thread of each busy CPU computes: while other programs have that CPU, a call interrupts \
nobody, and costs little.\n\n\
Example:\n  perflab-kv rcu barrier expedited --calls 666667 --others busy"
)]
pub struct BarrierArguments {
    /// Time this barrier.
    kind: Kind,

    /// Time N calls, at most 100 million.
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..=MOST_CALLS))]
    calls: u64,

    /// Leave the other CPUs idle, or let a thread of the process compute on each of them.
    #[arg(long, value_enum, default_value_t = Others::Idle)]
    others: Others,

    /// Time nothing, and answer whether this can be measured here: exit code 0, or 77 with the reason as the last line.
    #[arg(long)]
    possible: bool,
}

/// A barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    /// membarrier(PRIVATE_EXPEDITED).
    Expedited,
    /// membarrier(GLOBAL), which is not expedited.
    Global,
    /// membarrier(GLOBAL_EXPEDITED).
    GlobalExpedited,
    /// The instruction mfence.
    Mfence,
    /// An addition of 0 to memory with the prefix lock.
    Lock,
}

/// The other CPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Others {
    /// One other thread sleeps.
    Idle,
    /// One thread computes on each of them.
    Busy,
}

/// The result.
#[derive(Debug, Serialize)]
struct Cost {
    kind: Kind,
    others: Others,
    calls: u64,
    calls_per_sample: u64,
    seconds: f64,
    mean_ns: f64,
    p50_ns: f64,
    p99_ns: f64,
    max_ns: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Evidence>,
}

/// Shows that membarrier was at work.
#[derive(Debug, Serialize)]
struct Evidence {
    processors: usize,
    /// Function call interrupts of CPUs other than the caller's.
    interrupts: u64,
    /// Times that the caller slept.
    sleeps: u64,
}

/// Executes the command.
pub fn barrier(arguments: &BarrierArguments) -> Result<Option<Code>, Failure> {
    let found = ready(arguments);
    if !arguments.possible {
        return time(arguments, &found?).map(|()| None);
    }
    match found {
        Err(reason) => {
            print(&format!("{reason}\n"))?;
            Ok(Some(Code::Impossible))
        }
        Ok(_) => Ok(None),
    }
}

/// Looks whether this can be measured here, and registers the process. Returns the CPUs that it may use.
fn ready(arguments: &BarrierArguments) -> Result<Vec<usize>, Failure> {
    let allowed = cpus::allowed()?;
    let machine = Machine {
        offered: offered(),
        processors: processors(),
        allowed: allowed.len(),
    };
    let BarrierArguments { kind, others, .. } = *arguments;
    machine.check(kind, others)?;
    if let Some(command) = kind.command() {
        Witness::look(allowed[0])?;
        // Before the process has other threads, as it takes longer then.
        command.register().map_err(Failure::unavailable)?;
    }
    Ok(allowed)
}

/// The facts that decide what can be measured.
struct Machine {
    /// Commands of membarrier that the kernel offers.
    offered: u32,
    processors: usize,
    /// CPUs that this process may use.
    allowed: usize,
}

impl Machine {
    fn check(&self, kind: Kind, others: Others) -> Result<(), Failure> {
        if let Some(command) = kind.command() {
            let available = command.available(self.offered, self.processors);
            available.map_err(Failure::unavailable)?;
            if !is_measurable(self.processors) {
                let command = command.name();
                return Err(Failure::unavailable(Unavailable::OneProcessor { command }));
            }
        }
        let (needed, option) = match others {
            Others::Idle => (1, "idle"),
            Others::Busy => (2, "busy"),
        };
        if self.allowed < needed {
            return Err(Failure::unavailable(format!(
                "--others {option}: expected {needed} CPUs or more that this process may use, found {}",
                self.allowed
            )));
        }
        Ok(())
    }
}

/// Times the calls, and prints what they took.
fn time(arguments: &BarrierArguments, allowed: &[usize]) -> Result<(), Failure> {
    let (own, rest) = (allowed[0], &allowed[1..]);
    cpus::bind(own)?;
    let BarrierArguments { kind, others, .. } = *arguments;
    let cost = with_others(others, rest, |busy| match kind.command() {
        Some(command) => {
            let before = Witness::look(own)?;
            let call = || {
                let called = command.call();
                called.map_err(|error| Failure::unavailable(command.refused(&error)))
            };
            let cost = measure(arguments, 1, busy, call)?;
            let evidence = Witness::look(own)?.since(&before);
            evidence.judge(command, cost.calls, busy.len() as u64)?;
            Ok(Cost {
                evidence: Some(evidence),
                ..cost
            })
        }
        None if kind == Kind::Mfence => measure(arguments, TOGETHER, busy, || {
            Mfence::full();
            Ok(())
        }),
        None => measure(arguments, TOGETHER, busy, || {
            Locked::full();
            Ok(())
        }),
    })?;
    print_json(&cost)
}

impl Evidence {
    /// Judges calls of a command, while as many other CPUs were busy.
    ///
    /// # Errors
    /// If the command was not at work.
    fn judge(&self, command: Command, calls: u64, busy: u64) -> Result<(), Failure> {
        let (what, found, least, advice) = match command {
            // The kernel waits, so the caller sleeps.
            Command::Global => ("sleeps of the caller", self.sleeps, calls, ""),
            // A call does not interrupt a busy thread that does not run: it would cost less than it does.
            Command::PrivateExpedited | Command::GlobalExpedited => (
                "interrupts of other CPUs",
                self.interrupts,
                (calls * busy * 9).div_ceil(10),
                ". Other programs had the CPUs that were to be busy: end them, and measure again",
            ),
        };
        if found >= least {
            return Ok(());
        }
        Err(Failure::no_number(format!(
            "{}: {what} in {calls} calls: {found}, expected at least {least}{advice}",
            command.name()
        )))
    }
}

impl Kind {
    fn command(self) -> Option<Command> {
        match self {
            Self::Expedited => Some(Command::PrivateExpedited),
            Self::Global => Some(Command::Global),
            Self::GlobalExpedited => Some(Command::GlobalExpedited),
            Self::Mfence | Self::Lock => None,
        }
    }
}

/// Does `work` while the other CPUs are idle or busy.
fn with_others<R>(
    others: Others,
    cpus: &[usize],
    work: impl FnOnce(&[Busy]) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let cpus = match others {
        Others::Idle => &cpus[..0],
        Others::Busy => cpus,
    };
    let busy: Vec<Busy> = cpus.iter().map(|_| Busy::default()).collect();
    thread::scope(|scope| {
        // The kernel leaves the barrier out in a process with one thread.
        let sleeps = Builder::new()
            .spawn_scoped(scope, thread::park)
            .map_err(|error| Failure::no_thread(&error))?;
        let threads: Result<Vec<_>, _> = (busy.iter().zip(cpus))
            .map(|(busy, cpu)| Builder::new().spawn_scoped(scope, move || busy.compute(*cpu)))
            .collect();
        let outcome = threads
            .map_err(|error| Failure::no_thread(&error))
            .and_then(|threads| Ok((threads, work(&busy)?)));
        busy.iter().for_each(Busy::end);
        sleeps.thread().unpark();
        let (threads, outcome) = outcome?;
        for thread in threads {
            thread.join().unwrap_or_else(|_| Err(Failure::panicked()))?;
        }
        Ok(outcome)
    })
}

/// Times calls, `together` of them for each sample, each while the threads of busy CPUs compute.
fn measure(
    arguments: &BarrierArguments,
    together: u64,
    busy: &[Busy],
    mut call: impl FnMut() -> Result<(), Failure>,
) -> Result<Cost, Failure> {
    let BarrierArguments {
        kind,
        calls,
        others,
        ..
    } = *arguments;
    let together = together.min(calls);
    let clock = clock_ns();
    let mut samples = Vec::new();
    let reserved = samples.try_reserve_exact((calls / together) as usize);
    reserved.map_err(|error| Failure::unavailable(format!("--calls {calls}: {error}")))?;
    let begin = Instant::now();
    for _ in 0..calls / together {
        for busy in busy {
            busy.await_turn()?;
        }
        let begin = Instant::now();
        for _ in 0..together {
            call()?;
        }
        let ns = begin.elapsed().as_nanos() as f64;
        samples.push((ns - clock).max(0.0) / together as f64);
    }
    let seconds = begin.elapsed().as_secs_f64();
    samples.sort_unstable_by(f64::total_cmp);
    let quantile = |share: f64| samples[((samples.len() - 1) as f64 * share).round() as usize];
    Ok(Cost {
        kind,
        others,
        calls: samples.len() as u64 * together,
        calls_per_sample: together,
        seconds,
        mean_ns: samples.iter().sum::<f64>() / samples.len() as f64,
        p50_ns: quantile(0.5),
        p99_ns: quantile(0.99),
        max_ns: quantile(1.0),
        evidence: None,
    })
}

/// Time of a look at the clock, in ns: the median of some.
fn clock_ns() -> f64 {
    let mut last = Instant::now();
    let mut looks: Vec<Duration> = (0..1001)
        .map(|_| {
            let now = Instant::now();
            let look = now - last;
            last = now;
            look
        })
        .collect();
    looks.sort_unstable();
    looks[looks.len() / 2].as_nanos() as f64
}

#[cfg(test)]
mod tests;
