//! The answer measured again: both sides of the change, with fresh builds.

use perflab_compare::{SampleSelection, Selection, SubjectKey, compare_result};
use perflab_experiment::counted;
use perflab_history::{Builder, Built, CampaignFacts, Purpose, Revision, value_of};
use perflab_report::{Estimate, headline, operand, probability};
use perflab_stats::bisection::{Found, Revision as Place};
use perflab_stats::boschloo::boschloo;
use perflab_stats::proportion::Proportion;
use perflab_stats::summary::median;
use perflab_store::OpenedResult;

use super::failed::{Count, has_failed};
use super::steps::Steps;
use crate::failure::Failure;
use crate::history::campaign::Campaign;
use crate::history::session::Sides;

/// What the search is about.
#[derive(Debug, Clone, Copy)]
pub(super) enum Question<'q> {
    /// Runs fail.
    Fails,
    /// A metric differs.
    Differs(&'q SubjectKey),
}

/// Largest p-value with which more failures count as shown.
const LEVEL: f64 = 0.05;

/// Measures the revision that was found and those before it again. Returns what came out, and whether it is confirmed
/// against each of those before.
pub(super) fn confirm(
    steps: &Steps<'_>,
    found: &Found,
    builder: &mut Builder<'_>,
    runs: Sides,
    question: Question<'_>,
) -> Result<(String, bool), Failure> {
    let candidate = found.after.first().map(|at| steps.range.at(Place::At(*at)));
    let before: Vec<&Revision> = found
        .before
        .iter()
        .map(|place| steps.range.at(*place))
        .collect();
    let Some(candidate) = candidate.filter(|_| !before.is_empty()) else {
        let text = "NOT confirmed: no revision before or after the answer can be measured\n";
        return Ok((text.to_owned(), false));
    };
    let sides: Vec<&Revision> = before.iter().copied().chain([candidate]).collect();
    let (facts, result) = match former(steps, &sides, runs, builder)? {
        Some(former) => former,
        None => measure(steps, &sides, builder, runs)?,
    };
    let mut text = String::new();
    let mut is_confirmed = true;
    for base in &before {
        let (said, holds) = match question {
            Question::Fails => failures(steps, &result, base, candidate)?,
            Question::Differs(subject) => {
                let rises = rises(steps, subject)?;
                difference(&result, (subject, rises), base, candidate)?
            }
        };
        is_confirmed &= holds;
        let word = if holds { "confirmed" } else { "NOT confirmed" };
        text += &format!("{word}: {said}\n");
    }
    let path = steps.session.directory.result(&facts);
    text += &format!("perflab compare {} shows more\n", operand(&path));
    Ok((text, is_confirmed))
}

/// Whether the metric is higher at the newer end, by all runs of the search.
fn rises(steps: &Steps<'_>, subject: &SubjectKey) -> Result<bool, Failure> {
    let of = |end| steps.values_of(end, |record| value_of(record, subject));
    Ok(median(&of(steps.range.bad())?)? > median(&of(&steps.range.good)?)?)
}

/// The last confirmation of this answer, resumed if it was interrupted; nothing if it has fewer runs than are asked for.
fn former(
    steps: &Steps<'_>,
    sides: &[&Revision],
    runs: Sides,
    builder: &mut Builder<'_>,
) -> Result<Option<(CampaignFacts, OpenedResult)>, Failure> {
    let Some(facts) = steps.campaigns(&Purpose::Confirm)?.pop() else {
        return Ok(None);
    };
    if !facts.measured().eq(sides.iter().copied()) {
        return Ok(None);
    }
    steps.go_on(&facts, builder)?;
    let is_enough = |result: &OpenedResult| {
        let planned = result.plan.runs.len();
        let wanted = runs.enough() as usize * sides.len();
        result.records.len() >= planned && planned >= wanted
    };
    let result = steps.session.directory.opened(&facts)?.filter(is_enough);
    Ok(result.map(|result| (facts, result)))
}

fn measure(
    steps: &Steps<'_>,
    sides: &[&Revision],
    builder: &mut Builder<'_>,
    runs: Sides,
) -> Result<(CampaignFacts, OpenedResult), Failure> {
    let session = &steps.session;
    let mut ready: Vec<(Revision, Built)> = Vec::new();
    let mut facts = steps.facts(Purpose::Confirm)?;
    for revision in sides {
        let side = steps.fresh(revision, &ready, builder)?;
        match ready.is_empty() {
            true => facts.control = side.0.clone(),
            false => facts.add(&side.0, &side.1),
        }
        ready.push(side);
    }
    let design = runs.design(session.read);
    let each = design.runs.unwrap_or_default() as usize;
    let campaign = Campaign::new(session.read, &ready, design)?;
    session.say(&format!(
        "measuring {} with fresh builds, {} of each, to confirm the answer",
        counted(ready.len(), "revision"),
        counted(each, "run")
    ));
    session.measure(facts.clone(), &ready, &campaign, builder)?;
    let result = session.directory.opened(&facts)?;
    let result =
        result.ok_or_else(|| Failure::no_data("nothing was measured to confirm the answer"))?;
    Ok((facts, result))
}

/// The difference of a metric in words, and whether it is proven.
fn difference(
    result: &OpenedResult,
    (subject, rises): (&SubjectKey, bool),
    base: &Revision,
    candidate: &Revision,
) -> Result<(String, bool), Failure> {
    let input = crate::selection::input(result)?;
    let selection = Selection {
        baseline: Some(base.name()),
        ..Selection::of(input.experiment, input.origin)
    };
    let samples = SampleSelection {
        metrics: vec![subject.metric.name.clone()],
        benchmarks: subject.benchmark.iter().cloned().collect(),
        ..SampleSelection::default()
    };
    let report = compare_result(&input, &samples, &selection)?;
    let name = candidate.name();
    let row = report
        .rows
        .iter()
        .find(|row| row.variant == name && row.key == *subject);
    let Some(row) = row else {
        return Ok((
            format!("{name} and {} cannot be compared", base.name()),
            false,
        ));
    };
    let text = format!(
        "{name} against {}, the one before: {}, {}, {} of each",
        base.name(),
        headline(row),
        Estimate::from(&row.typical).text(row),
        counted(row.candidate.n.min(row.base.n), "run"),
    );
    let has_risen = row.typical.difference > 0.0;
    Ok((
        text,
        row.typical.verdict.is_difference() && has_risen == rises,
    ))
}

/// How often each side fails, and whether that differs.
fn failures(
    steps: &Steps<'_>,
    result: &OpenedResult,
    base: &Revision,
    candidate: &Revision,
) -> Result<(String, bool), Failure> {
    let of = |revision: &Revision, workload: Option<&str>| {
        let name = revision.name();
        let own = result.records.iter().filter(|record| {
            record.variant == name && workload.is_none_or(|name| record.workload == name)
        });
        Count::of(own.filter_map(has_failed))
    };
    let both = |workload| [of(candidate, workload), of(base, workload)];
    let [bad, good] = both(None);
    let more = bad.failed * good.all > good.failed * bad.all;
    let [of_good, of_bad] = [good, bad].map(|count| Proportion::new(count.failed, count.all));
    let test = boschloo(of_good?, of_bad?);
    let names = [candidate.name(), base.name()];
    let mut text = format!(
        "{}, {}",
        Count::text(&names, [bad, good]),
        probability(test.p)
    );
    for workload in &steps.apart() {
        let of_workload = Count::text(&names, both(Some(workload)));
        text += &format!("\n  {workload}: {of_workload}");
    }
    Ok((text, more && test.p <= LEVEL))
}
