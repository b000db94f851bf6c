//! Which events of a trace are asked for.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use perflab_trace_file::{EventSelection, Probe, Process, Thread, Trace};

use super::choice::probes;

// Arguments of `view`.
#[derive(Debug, Args)]
pub struct ViewArguments {
    /// The trace.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Which probes, as provider:name with *; several with commas.
    #[arg(value_name = "PROBES", default_value = "*", value_parser = probes)]
    pub probes: String,

    /// Number of a process (may be given again).
    #[arg(short, long, value_name = "PID")]
    pub pid: Vec<u32>,

    /// Number or name of a thread (may be given again).
    #[arg(short, long, value_name = "THREAD")]
    pub thread: Vec<String>,

    /// Seconds from the first event of the trace on.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub from: Option<Duration>,

    /// Seconds from the first event of the trace on.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub to: Option<Duration>,

    /// Show only events whose arguments fulfil this condition, such as 'name == "SET" && bytes > 512': see
    /// docs/filters.md.
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub when: Option<String>,

    /// Show so many events at most.
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,

    /// Show what the whole trace has, instead of events: processes, threads, probes, losses.
    #[arg(long)]
    pub summary: bool,
}

impl ViewArguments {
    /// Whether some events of the trace may not be asked for.
    pub fn is_part(&self) -> bool {
        let are_all = self.pid.is_empty() && self.thread.is_empty() && self.limit.is_none();
        let is_time = self.from.is_some() || self.to.is_some();
        self.probes != "*" || !are_all || is_time || self.when.is_some()
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text
        .parse()
        .map_err(|_| "expected a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(number)
        .map_err(|_| "expected a number of seconds, 0 or more".to_owned())
}

/// Which events are asked for.
#[derive(Debug)]
pub struct Asked<'a> {
    /// As the user wrote it.
    pub arguments: &'a ViewArguments,
    patterns: Vec<(&'a str, &'a str)>,
    /// The time of the first event, from which on times are counted.
    pub zero: u64,
}

impl<'a> Asked<'a> {
    /// Of a trace.
    pub fn new(arguments: &'a ViewArguments, trace: &Trace) -> Self {
        let patterns = perflab_control::patterns(&arguments.probes);
        let first = trace.events(&EventSelection::default()).next();
        Self {
            arguments,
            patterns: patterns.into_iter().flatten().collect(),
            zero: first.map_or(0, |event| event.nanoseconds),
        }
    }

    /// Whether events of a probe are.
    pub fn is_probe(&self, probe: &Probe) -> bool {
        let mut patterns = self.patterns.iter();
        patterns.any(|pattern| perflab_control::matches(*pattern, &probe.provider, &probe.name))
    }

    /// Whether those of a process are.
    pub fn is_process(&self, process: &Process) -> bool {
        self.arguments.pid.is_empty() || self.arguments.pid.contains(&process.pid)
    }

    /// Whether those of a thread are.
    pub fn is_thread(&self, thread: &Thread) -> bool {
        let mut wanted = self.arguments.thread.iter();
        self.arguments.thread.is_empty()
            || wanted.any(|name| *name == thread.name || *name == thread.tid.to_string())
    }

    /// Times of which they are.
    pub fn time(&self) -> RangeInclusive<u64> {
        let at = |time: Duration| {
            let since = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
            self.zero.saturating_add(since)
        };
        self.arguments.from.map_or(0, at)..=self.arguments.to.map_or(u64::MAX, at)
    }
}
