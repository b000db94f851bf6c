//! Rules of single values, wherever they stand.

use std::time::Duration;

use regex::Regex;

use crate::command::Command;
use crate::error::{Fault, Place};
use crate::name;
use crate::parameters::{VARIANT, WORKLOAD};
use crate::scope::RUN_TIME_NAMES;
use crate::template;

/// Refuses a list that has an element twice.
pub(super) fn no_repeats(list: &[String], place: &Place) -> Result<(), Fault> {
    match (1..list.len()).find(|&index| list[..index].contains(&list[index])) {
        Some(index) => Err(Fault::value(
            place.index(index),
            format!("`{}` is listed twice", list[index]),
        )),
        None => Ok(()),
    }
}

/// Refuses names of environment variables that no process can have.
pub(super) fn environment_name(
    name: &str,
    fault: impl FnOnce(String) -> Fault,
) -> Result<(), Fault> {
    if name.is_empty() || name.contains(['=', '\0']) {
        return Err(fault(format!(
            "{name:?} cannot be the name of an environment variable"
        ))
        .help("a name is not empty and contains neither `=` nor a NUL character"));
    }
    Ok(())
}

/// Refuses an environment that no process can have.
pub(super) fn environment<'a>(
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
pub(super) fn no_nul(text: &str, place: &Place) -> Result<(), Fault> {
    if text.contains('\0') {
        return Err(Fault::value(
            place.clone(),
            "a NUL character cannot be passed to a process",
        ));
    }
    Ok(())
}

/// Refuses commands that cannot be executed. `shell`: whether the table around it says that a string is for a shell.
///
/// # Errors
/// A string without `shell = true`, no program, or a NUL character.
pub fn command(command: &Command, shell: bool, place: &Place) -> Result<(), Fault> {
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
pub(super) fn positive(duration: Duration, place: Place) -> Result<(), Fault> {
    if duration.is_zero() {
        return Err(Fault::value(place, "a time limit must be longer than 0s"));
    }
    Ok(())
}

/// Compiles a regular expression.
pub(super) fn regex(pattern: &str, place: &Place) -> Result<Regex, Fault> {
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

/// Refuses names that no placeholder can have, or that mean something else already.
pub(super) fn placeholder_name(text: &str, kind: &str, place: &Place) -> Result<(), Fault> {
    if RUN_TIME_NAMES.contains(&text) || [VARIANT, WORKLOAD].contains(&text) {
        let reserved = [VARIANT, WORKLOAD].into_iter().chain(RUN_TIME_NAMES);
        return Err(
            Fault::key(place.clone(), format!("the name `{text}` is taken")).help(format!(
                "the laboratory itself gives values to {}",
                name::list(reserved)
            )),
        );
    }
    if !template::is_name(text) {
        return Err(Fault::key(
            place.clone(),
            format!("\"{text}\" cannot be the name of a {kind}"),
        )
        .help("a name is letters, digits, `_` and `-`, beginning with a letter or `_`"));
    }
    Ok(())
}
