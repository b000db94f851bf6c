//! How many runs it takes to show a difference, as values.

use indexmap::{IndexMap, IndexSet};
use perflab_stats::Observation;
use perflab_stats::planning::{
    self, Pilot, RelativeSd, beyond_steps, mean_runs, typical_runs, typical_runs_in_turns,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::comparable::Comparable;
use crate::error::AnalysisError;
use crate::pool::pools;
use crate::selection::{Question, Questions, Selection};
use crate::subject::{Subject, pairs, variants};

/// Runs that a difference takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanReport {
    /// Version of this format: 1.
    pub schema: u32,
    /// The pilot's experiment, or what is known.
    pub name: String,
    /// Relative difference to be shown, as 0.01.
    pub difference: f64,
    /// Chance that it is shown if it is there.
    pub power: f64,
    /// Confidence level of the report to come.
    pub confidence: f64,
    /// Tests of that report, which share the error.
    pub tests: usize,
    /// Runs of each variant in a block; 0 for a single block.
    pub block: usize,
    /// Runs of each variant in a block that share a unit, such as a build, and count as one; 1 where each run counts.
    pub shared: usize,
    /// One for each test.
    pub rows: Vec<PlanRow>,
    /// Tests for which nothing can be planned, and why.
    pub warnings: Vec<String>,
}

/// Runs for one test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanRow {
    /// What is compared.
    pub name: String,
    /// `typical` or `mean`.
    pub question: String,
    /// Whether the runs are executed in turns, one of each variant in a block.
    #[serde(default)]
    pub in_turns: bool,
    /// Relative standard deviation of a run, or of what runs share, as the question sees it: 0.005.
    pub relative_sd: f64,
    /// The same as it was planned with: the upper end of its one-sided 80 % interval.
    pub relative_sd_upper: f64,
    /// Runs of each variant.
    pub runs: usize,
    /// Time for all runs of all variants, in seconds; absent where no time is known.
    pub seconds: Option<f64>,
}

/// What is to be shown, and in what kind of report.
#[derive(Debug, Clone, PartialEq)]
pub struct Goal {
    /// Relative difference, as 0.01.
    pub difference: f64,
    /// Chance that it is shown if it is there.
    pub power: f64,
    /// Confidence level of the report.
    pub confidence: f64,
    /// Which questions it asks.
    pub questions: Questions,
    /// Runs of each variant in a block; 0 for a single block.
    pub block: usize,
    /// Runs of each variant in a block that share a unit and count as one; 1 where each run counts.
    pub shared: usize,
    /// Whether the runs of a block are executed in turns.
    pub in_turns: bool,
    /// Time of a run of each variant and group, all together, in seconds.
    pub round_s: Option<f64>,
}

/// The JSON Schema (draft 2020-12) of [`PlanReport`].
pub fn plan_schema() -> serde_json::Value {
    schemars::schema_for!(PlanReport).to_value()
}

/// A plan from a known standard deviation of runs, relative to their mean, of what is called so.
///
/// # Errors
/// A deviation or a goal outside its range.
pub fn deviation_plan(
    label: &str,
    sd: f64,
    goal: &Goal,
) -> Result<PlanReport, perflab_stats::Error> {
    let pilot = match goal.in_turns {
        true => Pilot::known_in_turns(sd)?,
        false => Pilot::known(sd, goal.block)?,
    };
    let mut plan = empty("known deviation".to_owned(), goal, 1);
    let mut failures = Failures::new();
    add_rows(&mut plan, label, &pilot, 1, &mut failures, goal);
    match failures.pop() {
        Some((_, error)) if plan.rows.is_empty() => Err(error),
        last => {
            warn(&mut plan, failures.into_iter().chain(last));
            Ok(plan)
        }
    }
}

/// What cannot be planned, and why.
type Failures = IndexMap<String, perflab_stats::Error>;

/// The rows of one comparison. Where the mean would take too many runs, the typical run may not.
fn add_rows(
    plan: &mut PlanReport,
    label: &str,
    pilot: &Pilot,
    comparisons: usize,
    failures: &mut Failures,
    goal: &Goal,
) {
    for (question, row) in rows(label, pilot, goal, comparisons) {
        match row {
            Ok(row) => plan.rows.push(row),
            Err(error) => {
                failures.insert(format!("{label}, {question}"), error);
            }
        }
    }
}

fn warn(plan: &mut PlanReport, failures: impl Iterator<Item = (String, perflab_stats::Error)>) {
    let warnings = failures.map(|(label, error)| format!("{label}: {error}"));
    plan.warnings = warnings.collect();
}

