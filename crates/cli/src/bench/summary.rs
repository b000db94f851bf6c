//! What `perflab bench` says: a line or two per command, and the comparison.

use perflab_experiment::counted;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use perflab_compare::{
    Comparison, Group, RowWarning, Selection, Warning, plain_report, settle_drift,
};
use perflab_experiment::{Better, Metric};
use perflab_report::{TextOptions, percent_within};
use perflab_stats::{Observation, Summary};

use super::arguments::{BenchArguments, TimeUnit};
use super::measured::{Measured, Measurements};
use super::shell::{difference, share};
use crate::failure::Failure;
use crate::progress::bar;
use crate::terminal;

/// Below this a shell may take more than what is measured, in seconds.
const TOO_FAST_FOR_A_SHELL_S: f64 = 0.005;

/// Least time between two drawings of the progress bar.
const REDRAW: Duration = Duration::from_millis(100);

/// The progress bar of a bench, drawn between runs only.
pub struct BenchProgress {
    bar: ProgressBar,
    drawn: Instant,
}

impl BenchProgress {
    /// Drawn where it is wanted and somebody looks.
    pub fn new(wanted: bool) -> Self {
        let template = "{bar:30} {pos}/{len} runs, {eta} left  {msg}";
        Self {
            bar: bar(None, template, wanted),
            drawn: Instant::now(),
        }
    }

    /// So many more runs will come.
    pub fn expect(&self, runs: usize) {
        self.bar
            .set_length(self.bar.length().unwrap_or(0) + runs as u64);
    }

    /// A run has ended.
    pub fn add(&mut self, name: &str) {
        if self.drawn.elapsed() >= REDRAW && !self.bar.is_hidden() {
            self.bar.set_message(name.to_owned());
            self.drawn = Instant::now();
        }
        self.bar.inc(1);
    }

    /// Takes it away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// The comparison of all commands with the first; none where there is but one.
pub fn report(
    measurements: &Measurements,
    margin: Option<f64>,
) -> Result<Option<Comparison>, Failure> {
    if measurements.commands.len() < 2 {
        return Ok(None);
    }
    let names = variants(measurements);
    let groups = measurements.commands.iter().zip(names);
    let groups = groups.map(|(measured, variant)| group(measured, variant));
    let groups = groups.collect();
    let selection = Selection {
        margin,
        anytime: measurements.until_decided.is_some(),
        in_turns: measurements.watched.is_some(),
        ..Selection::default()
    };
    let name = match &measurements.watched {
        None => "wall",
        Some(_) => "cpu",
    };
    let metric = Metric::new(name, "s", Better::Lower);
    let mut report = plain_report("bench", &metric, groups, &selection)?;
    report.design.seed = measurements.randomised.then_some(measurements.seed);
    report.design.randomised = measurements.randomised;
    report.design.until_decided = measurements.until_decided;
    settle_drift(&mut report);
    tell_of_the_shell(&mut report, measurements);
    tell_of_turns(&mut report, measurements);
    for (name, measured) in variants(measurements).iter().zip(&measurements.commands) {
        let failures = failures(measured).map(|failures| format!("`{name}`: {failures}"));
        report.warnings.extend(failures.map(Warning::Remark));
    }
    if !measurements.randomised {
        report.warnings.push(Warning::Remark(
            "the commands ran one after the other: what changed meanwhile on the machine counts \
             as a difference between them"
                .to_owned(),
        ));
    }
    Ok(Some(report))
}

/// The names of the commands, each once: a command may be given twice, as to see how well it agrees
/// with itself.
fn variants(measurements: &Measurements) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for measured in &measurements.commands {
        let name = &measured.command.full_name;
        let copies = (2..).map(|copy| format!("{name} ({copy})"));
        let own = std::iter::once(name.clone())
            .chain(copies)
            .find(|own| !names.contains(own));
        names.extend(own);
    }
    names
}

/// Says beside each comparison what the shell has to do with it.
fn tell_of_the_shell(report: &mut Comparison, measurements: &Measurements) {
    let Some((base, shell)) = measurements
        .commands
        .first()
        .and_then(|base| Some((base, share(base)?)))
    else {
        return;
    };
    let candidates = variants(measurements)
        .into_iter()
        .zip(&measurements.commands);
    for (variant, candidate) in candidates {
        let part = match shell.is_part() {
            true => format!("{:.0}%", shell.share * 100.0),
            false => "about all".to_owned(),
        };
        let without = match difference(base, candidate) {
            // An interval holds for a number of runs that was fixed before.
            _ if measurements.until_decided.is_some() => String::new(),
            _ if shell.alone_s.is_none() => "; one block tells no more".to_owned(),
            None => "; without it no ratio can be given: use -N".to_owned(),
            Some(estimate) => {
                let within = percent_within(estimate.value, estimate.low, estimate.high);
                format!("; without it the mean differs by about {within}")
            }
        };
        for row in report.rows.iter_mut().filter(|row| row.variant == variant) {
            row.warnings.push(RowWarning::Remark(format!(
                "all times include the shell ({part} of the baseline){without}",
            )));
        }
    }
}

/// Says that commands took turns, and what of each makes its CPU time say little.
fn tell_of_turns(report: &mut Comparison, measurements: &Measurements) {
    let Some(watched) = &measurements.watched else {
        return;
    };
    report.design.turn_s = Some(watched.turn.as_secs_f64());
    for (name, runs) in variants(measurements).iter().zip(&watched.commands) {
        let warnings = runs.warnings().into_iter();
        let remarks = warnings.map(|text| Warning::Remark(format!("`{name}`: {text}")));
        report.warnings.extend(remarks);
    }
}

