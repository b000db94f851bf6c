//! What measured values mean for somebody who measures.

use super::measure::Measured;
use super::noise;
use super::noise_floor::NoiseFloor;
use super::words::{percent, time};
use crate::doctor::finding::{Finding, alarm, fine, warning};

/// Judges what was measured on a CPU, the noise floor and the noise as well if they are there.
pub fn judge(measured: &Measured) -> Vec<Finding> {
    let mut findings = vec![
        jitter(measured),
        clock(measured),
        wakeup(measured),
        drift(measured),
    ];
    if let Some(floor) = &measured.noise_floor {
        findings.push(judge_floor(measured.cpu, floor));
    }
    if let Some(seen) = &measured.noise {
        findings.push(noise::judge(measured.cpu, seen));
    }
    findings
}

fn jitter(measured: &Measured) -> Finding {
    let seen = &measured.jitter;
    let found = format!(
        "CPU {}: a busy loop lost {} of its time to {} detours, the largest {}",
        measured.cpu,
        percent(seen.share),
        seen.detours,
        time(seen.largest_s)
    );
    let finding = match seen {
        seen if seen.share >= 0.10 => alarm("jitter", found),
        seen if seen.share >= 0.01 || seen.largest_s >= 5e-3 => warning("jitter", found),
        _ => return fine("jitter", found),
    };
    finding
        .costs("that share of every result; for short requests the largest detour is the tail")
        .advice("end what else runs on this CPU, move interrupts away (--irqs), or choose another: --cpus")
}

fn clock(measured: &Measured) -> Finding {
    let seen = &measured.clock;
    let found = format!(
        "CPU {}: reading the clock takes {}, its smallest step is {}",
        measured.cpu,
        time(seen.reading_s),
        time(seen.resolution_s)
    );
    // From 1 µs on it is a system call or a device; from a tick on it cannot time a process.
    if seen.resolution_s >= 1e-3 || seen.reading_s >= 20e-6 {
        alarm("clock", found)
            .costs("short times cannot be measured at all")
            .advice("choose another clock source: perflab doctor --apply")
    } else if seen.reading_s >= 250e-9 {
        warning("clock", found)
            .costs("programs that read the time often are slower, and their own times include it")
            .advice("choose another clock source: perflab doctor --apply")
    } else {
        fine("clock", found)
    }
}

fn wakeup(measured: &Measured) -> Finding {
    let seen = &measured.wakeup;
    let found = format!(
        "CPU {}: sleepers woke up {} late (median), 1 in 100 later than {}, at most {}",
        measured.cpu,
        time(seen.median_s),
        time(seen.p99_s),
        time(seen.largest_s)
    );
    if seen.p99_s >= 1e-3 {
        warning("wake-up", found)
            .costs("latencies of servers that sleep between requests include it")
            .advice("end what else runs; keep the CPU out of deep sleep (kernel parameter cpuidle.off=1, or idle=poll)")
    } else {
        fine("wake-up", found)
    }
}

fn drift(measured: &Measured) -> Finding {
    let seen = &measured.drift;
    let found = format!(
        "CPU {}: the same work took up to {} longer at some time within 0.2 s",
        measured.cpu,
        percent(seen.slowdown)
    );
    if seen.slowdown >= 0.02 {
        warning("speed", found)
            .costs("the same, between runs and within them")
            .advice("fix the frequency (governor performance, turbo off: perflab doctor --apply), or end what shares the core")
    } else {
        fine("speed", found)
    }
}

/// Judges the noise floor of a CPU.
pub fn judge_floor(cpu: u32, floor: &NoiseFloor) -> Finding {
    let by_chance = if floor.false_alarm {
        "; it even found one, which chance does in 1 of 20"
    } else {
        ""
    };
    let what = format!(
        "CPU {cpu}: a command of {} compared with itself in {} runs each",
        time(floor.work_s),
        floor.runs
    );
    let Some(smallest) = floor.mde.filter(|share| share.is_finite()) else {
        return warning(
            "noise-floor",
            format!("{what} would show no difference of any size{by_chance}"),
        )
        .costs("no answer")
        .advice("end what else runs, and ask again");
    };
    let found = format!(
        "{what} has a minimum detectable effect of {}{by_chance}",
        percent(smallest)
    );
    let finding = match smallest {
        share if share >= 0.10 => alarm("noise-floor", found),
        share if share >= 0.03 => warning("noise-floor", found),
        _ => return fine("noise-floor", found),
    };
    finding
        .costs("smaller differences take more runs: half the difference four times as many")
        .advice("see to the other findings, or measure more runs")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Severity;
    use crate::doctor::measured::{ClockCost, Drift, Jitter, Wakeup};

    fn quiet() -> Measured {
        Measured {
            cpu: 3,
            jitter: Jitter {
                time_s: 0.25,
                detours: 70,
                largest_s: 20e-6,
                share: 0.001,
            },
            clock: ClockCost {
                resolution_s: 20e-9,
                reading_s: 25e-9,
            },
            wakeup: Wakeup {
                sleeps: 900,
                median_s: 5e-6,
                p99_s: 30e-6,
                largest_s: 90e-6,
            },
            drift: Drift {
                slowdown: 0.004,
                pieces: 4000,
            },
            noise_floor: Some(NoiseFloor {
                work_s: 0.01,
                runs: 30,
                mde: Some(0.006),
                difference: Some(0.001),
                false_alarm: false,
            }),
            noise: None,
        }
    }

    fn worst(change: impl FnOnce(&mut Measured)) -> Severity {
        let mut measured = quiet();
        change(&mut measured);
        let findings = judge(&measured);
        findings
            .iter()
            .map(|finding| finding.severity)
            .max()
            .unwrap()
    }

    #[test]
    fn a_quiet_cpu_is_fine_and_each_trouble_is_found() {
        assert_eq!(worst(|_| {}), Severity::Fine);
        assert_eq!(worst(|m| m.jitter.share = 0.03), Severity::Warning);
        assert_eq!(worst(|m| m.jitter.share = 0.5), Severity::Alarm);
        assert_eq!(worst(|m| m.jitter.largest_s = 0.008), Severity::Warning);
        assert_eq!(worst(|m| m.clock.reading_s = 900e-9), Severity::Warning);
        assert_eq!(worst(|m| m.clock.resolution_s = 4e-3), Severity::Alarm);
        assert_eq!(worst(|m| m.wakeup.p99_s = 4e-3), Severity::Warning);
        assert_eq!(worst(|m| m.drift.slowdown = 0.08), Severity::Warning);
        let floor = |share: Option<f64>| {
            worst(|m| {
                if let Some(floor) = &mut m.noise_floor {
                    floor.mde = share;
                }
            })
        };
        assert_eq!(floor(Some(0.05)), Severity::Warning);
        assert_eq!(floor(Some(0.2)), Severity::Alarm);
        assert_eq!(floor(None), Severity::Warning);
    }
}
