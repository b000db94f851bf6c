//! Rules of placeholders: each must be known where it stands.

use std::collections::HashSet;

use crate::cell::Cell;
use crate::error::{Fault, Place};
use crate::file::Experiment;
use crate::parameters::{VARIANT, Value};
use crate::resolve::Bindings;
use crate::scope::{RUN_TIME_NAMES, Scope, takes_argument};
use crate::template::{Placeholder, Template, TemplateError};

pub(super) fn check(experiment: &Experiment) -> Result<(), Fault> {
    definitions(experiment)?;
    for cell in &experiment.cells() {
        uses_of_cell(experiment, cell)?;
    }
    match experiment
        .parameters
        .keys()
        .find(|name| !uses(experiment, name))
    {
        Some(unused) => Err(Fault::key(
            Place::of(&["parameters", unused]),
            format!("nothing uses the parameter `{unused}`, so its cells would all be the same"),
        )
        .help(format!("put `{{{unused}}}` where the value belongs"))),
        None => Ok(()),
    }
}

/// Whether a template of any variant or workload has a placeholder of this name.
pub(super) fn uses(experiment: &Experiment, name: &str) -> bool {
    let mut names = HashSet::new();
    let mut collect = |_: &Place, _: Scope, text: &mut String| -> Result<(), TemplateError> {
        names.extend(
            Template::parse(text)?
                .placeholders()
                .map(|placeholder| placeholder.name.clone()),
        );
        Ok(())
    };
    let mut all = || -> Result<(), TemplateError> {
        let nowhere = Place::default();
        for mut variant in experiment.variants.values().cloned() {
            for text in variant.vars.values_mut() {
                collect(&nowhere, Scope::Build, text)?;
            }
            variant.visit_templates(&nowhere, &mut collect)?;
        }
        for mut workload in experiment.workloads.values().cloned() {
            workload.visit_templates(&nowhere, &mut collect)?;
        }
        for text in experiment.include.iter().flat_map(|entry| entry.values()) {
            collect(&nowhere, Scope::Build, &mut text.to_string())?;
        }
        Ok(())
    };
    // A string that is no template is reported where it stands, not here.
    all().is_err() || names.contains(name)
}

/// Parameters, variables and included values may use what is known before them.
fn definitions(experiment: &Experiment) -> Result<(), Fault> {
    let before_parameters: Vec<&str> = [VARIANT].into_iter().chain(RUN_TIME_NAMES).collect();
    let parameters = experiment.parameters.keys().map(String::as_str);
    let before_vars: Vec<&str> = before_parameters
        .iter()
        .copied()
        .chain(parameters)
        .collect();
    for (name, values) in &experiment.parameters {
        for (index, value) in values.iter().enumerate() {
            if let Value::Text(text) = value {
                let place = Place::of(&["parameters", name]).index(index);
                definition(experiment, text, &place, &before_parameters)?;
            }
        }
    }
    for (variant, content) in &experiment.variants {
        for (name, text) in &content.vars {
            let place = Place::of(&["variants", variant, "vars", name]);
            definition(experiment, text, &place, &before_vars)?;
        }
    }
    for (index, entry) in experiment.include.iter().enumerate() {
        for (name, value) in entry {
            if let Value::Text(text) = value {
                let known = if experiment.parameters.contains_key(name) {
                    &before_parameters
                } else {
                    &before_vars
                };
                let place = Place::of(&["include"]).index(index).key(name);
                definition(experiment, text, &place, known)?;
            }
        }
    }
    Ok(())
}

