//! `perflab plan`: how many runs it takes to show a difference.

use std::path::{Path, PathBuf};

use clap::Args;
use perflab_compare::{
    Costs, Goal, PlanReport, SampleSelection, Selection, deviation_plan, pilot_plan,
    result_subjects,
};
use perflab_experiment::Lifetime;
use perflab_report::{TextOptions, plan_text};

use crate::failure::{Code, Failure};
use crate::numbers::refuse;
use crate::percent::percent;
use crate::selection::{Chosen, Question, chosen, confidence, input, open, questions};
use crate::terminal;

/// Plan how many runs it takes to show a difference.
///
/// From the runs of a pilot, or from a known standard deviation.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  perflab plan results/first --show 1%\n  \
perflab plan --sd 0.5% --show 1% --each 30s")]
pub struct PlanArguments {
    /// The result of a pilot: a few blocks of the same experiment.
    #[arg(
        value_name = "RESULT",
        required_unless_present = "sd",
        conflicts_with = "sd"
    )]
    result: Option<PathBuf>,

    /// The relative difference to be shown, as in 1%.
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    show: String,

    /// Standard deviation of runs, relative to their mean, instead of a pilot.
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    sd: Option<String>,

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

    /// Time of one run, as 30s or 2m, with --sd.
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
        round_s: None,
    };
    let found = match (&arguments.result, &arguments.sd) {
        (Some(path), _) => {
            refuse(
                &[("--each", arguments.each.is_some())],
                "is for --sd; a pilot's result has the times of its runs",
            )?;
            from_pilot(path, arguments, confidence, &mut goal)?
        }
        (None, Some(sd)) => {
            refuse(
                &[
                    ("--metric", !arguments.metric.is_empty()),
                    ("--benchmark", !arguments.benchmark.is_empty()),
                ],
                "selects from a pilot's result; with --sd leave it out",
            )?;
            let each = arguments
                .each
                .as_deref()
                .map(perflab_experiment::parse_duration);
            let each = each
                .transpose()
                .map_err(|error| Failure::usage(format!("--each: {error}")))?;
            goal.round_s = each.map(|each| 2.0 * each.as_secs_f64());
            deviation_plan(share("--sd", sd, 0.0)?, &goal)
                .map_err(|error| statistics_failure(&error))?
        }
        (None, None) => return Err(Failure::usage("a plan needs a pilot's result, or --sd")),
    };
    let text = match arguments.format {
        terminal::Form::Text => plan_text(
            &found,
            &TextOptions {
                width: terminal::columns().unwrap_or(120),
                colour: false,
                ascii: false,
            },
        ),
        terminal::Form::Json => terminal::json(&found)?,
    };
    terminal::print(&text)?;
    Ok(None)
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
        in_turns: false,
        ..chosen(&pilot, flags)
    };
    goal.confidence = selection.confidence;
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
