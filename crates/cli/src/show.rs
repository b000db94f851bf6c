//! `perflab show` and `perflab index`: what results there are, and what is in one.

use std::path::{Path, PathBuf};

use clap::Args;
use indexmap::IndexMap;
use perflab_compare::{SampleSelection, Selection, compare_result};
use perflab_experiment::counted;
use perflab_report::{command, command_of_run, not_measured};
use perflab_store::{Imported, Index, RunRecord, is_result};

use crate::drawn::{Drawn, Kind, drawn};
use crate::failure::{Code, Failure};
use crate::results::{RESULTS, must_be_directory};
use crate::selection::{input, open};
use crate::terminal;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  perflab show\n  perflab show results/first\n  perflab show results/first --run 17\n  perflab show results/first --plot"
)]
pub struct ShowArguments {
    /// A result, or a directory of results.
    #[arg(value_name = "RESULT", default_value = RESULTS)]
    path: PathBuf,

    /// One run: what was executed, how it ended, what it measured, where its raw output is.
    #[arg(long, value_name = "N")]
    run: Option<u32>,

    /// Draw plots of a result below: without a value, every run in order.
    #[arg(
        long,
        value_enum,
        value_name = "KIND",
        value_delimiter = ',',
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "runs",
        conflicts_with = "run"
    )]
    plot: Vec<Kind>,

    /// Plots in plain ASCII.
    #[arg(long, requires = "plot")]
    ascii: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  perflab index results")]
pub struct IndexArguments {
    /// The directory of results.
    #[arg(value_name = "DIR", default_value = RESULTS)]
    path: PathBuf,
}

/// Executes `show`.
pub fn show(arguments: &ShowArguments) -> Result<Option<Code>, Failure> {
    let path = &arguments.path;
    must_be_directory(path)?;
    let text = match arguments.run {
        Some(run) => one_run(path, run)?,
        None if is_result(path) => one_result(path)?,
        None if !arguments.plot.is_empty() => {
            return Err(Failure::usage(format!(
                "--plot draws one result, and {} is a directory of results",
                path.display()
            )));
        }
        None => list(&Index::refresh(path)?)?,
    };
    terminal::print(&text)?;
    // A result that cannot be compared has been shown all the same.
    if !arguments.plot.is_empty() {
        let plots = plots(path, arguments)?;
        terminal::print(&plots.text)?;
        for sentence in &plots.left_out {
            terminal::say(sentence);
        }
    }
    Ok(None)
}

/// The plots that are asked for.
fn plots(path: &Path, arguments: &ShowArguments) -> Result<Drawn, Failure> {
    let opened = open(path)?;
    let result = input(&opened)?;
    let selection = Selection::of(result.experiment, result.origin);
    let mut report = compare_result(&result, &SampleSelection::default(), &selection)?;
    if arguments.plot.contains(&Kind::Shift) {
        perflab_compare::add_deciles(&mut report);
    }
    let options = terminal::text_options(arguments.ascii);
    Ok(drawn(&report, &opened.records, &arguments.plot, &options))
}

/// Executes `index`.
pub fn index(arguments: &IndexArguments) -> Result<Option<Code>, Failure> {
    must_be_directory(&arguments.path)?;
    let index = Index::rebuild(&arguments.path)?;
    terminal::print(&list(&index)?)?;
    if let Some(why) = index.not_kept() {
        terminal::say(&format!(
            "note: the index is not kept: {why}; perflab show reads all results here each time"
        ));
    }
    Ok(None)
}

fn list(index: &Index) -> Result<String, Failure> {
    let mut results = index.list()?;
    results.sort_by(|a, b| b.created.cmp(&a.created).then_with(|| a.path.cmp(&b.path)));
    if results.is_empty() {
        return Ok("no results here yet; perflab run makes some\n".to_owned());
    }
    let mut out = String::new();
    for result in results {
        let line = match &result.error {
            Some(error) => format!("{}  cannot be read: {error}", result.path.display()),
            None => {
                let created = result.created.get(..19).unwrap_or(&result.created);
                let planned = counted(result.runs_planned, "run");
                let failed = match result.runs_failed {
                    0 => String::new(),
                    failed => format!(", {failed} failed"),
                };
                let variants = result.variants.join(", ");
                let (path, done) = (result.path.display(), result.runs_done);
                format!("{path}  {created}  {done}/{planned}{failed}  {variants}")
            }
        };
        out.push_str(&terminal::escape(&line));
        out.push('\n');
    }
    Ok(out)
}

