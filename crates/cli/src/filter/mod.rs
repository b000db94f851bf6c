//! `perflab filter`: predicates on the arguments of probes.

mod bench;
mod check;
mod dump;
pub mod known;
mod native;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use clap::Subcommand;
use perflab_control::{Actions, Alternative, EncodedFilter, FilterImport, FilterTooLong};
use perflab_filter::{FilterObject, FilterProgram, read_object};

use crate::failure::{Code, Failure};
use crate::terminal;

/// Most bytes of an object. A device may never end.
const LONGEST_OBJECT: u64 = 16 << 20;

/// What to do with an expression.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(
    after_help = "Example:\n  perflab filter check 'name == \"SET\" && bytes > 512' --arguments 'name: cstr, bytes: i64'\n\n\
Expressions are those of LTTng: see docs/filters.md."
)]
pub enum FilterCommand {
    /// Check an expression against the probes of running processes, or of a program's file.
    ///
    /// Prints what the expression takes from an event of each probe, as integer, double or text, or why a probe would
    /// never be recorded.
    #[command(
        after_help = "Examples:\n  perflab filter check 'bytes > 512' 'kv:*' --pid 1234\n  \
perflab filter check 'bytes > 512' 'kv:*' ./kv-server\n  \
perflab filter check 'bytes > 512' --arguments 'name: cstr, bytes: i64'"
    )]
    Check(check::CheckArguments),
    /// Show what an expression becomes: its blocks, eBPF and native code side by side.
    ///
    /// The native code is that of an agent, for sites that pass the arguments as the first of the probes does.
    #[command(
        after_help = "Examples:\n  perflab filter dump 'name == \"SET\" && bytes > 512' --arguments 'name: cstr, bytes: i64'\n  \
perflab filter dump 'bytes > 512' 'kv:*' ./kv-server -o big.o\n  \
perflab filter dump --object big.o --pid 1234"
    )]
    Dump(dump::DumpArguments),
    /// Measure what a filter takes: to be made, and to judge an event.
    ///
    /// With --pid, agents judge by it, and do nothing with the events that it accepts: what was asked for of these probes
    /// before ends. `perflab trace off` ends this.
    #[command(
        after_help = "Examples:\n  perflab filter bench 'name == \"SET\" && bytes > 512' --arguments 'name: cstr, bytes: i64' \
--event 'name=SET, bytes=600'\n  \
perflab filter bench 'bytes > 512' 'kv:*' --pid 1234\n  \
perflab filter bench --result results/filters --plots charts"
    )]
    Bench(bench::BenchArguments),
}

/// Executes `filter`.
pub fn filter(command: &FilterCommand) -> Result<Option<Code>, Failure> {
    match command {
        FilterCommand::Check(arguments) => check::check(arguments),
        FilterCommand::Dump(arguments) => dump::dump(arguments),
        FilterCommand::Bench(arguments) => bench::bench(arguments),
    }
}

/// The filter in an eBPF object.
///
/// # Errors
/// When the file cannot be read, has no filter, or the filter breaks a rule.
pub fn object(path: &Path) -> Result<FilterObject, Failure> {
    let shown = terminal::escape(&path.to_string_lossy());
    let mut bytes = Vec::new();
    let read =
        File::open(path).and_then(|file| file.take(LONGEST_OBJECT + 1).read_to_end(&mut bytes));
    read.map_err(|error| Failure::usage(format!("cannot read the filter {shown}: {error}")))?;
    let refused = |reason: &str| {
        let reason = terminal::escape(reason);
        Failure::no_data(format!("{shown} cannot be used as a filter: {reason}"))
    };
    if bytes.len() as u64 > LONGEST_OBJECT {
        let most = LONGEST_OBJECT >> 20;
        return Err(refused(&format!("it has more than {most} MiB")));
    }
    read_object(&bytes).map_err(|problem| refused(&problem.to_string()))
}

/// Programs as they are sent to an agent, which takes the first one that fits a probe. Probes of `except` are taken
/// unfiltered; `shown` is what `perflab trace list` shows.
///
/// # Errors
/// When they are too large.
pub fn encoded(
    programs: &[FilterProgram],
    except: &str,
    actions: Actions,
    shown: &str,
) -> Result<EncodedFilter, FilterTooLong> {
    let alternatives = programs.iter().map(|program| Alternative {
        imports: program.imports.iter().map(|import| FilterImport {
            class: import.class as u8,
            name: &import.name,
        }),
        code: &program.code,
        literals: &program.literals,
    });
    EncodedFilter::new(except, actions, shown, alternatives)
}
