//! `perflab report`: a result as a folder of pages.

use std::path::PathBuf;

use clap::Args;
use perflab_pages::{Site, Step, WriteError, write};
use perflab_store::is_result;

use crate::failure::{Code, Failure, is_disk_full};
use crate::progress::bar;
use crate::terminal;

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  perflab report results/first -o first-report")]
pub struct ReportArguments {
    /// The result.
    #[arg(value_name = "RESULT")]
    result: PathBuf,

    /// The folder: a new one, an empty one, or one with an earlier report.
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,

    /// Print no progress.
    #[arg(short, long)]
    quiet: bool,
}

/// Executes the command.
pub fn report(arguments: &ReportArguments) -> Result<Option<Code>, Failure> {
    let path = &arguments.result;
    if !path.is_dir() {
        return Err(Failure::usage(format!(
            "expected a results directory, found none at {}",
            path.display()
        )));
    }
    if !is_result(path) {
        return Err(Failure::no_data(format!(
            "expected a results directory, found neither meta.json nor runs.jsonl in {}; perflab show lists the \
             results in a directory",
            path.display()
        )));
    }
    let site = Site::read(path);
    let bar = bar(Some(0), "{bar:30} {pos} of {len} {msg}", !arguments.quiet);
    let first = write(&site, &arguments.out, &mut |step, done, all| {
        bar.set_message(match step {
            Step::Compare => "metrics compared",
            Step::Write => "pages written",
        });
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    let first = first.map_err(|error| match &error {
        WriteError::Foreign(_) => Failure::usage(error),
        WriteError::Io { source, .. } | WriteError::Uncreatable { source, .. }
            if is_disk_full(source) =>
        {
            Failure::disk_full(&error)
        }
        WriteError::Uncreatable { .. } => Failure::usage(error),
        WriteError::Io { .. } => Failure::environment(error),
    })?;
    terminal::print(&format!("{}\n", first.display()))?;
    if site.problems().is_empty() {
        return Ok(None);
    }
    for problem in site.problems() {
        terminal::say(&format!("warning: {}", terminal::escape(problem)));
    }
    Ok(Some(Code::NoData))
}
