//! `perflab import`: results of other tools as a result of our own.

mod collected;
mod files;
mod names;
mod result;

use std::path::PathBuf;

use clap::Args;
use perflab_experiment::counted;
use perflab_formats::{Format, Run, detect, unify_times};
use perflab_report::operand;

use crate::failure::{Code, Failure};
use crate::numbers::refuse_iterations;
use crate::terminal;
use collected::Collected;
use files::Input;
use names::Names;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  perflab import old=go-old.txt new=go-new.txt --out results/go\n  perflab import before.txt after.txt --out results/columns"
)]
pub struct ImportArguments {
    /// A file or directory, with its label if you like; - is standard input.
    #[arg(required = true, value_name = "[LABEL=]FILE")]
    files: Vec<String>,

    /// Format of the files [default: told by their content].
    #[arg(long, value_name = "FORMAT", value_parser = format_name)]
    format: Option<Format>,

    /// Directory of the result; must be new or empty [default: results/NAME-TIME].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Believe that values which one process made come from separate runs.
    #[arg(long)]
    independent: bool,

    /// Print no messages.
    #[arg(short, long)]
    quiet: bool,
}

fn format_name(name: &str) -> Result<Format, String> {
    Format::by_name(name).ok_or_else(|| {
        let known: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        format!("expected one of {}", known.join(", "))
    })
}

/// Executes the command.
pub fn import(arguments: &ImportArguments) -> Result<Option<Code>, Failure> {
    let say = |text: String| {
        if !arguments.quiet {
            terminal::say(&terminal::escape(&text));
        }
    };
    let inputs = arguments
        .files
        .iter()
        .map(|argument| files::read(argument))
        .collect::<Result<Vec<Input>, Failure>>()?;
    let format = common_format(&inputs, arguments.format)?;
    let mut names = Names::default();
    let mut collected = Collected {
        format,
        independent: arguments.independent,
        inputs: Vec::new(),
        runs: Vec::new(),
        notes: Vec::new(),
    };
    refuse_copies(&inputs, format, &mut collected.notes)?;
    for (number, input) in (1_usize..).zip(inputs) {
        let contents = format
            .read(&input.files)
            .map_err(|fault| Failure::no_data(input.locate(&fault)))?;
        if format == Format::Columns && !arguments.independent {
            let samples = contents.runs.iter().flat_map(|run| &run.samples);
            let values: Vec<f64> = samples.map(|sample| sample.value).collect();
            let advice = "Give --independent if each is a run";
            refuse_iterations(&values, &input.name, advice)?;
        }
        // Faults and notes of a single file often begin with its name.
        let notes = contents.notes.iter();
        collected
            .notes
            .extend(notes.map(|note| match note.contains(&input.name) {
                true => note.clone(),
                false => format!("{}: {note}", input.name),
            }));
        let runs = names.assign(&input, contents.runs, number)?;
        say(format!(
            "{}: {}, {}",
            input.name,
            format.name(),
            counted(runs.len(), "run")
        ));
        collected.runs.extend(runs);
        collected.inputs.push(input);
    }
    unify_times(&mut collected.runs);
    if arguments.independent {
        collected.runs = collected.runs.iter().flat_map(split).collect();
    }
    for note in &collected.notes {
        say(format!("note: {note}"));
    }
    let path = result::write(&collected, arguments.out.as_deref())?;
    let next = match result::is_compared(&collected) {
        true => "compare",
        false => "show",
    };
    say(format!(
        "{} into {}; now: perflab {next} {}",
        counted(collected.runs.len(), "run"),
        path.display(),
        operand(&path)
    ));
    Ok(None)
}

/// Refuses copies: a process counts as one run, however often its file is named. Columns of numbers may be the same by
/// chance, as counts are, so equal ones are noted only.
fn refuse_copies(inputs: &[Input], format: Format, notes: &mut Vec<String>) -> Result<(), Failure> {
    for (place, input) in inputs.iter().enumerate() {
        let mut before = inputs.iter().take(place);
        // Different variants may have measured the same; those without a label are different ones.
        let is_one = |other: &&Input| input.label.is_some() && other.label == input.label;
        let Some(copy) = before.find(|other| is_one(other) && other.holds_what(input)) else {
            continue;
        };
        let told = format!("{} holds the same as {}", input.name, copy.name);
        if format == Format::Columns && !copy.is_file_of(input) {
            notes.push(format!("{told}; if it is a copy, leave one of them out"));
        } else {
            return Err(Failure::usage(format!(
                "{told}: what was measured once counts once; leave one of them out"
            )));
        }
    }
    Ok(())
}

/// Values of different formats mean different things.
fn common_format(inputs: &[Input], asked: Option<Format>) -> Result<Format, Failure> {
    let mut found: Option<(Format, &Input)> = None;
    for input in inputs {
        let own = asked.or_else(|| detect(&input.files, input.is_directory));
        let Some(own) = own else {
            let known: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
            return Err(Failure::no_data(format!(
                "{}: expected a format that is known ({}), found none of them; name it with --format",
                input.name,
                known.join(", ")
            )));
        };
        match found {
            Some((format, first)) if format != own => {
                return Err(Failure::usage(format!(
                    "expected files of one format, found {} in {} and {} in {}; import them apart",
                    format.name(),
                    first.name,
                    own.name(),
                    input.name
                )));
            }
            _ => found = Some((own, input)),
        }
    }
    found
        .map(|(format, _)| format)
        .ok_or_else(|| Failure::usage("expected a file"))
}

/// A run for the first sample of everything in a run, one for the second ones, and so on.
fn split(run: &Run) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for sample in &run.samples {
        let free = runs.iter_mut().find(|own| {
            !own.samples
                .iter()
                .any(|known| known.benchmark == sample.benchmark && known.metric == sample.metric)
        });
        match free {
            Some(own) => own.samples.push(sample.clone()),
            None => runs.push(Run {
                samples: vec![sample.clone()],
                ..run.clone()
            }),
        }
    }
    runs
}
