//! What the noise of a CPU alone asks for, by the report of a doctor.

use std::path::Path;
use std::time::Duration;

use perflab_compare::{Goal, PlanReport, deviation_plan};
use perflab_machine::doctor::Report;
use perflab_machine::doctor::measured::noise::{MOST_TIME, Noise, Wandering, longest_in_blocks};

use crate::failure::Failure;
use crate::text_file;

/// How runs are executed and timed, their standard deviation, and what is wrong where nothing is known.
struct Way {
    name: String,
    in_turns: bool,
    sd: Result<f64, String>,
}

/// A plan for two variants of which nothing is known but the CPU's noise, as whole runs of `run_s` seconds and in slices,
/// on each CPU that was measured.
pub fn plan(
    path: &Path,
    run_s: f64,
    slice_s: Option<f64>,
    goal: &mut Goal,
) -> Result<PlanReport, Failure> {
    if slice_s.is_some_and(|slice_s| slice_s > run_s) {
        return Err(Failure::usage(
            "--slice: a slice is no longer than the run that --each gives",
        ));
    }
    if goal.block == 0 {
        return Err(Failure::usage(
            "--block 0: how far the runs of a single block differ by the CPU's noise depends on how many there are; give \
             the runs of each variant in a block",
        ));
    }
    let found = noise_of(path)?;
    let mut plan: Option<PlanReport> = None;
    let mut warnings = Vec::new();
    for (cpu, noise) in &found {
        for way in ways(noise, run_s, slice_s, goal.block) {
            let label = format!("CPU {cpu}, {}", way.name);
            goal.in_turns = way.in_turns;
            let next = way
                .sd
                .and_then(|sd| deviation_plan(&label, sd, goal).map_err(|error| error.to_string()));
            match next {
                Err(error) => warnings.push(format!("{label}: {error}")),
                Ok(next) => match &mut plan {
                    None => plan = Some(next),
                    Some(plan) => {
                        plan.rows.extend(next.rows);
                        plan.warnings.extend(next.warnings);
                    }
                },
            }
        }
    }
    let Some(mut plan) = plan else {
        return Err(Failure::no_data(format!(
            "no plan for {}",
            warnings.join("; ")
        )));
    };
    plan.name = "noise of the CPU alone".to_owned();
    plan.warnings.extend(warnings);
    Ok(plan)
}

/// Runs by the noise of a CPU alone: as whole runs in blocks of so many of each variant, in slices, and in slices that
/// are compared by their CPU time, as those of `perflab bench --slices` are.
fn ways(noise: &Noise, run_s: f64, slice_s: Option<f64>, block: usize) -> [Way; 3] {
    let whole = noise.wall.sd_in_blocks(run_s, 2 * block).ok_or_else(|| {
        let longest_s = longest_in_blocks(run_s, 2 * block);
        let stretches = "nearly as long as a block of them";
        let otherwise = "give a shorter --each or a smaller --block";
        too_short(noise, &noise.wall, longest_s, stretches, otherwise)
    });
    [
        Way {
            name: "whole runs, wall time".to_owned(),
            in_turns: false,
            sd: whole,
        },
        in_slices(noise, &noise.wall, "wall time", run_s, slice_s),
        in_slices(noise, &noise.cpu, "CPU time", run_s, slice_s),
    ]
}

/// Runs in slices, by the noise as one of the clocks has it.
fn in_slices(
    noise: &Noise,
    clock: &Wandering,
    name: &str,
    run_s: f64,
    slice_s: Option<f64>,
) -> Way {
    let slice_s = slice_s.or(clock.best_slice_s);
    let of_length = slice_s.map_or_else(String::new, |slice_s| format!(" of {}", time(slice_s)));
    let shortest_s = clock.scales.first().map(|scale| scale.length_s);
    let sd = match slice_s {
        None => Err(too_short(
            noise,
            clock,
            1.0,
            "of a second",
            "give the length with --slice",
        )),
        Some(slice_s) if slice_s > run_s => {
            let why =
                "the best slice is longer than the run that --each gives; choose another --slice";
            Err(why.to_owned())
        }
        Some(slice_s) => clock
            .sd_in_slices(slice_s, run_s)
            // Both runs of a pair have a part in its deviation.
            .map(|of_pair| of_pair / 2.0_f64.sqrt())
            .ok_or_else(|| match shortest_s {
                Some(shortest_s) if slice_s < shortest_s => format!(
                    "the doctor did not measure stretches shorter than {}: choose a longer --slice",
                    time(shortest_s)
                ),
                _ => too_short(
                    noise,
                    clock,
                    slice_s,
                    "of that length",
                    "choose a shorter --slice",
                ),
            }),
    };
    Way {
        name: format!("in slices{of_length}, {name}"),
        in_turns: true,
        sd,
    }
}

/// Why nothing is known of stretches that are so long by a clock, and how long the doctor must measure.
fn too_short(
    noise: &Noise,
    clock: &Wandering,
    length_s: f64,
    stretches: &str,
    otherwise: &str,
) -> String {
    // The share of the time that the work has by this clock.
    let share = clock.piece_s / noise.wall.piece_s;
    // The last stretch need not end where the measurement does.
    let needed_s = Wandering::time_for(length_s).map(|needed_s| (1.02 * needed_s / share).ceil());
    let within = needed_s.filter(|needed_s| *needed_s <= MOST_TIME.as_secs_f64());
    let advice = match within {
        Some(needed_s) => format!("run it with --noise {needed_s}s or longer"),
        None => format!("no --noise is long enough: {otherwise}"),
    };
    format!(
        "the doctor did not measure how stretches {stretches} differ; it measures those from 1 ms to an eighth of \
         --noise: {advice}"
    )
}

/// How each CPU wanders, by the report of a doctor.
fn noise_of(path: &Path) -> Result<Vec<(u32, Noise)>, Failure> {
    let shown = path.display();
    let text = text_file::read(path)
        .map_err(|error| Failure::usage(format!("--noise: cannot read {shown}: {error}")))?;
    let report: Report = serde_json::from_str(&text).map_err(|error| {
        Failure::usage(format!(
            "--noise: {shown} is not what `perflab doctor --noise --format json` prints: {error}"
        ))
    })?;
    let measured = report.measured.into_iter();
    let noise = measured.filter_map(|of| Some((of.cpu, of.noise?)));
    let noise: Vec<_> = noise.collect();
    match noise.is_empty() {
        true => Err(Failure::no_data(format!(
            "--noise: {shown} has no noise: it is of `perflab doctor` without --noise"
        ))),
        false => Ok(noise),
    }
}

/// Seconds, to a millisecond, and shorter ones to a nanosecond.
fn time(seconds: f64) -> String {
    let unit = if seconds < 1e-3 { 1e9 } else { 1e3 };
    let seconds = (seconds * unit).round() / unit;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) => perflab_experiment::format_duration(time),
        Err(_) => format!("{seconds} s"),
    }
}
