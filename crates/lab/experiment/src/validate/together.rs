//! Rules of experiments whose variants are executed at the same time, each at a place of its own.

use std::collections::BTreeSet;

use crate::cpus::CpuList;
use crate::design::fitting;
use crate::error::{Fault, Place};
use crate::file::Experiment;

pub(super) fn check(experiment: &Experiment) -> Result<(), Fault> {
    let design = &experiment.design;
    let cpus = &experiment.cpus;
    let together = Place::of(&["design", "together"]);
    if !design.together {
        return match cpus.places {
            None => Ok(()),
            Some(_) => Err(Fault::key(
                Place::of(&["cpus", "places"]),
                "`places` are those of variants that are executed at the same time",
            )
            .help("set `together = true` in [design], or use `system` and `load`")),
        };
    }
    let Some(slices) = design.slices else {
        let (found, help) = match design.slice {
            Some(_) => ("their number is not known", "replace `slice` by `slices`"),
            None => ("there are none", "add `slices`"),
        };
        return Err(Fault::key(
            together,
            format!(
                "with `together` the slices of all variants are executed at the same time, and {found}"
            ),
        )
        .help(format!(
            "{help}, which are the times at which variants swap their places"
        )));
    };
    let variants = experiment.variants.len() as u32;
    if variants < 2 {
        return Err(Fault::key(
            together,
            "`together` needs at least two variants",
        ));
    }
    if !slices.is_multiple_of(variants) {
        return Err(Fault::value(
            Place::of(&["design", "slices"]),
            format!(
                "{slices} slices do not give each of {variants} variants each place equally often"
            ),
        )
        .help(format!(
            "the nearest that do: {}",
            fitting(slices, variants)
        )));
    }
    for (key, given) in [("system", &cpus.system), ("load", &cpus.load)] {
        if given.is_some() {
            return Err(Fault::key(
                Place::of(&["cpus", key]),
                "with `together` the system and the load of a variant are on the CPUs of its place",
            )
            .help("leave it out, and say which these are by `places`"));
        }
    }
    for (name, variant) in &experiment.variants {
        if variant.systems().iter().any(|system| system.cpus.is_some()) {
            return Err(Fault::key(
                Place::of(&["variants", name]),
                "with `together` a system is on the CPUs of its variant's place, which change",
            )
            .help("leave out its `cpus`"));
        }
    }
    match &cpus.places {
        Some(places) => check_places(places, variants as usize),
        None => Ok(()),
    }
}

fn check_places(places: &[CpuList], variants: usize) -> Result<(), Fault> {
    let place = Place::of(&["cpus", "places"]);
    if places.len() != variants {
        return Err(Fault::value(
            place,
            format!(
                "expected a place for each of {variants} variants, found {}",
                places.len()
            ),
        ));
    }
    let mut taken = BTreeSet::new();
    for (index, own) in places.iter().enumerate() {
        if let Some(twice) = own.numbers().iter().find(|cpu| !taken.insert(**cpu)) {
            return Err(Fault::value(
                place.index(index),
                format!("CPU {twice} is in two places, so that variants would wait for each other"),
            ));
        }
    }
    Ok(())
}
