//! Rules of `[variants]`.

use super::values::{command, environment, no_nul, placeholder_name};
use super::{machine, systems};
use crate::error::{Fault, Place};
use crate::file::Experiment;
use crate::variant::{Build, Variant};

pub(super) fn check(experiment: &Experiment) -> Result<(), Fault> {
    for (name, variant) in &experiment.variants {
        check_one(variant, &Place::of(&["variants", name]))?;
    }
    Ok(())
}

fn check_one(variant: &Variant, place: &Place) -> Result<(), Fault> {
    for (at, what) in variant.commands(place) {
        command(what, variant.shell, &at)?;
    }
    environment(&variant.env, &place.key("env"))?;
    for (name, value) in &variant.vars {
        let place = place.key("vars").key(name);
        placeholder_name(name, "variable", &place)?;
        no_nul(value, &place)?;
    }
    systems::check(variant, place)?;
    machine::check(&variant.machine, &place.key("machine"))?;
    variant
        .build
        .as_ref()
        .map_or(Ok(()), |build| check_build(build, &place.key("build")))
}

fn check_build(build: &Build, place: &Place) -> Result<(), Fault> {
    let Some(link) = &build.link else {
        if !build.objects.is_empty() {
            return Err(Fault::key(place.key("objects"), "`objects` without `link`")
                .help("add `link`, the command that links them, with the argument \"{objects}\""));
        }
        if build.command.is_none() {
            return Err(Fault::value(
                place.clone(),
                "the build has neither `command` nor `link`",
            ));
        }
        return Ok(());
    };
    if build.objects.is_empty() {
        return Err(Fault::key(place.key("link"), "`link` without `objects`")
            .help("add `objects`, patterns of the object files, as in [\"src/*.o\"]"));
    }
    let whole = link
        .argv
        .iter()
        .filter(|argument| *argument == "{objects}")
        .count();
    if link.shell || whole != 1 {
        return Err(Fault::value(
            place.key("link"),
            "`link` must be a list of arguments, exactly one of them \"{objects}\"",
        ));
    }
    if let Some(index) = link.argv.iter().position(|argument| {
        argument != "{objects}" && argument.replace("{{", "").contains("{objects}")
    }) {
        return Err(Fault::value(
            place.key("link").index(index),
            "`{objects}` stands for several arguments and cannot be a part of one",
        ));
    }
    if build.gap == Some(0) {
        return Err(Fault::value(
            place.key("gap"),
            "`gap` must be at least 1 byte",
        ));
    }
    Ok(())
}
