//! `perflab filter check`.

use clap::Args;
use perflab_filter::{Checked, Fields, Problem, check_each, ebpf, lower, parse};
use unicode_width::UnicodeWidthStr;

use super::known::{KnownProbe, ProbeArguments, Source};
use crate::failure::{Code, Failure};
use crate::terminal;

// Arguments of `check`.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// The expression, in quotes of the shell.
    #[arg(value_name = "EXPR", allow_hyphen_values = true)]
    expression: String,

    #[command(flatten)]
    probes: ProbeArguments,
}

/// Executes `check`.
pub fn check(arguments: &CheckArguments) -> Result<Option<Code>, Failure> {
    let mistake = |problem: Problem| Failure::usage(problem.shown(&arguments.expression));
    // First, as no probe is needed to see that it is no expression.
    let tree = parse(&arguments.expression).map_err(mistake)?;
    let (sources, outcome) = arguments.probes.find()?;
    let known = || sources.iter().flat_map(|source| &source.probes);
    if known().next().is_none() {
        return Ok(outcome.code());
    }
    let fields: Vec<Fields<'_>> = known().map(KnownProbe::fields).collect::<Result<_, _>>()?;
    let programs = check_each(&tree, &fields).map_err(mistake)?;
    for program in &programs.programs {
        ebpf(&lower(program)).map_err(Failure::usage)?;
    }
    let answers = programs.probes.iter().map(|answer| match answer {
        Ok(number) => taken(&programs.programs[*number]),
        Err(problem) => format!("never recorded: {problem}"),
    });
    let text = shown(&sources, answers);
    Ok(outcome.end(terminal::print(&text)))
}

/// What an expression takes from an event.
fn taken(program: &Checked) -> String {
    let imports = program.imports.iter();
    let imports: Vec<String> = imports
        .map(|import| format!("{} ({})", import.name, import.class))
        .collect();
    if imports.is_empty() {
        return "filtered by constants only".to_owned();
    }
    format!("filtered by {}", imports.join(", "))
}

/// A line for each probe, with its answer. The answers come in the order of the probes.
fn shown(sources: &[Source], mut answers: impl Iterator<Item = String>) -> String {
    let mut text = String::new();
    for source in sources {
        let is_named = !source.title.is_empty();
        if is_named {
            text += &format!("{}\n", source.title);
        }
        if source.probes.is_empty() {
            text += "  no such probe\n";
        }
        let widths = source.probes.iter().map(|probe| probe.name.width());
        let width = widths.max().unwrap_or(0);
        for (probe, answer) in source.probes.iter().zip(&mut answers) {
            if is_named {
                let space = " ".repeat(width.saturating_sub(probe.name.width()));
                text += &format!("  {}{space}  ", probe.name);
            }
            text += &format!("{answer}\n");
        }
    }
    text
}
