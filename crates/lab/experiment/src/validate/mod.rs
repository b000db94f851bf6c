//! Rules between the parts of an experiment file.

mod design;
mod machine;
mod matrix;
pub use matrix::MAX_RUNS;
mod placeholders;
mod variant;
mod workload;

use regex::Regex;

use crate::error::{Fault, Place};
use crate::file::Experiment;
use crate::name;
use crate::source::Source;

/// The version of the file's format.
pub(crate) const SCHEMA: u32 = 1;

/// Checks everything that the types alone do not guarantee. The first broken rule is reported.
pub(crate) fn validate(experiment: &Experiment, source: &Source<'_>) -> Result<(), Fault> {
    general(experiment, source)?;
    variant::check(experiment)?;
    workload::check(experiment)?;
    design::check(experiment, source)?;
    matrix::check(experiment)?;
    placeholders::check(experiment)
}

fn general(experiment: &Experiment, source: &Source<'_>) -> Result<(), Fault> {
    if experiment.schema != SCHEMA {
        return Err(Fault::value(
            Place::of(&["schema"]),
            format!(
                "the file has schema {}, this version reads schema {SCHEMA}",
                experiment.schema
            ),
        ));
    }
    let place = Place::of(&["name"]);
    if source.has(&place) && !name::is_valid_experiment(&experiment.name) {
        return Err(Fault::value(place, format!("\"{}\" cannot be the name of an experiment", experiment.name))
            .help("a name is lower-case letters, digits, `_`, `-` and `.`, beginning with a letter or digit"));
    }
    for (kind, table, names) in [
        (
            "variant",
            "variants",
            experiment.variants.keys().collect::<Vec<_>>(),
        ),
        (
            "workload",
            "workloads",
            experiment.workloads.keys().collect(),
        ),
        ("subset", "subsets", experiment.subsets.keys().collect()),
    ] {
        if names.is_empty() && kind != "subset" {
            return Err(
                Fault::key(Place::of(&[table]), format!("there is no {kind}"))
                    .help(format!("add a table [{table}.NAME]")),
            );
        }
        if let Some(wrong) = names.iter().find(|name| !name::is_valid(name)) {
            return Err(Fault::key(
                Place::of(&[table, wrong]),
                format!("\"{wrong}\" cannot be the name of a {kind}"),
            )
            .help(format!("a name is {}", name::NAME_RULE)));
        }
    }
    subsets(experiment)
}

fn subsets(experiment: &Experiment) -> Result<(), Fault> {
    for (subset, benchmarks) in &experiment.subsets {
        let place = Place::of(&["subsets", subset]);
        if benchmarks.is_empty() {
            return Err(Fault::value(
                place,
                format!("the subset `{subset}` is empty"),
            ));
        }
        no_repeats(benchmarks, &place)?;
    }
    Ok(())
}

/// Refuses a list that has an element twice.
fn no_repeats(list: &[String], place: &Place) -> Result<(), Fault> {
    match (1..list.len()).find(|&index| list[..index].contains(&list[index])) {
        Some(index) => Err(Fault::value(
            place.index(index),
            format!("`{}` is listed twice", list[index]),
        )),
        None => Ok(()),
    }
}

/// Refuses names of environment variables that no process can have.
fn environment_name(name: &str, fault: impl FnOnce(String) -> Fault) -> Result<(), Fault> {
    if name.is_empty() || name.contains(['=', '\0']) {
        return Err(fault(format!(
            "{name:?} cannot be the name of an environment variable"
        ))
        .help("a name is not empty and contains neither `=` nor a NUL character"));
    }
    Ok(())
}

/// Refuses an environment that no process can have.
fn environment<'a>(
    variables: impl IntoIterator<Item = (&'a String, &'a String)>,
    place: &Place,
) -> Result<(), Fault> {
    for (name, value) in variables {
        environment_name(name, |message| Fault::key(place.key(name), message))?;
        no_nul(value, &place.key(name))?;
    }
    Ok(())
}

/// Refuses a NUL character, which ends a string for the operating system.
fn no_nul(text: &str, place: &Place) -> Result<(), Fault> {
    if text.contains('\0') {
        return Err(Fault::value(
            place.clone(),
            "a NUL character cannot be passed to a process",
        ));
    }
    Ok(())
}

/// Refuses commands that cannot be executed.
fn command(command: &crate::Command, shell: bool, place: &Place) -> Result<(), Fault> {
    if command.shell && !shell {
        return Err(
            Fault::value(place.clone(), "a command that is a string needs a shell")
                .help("write shell = true in the same table, or make it a list of arguments"),
        );
    }
    if command
        .argv
        .first()
        .is_none_or(|program| program.trim().is_empty())
    {
        return Err(Fault::value(place.clone(), "the command is empty")
            .help("name at least the program, as in [\"true\"]"));
    }
    for (index, argument) in command.argv.iter().enumerate() {
        no_nul(
            argument,
            &if command.shell {
                place.clone()
            } else {
                place.index(index)
            },
        )?;
    }
    Ok(())
}

/// Refuses a time limit of zero.
fn positive(duration: std::time::Duration, place: Place) -> Result<(), Fault> {
    if duration.is_zero() {
        return Err(Fault::value(place, "a time limit must be longer than 0s"));
    }
    Ok(())
}

/// Compiles a regular expression.
fn regex(pattern: &str, place: &Place) -> Result<Regex, Fault> {
    Regex::new(pattern).map_err(|error| {
        let reason = error.to_string();
        // The crate draws the pattern over several lines; what is wrong stands in the last one.
        let reason = reason.lines().last().unwrap_or_default();
        let reason = reason.strip_prefix("error: ").unwrap_or(reason);
        Fault::value(
            place.clone(),
            format!("not a valid regular expression: {reason}"),
        )
    })
}
