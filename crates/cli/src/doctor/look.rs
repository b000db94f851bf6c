//! Gathers the findings: settings, then a second of watching, then measurements.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use perflab_machine::doctor::{self, Disk, Finding, Glance, Report, measured};
use perflab_runner::ThisMachine;

use super::arguments::DoctorArguments;
use super::floor;
use super::noise;
use crate::cpus::{allowed, numbers};
use crate::failure::{Code, Failure};
use crate::standby::{lock, stand_by};
use crate::terminal;
use crate::tune::{own_root, settle};

/// How long it is watched what else runs: a hundred ticks, so that shares are known to a per cent.
const WATCH: Duration = Duration::from_secs(1);

/// CPUs that are measured unless told which, so that the whole takes about ten seconds.
const MEASURED: usize = 4;

/// Judges a copy of a machine's files.
pub fn recorded(root: &Path, cpus: Option<&str>) -> Result<Report, Failure> {
    if !root.is_dir() {
        return Err(Failure::usage(format!(
            "--root: expected a directory with proc and sys in it, found none at {}",
            root.display()
        )));
    }
    let cpus = match cpus {
        Some(list) => numbers(list)?,
        None => doctor::online_cpus(root),
    };
    let mut findings = doctor::settings(root, &cpus);
    let glance = Glance::take(root);
    findings.extend(doctor::strain(&glance, &glance, &cpus));
    Ok(Report::new(&cpus, findings, Vec::new()))
}

/// Judges this machine.
pub fn here(arguments: &DoctorArguments) -> Result<Report, Failure> {
    let cpus = match &arguments.cpus {
        Some(list) => numbers(list)?,
        None => allowed()?,
    };
    perflab_runner::cpu_set(&cpus).map_err(Failure::environment)?;
    let lock = if arguments.quick {
        settle()?;
        None
    } else {
        Some(lock(arguments.wait)?)
    };
    let machine = stand_by(lock.as_ref())?;

    let root = own_root();
    let mut findings = doctor::settings(root, &cpus);
    findings.extend(doctor::disks(&places(arguments)));
    findings.extend(timers());

    progress("watching what else runs");
    let before = Glance::take(root);
    machine.interrupt.sleep(WATCH);
    let after = Glance::take(root);
    findings.extend(doctor::activity(&before, &after, &cpus, std::process::id()));

    let measured = if arguments.quick {
        Vec::new()
    } else {
        let chosen = match arguments.cpus {
            Some(_) => &cpus[..],
            None => &cpus[..cpus.len().min(MEASURED)],
        };
        measure(chosen, arguments.noise, &machine)?
    };
    if let Some(time) = arguments.noise {
        findings.extend(noise::at_once(&measured, time, &machine)?);
    }
    if machine.interrupt.asked() {
        return Err(Failure::new(Code::Interrupted, "interrupted"));
    }
    findings.extend(measured.iter().flat_map(measured::judge));
    findings.extend(doctor::strain(&before, &Glance::take(root), &cpus));
    Ok(Report::new(&cpus, findings, measured))
}

/// Measures one CPU after the other, the noise of each for so long if it was asked for.
fn measure(
    cpus: &[u32],
    noise_time: Option<Duration>,
    machine: &ThisMachine,
) -> Result<Vec<measured::Measured>, Failure> {
    let mut all = Vec::new();
    for cpu in cpus {
        if machine.interrupt.asked() {
            break;
        }
        progress(&format!("measuring CPU {cpu}"));
        let mut seen = measured::measure(*cpu).map_err(|error| {
            Failure::environment(format!("cannot measure on CPU {cpu}: {error}"))
        })?;
        seen.noise_floor = Some(floor::measure(*cpu, machine)?);
        if let Some(time) = noise_time {
            seen.noise = noise::measure(*cpu, time, machine)?;
        }
        all.push(seen);
    }
    Ok(all)
}

/// The file systems that measuring needs room on.
fn places(arguments: &DoctorArguments) -> Vec<Disk> {
    [
        (Path::new(".").to_path_buf(), "current directory"),
        (std::env::temp_dir(), "temporary files"),
        (arguments.results.clone(), "results"),
    ]
    .into_iter()
    .filter_map(|(path, purpose)| Disk::of(&path, purpose))
    .collect()
}

/// What systemd will start, where it runs.
fn timers() -> Vec<Finding> {
    if !Path::new("/run/systemd/system").is_dir() {
        return Vec::new();
    }
    let listed = Command::new("systemctl")
        .args(["list-timers", "--all", "--output=json"])
        .output();
    let now = jiff::Timestamp::now().as_microsecond();
    let found = match listed {
        Ok(output) if output.status.success() => doctor::timers(
            &String::from_utf8_lossy(&output.stdout),
            u64::try_from(now).unwrap_or(0),
        )
        .map_err(|error| error.to_string()),
        Ok(output) => Err(format!("systemctl ended with {}", output.status)),
        Err(error) => Err(format!("cannot start systemctl: {error}")),
    };
    found.unwrap_or_else(|why| {
        vec![Finding::new(
            "timers",
            doctor::Severity::Note,
            format!("the timers of systemd cannot be seen: {why}"),
        )]
    })
}

/// Tells a person at a terminal what takes the time.
fn progress(what: &str) {
    use std::io::IsTerminal;
    if std::io::stderr().is_terminal() {
        terminal::say(&format!("doctor: {what}"));
    }
}
