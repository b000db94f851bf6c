//! `perflab-kv rcu barrier`: what a barrier costs the one who calls it.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use perflab_rcu::membarrier::{Command, offered, processors};
use perflab_rcu::urcu::{Barrier, Locked, Mfence};
use serde::Serialize;

use super::cpus;
use crate::failure::{Code, Failure};
use crate::output::print_json;

/// Calls of an instruction that are timed together: one takes less than a look at the clock.
const TOGETHER: u64 = 1000;

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  perflab-kv rcu barrier expedited --calls 666667 --others busy",
    after_long_help = "The caller is bound to the first CPU that this process may use.\n\n\
Prints one JSON object on one line:\n  \
kind, others, calls\n  \
calls_per_sample         how many are timed together: 1, but 1000 of mfence and lock\n  \
seconds                  how long all took\n  \
mean_ns, p50_ns, p99_ns, max_ns    time of one call, less what a look at the clock takes; if calls are timed \
together, the quantiles are of the means of samples\n\n\
Example:\n  perflab-kv rcu barrier expedited --calls 666667 --others busy"
)]
pub struct BarrierArguments {
    /// Which barrier.
    kind: Kind,

    /// Call it so often.
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    calls: u64,

    /// What the process does on its other CPUs.
    #[arg(long, value_enum, default_value_t = Others::Idle)]
    others: Others,
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

/// What the process does on its other CPUs.
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
}

/// Executes the command.
pub fn barrier(arguments: &BarrierArguments) -> Result<Option<Code>, Failure> {
    let command = arguments.kind.command();
    if let Some(command) = command {
        let ready = command.available(offered(), processors());
        // Before the process has other threads, as it takes longer then.
        let ready = ready.and_then(|()| command.register());
        ready.map_err(Failure::unavailable)?;
    }
    let allowed = cpus::allowed()?;
    let [own, rest @ ..] = allowed.as_slice() else {
        return Err(Failure::unavailable("this process may use no CPU"));
    };
    if rest.is_empty() && arguments.others == Others::Busy {
        return Err(Failure::unavailable(
            "--others busy: this process may use one CPU only",
        ));
    }
    cpus::bind(*own)?;
    let cost = beside(arguments.others, rest, || match command {
        Some(command) => measure(arguments, 1, || {
            command.call().map_err(Failure::unavailable)
        }),
        None if arguments.kind == Kind::Mfence => measure(arguments, TOGETHER, || {
            Mfence::full();
            Ok(())
        }),
        None => measure(arguments, TOGETHER, || {
            Locked::full();
            Ok(())
        }),
    })?;
    print_json(&cost)?;
    Ok(None)
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

/// Does `work` while the other threads are what they are to be.
fn beside<R>(
    others: Others,
    cpus: &[usize],
    work: impl FnOnce() -> Result<R, Failure>,
) -> Result<R, Failure> {
    let (ends, begun) = (&AtomicBool::new(false), &AtomicUsize::new(0));
    thread::scope(|scope| {
        // The kernel leaves the barrier out in a process with one thread.
        let cpus = match others {
            Others::Idle => &cpus[..0],
            Others::Busy => cpus,
        };
        let sleeps = scope.spawn(thread::park);
        let busy: Vec<_> = cpus
            .iter()
            .map(|cpu| scope.spawn(move || compute(*cpu, ends, begun)))
            .collect();
        while begun.load(Ordering::Relaxed) < cpus.len() {
            thread::sleep(Duration::from_micros(100));
        }
        let outcome = work();
        ends.store(true, Ordering::Relaxed);
        sleeps.thread().unpark();
        for thread in busy {
            thread
                .join()
                .unwrap_or_else(|_| Err(Failure::unavailable("a thread panicked")))?;
        }
        outcome
    })
}

/// Computes on a CPU until the end.
fn compute(cpu: usize, ends: &AtomicBool, begun: &AtomicUsize) -> Result<(), Failure> {
    let bound = cpus::bind(cpu);
    begun.fetch_add(1, Ordering::Relaxed);
    bound?;
    let mut turns = 0_u64;
    // Without a pause: a processor that rests is not busy.
    while !ends.load(Ordering::Relaxed) {
        turns = black_box(turns.wrapping_add(1));
    }
    Ok(())
}

/// Times calls, so many together.
fn measure(
    arguments: &BarrierArguments,
    together: u64,
    mut call: impl FnMut() -> Result<(), Failure>,
) -> Result<Cost, Failure> {
    let BarrierArguments {
        kind,
        calls,
        others,
    } = *arguments;
    let together = together.min(calls);
    let clock = clock_ns();
    let mut samples = Vec::with_capacity((calls / together) as usize);
    let begin = Instant::now();
    let mut last = begin;
    for _ in 0..calls / together {
        for _ in 0..together {
            call()?;
        }
        let now = Instant::now();
        let ns = (now - last).as_nanos() as f64;
        samples.push((ns - clock).max(0.0) / together as f64);
        last = now;
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
    })
}

/// What a look at the clock takes, in ns: the median of some.
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
