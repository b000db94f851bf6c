//! Rules of the schema, of all names and of `[subsets]`.

use super::values::no_repeats;
use crate::error::{Fault, Place};
use crate::file::{Experiment, SCHEMA};
use crate::name;
use crate::source::Source;

pub(super) fn check(experiment: &Experiment, source: &Source<'_>) -> Result<(), Fault> {
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
