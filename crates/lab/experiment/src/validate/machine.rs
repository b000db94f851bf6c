//! Rules of `[variants.NAME.machine]`.

use crate::error::{Fault, Place};
use crate::machine::Machine;

const SWITCH: [&str; 2] = ["on", "off"];
const HUGE_PAGES: [&str; 3] = ["always", "madvise", "never"];

/// Longest name of a network interface in Linux (IFNAMSIZ less the end).
const INTERFACE_CHARS: usize = 15;

pub(super) fn check(machine: &Machine, place: &Place) -> Result<(), Fault> {
    for (name, value) in machine.plain() {
        let place = place.key(name);
        match name {
            "smt" | "turbo" => one_of(value, &SWITCH, &place)?,
            "huge_pages" => one_of(value, &HUGE_PAGES, &place)?,
            _ => word(value, &place)?,
        }
    }
    for (name, value) in &machine.sysctl {
        let place = place.key("sysctl").key(name);
        sysctl_name(name, &place)?;
        if value.is_empty() || value.contains(char::is_control) {
            return Err(Fault::value(
                place,
                "a parameter of the kernel needs a value in one line",
            ));
        }
    }
    for (interface, features) in &machine.nic {
        let place = place.key("nic").key(interface);
        let fits = !interface.is_empty()
            && interface.len() <= INTERFACE_CHARS
            && !interface.starts_with('-')
            && !interface.contains(|c: char| c == '/' || c.is_whitespace() || c.is_control());
        if !fits {
            return Err(Fault::key(
                place,
                format!("\"{interface}\" cannot be the name of a network interface"),
            )
            .help("`ip link` lists them"));
        }
        for (feature, value) in features {
            let place = place.key(feature);
            let fits = feature.starts_with(|c: char| c.is_ascii_lowercase())
                && feature
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
            if !fits {
                return Err(Fault::key(
                    place,
                    format!("\"{feature}\" cannot be the name of an offload"),
                )
                .help(format!("`ethtool -k {interface}` lists them")));
            }
            one_of(value, &SWITCH, &place)?;
        }
    }
    Ok(())
}

/// Refuses a value that is none of these, unless a placeholder will decide.
fn one_of(value: &str, known: &[&str], place: &Place) -> Result<(), Fault> {
    if known.contains(&value) || value.contains('{') {
        return Ok(());
    }
    Err(Fault::value(
        place.clone(),
        format!("expected {}, found \"{value}\"", known.join(" or ")),
    ))
}

/// Which names a machine knows is its own matter; none has blanks in it.
fn word(value: &str, place: &Place) -> Result<(), Fault> {
    if value.is_empty() || value.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(Fault::value(
            place.clone(),
            format!("expected one word, found {value:?}"),
        ));
    }
    Ok(())
}

fn sysctl_name(name: &str, place: &Place) -> Result<(), Fault> {
    let fits = name.split(['.', '/']).count() >= 2
        && name.split(['.', '/']).all(|part| {
            !part.is_empty()
                && part
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b':'))
        });
    if fits {
        return Ok(());
    }
    Err(Fault::key(
        place.clone(),
        format!("\"{name}\" cannot be the name of a parameter of the kernel"),
    )
    .help("write it as sysctl does and in quotes: \"vm.swappiness\""))
}