fn definition(
    experiment: &Experiment,
    text: &str,
    place: &Place,
    known: &[&str],
) -> Result<(), Fault> {
    let template = Template::parse(text).map_err(|error| malformed(&error, place.clone()))?;
    let unknown = template.placeholders().find(|placeholder| {
        !known.contains(&placeholder.name.as_str())
            || (placeholder.argument.is_some() && !takes_argument(&placeholder.name))
    });
    let Some(unknown) = unknown else {
        return Ok(());
    };
    let name = unknown.name.as_str();
    let fault = |message| Fault::text(place.clone(), unknown.to_string(), message);
    if experiment
        .variants
        .values()
        .any(|variant| variant.vars.contains_key(name))
    {
        return Err(fault(format!("the variable `{name}` cannot be used here"))
            .help("parameters come before variables, and variables cannot use each other"));
    }
    let fault = fault(format!("unknown placeholder `{unknown}`"));
    Err(suggest_or_double(fault, name, known.iter().copied()))
}

/// Refuses a text that is no template, or that has another placeholder than these, none of which takes an argument.
///
/// # Errors
/// The first placeholder or brace that is wrong.
pub fn template(text: &str, known: &[&str], place: &Place) -> Result<(), Fault> {
    let template = Template::parse(text).map_err(|error| malformed(&error, place.clone()))?;
    let is_known = |placeholder: &&Placeholder| {
        placeholder.argument.is_none() && known.contains(&placeholder.name.as_str())
    };
    let Some(unknown) = template.placeholders().find(|one| !is_known(one)) else {
        return Ok(());
    };
    let message = format!("unknown placeholder `{unknown}`");
    let fault = Fault::text(place.clone(), unknown.to_string(), message);
    let known = known.iter().copied();
    Err(suggest_or_double(fault, &unknown.name, known))
}

/// How to write braces that are no placeholder, as in a program for awk or a shell.
const DOUBLE: &str = "write `{{` and `}}` for braces that are meant as such";

/// The beginning of a share whose amount is a placeholder itself. It ends at the first `}`.
const NESTED_AMOUNT: &str = "{slice:{";

fn malformed(error: &TemplateError, place: Place) -> Fault {
    let text = error.text();
    if text.starts_with(NESTED_AMOUNT) {
        let message =
            format!("`{text}}}`: the amount of work must be a number, and cannot be a placeholder");
        return Fault::text(place, text, message).help(SHARE);
    }
    Fault::text(place, text, error.to_string()).help(DOUBLE)
}

/// Names what an unknown placeholder may mean: another one, or braces.
fn suggest_or_double<'a>(
    fault: Fault,
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Fault {
    let fault = fault.suggest(name, candidates);
    let help = match &fault.help {
        Some(question) if question.ends_with('?') => format!("{question} Or {DOUBLE}"),
        Some(list) => format!("{list}; {DOUBLE}"),
        None => DOUBLE.to_owned(),
    };
    fault.help(help)
}

fn uses_of_cell(experiment: &Experiment, cell: &Cell) -> Result<(), Fault> {
    let place = Place::of(&["variants", &cell.variant]);
    // Both exist: cells are made from these tables.
    let (Some(variant), Some(workload)) = (
        experiment.variants.get(&cell.variant),
        experiment.workloads.get(&cell.workload),
    ) else {
        return Ok(());
    };
    let bindings =
        Bindings::new(cell, variant).map_err(|error| malformed(&error, place.clone()))?;
    let mut check = |place: &Place, scope: Scope, text: &mut String| {
        let filled = bindings
            .apply(text)
            .map_err(|error| malformed(&error, place.clone()))?;
        let known = scope.names(experiment.design.instance_lifetime());
        for placeholder in filled.placeholders() {
            let name = placeholder.name.as_str();
            if known.contains(&name) && (placeholder.argument.is_none() || takes_argument(name)) {
                if name == "build" && variant.build.is_none() {
                    return Err(no_build(cell, placeholder, place));
                }
                let is_own = scope == Scope::NamedSystem || variant.systems.is_empty();
                if name == "port" && placeholder.argument.is_none() && !is_own {
                    return Err(whose_port(cell, placeholder, place));
                }
                if name == "slice" && !is_share(placeholder, experiment.design.least_slices()) {
                    return Err(no_amount(placeholder, place));
                }
                continue;
            }
            return Err(unknown(
                experiment,
                cell,
                &bindings,
                scope,
                placeholder,
                place,
            ));
        }
        Ok(())
    };
    variant.clone().visit_templates(&place, &mut check)?;
    workload
        .clone()
        .visit_templates(&Place::of(&["workloads", &cell.workload]), &mut check)
}

