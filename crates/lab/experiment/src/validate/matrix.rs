//! Rules of `[parameters]`, `[[include]]` and `[[exclude]]`.

use super::placeholders;
use super::values::{no_nul, placeholder_name};
use crate::error::{Fault, Place};
use crate::file::Experiment;
use crate::matrix::{axes, combinations, exclude, include};
use crate::name;
use crate::parameters::{Entry, VARIANT, Value, WORKLOAD};

/// More cells than any person looks at; a limit for files that multiply by mistake.
const MAX_CELLS: usize = 10_000;

/// More runs than any machine does in a year, at a minute each.
pub const MAX_RUNS: usize = 1_000_000;

pub(super) fn check(experiment: &Experiment) -> Result<(), Fault> {
    for (name, values) in &experiment.parameters {
        check_parameter(experiment, name, values)?;
    }
    let axes = axes(experiment);
    match combinations(&axes) {
        Some(count) if count <= MAX_CELLS => {}
        _ => return Err(too_many(Place::of(&["parameters"]))),
    }
    for (index, entry) in experiment.exclude.iter().enumerate() {
        check_exclude(entry, &Place::of(&["exclude"]).index(index), &axes)?;
    }
    for (index, entry) in experiment.include.iter().enumerate() {
        check_include(
            experiment,
            entry,
            &Place::of(&["include"]).index(index),
            &axes,
        )?;
    }
    check_effects(experiment)
}

fn too_many(place: Place) -> Fault {
    Fault::key(
        place,
        format!("the experiment would have more than {MAX_CELLS} cells"),
    )
    .help("give the parameters fewer values")
}

fn check_parameter(experiment: &Experiment, name: &str, values: &[Value]) -> Result<(), Fault> {
    let place = Place::of(&["parameters", name]);
    placeholder_name(name, "parameter", &place)?;
    if let Some((variant, _)) = experiment
        .variants
        .iter()
        .find(|(_, variant)| variant.vars.contains_key(name))
    {
        return Err(Fault::key(
            place,
            format!("`{name}` is also a variable of the variant `{variant}`"),
        )
        .help("rename one of them"));
    }
    if values.is_empty() {
        return Err(Fault::value(
            place,
            format!("the parameter `{name}` has no value"),
        ));
    }
    for (index, value) in values.iter().enumerate() {
        finite(value, &place.index(index))?;
        let text = value.to_string();
        if values[..index]
            .iter()
            .any(|earlier| earlier.to_string() == text)
        {
            return Err(Fault::value(
                place.index(index),
                format!("the value {text} is listed twice"),
            ));
        }
    }
    Ok(())
}

fn finite(value: &Value, place: &Place) -> Result<(), Fault> {
    match value {
        Value::Float(number) if !number.is_finite() => Err(Fault::value(
            place.clone(),
            "a parameter must be a finite number",
        )),
        Value::Text(text) => no_nul(text, place),
        _ => Ok(()),
    }
}

type Axes<'a> = [(&'a str, Vec<String>)];

fn axis_names<'a>(axes: &'a Axes<'a>) -> impl Iterator<Item = &'a str> {
    axes.iter().map(|(name, _)| *name)
}

/// Refuses a value that an axis does not have.
fn check_value(name: &str, value: &Value, place: &Place, known: &[String]) -> Result<(), Fault> {
    let text = value.to_string();
    if known.contains(&text) {
        return Ok(());
    }
    let known = known.iter().map(String::as_str);
    Err(match name {
        VARIANT | WORKLOAD => Fault::value(place.clone(), format!("there is no {name} `{text}`"))
            .suggest(&text, known),
        _ => Fault::value(
            place.clone(),
            format!("the parameter `{name}` has no value {text}"),
        )
        .help(format!("its values: {}", name::list(known))),
    })
}

fn check_exclude(entry: &Entry, place: &Place, axes: &Axes<'_>) -> Result<(), Fault> {
    if entry.is_empty() {
        return Err(Fault::value(
            place.clone(),
            "an empty exclude would leave out everything",
        ));
    }
    for (name, value) in entry {
        let Some((_, known)) = axes.iter().find(|(axis, _)| axis == name) else {
            return Err(
                Fault::key(place.key(name), format!("`{name}` is no parameter"))
                    .suggest(name, axis_names(axes)),
            );
        };
        check_value(name, value, &place.key(name), known)?;
    }
    Ok(())
}

fn check_include(
    experiment: &Experiment,
    entry: &Entry,
    place: &Place,
    axes: &Axes<'_>,
) -> Result<(), Fault> {
    for (name, value) in entry {
        let place = place.key(name);
        finite(value, &place)?;
        match axes.iter().find(|(axis, _)| axis == name) {
            Some((_, known)) if [VARIANT, WORKLOAD].contains(&name.as_str()) => {
                check_value(name, value, &place, known)?;
            }
            Some(_) => {}
            None => {
                placeholder_name(name, "variable", &place)?;
                if !placeholders::uses(experiment, name) {
                    return Err(Fault::key(
                        place,
                        format!("`{name}` is no parameter, and nothing uses the placeholder `{{{name}}}`"),
                    )
                    .suggest(name, axis_names(axes)));
                }
            }
        }
    }
    Ok(())
}

/// Carries the entries out one after another, and refuses those that do nothing.
fn check_effects(experiment: &Experiment) -> Result<(), Fault> {
    let mut stepwise = Experiment {
        include: Vec::new(),
        exclude: Vec::new(),
        ..experiment.clone()
    };
    let mut cells = stepwise.cells();
    for (index, entry) in experiment.exclude.iter().enumerate() {
        if exclude(&mut cells, entry) == 0 {
            return Err(Fault::value(
                Place::of(&["exclude"]).index(index),
                "this excludes nothing",
            )
            .help("entries above it have excluded all that it matches"));
        }
    }
    stepwise.exclude.clone_from(&experiment.exclude);
    for (index, entry) in experiment.include.iter().enumerate() {
        let place = Place::of(&["include"]).index(index);
        if include(&mut cells, entry, &stepwise) == 0 {
            return Err(
                Fault::value(place, "this adds nothing: the cells are there already")
                    .help("name a value that is not in the list, or a further variable"),
            );
        }
        if cells.len() > MAX_CELLS {
            return Err(too_many(place));
        }
    }
    if cells.is_empty() {
        return Err(Fault::key(
            Place::of(&["exclude"]),
            "all cells are excluded",
        ));
    }
    let runs = experiment.runs_of(cells.len());
    if runs > MAX_RUNS {
        return Err(Fault::value(
            Place::of(&["design", "runs"]),
            format!("the experiment would have {runs} runs, more than {MAX_RUNS}"),
        ));
    }
    Ok(())
}
