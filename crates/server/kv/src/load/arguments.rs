//! The arguments of `perflab-kv load`, and the load that they ask for.

use std::ops::RangeInclusive;
use std::time::Duration;

use clap::Args;
use perflab_load::{
    Command, Distribution, Keys, Length, MOST_VALUE_BYTES, Mix, Pace, Plan, Ratio, Rounds, Target,
};

use super::keys::KEYS;
use crate::failure::Failure;

#[derive(Debug, Clone, PartialEq, Args)]
#[command(
    after_help = "Example:\n  perflab-kv load a=redis://127.0.0.1:6379 b=unix:/run/b.sock --preload --seconds 10",
    after_long_help = KEYS
)]
pub struct LoadArguments {
    /// The servers: NAME=redis://HOST:PORT, NAME=unix:PATH, NAME=memcached://HOST:PORT or NAME=memcached-unix:PATH.
    /// Several take turns in random order.
    #[arg(value_name = "TARGET", required = true)]
    pub targets: Vec<Target>,

    /// Measure the CPU time of the server that has this process number.
    #[arg(long = "pid", value_name = "NAME=PID", value_parser = named_pid)]
    pub pids: Vec<(String, u32)>,

    /// Set keys and get keys in this ratio.
    #[arg(long, value_name = "SET:GET", default_value = "1:10")]
    ratio: Ratio,

    /// Make this command, and not the ratio's. {key} and {value} stand for a key and a value; a number in front, as in
    /// '3:GET {key}', makes it so many times as often. Give it once for each command.
    #[arg(
        long = "command",
        value_name = "[WEIGHT:]COMMAND",
        conflicts_with = "ratio"
    )]
    commands: Vec<Command>,

    /// Ask for N different keys.
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    keys: u64,

    /// Name keys with N bytes: `key:` and digits.
    #[arg(long, value_name = "N", default_value_t = 16)]
    key_bytes: usize,

    /// Choose keys by this law: uniform, zipf:EXPONENT (key 0 most often), gaussian (those in the middle), or one.
    #[arg(long, value_name = "LAW", default_value = "uniform")]
    distribution: Distribution,

    /// Set values of N bytes, or of MIN-MAX for any length between. They do not compress.
    #[arg(long, value_name = "N", default_value = "32", value_parser = range)]
    value_bytes: RangeInclusive<usize>,

    /// Set each key once before the measurement, so that each is found.
    #[arg(long)]
    preload: bool,

    /// Use N threads.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    threads: u16,

    /// Connect each thread to each server N times.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..))]
    connections: u16,

    /// Let up to N requests of a connection wait for their replies. The latency of one then includes those before it.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pipeline: u16,

    /// Bind the threads to these CPUs, in turn. Numbers with commas between them, as 0,1 [default: bind none].
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = crate::cpus::number)]
    affinity: Vec<usize>,

    /// Send R requests a second to each server in its turns, whatever it does (open loop). A latency then begins when the
    /// request should have been sent [default: send when a reply has come].
    #[arg(long, value_name = "R")]
    rate: Option<f64>,

    /// Send at random times: a Poisson process of the rate.
    #[arg(long, requires = "rate")]
    poisson: bool,

    /// Load each server for S seconds, in all its turns together [default: 10, unless --operations is given].
    #[arg(long, value_name = "S")]
    seconds: Option<f64>,

    /// Make N requests to each server.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    operations: Option<u64>,

    /// Let turns last N milliseconds [default: 20 with several servers; a single one has one turn].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    turn_ms: Option<u32>,

    /// Load each server for N milliseconds before, which do not count.
    #[arg(long, value_name = "N", default_value_t = 200)]
    warm_up_ms: u32,

    /// End with an error if a reply takes longer than N milliseconds.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    timeout_ms: u32,

    /// Fix all that is random: the order of turns, keys, values, times.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Count errors that a server answers with, and go on.
    #[arg(long)]
    allow_errors: bool,
}

/// The length of turns of several servers.
const TURN: Duration = Duration::from_millis(20);

/// The length of a load that has none.
const SECONDS: Duration = Duration::from_secs(10);

impl LoadArguments {
    /// The load.
    ///
    /// # Errors
    /// If arguments contradict each other.
    pub fn plan(&self) -> Result<Plan, Failure> {
        let mut length = self.length()?;
        if length.operations.is_none() {
            length.time = length.time.or(Some(SECONDS));
        }
        let turn = self.turn_ms.map(|ms| Duration::from_millis(ms.into()));
        let several = (self.targets.len() > 1).then_some(TURN);
        self.plan_of(Rounds::Until {
            length,
            turn: turn.or(several),
            warm_up: Duration::from_millis(self.warm_up_ms.into()),
        })
    }

    /// The length that was given, if any.
    ///
    /// # Errors
    /// If it is no length.
    pub fn length(&self) -> Result<Length, Failure> {
        let time = self.seconds.map(Duration::try_from_secs_f64).transpose();
        let time = time.map_err(|error| Failure::usage(format!("--seconds: {error}")))?;
        Ok(Length {
            time,
            operations: self.operations,
        })
    }

    /// The load, with other rounds.
    ///
    /// # Errors
    /// If arguments contradict each other.
    pub fn plan_of(&self, rounds: Rounds) -> Result<Plan, Failure> {
        let mix = match self.commands.as_slice() {
            [] => Mix::Ratio(self.ratio),
            commands => Mix::Commands(commands.to_vec()),
        };
        let pace = match (self.rate, self.poisson) {
            (None, _) => Pace::Replies,
            (Some(rate), false) => Pace::Even(rate),
            (Some(rate), true) => Pace::Poisson(rate),
        };
        Ok(Plan {
            targets: self.named_targets()?,
            mix,
            keys: Keys {
                count: self.keys,
                bytes: self.key_bytes,
                distribution: self.distribution,
            },
            value_bytes: self.value_bytes.clone(),
            preload: self.preload,
            threads: self.threads.into(),
            connections: self.connections.into(),
            pipeline: self.pipeline.into(),
            cpus: self.affinity.clone(),
            pace,
            rounds,
            timeout: Duration::from_millis(self.timeout_ms.into()),
            seed: self.seed,
            allows_errors: self.allow_errors,
        })
    }

    /// The targets with their processes.
    fn named_targets(&self) -> Result<Vec<Target>, Failure> {
        let mut targets = self.targets.clone();
        for (name, pid) in &self.pids {
            let named = targets.iter_mut().find(|target| target.name == *name);
            let named = named.ok_or_else(|| {
                Failure::usage(format!("--pid {name}={pid}: no target is called `{name}`"))
            })?;
            named.pid = Some(*pid);
        }
        Ok(targets)
    }
}

fn named_pid(text: &str) -> Result<(String, u32), String> {
    let parts = text.rsplit_once('=');
    let named = parts.and_then(|(name, pid)| Some((name.to_owned(), pid.parse().ok()?)));
    named.ok_or_else(|| "expected the name of a target and a process number, as a=1234".to_owned())
}

fn range(text: &str) -> Result<RangeInclusive<usize>, String> {
    let (least, most) = text.split_once('-').unwrap_or((text, text));
    match (least.parse(), most.parse()) {
        (Ok(least), Ok(most)) if least <= most && most <= MOST_VALUE_BYTES => Ok(least..=most),
        _ => Err(format!(
            "expected a number of bytes or MIN-MAX, at most {MOST_VALUE_BYTES}"
        )),
    }
}
