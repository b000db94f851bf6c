//! Rules of `[variants]`.

use super::machine;
use super::values::{command, environment, no_nul, placeholder_name, positive, regex};
use crate::error::{Fault, Place};
use crate::file::Experiment;
use crate::system::{ReadyCheck, Stop};
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
    if variant.start.is_none() {
        for (key, given) in [
            ("ready", variant.ready.is_some()),
            ("stop", variant.stop != Stop::default()),
        ] {
            if given {
                return Err(
                    Fault::key(place.key(key), format!("`{key}` without `start`"))
                        .help("add `start`, the command of the system, or leave this out"),
                );
            }
        }
    }
    if let Some(ready) = &variant.ready {
        let place = place.key("ready");
        positive(ready.timeout, place.key("timeout"))?;
        match &ready.check {
            ReadyCheck::Line(pattern) => {
                regex(pattern, &place.key("line"))?;
            }
            ReadyCheck::Tcp(address) => tcp_address(address, &place.key("tcp"))?,
            ReadyCheck::Unix(_) | ReadyCheck::Command(_) => {}
        }
    }
    positive(variant.stop.timeout, place.key("stop").key("timeout"))?;
    machine::check(&variant.machine, &place.key("machine"))?;
    variant
        .build
        .as_ref()
        .map_or(Ok(()), |build| check_build(build, &place.key("build")))
}

/// Refuses an address that nothing can be connected to, as far as no placeholder is in it.
fn tcp_address(address: &str, place: &Place) -> Result<(), Fault> {
    let is_open = |text: &str| text.contains(['{', '}']);
    let is_port = |port: &str| port.parse::<u16>().is_ok_and(|port| port > 0);
    let fits = match address.rsplit_once(':') {
        Some((host, port)) => !host.is_empty() && (is_open(port) || is_port(port)),
        None => is_open(address),
    };
    if fits {
        return Ok(());
    }
    Err(Fault::value(
        place.clone(),
        format!("`{address}` is not an address to connect to"),
    )
    .help("write HOST:PORT, with a port from 1 to 65535 or `{port}`"))
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