/// A plan from the runs of a pilot, a row for each test.
///
/// # Errors
/// When no row of the pilot can be planned from.
pub fn pilot_plan(
    name: &str,
    subjects: &[Subject],
    selection: &Selection,
    goal: &Goal,
) -> Result<PlanReport, AnalysisError> {
    let all = variants(subjects);
    let Some(baseline) = selection.baseline.clone().or_else(|| all.first().cloned()) else {
        return Err(AnalysisError::Empty);
    };
    let pools = pools(subjects)?;
    let all = subjects.iter().map(|subject| subject as &dyn Comparable);
    let pairs: Vec<_> = all
        .chain(pools.iter().map(|pool| pool as &dyn Comparable))
        .flat_map(|comparable| {
            // The control is no question, and shares no error with those that are.
            pairs(comparable.subject(), &baseline)
                .filter(|(_, group)| Some(&group.variant) != selection.control.as_ref())
                .map(move |(base, group)| (comparable, base, group))
        })
        .collect();
    let mut plan = empty(name.to_owned(), goal, pairs.len());
    let mut failures = Failures::new();
    for (comparable, base, group) in &pairs {
        let label = label(comparable.subject(), &group.variant);
        let pilot = match comparable.sides(base, group) {
            Ok(Some(sides)) => Pilot::of(&sides, goal.in_turns),
            Ok(None) => Err(perflab_stats::Error::NoPairs {
                blocks: blocks(&base.observations),
            }),
            Err(error) => Err(error),
        };
        let pilot = match pilot {
            Ok(pilot) => pilot,
            Err(error) => {
                failures.insert(label, error);
                continue;
            }
        };
        add_rows(&mut plan, &label, &pilot, pairs.len(), &mut failures, goal);
    }
    if plan.rows.is_empty() {
        return Err(failures
            .into_iter()
            .next()
            .map_or(AnalysisError::OnlyBaseline(baseline), |(what, source)| {
                AnalysisError::Statistics { what, source }
            }));
    }
    warn(&mut plan, failures.into_iter());
    Ok(plan)
}

fn blocks(observations: &[Observation]) -> usize {
    let blocks: IndexSet<u32> = observations.iter().map(|run| run.block).collect();
    blocks.len()
}

fn empty(name: String, goal: &Goal, comparisons: usize) -> PlanReport {
    PlanReport {
        schema: 1,
        name,
        difference: goal.difference,
        power: goal.power,
        confidence: goal.confidence,
        tests: comparisons * goal.questions.asked().len(),
        block: goal.block,
        shared: goal.shared,
        rows: Vec::new(),
        warnings: Vec::new(),
    }
}

/// The tests about one comparison of `comparisons`. Each gets the share of the error that is left
/// for it when no other test of the report proves anything.
fn rows(
    name: &str,
    pilot: &Pilot,
    goal: &Goal,
    comparisons: usize,
) -> Vec<(&'static str, Result<PlanRow, perflab_stats::Error>)> {
    let questions = goal.questions.asked();
    let weights = comparisons as f64 * questions.iter().map(|(_, weight)| weight).sum::<f64>();
    questions
        .into_iter()
        .filter_map(|(question, weight)| {
            type Runs = fn(f64, &planning::Goal, usize) -> Result<usize, perflab_stats::Error>;
            let [typical, mean] = pilot.hidden;
            let (question, sd, hidden, runs): (_, RelativeSd, _, Runs) = match question {
                Question::Typical if goal.in_turns => {
                    ("typical", pilot.typical, typical, |sd, goal, _| {
                        typical_runs_in_turns(sd, goal)
                    })
                }
                Question::Typical => ("typical", pilot.typical, typical, typical_runs),
                Question::Mean => ("mean", pilot.mean, mean, mean_runs),
                // As in the report, they are asked of together with both.
                Question::SlowRuns => return None,
            };
            let goal_of_test = |difference| planning::Goal {
                difference,
                power: goal.power,
                confidence: 1.0 - (1.0 - goal.confidence) * weight / weights,
            };
            // The deviation is that of units, so it is units that are planned.
            let units = beyond_steps(goal.difference, hidden).and_then(|difference| {
                runs(
                    sd.upper,
                    &goal_of_test(difference),
                    goal.block / goal.shared,
                )
            });
            let row = units.map(|units| PlanRow {
                name: name.to_owned(),
                question: question.to_owned(),
                in_turns: goal.in_turns,
                relative_sd: sd.estimate,
                relative_sd_upper: sd.upper,
                runs: units * goal.shared,
                seconds: goal
                    .round_s
                    .map(|seconds| seconds * (units * goal.shared) as f64),
            });
            Some((question, row))
        })
        .collect()
}

fn label(subject: &Subject, variant: &str) -> String {
    let mut words = vec![subject.key.workload.clone()];
    words.extend(
        subject
            .key
            .parameters
            .iter()
            .map(|(key, value)| format!("{key}={value}")),
    );
    words.extend(subject.key.benchmark.clone());
    format!("{variant}: {} {}", words.join(" "), subject.key.metric.name)
}
