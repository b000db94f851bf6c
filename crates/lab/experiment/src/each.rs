//! Variants that are made from a list: one table stands for as many variants as its `each` has values.

use indexmap::IndexMap;

use crate::error::{Fault, Place, Segment};
use crate::file::Experiment;
use crate::name;

/// The placeholder of a value of the list.
const EACH: &str = "each";

/// The variants that were made, each with the name of the table that it was made from.
pub(crate) type Made = IndexMap<String, String>;

/// Replaces every variant with a list by its variants, `NAME-VALUE`, each with its value as the variable `each`.
pub(crate) fn expand(experiment: &mut Experiment) -> Result<Made, Fault> {
    let mut made = Made::new();
    let mut variants = IndexMap::new();
    for (table, mut variant) in std::mem::take(&mut experiment.variants) {
        let place = Place::of(&["variants", &table]);
        let Some(values) = variant.each.take() else {
            if variants.insert(table.clone(), variant).is_some() {
                return Err(twice(place, &table));
            }
            continue;
        };
        let place = place.key(EACH);
        if values.is_empty() {
            return Err(Fault::value(
                place,
                "the list is empty, so there would be no variant",
            ));
        }
        if variant.vars.contains_key(EACH) {
            return Err(
                Fault::value(place, "`each` is a variable of this variant, too")
                    .help("give the variable another name"),
            );
        }
        for (index, value) in values.iter().enumerate() {
            let name = format!("{table}-{value}");
            if !name::is_valid(&name) {
                return Err(Fault::value(
                    place.index(index),
                    format!("\"{name}\" cannot be the name of a variant"),
                )
                .help(format!("a name is {}", name::NAME_RULE)));
            }
            let mut own = variant.clone();
            own.vars.insert(EACH.to_owned(), value.clone());
            made.insert(name.clone(), table.clone());
            if variants.insert(name.clone(), own).is_some() {
                return Err(twice(place.index(index), &name));
            }
        }
    }
    experiment.variants = variants;
    Ok(made)
}

fn twice(place: Place, name: &str) -> Fault {
    Fault::value(place, format!("two variants are called `{name}`"))
}

/// A fault of a variant that was made is shown in the table that it was made from.
pub(crate) fn at_table(mut fault: Fault, made: &Made) -> Fault {
    if let [Segment::Key(table), Segment::Key(name), ..] = &mut fault.place.0[..]
        && table == "variants"
        && let Some(from) = made.get(name)
    {
        name.clone_from(from);
    }
    fault
}