fn one_result(path: &Path) -> Result<String, Failure> {
    let result = open(path)?;
    let (records, plan, environment) = (&result.records, &result.plan, &result.environment);
    let origin = &result.meta.origin;
    let mut lines = vec![
        format!(
            "{}: begun {} by perflab {}",
            origin.name, origin.created, origin.perflab
        ),
        format!("command: {}", command(&origin.argv)),
    ];
    match &origin.imported {
        Some(imported) => lines.extend(imported_from(imported, records.len())),
        None => lines.push(format!(
            "{} of {} recorded; seed {}",
            records.len(),
            counted(plan.runs.len(), "run"),
            plan.seed
        )),
    }
    let machine = serde_json::to_value(&environment.machine).unwrap_or_default();
    for (group, facts) in machine.as_object().into_iter().flatten() {
        let facts = facts.as_object().into_iter().flatten();
        let known: Vec<String> = facts
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| format!("{name} {value}"))
            .collect();
        if !known.is_empty() {
            lines.push(format!("{group}: {}", known.join(", ")));
        }
    }
    for (what, programs) in &environment.programs {
        for (name, file) in &programs.files {
            lines.push(format!(
                "{what}: {name} is {} ({:.12})",
                file.path, file.sha256
            ));
        }
        for (command, said) in &programs.versions {
            lines.push(format!(
                "{what}: {command}: {}",
                said.lines().next().unwrap_or_default()
            ));
        }
    }
    lines.push(String::new());
    for (cell, statuses) in statuses(records) {
        let counts: Vec<String> = statuses
            .iter()
            .map(|(status, count)| format!("{count} {status}"))
            .collect();
        lines.push(format!("{cell}: {}", counts.join(", ")));
    }
    for own in &plan.left_out {
        lines.push(not_measured(std::slice::from_ref(own)));
    }
    for notice in &result.notices {
        lines.push(format!("note: {notice}"));
    }
    if !result.meta.chained {
        lines.push(
            "note: unchained: an older version of perflab began this result, and lines that were removed from its \
             runs.jsonl since may not show"
                .to_owned(),
        );
    }
    Ok(join(&lines))
}

/// Where the runs of an import come from, and what is not known of them.
fn imported_from(imported: &Imported, runs: usize) -> Vec<String> {
    let mut lines = vec![format!(
        "{} imported from {}; their order and their machine are not known",
        counted(runs, "run"),
        imported.format
    )];
    if imported.independent {
        lines.push("values that one process made count as runs: --independent".to_owned());
    }
    for file in &imported.files {
        lines.push(format!("imported/{} ({:.12})", file.path, file.sha256));
    }
    lines.extend(imported.notes.iter().map(|note| format!("note: {note}")));
    lines
}

fn statuses(records: &[RunRecord]) -> IndexMap<&str, IndexMap<&'static str, usize>> {
    let mut cells: IndexMap<&str, IndexMap<&'static str, usize>> = IndexMap::new();
    for record in records {
        *cells
            .entry(&record.cell)
            .or_default()
            .entry(record.status.name())
            .or_default() += 1;
    }
    cells.sort_keys();
    cells
}

fn one_run(path: &Path, number: u32) -> Result<String, Failure> {
    let result = open(path)?;
    let records = &result.records;
    let Some(record) = records.iter().find(|record| record.run == number) else {
        return Err(Failure::no_data(format!(
            "run {number} is not recorded in {}, which has {}",
            path.display(),
            counted(records.len(), "run")
        )));
    };
    let mut lines = vec![
        format!(
            "run {} of {}, block {}, unit {}",
            record.run, record.cell, record.block, record.unit
        ),
        match &record.detail {
            Some(detail) => format!("status {}: {detail}", record.status.name()),
            None => format!("status {}", record.status.name()),
        },
    ];
    if !record.started.is_empty() {
        lines.push(format!("started {}", record.started));
    }
    lines.extend(command_of_run(record).map(|command| format!("command: {command}")));
    if let Some(usage) = record.usage {
        lines.push(format!(
            "wall {:.6} s, user {:.6} s, system {:.6} s, peak memory {}, {}, {}",
            usage.wall_s,
            usage.user_s,
            usage.system_s,
            usage
                .max_rss_bytes
                .map_or_else(|| "not known".to_owned(), |bytes| format!("{bytes} bytes")),
            counted(usage.voluntary_switches, "wait"),
            counted(usage.involuntary_switches, "preemption")
        ));
    }
    for (what, value) in [
        ("host", record.host.clone().unwrap_or_default()),
        ("observed by", record.observers.join(", ")),
    ] {
        if !value.is_empty() {
            lines.push(format!("{what}: {value}"));
        }
    }
    for (path, hash) in &record.programs {
        lines.push(format!("program: {path}, SHA-256 {hash}"));
    }
    if !record.steps.is_empty() {
        let steps = record.steps.iter();
        let steps: Vec<String> = steps
            .map(|step| format!("{} {:.6} s", step.step.name(), step.seconds))
            .collect();
        lines.push(format!("steps: {}", steps.join(", ")));
    }
    if let Some(layout) = &record.layout {
        lines.push(format!("layout: {layout}"));
    }
    for (name, value) in &record.evidence {
        lines.push(format!("evidence: {name} {value}"));
    }
    for sample in &record.samples {
        let value = format!(
            "{} {} {}",
            sample.metric.name, sample.value, sample.metric.unit
        );
        lines.push(match &sample.benchmark {
            Some(benchmark) => format!("{benchmark} {value}"),
            None => value,
        });
    }
    lines.push(match &record.source {
        Some(source) => format!("imported from file {source}"),
        None => raw_output(&result.run_dir(number)),
    });
    Ok(join(&lines))
}

/// Where the raw output of a run is. A person may have removed it to save room: nothing else needs it.
fn raw_output(directory: &Path) -> String {
    let missing = match directory.is_dir() {
        true => "",
        false => " (missing: it was removed or moved)",
    };
    format!("raw output: {}{missing}", directory.display())
}

fn join(lines: &[String]) -> String {
    lines
        .iter()
        .map(|line| format!("{}\n", terminal::escape(line)))
        .collect()
}