fn no_build(cell: &Cell, placeholder: &Placeholder, place: &Place) -> Fault {
    Fault::text(
        place.clone(),
        placeholder.to_string(),
        format!(
            "`{{build}}` is used, but the variant `{}` is not built",
            cell.variant
        ),
    )
    .help(format!("add a table [variants.{}.build]", cell.variant))
}

/// Whether a slice is asked for by its number, or for its share of an amount of which each has some.
fn is_share(placeholder: &Placeholder, slices: Option<u32>) -> bool {
    let least = u64::from(slices.unwrap_or(1));
    let amount = placeholder.argument.as_ref();
    amount.is_none_or(|amount| amount.parse::<u64>().is_ok_and(|amount| amount >= least))
}

const SHARE: &str = "`{slice:100000}` is the slice's share of 100000";

fn no_amount(placeholder: &Placeholder, place: &Place) -> Fault {
    Fault::text(
        place.clone(),
        placeholder.to_string(),
        format!(
            "`{placeholder}`: the amount of work must be a whole number, at least 1 for each slice"
        ),
    )
    .help(SHARE)
}

fn whose_port(cell: &Cell, placeholder: &Placeholder, place: &Place) -> Fault {
    Fault::text(
        place.clone(),
        placeholder.to_string(),
        format!(
            "`{{port}}` is used, but the variant `{}` has several systems",
            cell.variant
        ),
    )
    .help("name the system whose port is meant, as in `{port:master}`")
}

fn unknown(
    experiment: &Experiment,
    cell: &Cell,
    bindings: &Bindings,
    scope: Scope,
    placeholder: &Placeholder,
    place: &Place,
) -> Fault {
    let name = placeholder.name.as_str();
    let fault = |message: String| Fault::text(place.clone(), placeholder.to_string(), message);
    let known = scope.names(experiment.design.instance_lifetime());
    if placeholder.argument.is_some()
        && (known.contains(&name) || bindings.names().any(|n| n == name))
    {
        return fault(format!(
            "`{placeholder}`: only `port` and `slice` take something behind a colon"
        ));
    }
    if RUN_TIME_NAMES.contains(&name) {
        let help = match (scope, name) {
            (_, "objects") => "`{objects}` belongs in `build.link`",
            (_, "slice" | "slices") => "only `args` and `command` of a workload know their slice",
            (Scope::Before, _) => {
                "before the first run nothing is built, and no system and no run exists"
            }
            (Scope::System, "run") => "a system that outlives a run knows no run; use `{dir}`",
            _ => "at this time the variant is built or looked at; no system and no run exists yet",
        };
        return fault(format!("`{{{name}}}` has no value here")).help(help);
    }
    if let Some((other, _)) = experiment
        .variants
        .iter()
        .find(|(_, variant)| variant.vars.contains_key(name))
    {
        return fault(format!(
            "the variant `{}` has no variable `{name}`, which `{other}` has",
            cell.variant
        ))
        .help(format!(
            "add `{name}` to the `vars` of [variants.{}]",
            cell.variant
        ));
    }
    if experiment
        .include
        .iter()
        .any(|entry| entry.contains_key(name))
    {
        return fault(format!("the variable `{name}` has no value in the cell `{}`", cell.id))
            .help(format!("`{name}` comes from an `include` that does not match this cell; set a default in `vars`"));
    }
    let candidates: Vec<&str> = bindings.names().chain(known.iter().copied()).collect();
    let fault = fault(format!("unknown placeholder `{placeholder}`"));
    suggest_or_double(fault, name, candidates)
}
