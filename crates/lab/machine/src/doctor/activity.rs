//! What else ran between two glances: load, processes by name, interrupts, pages swapped.

use std::collections::BTreeMap;

use super::finding::{Finding, Severity, alarm, fine, note, warning};
use super::glance::Glance;
use crate::load::Ticks;

/// Share of a CPU from which a neighbour is worth a warning: what it takes directly reaches the
/// size of differences that people look for.
const NOTICEABLE: f64 = 0.03;

/// Share from which it is an alarm: a program that wants the same CPU runs a fifth of its time
/// beside another, and the scheduler moves both about.
const DISTURBING: f64 = 0.20;

/// Interrupts of a CPU in a second from which they take some per cent of it, at 5 to 10 µs each.
const MANY_INTERRUPTS: f64 = 5000.0;

/// How many processes are named.
const NAMED: usize = 5;

/// Programs that begin work of their own accord.
const STARTERS: [&str; 5] = ["cron", "crond", "anacron", "atd", "fcron"];

/// Programs of the background that are at work when they are there.
const WORKERS: [&str; 9] = [
    "apt",
    "apt-get",
    "dpkg",
    "unattended-upgr",
    "updatedb",
    "fstrim",
    "mandb",
    "dnf",
    "packagekitd",
];

/// Judges what went on from `before` to `after` on the CPUs `cpus`, this process (`own`) and its
/// children left out. Nothing is found without a tick of time between the two.
pub fn activity(before: &Glance, after: &Glance, cpus: &[u32], own: u32) -> Vec<Finding> {
    let mut findings = Vec::new();
    let Some(period) = Period::between(before, after) else {
        return findings;
    };
    findings.push(load(&period, before, after, cpus));
    findings.push(neighbours(&period, before, after, cpus, own));
    findings.extend(background(after));
    findings.extend(swapping(before, after));
    findings.extend(interrupts(&period, before, after, cpus));
    findings
}

/// The time between two glances, in ticks of one CPU.
struct Period {
    ticks: f64,
}

/// Ticks in a second, as nearly every kernel shows them to programs (USER_HZ).
const TICKS_PER_SECOND: f64 = 100.0;

impl Period {
    fn between(before: &Glance, after: &Glance) -> Option<Self> {
        // A tickless CPU may account late, so the one that saw most is believed.
        let ticks = after
            .cpus
            .iter()
            .filter_map(|(cpu, now)| now.total.checked_sub(before.cpus.get(cpu)?.total))
            .max()?;
        (ticks > 0).then_some(Self {
            ticks: ticks as f64,
        })
    }

    fn share(&self, ticks: u64) -> f64 {
        ticks as f64 / self.ticks
    }