/// All commands one by one, then the comparison.
pub fn text(
    measurements: &Measurements,
    arguments: &BenchArguments,
    report: Option<&Comparison>,
) -> Result<String, Failure> {
    let mut out = String::new();
    for (index, measured) in measurements.commands.iter().enumerate() {
        let time_of = match &measurements.watched {
            None => "mean",
            Some(_) => "CPU time: mean",
        };
        out.push_str(&one(index + 1, measured, time_of, arguments)?);
        // A comparison has it among its warnings.
        if let (None, Some(failures)) = (report, failures(measured)) {
            out.push_str(&format!("   warning: {failures}\n"));
        }
    }
    if let Some(report) = report {
        let options = TextOptions {
            width: terminal::columns().unwrap_or(100),
            colour: arguments.style.colour(),
            ascii: false,
        };
        out.push('\n');
        out.push_str(&perflab_report::text(report, &options));
    }
    Ok(out)
}

fn group(measured: &Measured, variant: String) -> Group {
    let observations = measured
        .runs
        .iter()
        .enumerate()
        .map(|(run, (block, timing))| Observation {
            block: *block,
            unit: u32::try_from(run).unwrap_or(u32::MAX),
            value: timing.time_s,
        })
        .collect();
    Group {
        variant,
        observations,
    }
}

/// What is said of one command; `time_of` names its mean.
fn one(
    number: usize,
    measured: &Measured,
    time_of: &str,
    arguments: &BenchArguments,
) -> Result<String, Failure> {
    let wall = measured.column(|timing| timing.time_s);
    let summary = Summary::of(&wall).map_err(Failure::no_data)?;
    let show = |seconds: f64| time(seconds, arguments.time_unit, summary.mean);
    let mut out = format!(
        "{number}: {}\n",
        terminal::escape(&measured.command.full_name)
    );
    out.push_str(&format!(
        "   {time_of} {}{}, median {}, user {}, system {}\n",
        show(summary.mean),
        // A single run has none.
        summary
            .sd
            .map_or_else(String::new, |sd| format!(" ± {}", show(sd))),
        show(summary.median),
        show(measured.mean(|timing| timing.user_s)),
        show(measured.mean(|timing| timing.system_s)),
    ));
    let peaks = measured
        .runs
        .iter()
        .filter_map(|(_, timing)| timing.max_rss_bytes);
    let peak = peaks.max().map_or_else(String::new, |bytes| {
        format!(", peak memory {:.1} MiB", bytes as f64 / 1_048_576.0)
    });
    let (min, max, runs) = (
        show(summary.min),
        show(summary.max),
        counted(summary.n, "run"),
    );
    out.push_str(&format!("   range {min} … {max}, {runs}{peak}\n"));
    let through_shell = !arguments.no_shell && arguments.shell != "none";
    if let Some(shell) = share(measured).filter(|shell| !shell.is_part()) {
        out.push_str(&format!(
            "   the shell alone takes about {}; the command cannot be told from it, so use -N\n",
            show(shell.shell_s)
        ));
    } else if let Some(shell) = share(measured) {
        let alone = shell.alone_s.filter(|_| !arguments.until.until_decided);
        let alone = alone.map_or_else(String::new, |alone| {
            let [value, low, high] = [alone.value, alone.low, alone.high].map(show);
            format!("; without it about {value} [{low}, {high}]")
        });
        let (time, percent) = (show(shell.shell_s), shell.share * 100.0);
        out.push_str(&format!(
            "   the shell takes {time} of it ({percent:.0}%){alone}\n"
        ));
    } else if through_shell && summary.median < TOO_FAST_FOR_A_SHELL_S {
        out.push_str(
            "   warning: faster than 5 ms, with the shell's time in it; -N leaves the shell out\n",
        );
    }
    Ok(out)
}

/// How many runs of a command failed, if any did.
fn failures(measured: &Measured) -> Option<String> {
    let runs = measured.runs.iter();
    let failed = runs.filter(|(_, timing)| timing.exit_code != Some(0));
    let failed = failed.count();
    (failed > 0).then(|| format!("{} did not end with exit code 0", counted(failed, "run")))
}

/// A time in the unit asked for, or in one that suits `like`.
fn time(seconds: f64, unit: Option<TimeUnit>, like: f64) -> String {
    let unit = unit.unwrap_or(match like {
        like if like < 1e-3 => TimeUnit::Microsecond,
        like if like < 1.0 => TimeUnit::Millisecond,
        _ => TimeUnit::Second,
    });
    match unit {
        TimeUnit::Microsecond => format!("{:.1} µs", seconds * 1e6),
        TimeUnit::Millisecond => format!("{:.2} ms", seconds * 1e3),
        TimeUnit::Second => format!("{seconds:.3} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_in_a_unit_that_suits() {
        assert_eq!(time(0.000_512_3, None, 0.000_5), "512.3 µs");
        assert_eq!(time(0.0123, None, 0.0123), "12.30 ms");
        assert_eq!(time(12.3456, None, 12.0), "12.346 s");
        assert_eq!(time(0.0123, Some(TimeUnit::Second), 0.1), "0.012 s");
    }
}
