//! Battery and power profile.

use super::finding::{Finding, fine, note, warning};
use crate::source::Root;

const SUPPLIES: &str = "sys/class/power_supply";

pub(super) fn check(root: Root) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut discharging = None;
    let mut mains_off = None;
    let mut any = false;
    for name in root.names(SUPPLIES).unwrap_or_default() {
        let word = |file: &str| root.word(&format!("{SUPPLIES}/{name}/{file}"));
        // A mouse has a battery as well.
        if word("scope").as_deref() == Some("Device") {
            continue;
        }
        any = true;
        match word("type").as_deref() {
            Some("Battery") if word("status").as_deref() == Some("Discharging") => {
                discharging = Some(format!("{SUPPLIES}/{name}/status"));
            }
            Some("Mains") if word("online").as_deref() == Some("0") => {
                mains_off = Some(format!("{SUPPLIES}/{name}/online"));
            }
            _ => {}
        }
    }
    // A desktop may have a socket that nothing is plugged into, but a battery that empties is one.
    if let Some(file) = discharging.or(mains_off) {
        findings.push(
            warning("power", "the machine runs on its battery")
                .at(&file)
                .costs("lower frequencies, which change with the charge: up to twice as slow")
                .advice("plug it in"),
        );
    } else if any {
        findings.push(fine("power", "the machine is not running on a battery").at(SUPPLIES));
    }
    let profile = "sys/firmware/acpi/platform_profile";
    if let Some(choice) = root.word(profile).filter(|choice| choice != "performance") {
        findings.push(
            note("power-profile", format!("the power profile is {choice}"))
                .at(profile)
                .costs("lower limits of power and heat")
                .advice(format!("echo performance > /{profile}")),
        );
    }
    findings
}
