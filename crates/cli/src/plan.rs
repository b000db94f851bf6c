//! `perflab plan`: how many runs it takes to show a difference.

mod noise;

use std::path::{Path, PathBuf};

use clap::Args;
use perflab_compare::{
    Costs, Goal, PlanReport, SampleSelection, Selection, deviation_plan, pilot_plan,
    result_subjects,
};
use perflab_experiment::Lifetime;
use perflab_report::plan_text;

use crate::failure::{Code, Failure};
use crate::numbers::refuse;
use crate::percent::percent;
use crate::selection::{Chosen, Question, chosen, confidence, input, open, questions};
use crate::terminal;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  perflab plan results/first --show 1%\n  \
perflab plan --sd 0.5% --show 1% --each 30s\n  \
perflab plan --noise noise.json --show 1% --each 5s")]
pub struct PlanArguments {
    /// The result of a pilot: a few blocks of the same experiment.
    #[arg(value_name = "RESULT", conflicts_with_all = ["sd", "noise"])]
    result: Option<PathBuf>,

    /// The relative difference to be shown, as in 1%.
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    show: String,

    /// Standard deviation of runs, relative to their mean, instead of a pilot.
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    sd: Option<String>,

    /// What `perflab doctor --noise --format json` said: what the CPU alone makes runs differ by, as whole runs and in
    /// slices, in wall time, and in slices in CPU time. With --each.
    #[arg(long, value_name = "FILE", requires = "each", conflicts_with = "sd")]
    noise: Option<PathBuf>,

    /// Length of the slices, as 20ms, with --noise [default: the best one that the doctor found, in
    /// wall time and in CPU time].
    #[arg(long, value_name = "TIME", requires = "noise")]
    slice: Option<String>,

    /// Chance that the difference is shown if it is there.
    #[arg(
        long,
        value_name = "PERCENT",
        default_value = "80%",
        allow_hyphen_values = true
    )]
    power: String,

    /// Confidence level of the report [default: the experiment's, else 95%].
    #[arg(short, long, value_name = "PERCENT", allow_hyphen_values = true)]
    confidence: Option<String>,

    /// Plan for a report that asks these questions of each row; all tests share the error.
    #[arg(long, alias = "claims", value_enum, value_delimiter = ',', default_values_t = [Question::Typical, Question::Mean])]
    questions: Vec<Question>,

    /// Runs of each variant in a block; 0 for a single block [default: the experiment's, else 3].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=1000))]
    block: Option<u32>,

    /// Time of one run, as 30s or 2m, with --sd or --noise.
    #[arg(long, value_name = "TIME")]
    each: Option<String>,

    /// Metrics to plan for (may be given again) [default: the experiment's, else the driver's first].
    #[arg(long, value_name = "NAME")]
    metric: Vec<String>,

    /// Benchmarks to plan for (may be given again).
    #[arg(long, alias = "part", value_name = "NAME")]
    benchmark: Vec<String>,

    /// Print the output in this form.
    #[arg(long, value_enum, default_value_t = terminal::Form::Text)]
    format: terminal::Form,
}

