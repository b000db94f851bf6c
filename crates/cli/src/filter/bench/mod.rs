//! `perflab filter bench`.

mod asked;
mod event;
mod own;
mod stored;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use perflab_filter::{Fields, FilterProgram, Problem, Programs, check_each, ebpf, lower, parse};
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;

use self::event::{EventValues, event_values};
use super::known::ProbeArguments;
use crate::failure::{Code, Failure};
use crate::terminal::Form;

/// Version of the JSON that `--format json` prints.
const SCHEMA: u32 = 1;

// Arguments of `bench`.
#[derive(Debug, Args)]
pub struct BenchArguments {
    /// The expression, in quotes of the shell.
    #[arg(
        value_name = "EXPR",
        allow_hyphen_values = true,
        required_unless_present = "result"
    )]
    expression: Option<String>,

    #[command(flatten)]
    probes: ProbeArguments,

    /// An event to judge, by values of what the expression names: 'name=SET, bytes=600' (may be given again). What is
    /// not given is 0, or an empty text.
    #[arg(long, value_name = "LIST", value_parser = event_values, conflicts_with = "pid")]
    event: Vec<EventValues>,

    /// Count the events that the filter accepts, instead of doing nothing with them.
    #[arg(long, requires = "pid")]
    count: bool,

    /// Show the charts of a result, such as that of experiments/filters.toml, as tables.
    #[arg(
        long,
        value_name = "RESULT",
        conflicts_with_all = ["expression", "probes", "file", "pid", "arguments", "event", "format"]
    )]
    result: Option<PathBuf>,

    /// Write the charts of the result into this directory, too, as SVG.
    #[arg(long, value_name = "DIR", requires = "result")]
    plots: Option<PathBuf>,

    /// Print the output in this form.
    #[arg(long, value_enum, default_value = "text")]
    format: Form,
}

/// Executes `bench`.
pub fn bench(arguments: &BenchArguments) -> Result<Option<Code>, Failure> {
    if let Some(result) = &arguments.result {
        return stored::stored(result, arguments.plots.as_deref());
    }
    let expression = arguments.expression.as_deref().unwrap_or_default();
    let BenchArguments {
        probes,
        event,
        count,
        format,
        ..
    } = arguments;
    match probes.of_processes() {
        // clap does not ask for a flag that others exclude.
        None if *count => Err(Failure::usage(
            "--count needs --pid: only a program has events to count".to_owned(),
        )),
        Some((processes, probes)) => asked::asked(expression, processes, probes, *count, *format),
        None => own::own(expression, probes, event, *format),
    }
}

/// An expression that was made into programs, and how long that took.
struct Made {
    checked: Programs,
    programs: Vec<FilterProgram>,
    took: Steps,
    /// When it was parsed, by `CLOCK_MONOTONIC`, in nanoseconds.
    parsed_at: u64,
}

/// How long it took to make programs of an expression.
#[derive(Debug, Clone, Copy, Serialize)]
struct Steps {
    /// Text to tree.
    parse_ns: u64,
    /// Tree and probes to checked programs.
    check_ns: u64,
    /// Checked programs to eBPF.
    compile_ns: u64,
}

impl Made {
    /// One program for each assignment of types that these probes need.
    fn new(expression: &str, fields: &[Fields<'_>]) -> Result<Self, Failure> {
        let start = Instant::now();
        let tree = parse(expression).map_err(mistake(expression))?;
        let parsed = Instant::now();
        let parsed_at = now();
        let checked = check_each(&tree, fields).map_err(mistake(expression))?;
        let between = Instant::now();
        let programs = checked.programs.iter();
        let programs = programs.map(|program| ebpf(&lower(program)).map_err(Failure::usage));
        let programs = programs.collect::<Result<_, _>>()?;
        Ok(Self {
            took: Steps {
                parse_ns: nanoseconds(parsed - start),
                check_ns: nanoseconds(between - parsed),
                compile_ns: nanoseconds(between.elapsed()),
            },
            checked,
            programs,
            parsed_at,
        })
    }
}

fn mistake(expression: &str) -> impl Fn(Problem) -> Failure {
    move |problem| Failure::usage(problem.shown(expression))
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn microseconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1000.0
}

/// `CLOCK_MONOTONIC`, in nanoseconds: a program that has the filter can compare it with its own.
fn now() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    // The clock runs since the machine was started.
    now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned()
}
