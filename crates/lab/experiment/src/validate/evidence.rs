//! Rules of `[[workloads.NAME.evidence]]`.

use super::extract;
use crate::error::{Fault, Place};
use crate::evidence::{EvidenceRule, is_taken};
use crate::workload::EVERY_NAME;

pub(super) fn check(rules: &[EvidenceRule], place: &Place) -> Result<(), Fault> {
    for (index, rule) in rules.iter().enumerate() {
        let place = place.index(index);
        check_name(rule, &place)?;
        extract::check(&rule.extract, &place)?;
        check_bounds(rule, &place)?;
        if rules[..index].iter().any(|other| other.name == rule.name) {
            return Err(Fault::value(
                place.key("name"),
                format!("the evidence `{}` is defined twice", rule.name),
            ));
        }
    }
    Ok(())
}

fn check_name(rule: &EvidenceRule, place: &Place) -> Result<(), Fault> {
    let name = &rule.name;
    let place = place.key("name");
    if name.trim().is_empty() || name == EVERY_NAME || name.chars().any(char::is_control) {
        let message =
            "the name of evidence is not empty, is not `*`, and has no control characters";
        return Err(Fault::value(place, message));
    }
    if is_taken(name) {
        let message = format!("the laboratory itself gives the evidence `{name}`");
        return Err(Fault::value(place, message).help("give it another name"));
    }
    Ok(())
}

fn check_bounds(rule: &EvidenceRule, place: &Place) -> Result<(), Fault> {
    for (key, bound) in [("at_least", rule.at_least), ("at_most", rule.at_most)] {
        if bound.is_some_and(|bound| !bound.is_finite()) {
            let message = format!("`{key}` must be a finite number");
            return Err(Fault::value(place.key(key), message));
        }
    }
    match (rule.at_least, rule.at_most) {
        (Some(least), Some(most)) if least > most => Err(Fault::value(
            place.key("at_most"),
            format!("no number is at least {least} and at most {most}"),
        )),
        _ => Ok(()),
    }
}
