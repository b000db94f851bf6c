//! Rules of the systems of a variant: of its own keys, and of the tables `[variants.NAME.systems.SYSTEM]`.

use std::collections::BTreeSet;

use super::values::{environment, positive, regex};
use crate::error::{Fault, Place};
use crate::name;
use crate::system::{Ready, ReadyCheck, Stop, SystemTable};
use crate::systems::in_order;
use crate::template::is_word;
use crate::variant::Variant;

/// Most systems of one kind.
const MOST: u32 = 1000;

pub(super) fn check(variant: &Variant, place: &Place) -> Result<(), Fault> {
    let own = [
        ("start", variant.start.is_some()),
        ("ready", variant.ready.is_some()),
        ("stop", variant.stop != Stop::default()),
    ];
    let given = own.into_iter().find(|(key, given)| {
        let is_lone = variant.start.is_none() && *key != "start";
        *given && (is_lone || !variant.systems.is_empty())
    });
    match given {
        Some((key, _)) if !variant.systems.is_empty() => {
            return Err(Fault::key(
                place.key(key),
                format!("`{key}` of the variant, which has `systems`"),
            )
            .help(format!(
                "put `{key}` into the table of the system that it is for"
            )));
        }
        Some((key, _)) => {
            return Err(
                Fault::key(place.key(key), format!("`{key}` without `start`"))
                    .help("add `start`, the command of the system, or leave this out"),
            );
        }
        None => {}
    }
    ready_and_stop(variant.ready.as_ref(), &variant.stop, place)?;
    named(variant, &place.key("systems"))
}

fn named(variant: &Variant, place: &Place) -> Result<(), Fault> {
    let mut names = BTreeSet::new();
    for (name, table) in &variant.systems {
        let place = place.key(name);
        if !is_word(name) {
            return Err(
                Fault::key(place, format!("\"{name}\" cannot be the name of a system"))
                    .help("a name is letters, digits, `_` and `-`"),
            );
        }
        one(name, table, variant, &place)?;
        for name in table.names(name) {
            if !names.insert(name.clone()) {
                return Err(Fault::key(
                    place,
                    format!("two systems are called `{name}`"),
                ));
            }
        }
    }
    in_order(&variant.systems).map(drop).map_err(|round| {
        let names = name::list(round.into_iter().map(String::as_str));
        Fault::key(
            place.clone(),
            format!("these systems wait for each other: {names}"),
        )
        .help("leave one of them out of an `after`")
    })
}

fn one(name: &str, table: &SystemTable, variant: &Variant, place: &Place) -> Result<(), Fault> {
    if table.start.is_none() {
        return Err(
            Fault::key(place.clone(), format!("the system `{name}` has no `start`"))
                .help("add `start`, the command that starts it"),
        );
    }
    if table
        .count
        .is_some_and(|count| !(1..=MOST).contains(&count))
    {
        return Err(Fault::value(
            place.key("count"),
            format!("`count` must be from 1 to {MOST}"),
        ));
    }
    for (index, before) in table.after.iter().enumerate() {
        if !variant.systems.contains_key(before) {
            let known = variant.systems.keys().map(String::as_str);
            return Err(Fault::value(
                place.key("after").index(index),
                format!("there is no system `{before}` to wait for"),
            )
            .suggest(before, known.filter(|known| *known != name)));
        }
    }
    environment(&table.env, &place.key("env"))?;
    ready_and_stop(table.ready.as_ref(), &table.stop, place)
}

fn ready_and_stop(ready: Option<&Ready>, stop: &Stop, place: &Place) -> Result<(), Fault> {
    if let Some(ready) = ready {
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
    positive(stop.timeout, place.key("stop").key("timeout"))
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
