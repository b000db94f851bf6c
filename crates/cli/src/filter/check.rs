//! `perflab filter check`.

use std::collections::{BTreeMap, BTreeSet};

use clap::Args;
use perflab_filter::{Checked, check_each, ebpf, lower, parse};
use unicode_width::UnicodeWidthStr;

use super::known::{ProbeArguments, Source, fields_of};
use super::{in_words, mistake};
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
    let mistake = mistake(&arguments.expression);
    // First, as no probe is needed to see that it is no expression.
    let tree = parse(&arguments.expression).map_err(&mistake)?;
    let (sources, outcome) = arguments.probes.find()?;
    let known = || sources.iter().flat_map(|source| &source.probes);
    if known().next().is_none() {
        return Ok(outcome.code());
    }
    let programs = check_each(&tree, &fields_of(known())?).map_err(mistake)?;
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
    match program.imports.as_slice() {
        [] => "filtered by constants only".to_owned(),
        imports => format!("filtered by {}", in_words(imports)),
    }
}

/// A line for each probe, with its answer; for each of its places, if the answers differ. They come in the order of the
/// probes.
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
        let answers: Vec<String> = source
            .probes
            .iter()
            .zip(&mut answers)
            .map(|(_, own)| own)
            .collect();
        let mut of_names: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (probe, answer) in source.probes.iter().zip(&answers) {
            of_names.entry(&probe.name).or_default().insert(answer);
        }
        let rows = source.probes.iter().zip(&answers).map(|(probe, answer)| {
            let is_one = of_names
                .get(probe.name.as_str())
                .is_some_and(|own| own.len() == 1);
            let name = &probe.name;
            let label = if is_one {
                name.clone()
            } else {
                format!("{name} at {}", probe.place)
            };
            (label, answer)
        });
        let mut rows: Vec<(String, &String)> = rows.collect();
        rows.dedup();
        let widths = rows.iter().map(|(label, _)| label.width());
        let width = widths.max().unwrap_or(0);
        for (label, answer) in rows {
            if is_named {
                let space = " ".repeat(width.saturating_sub(label.width()));
                text += &format!("  {label}{space}  ");
            }
            text += &format!("{answer}\n");
        }
    }
    text
}
