//! The result of a load, as it is printed.

use std::collections::BTreeMap;

use perflab_histogram::Durations;
use serde::Serialize;

use crate::clock::CpuTime;
use crate::command::Command;
use crate::course::{Played, Row, Used};
use crate::plan::Plan;
use crate::schedule::Pace;
use crate::tally::Answered;
use crate::target::Target;
use crate::warnings::warnings;

/// The result of a load. What is unknown is absent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outcome {
    /// How it was made.
    pub load: Made,
    /// The servers, in the order of the plan.
    pub targets: Vec<Measured>,
    /// The threads of the client.
    pub client: Vec<Thread>,
    /// What a reader should know before believing a number.
    pub warnings: Vec<String>,
}

/// How a load was made.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Made {
    /// The seed of all that is random.
    pub seed: u64,
    /// Threads of the client.
    pub threads: usize,
    /// Connections of each thread to each target.
    pub connections: usize,
    /// Requests on a connection that waited for replies, at most.
    pub pipeline: usize,
    /// `closed`, `even` or `poisson`.
    pub pace: &'static str,
    /// Requests in a second that were to be sent, of an open loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// Number of keys.
    pub keys: u64,
    /// Bytes of a key.
    pub key_bytes: usize,
    /// How keys were chosen.
    pub distribution: String,
    /// Bytes of a value: the least and the most.
    pub value_bytes: [usize; 2],
    /// Whether each key was set before.
    pub preload: bool,
}

/// What was measured of a server.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measured {
    /// Its name.
    pub name: String,
    /// Its address.
    pub address: String,
    /// Requests with their replies, errors included.
    pub operations: u64,
    /// The time of all its turns, each from its begin to its last reply.
    pub seconds: f64,
    /// Operations in a second of its turns.
    pub operations_per_s: f64,
    /// Latencies of all commands.
    pub latency: Latency,
    /// By command.
    pub commands: Vec<Commanded>,
    /// How often each error came, by its text.
    pub errors: BTreeMap<String, u64>,
    /// Open loop: requests that were sent more than 1 ms later than they should have been.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late: Option<u64>,
    /// Open loop: requests that should have been sent and were not. No latency counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsent: Option<u64>,
    /// Bytes that the server was sent.
    pub bytes_sent: u64,
    /// Bytes that it sent.
    pub bytes_received: u64,
    /// CPU time of the client for each operation, in ns.
    pub client_cpu_ns_per_operation: f64,
    /// CPU time of the server, if its process is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_cpu: Option<ServerCpu>,
    /// Its turns.
    pub turns: Vec<Slice>,
}

/// What was measured of a command.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Commanded {
    /// The command.
    pub name: String,
    /// How often it was made.
    pub operations: u64,
    /// In a second of the target's turns.
    pub operations_per_s: f64,
    /// Replies that say that nothing was found.
    pub misses: u64,
    /// Of a command that gets a key, the share of replies with a value. Errors are neither.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hit_rate: Option<f64>,
    /// Replies that were errors.
    pub errors: u64,
    /// Its latencies.
    pub latency: Latency,
}

/// Latencies in ns. The quantiles are within 1 %, and the others exact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Latency {
    /// Absent without an operation.
    #[serde(flatten)]
    pub times: Option<Times>,
    /// How many took at least a time: by powers of two, and the middles between them.
    pub histogram: Vec<Bin>,
}

/// Latencies in ns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Times {
    /// The mean.
    pub mean_ns: f64,
    /// The shortest.
    pub min_ns: u64,
    /// The median.
    pub p50_ns: u64,
    /// 1 % took longer.
    pub p99_ns: u64,
    /// 0.1 % took longer.
    pub p99_9_ns: u64,
    /// The longest.
    pub max_ns: u64,
}

/// Operations that took at least this long, and less than the next bin says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Bin {
    /// In ns.
    pub from_ns: u64,
    /// How many.
    pub count: u64,
}

/// CPU time of a server while it was loaded.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ServerCpu {
    /// Its process.
    pub pid: u32,
    /// For each operation, in ns.
    pub ns_per_operation: f64,
    /// Of all threads that live at the end, in s.
    pub seconds: f64,
    /// In user space, as the kernel divides by samples, in s.
    pub user_s: f64,
    /// In the kernel, likewise.
    pub system_s: f64,
}

/// A turn of a target.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Slice {
    /// Its number among the turns of the target, from 1.
    pub slice: u64,
    /// When it began, in s since the first turn of all.
    pub at_s: f64,
    /// How long it took, in s.
    pub wall_s: f64,
    /// Operations.
    pub operations: u64,
    /// In a second.
    pub operations_per_s: f64,
    /// Median latency, in ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p50_ns: Option<u64>,
    /// 1 % took longer, in ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p99_ns: Option<u64>,
    /// CPU time of the server for each operation, in ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_cpu_ns_per_operation: Option<f64>,
}

/// A thread of the client.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Thread {
    /// Its number, from 0.
    pub thread: usize,
    /// The share of the turns in which it was on a CPU.
    pub cpu_share: f64,
}

impl Outcome {
    pub(crate) fn new(plan: &Plan, played: &[Played], threads: &[Used]) -> Self {
        let turns = played.iter().flat_map(|played| &played.turns);
        let first_ns = turns.map(|row| row.begin_ns).min().unwrap_or(0);
        let targets = plan.targets.iter().zip(played);
        let targets: Vec<Measured> = targets
            .map(|(target, played)| measured(plan, target, played, first_ns))
            .collect();
        let client = threads.iter().enumerate();
        let client: Vec<Thread> = client
            .map(|(thread, used)| Thread {
                thread,
                cpu_share: per(used.cpu_ns as f64, used.wall_ns as f64),
            })
            .collect();
        Self {
            load: made(plan),
            warnings: warnings(&targets, &client),
            targets,
            client,
        }
    }