    fn seconds(&self) -> f64 {
        self.ticks / TICKS_PER_SECOND
    }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// How busy the CPUs to be used were, whoever was it.
fn load(period: &Period, before: &Glance, after: &Glance, cpus: &[u32]) -> Finding {
    let busy: Vec<(u32, f64)> = cpus
        .iter()
        .filter_map(|cpu| {
            let spent = |ticks: &Ticks| ticks.busy;
            let ticks = spent(after.cpus.get(cpu)?).checked_sub(spent(before.cpus.get(cpu)?))?;
            Some((*cpu, period.share(ticks).min(1.0)))
        })
        .collect();
    let most = busy.iter().map(|(_, share)| *share).fold(0.0, f64::max);
    let mut named: Vec<String> = busy
        .iter()
        .filter(|(_, share)| *share >= NOTICEABLE)
        .take(8)
        .map(|(cpu, share)| format!("CPU {cpu} was {} busy", percent(*share)))
        .collect();
    let average = after
        .load1
        .map_or_else(String::new, |load| format!("load average {load:.2}"));
    if named.is_empty() {
        named.push("the CPUs to be used were idle".to_owned());
    }
    let found = format!("{}; {average}", named.join(", "));
    let found = found.trim_end_matches("; ");
    let finding = if most >= DISTURBING {
        alarm("load", found)
    } else if most >= NOTICEABLE {
        warning("load", found)
    } else if after.load1.is_some_and(|load| load >= 1.0) {
        note("load", format!("{found}: it was busier a moment ago"))
    } else {
        fine("load", found)
    };
    let finding = finding.at("proc/stat");
    if most >= NOTICEABLE {
        finding
            .costs("what is measured waits for that share of its time, or is moved to another CPU and loses its caches")
            .advice("end what runs (the processes are named below), or use other CPUs: --cpus")
    } else {
        finding
    }
}

/// The processes that took CPU time, by name.
fn neighbours(period: &Period, before: &Glance, after: &Glance, cpus: &[u32], own: u32) -> Finding {
    let mut shares: Vec<(f64, u32, &str, bool)> = after
        .processes
        .iter()
        .filter(|((pid, _), process)| *pid != own && process.parent != own)
        .filter_map(|(key, process)| {
            let earlier = before.processes.get(key).map_or(0, |before| before.ticks);
            let share = period.share(process.ticks.checked_sub(earlier)?);
            let here = process.cpu.is_none_or(|cpu| cpus.contains(&cpu));
            (share >= 0.01).then_some((share, key.0, process.name.as_str(), here))
        })
        .collect();
    shares.sort_by(|left, right| right.0.total_cmp(&left.0));
    if shares.is_empty() {
        return fine("processes", "no other process took CPU time").at("proc");
    }
    let worst = shares
        .iter()
        .map(|(share, _, _, here)| match share {
            share if *share >= DISTURBING && *here => Severity::Alarm,
            share if *share >= NOTICEABLE => Severity::Warning,
            _ => Severity::Note,
        })
        .max()
        .unwrap_or(Severity::Fine);
    let named: Vec<String> = shares
        .iter()
        .take(NAMED)
        .map(|(share, pid, name, _)| format!("{name} (pid {pid}) {}", percent(*share)))
        .collect();
    let more = if shares.len() > NAMED { ", ..." } else { "" };
    Finding::new(
        "processes",
        worst,
        format!("share of a CPU taken just now: {}{more}", named.join(", ")),
    )
    .at("proc")
    .costs("their share of the CPU if they meet what is measured; else caches, memory bandwidth and turbo")
    .advice("end them or wait until they have ended")
}

/// Programs that begin work by themselves, or are at it.
fn background(after: &Glance) -> Vec<Finding> {
    let named = |names: &[&str]| -> Vec<String> {
        let found: BTreeMap<&str, u32> = after
            .processes
            .iter()
            .filter(|(_, process)| names.contains(&process.name.as_str()))
            .map(|((pid, _), process)| (process.name.as_str(), *pid))
            .collect();
        found
            .into_iter()
            .map(|(name, pid)| format!("{name} (pid {pid})"))
            .collect()
    };
    let mut findings = Vec::new();
    let workers = named(&WORKERS);
    if !workers.is_empty() {
        findings.push(
            warning(
                "background",
                format!("maintenance is at work: {}", workers.join(", ")),
            )
            .at("proc")
            .costs("CPU, disk and memory for seconds to minutes")
            .advice("wait until it has ended"),
        );
    }
    let starters = named(&STARTERS);
    if !starters.is_empty() {
        findings.push(
            note(
                "timers",
                format!("jobs may begin at any minute: {}", starters.join(", ")),
            )
            .at("etc/crontab")
            .costs("a job in the middle of a run makes it slow")
            .advice("see crontab -l, /etc/crontab and /etc/cron.d for what is due"),
        );
    }
    findings
}

fn swapping(before: &Glance, after: &Glance) -> Option<Finding> {
    let ((in_before, out_before), (in_after, out_after)) =
        before.swapped_pages.zip(after.swapped_pages)?;
    let (read, written) = (
        in_after.checked_sub(in_before)?,
        out_after.checked_sub(out_before)?,
    );
    Some(
        if read + written == 0 {
            fine("swapping", "no page was swapped")
        } else {
            alarm(
                "swapping",
                format!("{read} pages were brought in from swap and {written} put there just now"),
            )
            .costs("0.1 to 10 ms for each page that is waited for")
            .advice("free memory; see what uses it with: ps aux --sort=-rss")
        }
        .at("proc/vmstat"),
    )
}

fn interrupts(period: &Period, before: &Glance, after: &Glance, cpus: &[u32]) -> Option<Finding> {
    let rates: Vec<(u32, f64)> = cpus
        .iter()
        .filter_map(|cpu| {
            let count = after
                .interrupts
                .get(cpu)?
                .checked_sub(*before.interrupts.get(cpu)?)?;
            Some((*cpu, count as f64 / period.seconds()))
        })
        .collect();
    let (cpu, most) = rates
        .into_iter()
        .max_by(|left, right| left.1.total_cmp(&right.1))?;
    let found = format!("at most {most:.0} interrupts a second, on CPU {cpu}");
    Some(
        if most >= MANY_INTERRUPTS {
            warning("interrupt-rate", found)
                .costs(format!("{:.0} % of that CPU at 5 µs each", most * 5e-6 * 100.0))
                .advice("/proc/interrupts shows whose they are; move them with --apply --cpus LIST --irqs")
        } else {
            fine("interrupt-rate", found)
        }
        .at("proc/interrupts"),
    )
}
