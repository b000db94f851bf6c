//! What held the machine back between two glances: stolen time, quotas, heat.

use std::collections::BTreeMap;

use super::finding::{Finding, alarm, fine, note, warning};
use super::glance::Glance;

/// Share of stolen time from which it is worth a warning, and an alarm.
const STOLEN_NOTICEABLE: f64 = 0.01;
const STOLEN_DISTURBING: f64 = 0.05;

/// Judges what held back the CPUs `cpus` from `before` to `after`, best a time in which they were
/// made to work.
pub fn strain(before: &Glance, after: &Glance, cpus: &[u32]) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.extend(steal(before, after, cpus));
    findings.extend(throttled_groups(before, after));
    findings.extend(heat(before, after));
    findings
}

fn steal(before: &Glance, after: &Glance, cpus: &[u32]) -> Option<Finding> {
    let (stolen, total) = cpus
        .iter()
        .filter_map(|cpu| {
            let (then, now) = (before.cpus.get(cpu)?, after.cpus.get(cpu)?);
            Some((
                now.steal.checked_sub(then.steal)?,
                now.total.checked_sub(then.total)?,
            ))
        })
        .fold((0_u64, 0_u64), |sum, (steal, total)| {
            (sum.0.saturating_add(steal), sum.1.saturating_add(total))
        });
    if total == 0 {
        return None;
    }
    let share = stolen as f64 / total as f64;
    let found = format!(
        "the hypervisor took {:.1} % of the time of the CPUs to be used",
        share * 100.0
    );
    Some(
        match share {
            share if share >= STOLEN_DISTURBING => alarm("steal", found),
            share if share >= STOLEN_NOTICEABLE => warning("steal", found),
            _ => return Some(fine("steal", found).at("proc/stat")),
        }
        .at("proc/stat")
        .costs("that share of every result, and more in its scatter")
        .advice("another machine, or one with CPUs of its own; measure interleaved, and at another hour"),
    )
}

fn how_often(times: u64) -> String {
    match times {
        1 => "once".to_owned(),
        _ => format!("{times} times"),
    }
}

fn throttled_groups(before: &Glance, after: &Glance) -> Option<Finding> {
    if let Some((file, times)) = grown(&before.throttled, &after.throttled).first() {
        return Some(
            alarm(
                "cpu-throttled",
                format!(
                    "the control group was throttled {} just now",
                    how_often(*times)
                ),
            )
            .at(file)
            .costs("it stood still for up to 100 ms each time")
            .advice("measure in a control group without a limit of CPU time"),
        );
    }
    let (file, times) = after.throttled.iter().max_by_key(|(_, times)| **times)?;
    Some(if *times == 0 {
        fine(
            "cpu-throttled",
            "no control group around this one was throttled",
        )
        .at(file)
    } else {
        note(
            "cpu-throttled",
            format!(
                "a control group around this one was throttled {} since it was made",
                how_often(*times)
            ),
        )
        .at(file)
    })
}

fn heat(before: &Glance, after: &Glance) -> Option<Finding> {
    if let Some((file, times)) = grown(&before.thermal, &after.thermal).first() {
        return Some(
            alarm(
                "throttling",
                format!(
                    "the processor slowed down {} just now because of heat",
                    how_often(*times)
                ),
            )
            .at(file)
            .costs("up to half of the speed, and the later the run the more")
            .advice("cool the machine, clean its fans, or lower its power limit"),
        );
    }
    let (file, times) = after.thermal.iter().max_by_key(|(_, times)| **times)?;
    Some(if *times == 0 {
        fine("throttling", "the processor was never slowed down by heat").at(file)
    } else {
        note(
            "throttling",
            format!(
                "the processor was slowed down by heat {} since boot",
                how_often(*times)
            ),
        )
        .at(file)
        .costs("long runs may be slower than short ones")
        .advice("watch this count over a long experiment")
    })
}

/// The counters that grew, and by how much, most first.
fn grown<'a>(
    before: &BTreeMap<String, u64>,
    after: &'a BTreeMap<String, u64>,
) -> Vec<(&'a str, u64)> {
    let mut grown: Vec<(&str, u64)> = after
        .iter()
        .filter_map(|(file, now)| {
            let more = now.checked_sub(*before.get(file)?)?;
            (more > 0).then_some((file.as_str(), more))
        })
        .collect();
    grown.sort_by_key(|(_, more)| std::cmp::Reverse(*more));
    grown
}