    /// What perflab reads of slices that it has asked for: a line for each slice, with the number of its target, from 0,
    /// as JSON. See "Turns within one process" in docs/experiment-file.md.
    ///
    /// # Errors
    /// If a number is none in JSON.
    pub fn slice_lines(&self) -> Result<String, serde_json::Error> {
        #[derive(Serialize)]
        struct Line<'a> {
            target: usize,
            #[serde(flatten)]
            slice: &'a Slice,
        }
        let mut lines = String::new();
        for (target, measured) in self.targets.iter().enumerate() {
            for slice in &measured.turns {
                lines += &serde_json::to_string(&Line { target, slice })?;
                lines.push('\n');
            }
        }
        Ok(lines)
    }
}

/// A quotient, 0 where there is nothing to divide by.
fn per(number: f64, whole: f64) -> f64 {
    if whole > 0.0 { number / whole } else { 0.0 }
}

fn made(plan: &Plan) -> Made {
    Made {
        seed: plan.seed,
        threads: plan.threads,
        connections: plan.connections,
        pipeline: plan.pipeline,
        pace: match plan.pace {
            Pace::Replies => "closed",
            Pace::Even(_) => "even",
            Pace::Poisson(_) => "poisson",
        },
        rate: plan.pace.rate(),
        keys: plan.keys.count,
        key_bytes: plan.keys.bytes,
        distribution: plan.keys.distribution.to_string(),
        value_bytes: [*plan.value_bytes.start(), *plan.value_bytes.end()],
        preload: plan.preload,
    }
}

fn measured(plan: &Plan, target: &Target, played: &Played, first_ns: u64) -> Measured {
    let tally = &played.tally;
    let seconds = played.wall_ns as f64 / 1e9;
    let operations = tally.operations();
    let open = |count: u64| plan.pace.rate().map(|_| count);
    let commands = plan.mix.commands(target.protocol());
    let commands = commands.iter().zip(&tally.commands);
    let turns = played.turns.iter().zip(1..);
    Measured {
        name: target.name.clone(),
        address: target.address().to_owned(),
        operations,
        seconds,
        operations_per_s: per(operations as f64, seconds),
        latency: Latency::new(&tally.latencies()),
        commands: commands
            .map(|(command, answered)| commanded(command, answered, seconds))
            .collect(),
        errors: tally.errors.texts().clone(),
        late: open(tally.late),
        unsent: open(tally.unsent),
        bytes_sent: tally.bytes_sent,
        bytes_received: tally.bytes_received,
        client_cpu_ns_per_operation: per(tally.cpu_ns as f64, operations as f64),
        server_cpu: target
            .pid
            .zip(played.cpu)
            .map(|(pid, cpu)| server_cpu(pid, cpu, operations)),
        turns: turns
            .map(|(row, number)| slice(row, number, first_ns))
            .collect(),
    }
}

fn commanded(command: &Command, answered: &Answered, seconds: f64) -> Commanded {
    let operations = answered.latencies.count();
    let found = operations - answered.errors - answered.nothing;
    let answers = operations - answered.errors;
    Commanded {
        name: command.name.clone(),
        operations,
        operations_per_s: per(operations as f64, seconds),
        misses: answered.nothing,
        hit_rate: (command.gets() && answers > 0).then(|| found as f64 / answers as f64),
        errors: answered.errors,
        latency: Latency::new(&answered.latencies),
    }
}

fn server_cpu(pid: u32, cpu: CpuTime, operations: u64) -> ServerCpu {
    ServerCpu {
        pid,
        ns_per_operation: per(cpu.threads_ns as f64, operations as f64),
        seconds: cpu.threads_ns as f64 / 1e9,
        user_s: cpu.user_s,
        system_s: cpu.system_s,
    }
}

fn slice(row: &Row, number: u64, first_ns: u64) -> Slice {
    let wall_s = row.wall_ns as f64 / 1e9;
    let operations = row.operations as f64;
    let cpu_ns = row.cpu_ns.map(|cpu_ns| per(cpu_ns as f64, operations));
    Slice {
        slice: number,
        at_s: (row.begin_ns - first_ns) as f64 / 1e9,
        wall_s,
        operations: row.operations,
        operations_per_s: per(operations, wall_s),
        p50_ns: row.p50_ns,
        p99_ns: row.p99_ns,
        server_cpu_ns_per_operation: cpu_ns,
    }
}

impl Latency {
    fn new(durations: &Durations) -> Self {
        let bins = durations.rows().into_iter();
        Self {
            times: times(durations),
            histogram: bins
                .map(|(from_ns, count)| Bin { from_ns, count })
                .collect(),
        }
    }
}

/// Nothing without an operation.
fn times(durations: &Durations) -> Option<Times> {
    Some(Times {
        mean_ns: durations.mean_ns()?,
        min_ns: durations.shortest_ns,
        p50_ns: durations.quantile_ns(0.5)?,
        p99_ns: durations.quantile_ns(0.99)?,
        p99_9_ns: durations.quantile_ns(0.999)?,
        max_ns: durations.longest_ns,
    })
}
