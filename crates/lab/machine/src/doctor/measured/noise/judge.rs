//! What the noise of a CPU means for somebody who measures.

use super::super::words::{percent, time};
use super::{Noise, Slices, Wandering};
use crate::doctor::finding::{Finding, note, warning};

/// Judges the noise of a CPU by time scale.
pub(in super::super) fn judge(cpu: u32, noise: &Noise) -> Finding {
    let is_coarse = noise.clock_step_s > 1e-6;
    if is_coarse {
        return warning(
            "noise",
            format!(
                "CPU {cpu}: the clock moves in steps of {}, so nothing is told of scales below {}",
                time(noise.clock_step_s),
                time(noise.clock_step_s * 1e3)
            ),
        )
        .costs("whether short slices would be better cannot be seen")
        .advice("choose another clock source: perflab doctor --apply");
    }
    let found = found(&noise.wall).zip(found(&noise.cpu));
    let Some(((best, whole), (cpu_best, cpu_whole))) = found else {
        return note(
            "noise",
            format!(
                "CPU {cpu}: {} are too short to tell how runs of a second differ",
                time(noise.time_s)
            ),
        )
        .advice("measure for 10 s or more: --noise 1min");
    };
    let runs = |slices: &Slices| match slices.runs {
        Some(runs) => format!("{runs}"),
        None => "over a million".to_owned(),
    };
    note(
        "noise",
        format!(
            "CPU {cpu}: two equal halves of 1 s of work differ by {} (standard deviation) as whole runs, by {} in slices \
             of {} that take turns; to show a difference of 1 % takes {} runs of each variant as whole runs, in pairs \
             of neighbours and not in the blocks of `perflab run`, and {} in slices. \
             In CPU time they differ by {}, or by {} in slices of {}",
            percent(whole.sd),
            percent(best.sd_with_switches),
            time(best.slice_s),
            runs(whole),
            runs(best),
            percent(cpu_whole.sd),
            percent(cpu_best.sd_with_switches),
            time(cpu_best.slice_s),
        ),
    )
}

/// The best slices, and whole runs of a second.
fn found(seen: &Wandering) -> Option<(&Slices, &Slices)> {
    let is_best = |slices: &&Slices| Some(slices.slice_s) == seen.best_slice_s;
    let best = seen.slices.iter().find(is_best)?;
    let whole = seen.slices.iter().find(|slices| slices.are_whole_runs())?;
    Some((best, whole))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Severity;

    fn slices(slice_s: f64, sd: f64, runs: u64) -> Slices {
        Slices {
            slice_s,
            run_s: 1.0,
            sd,
            sd_with_switches: sd * 1.05,
            runs: Some(runs),
        }
    }

    fn wandering(size: f64) -> Wandering {
        Wandering {
            piece_s: 1e-4,
            scales: Vec::new(),
            slices: vec![slices(2e-3, 0.001 * size, 3), slices(1.0, 0.011 * size, 21)],
            best_slice_s: Some(2e-3),
        }
    }

    fn noise() -> Noise {
        Noise {
            time_s: 60.0,
            pieces: 600_000,
            clock_step_s: 3e-8,
            wall: wandering(1.0),
            cpu: wandering(0.5),
        }
    }

    #[test]
    fn it_says_what_slices_save() {
        let finding = judge(1, &noise());
        assert_eq!(finding.severity, Severity::Note);
        assert_eq!(
            finding.found,
            "CPU 1: two equal halves of 1 s of work differ by 1.1 % (standard deviation) as whole runs, by 0.11 % in \
             slices of 2.0 ms that take turns; to show a difference of 1 % takes 21 runs of each variant as whole runs, \
             in pairs of neighbours and not in the blocks of `perflab run`, and 3 in slices. \
             In CPU time they differ by 0.55 %, or by 0.05 % in slices of 2.0 ms"
        );
    }

    #[test]
    fn a_coarse_clock_and_little_time_are_told() {
        let coarse = Noise {
            clock_step_s: 4e-3,
            ..noise()
        };
        let finding = judge(0, &coarse);
        assert_eq!(finding.severity, Severity::Warning);
        assert!(finding.found.contains("steps of 4.0 ms"), "{finding:?}");
        assert!(finding.found.contains("below 4.00 s"), "{finding:?}");
        let mut short = noise();
        short.cpu.slices.clear();
        let finding = judge(0, &short);
        assert_eq!(finding.severity, Severity::Note);
        assert!(finding.found.contains("too short"), "{finding:?}");
    }
}
