//! The settings of the machine that a run's variant asks for.

use indexmap::IndexMap;
use perflab_experiment::{Machine, Variant};
use perflab_machine::tune::{Outcome, Session, Wish};

use crate::fault::Fault;

/// Makes the machine as the variant wants it, and what earlier runs changed as it was. What is in
/// force then, by name.
pub(super) fn settle(
    session: Option<&mut Session>,
    variant: &Variant,
) -> Result<IndexMap<String, String>, Fault> {
    let Some(session) = session else {
        return if variant.machine.is_empty() {
            Ok(IndexMap::new())
        } else {
            Err(Fault::no_run(
                "the variant asks for settings of the machine, which were not allowed",
            ))
        };
    };
    let wishes = wishes(&variant.machine)?;
    let outcomes = session
        .set(&wishes)
        .map_err(|error| Fault::no_run(error.to_string()))?;
    let mut in_force = IndexMap::new();
    for (wish, outcome) in wishes.iter().zip(outcomes) {
        match outcome {
            Outcome::Already | Outcome::Set { .. } => {
                in_force.insert(wish.name(), wish.value());
            }
            Outcome::Failed(why) => {
                return Err(Fault::no_run(format!(
                    "the machine's setting {} = {} cannot be had: {why}",
                    wish.name(),
                    wish.value()
                )));
            }
        }
    }
    Ok(in_force)
}

/// What the table asks for, in the order in which it is set: SMT first, as it decides which CPUs
/// there are.
fn wishes(machine: &Machine) -> Result<Vec<Wish>, Fault> {
    let machine = machine
        .rendered()
        .map_err(|error| Fault::no_run(format!("in the settings of the machine: {error}")))?;
    let mut wishes = Vec::new();
    if let Some(value) = &machine.smt {
        wishes.push(Wish::Smt(switch("smt", value)?));
    }
    wishes.extend(machine.governor.map(Wish::Governor));
    wishes.extend(machine.energy_preference.map(Wish::EnergyPreference));
    if let Some(value) = &machine.turbo {
        wishes.push(Wish::Turbo(switch("turbo", value)?));
    }
    wishes.extend(machine.clocksource.map(Wish::ClockSource));
    wishes.extend(machine.huge_pages.map(Wish::HugePages));
    wishes.extend(
        machine
            .huge_page_defragmentation
            .map(Wish::HugePageDefragmentation),
    );
    for (name, value) in machine.sysctl {
        wishes.push(Wish::Sysctl { name, value });
    }
    for (interface, features) in machine.nic {
        for (feature, value) in features {
            wishes.push(Wish::Offload {
                interface: interface.clone(),
                on: switch(&feature, &value)?,
                feature,
            });
        }
    }
    Ok(wishes)
}

/// A parameter may have put anything there.
fn switch(name: &str, value: &str) -> Result<bool, Fault> {
    match value {
        "on" => Ok(true),
        "off" => Ok(false),
        other => Err(Fault::no_run(format!(
            "the machine's setting {name}: expected on or off, found {other}"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_were_not_allowed_are_not_made() {
        let mut variant = Variant::default();
        assert!(settle(None, &variant).unwrap().is_empty());
        variant.machine.clocksource = Some("hpet".to_owned());
        assert!(settle(None, &variant).is_err());
    }

    #[test]
    fn smt_comes_first_and_values_are_checked_again() {
        let mut machine = Machine {
            smt: Some("off".to_owned()),
            turbo: Some("on".to_owned()),
            ..Machine::default()
        };
        machine
            .sysctl
            .insert("vm.swappiness".to_owned(), "7".to_owned());
        let names: Vec<String> = wishes(&machine).unwrap().iter().map(Wish::name).collect();
        assert_eq!(names, ["smt", "turbo", "sysctl vm.swappiness"]);
        machine.turbo = Some("perhaps".to_owned());
        assert!(wishes(&machine).unwrap_err().detail.contains("perhaps"));
        machine.turbo = Some("{x}".to_owned());
        assert!(wishes(&machine).is_err());
    }
}