/// Executes the command.
pub fn plan(arguments: &PlanArguments) -> Result<Option<Code>, Failure> {
    let difference = share("--show", &arguments.show, 0.0)?;
    let power = share("--power", &arguments.power, 0.5)?;
    let confidence = confidence(arguments.confidence.as_deref())?;
    let mut goal = Goal {
        difference,
        power,
        confidence: confidence.unwrap_or(0.95),
        questions: questions(&arguments.questions),
        block: arguments.block.unwrap_or(3) as usize,
        shared: 1,
        in_turns: false,
        round_s: None,
    };
    let found = if let Some(path) = &arguments.result {
        refuse(
            &[("--each", arguments.each.is_some())],
            "is for --sd and --noise; a pilot's result has the times of its runs",
        )?;
        from_pilot(path, arguments, confidence, &mut goal)?
    } else {
        refuse(
            &[
                ("--metric", !arguments.metric.is_empty()),
                ("--benchmark", !arguments.benchmark.is_empty()),
            ],
            "selects from a pilot's result; with --sd and --noise leave it out",
        )?;
        let each = length("--each", arguments.each.as_deref())?;
        goal.round_s = each.map(|each| 2.0 * each);
        match (&arguments.sd, &arguments.noise, each) {
            (Some(sd), _, _) => deviation_plan("two variants", share("--sd", sd, 0.0)?, &goal)
                .map_err(|error| statistics_failure(&error))?,
            (None, Some(path), Some(run_s)) => {
                let slice_s = length("--slice", arguments.slice.as_deref())?;
                noise::plan(path, run_s, slice_s, &mut goal)?
            }
            (None, ..) => {
                return Err(Failure::usage(
                    "a plan needs the RESULT of a pilot, --sd, or --noise and --each",
                ));
            }
        }
    };
    let text = match arguments.format {
        terminal::Form::Text => plan_text(&found, &terminal::text_options(false)),
        terminal::Form::Json => terminal::json(&found)?,
    };
    terminal::print(&text)?;
    Ok(None)
}

/// A time in seconds.
fn length(flag: &str, text: Option<&str>) -> Result<Option<f64>, Failure> {
    let length = text.map(perflab_experiment::parse_duration).transpose();
    let length = length.map_err(|error| Failure::usage(format!("{flag}: {error}")))?;
    if length.is_some_and(|length| length.is_zero()) {
        return Err(Failure::usage(format!("{flag}: expected more than 0s")));
    }
    Ok(length.map(|length| length.as_secs_f64()))
}

fn from_pilot(
    path: &Path,
    arguments: &PlanArguments,
    confidence: Option<f64>,
    goal: &mut Goal,
) -> Result<PlanReport, Failure> {
    let opened = open(path)?;
    let pilot = input(&opened)?;
    let sample_selection = SampleSelection {
        metrics: arguments.metric.clone(),
        benchmarks: arguments.benchmark.clone(),
        tails: Vec::new(),
    };
    let flags = Chosen {
        baseline: None,
        margin: None,
        confidence,
        questions: goal.questions,
    };
    let selection = Selection {
        // What is planned is a fixed number of runs.
        anytime: false,
        ..chosen(&pilot, flags)
    };
    goal.confidence = selection.confidence;
    goal.in_turns = selection.in_turns;
    let design = &pilot.experiment.design;
    let block = arguments.block.unwrap_or(design.block);
    goal.block = block as usize;
    if design.instance_lifetime() == Lifetime::Block {
        if block != design.block {
            return Err(Failure::usage(format!(
                "--block {block}: the runs of a block share a build here, and a pilot in blocks of {} does not tell how \
                 builds of other blocks scatter; leave --block out, or make a pilot with `block = {block}`",
                design.block
            )));
        }
        goal.shared = goal.block;
    }
    let cells = pilot.plan.cells.len() as f64;
    goal.round_s = Costs::of(pilot.records).map(|costs| costs.mean_s * cells);
    let subjects = result_subjects(
        pilot.experiment,
        pilot.plan,
        pilot.records,
        &sample_selection,
        &selection,
    )?;
    pilot_plan(&pilot.experiment.name, &subjects, &selection, goal).map_err(Failure::from)
}

/// As with a pilot, a difference that takes too many runs is no mistake in how it is written.
fn statistics_failure(error: &perflab_stats::Error) -> Failure {
    let code = match error {
        perflab_stats::Error::TooSmall { .. } => Code::NoData,
        _ => Code::Usage,
    };
    Failure::new(code, error.to_string())
}

/// A share above `above` and below 100 %.
fn share(flag: &str, text: &str, above: f64) -> Result<f64, Failure> {
    match percent(text) {
        Ok(share) if share > above && share < 1.0 => Ok(share),
        Ok(_) => Err(Failure::usage(format!(
            "{flag}: expected more than {}% and less than 100%, found {text}",
            above * 100.0
        ))),
        Err(failure) => Err(Failure::usage(format!("{flag}: {failure}"))),
    }
}
