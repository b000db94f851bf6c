//! `perflab report`: a result or a history as a folder of pages.

use std::path::PathBuf;

use clap::Args;
use indicatif::ProgressBar;
use perflab_pages::{HistorySite, Site, Step, WriteError, write, write_history};
use perflab_store::is_result;

use crate::failure::{Code, Failure, is_disk_full};
use crate::progress::bar;
use crate::terminal;

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  perflab report results/first -o first-report")]
pub struct ReportArguments {
    /// The result, or the history.
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
    let bar = || bar(Some(0), "{bar:30} {pos} of {len} {msg}", !arguments.quiet);
    if let Some(mut site) = HistorySite::read(path) {
        let bar = bar();
        let written = write_history(&mut site, &arguments.out, &mut |step, done, all| {
            show(&bar, step, done, all);
        });
        bar.finish_and_clear();
        let problems: Vec<String> = site.problem().map(str::to_owned).into_iter().collect();
        return end(written, &problems);
    }
    if !is_result(path) {
        return Err(Failure::no_data(format!(
            "expected the directory of a result or a history, found neither meta.json nor runs.jsonl nor history.toml \
             in {}; perflab show lists the results in a directory",
            path.display()
        )));
    }
    let site = Site::read(path);
    let bar = bar();
    let written = write(&site, &arguments.out, &mut |step, done, all| {
        show(&bar, step, done, all);
    });
    bar.finish_and_clear();
    end(written, site.problems())
}

/// Shows how far the report is.
fn show(bar: &ProgressBar, step: Step, done: usize, all: usize) {
    bar.set_message(match step {
        Step::Compare => "metrics compared",
        Step::Write => "pages written",
    });
    bar.set_length(all as u64);
    bar.set_position(done as u64);
}

/// Prints the first page, and what is wrong with what was reported.
fn end(written: Result<PathBuf, WriteError>, problems: &[String]) -> Result<Option<Code>, Failure> {
    let first = written.map_err(|error| match &error {
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
    if problems.is_empty() {
        return Ok(None);
    }
    for problem in problems {
        terminal::say(&format!("warning: {}", terminal::escape(problem)));
    }
    Ok(Some(Code::NoData))
}
