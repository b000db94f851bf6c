//! From runs to a report: compares every variant with the baseline on every subject.

use std::panic::resume_unwind;
use std::thread;

use perflab_experiment::Better;
use perflab_stats::anytime::compare_anytime;
use perflab_stats::mean::mean_interval;
use perflab_stats::verdict::{self, Cache, Terms, compare};

use crate::comparable::Comparable;
use crate::comparison::{Comparison, Design};
use crate::drift::drift_of;
use crate::error::AnalysisError;
use crate::family::{Draft, decide_tests};
use crate::one_sided::one_sided;
use crate::pool::{pools, warn_outside};
use crate::row::{Answer, MainMode, Row, Sameness, Side, Slow};
use crate::row_warning::RowWarning;
use crate::selection::Selection;
use crate::steps::step_warnings;
use crate::subject::{Group, Subject, pairs, variants};
use crate::trend::Drift;
use crate::verdict::Verdict;
use crate::workers::Workers;

/// Compares every variant with the baseline on every subject.
///
/// # Errors
/// When there is nothing to compare: see [`AnalysisError`].
pub fn analyse(
    name: &str,
    question: Option<String>,
    subjects: &[Subject],
    design: Design,
    selection: &Selection,
) -> Result<Comparison, AnalysisError> {
    analyse_with(name, question, subjects, design, selection, drift_of)
}

/// How the drift of two groups is found.
pub(crate) type OfDrift = fn(&Group, &Group, bool, &Selection) -> Option<Drift>;

/// The same with the drift that `drift` finds.
pub(crate) fn analyse_with(
    name: &str,
    question: Option<String>,
    subjects: &[Subject],
    design: Design,
    selection: &Selection,
    drift: OfDrift,
) -> Result<Comparison, AnalysisError> {
    let variants = variants(subjects);
    let Some(first) = variants.first() else {
        return Err(AnalysisError::Empty);
    };
    let baseline = selection.baseline.clone().unwrap_or_else(|| first.clone());
    if !variants.contains(&baseline) {
        return Err(AnalysisError::NoBaseline {
            wanted: baseline,
            known: variants.join(", "),
        });
    }
    if variants.len() == 1 {
        return Err(AnalysisError::OnlyBaseline(baseline));
    }
    let mut warnings = one_sided(subjects, &baseline, &variants);
    let mut rows = compare_all(subjects, &baseline, selection, drift)?;
    let mut pooled = compare_all(&pools(subjects)?, &baseline, selection, drift)?;
    for draft in &mut pooled {
        warn_outside(&mut draft.row, rows.iter().map(|draft| &draft.row));
    }
    let tests = decide_tests(&mut rows, &mut pooled, selection)?;
    warnings.extend(step_warnings(rows.iter().map(|draft| &draft.row)));
    Ok(Comparison {
        name: name.to_owned(),
        question,
        baseline,
        control: selection.control.clone(),
        confidence: selection.confidence,
        margin: selection.margin,
        design,
        rows: rows.into_iter().map(|draft| draft.row).collect(),
        pooled: pooled.into_iter().map(|draft| draft.row).collect(),
        observation: Vec::new(),
        tests,
        calibration: None,
        directory: None,
        warnings,
    })
}

/// Subjects that are worth a thread.
const ENOUGH: usize = 8;

/// Compares on all subjects, in their order, on all processors.
fn compare_all<C: Comparable>(
    subjects: &[C],
    baseline: &str,
    selection: &Selection,
    drift: OfDrift,
) -> Result<Vec<Draft>, AnalysisError> {
    let compare = |subjects: &[C]| -> Result<Vec<Draft>, AnalysisError> {
        let mut cache = Cache::default();
        let mut drafts = Vec::new();
        for subject in subjects {
            drafts.extend(compare_subject(
                subject, baseline, selection, drift, &mut cache,
            )?);
        }
        Ok(drafts)
    };
    let workers = Workers::take(subjects.len() / ENOUGH);
    if workers.count() < 2 {
        return compare(subjects);
    }
    thread::scope(|scope| {
        let parts: Vec<_> = subjects
            .chunks(subjects.len().div_ceil(workers.count()))
            .map(|part| scope.spawn(move || compare(part)))
            .collect();
        let mut drafts = Vec::new();
        for part in parts {
            drafts.extend(part.join().unwrap_or_else(|panic| resume_unwind(panic))?);
        }
        Ok(drafts)
    })
}

fn compare_subject<C: Comparable>(
    comparable: &C,
    baseline: &str,
    selection: &Selection,
    drift: OfDrift,
    cache: &mut Cache,
) -> Result<Vec<Draft>, AnalysisError> {
    let subject = comparable.subject();
    let terms = Terms {
        better: match subject.key.metric.better {
            Better::Higher => perflab_stats::Better::Higher,
            Better::Lower | Better::Neither => perflab_stats::Better::Lower,
        },
        confidence: selection.confidence,
        margin: selection.margin,
        in_turns: selection.in_turns,
    };
    let mut drafts = Vec::new();
    for (base, group) in pairs(subject, baseline) {
        let refused = |source| AnalysisError::Statistics {
            what: format!("{} of {}", subject.key.metric.name, group.variant),
            source,
        };
        let Some(sides) = comparable.sides(base, group).map_err(refused)? else {
            continue;
        };
        let comparison = if selection.anytime {
            compare_anytime(sides, &terms, &mut cache.null)
        } else {
            compare(sides, &terms, cache)
        };
        let comparison = comparison.map_err(refused)?;
        let mut draft = draft(subject, group, base, &comparison, selection);
        draft.row.drift = drift(base, group, comparison.relative, selection);
        drafts.push(draft);
    }
    Ok(drafts)
}

fn draft(
    subject: &Subject,
    group: &Group,
    base: &Group,
    comparison: &verdict::Comparison,
    selection: &Selection,
) -> Draft {
    // Where neither way is better, no run is slow.
    let slow = comparison.slow.as_ref();
    let slow = slow.filter(|_| subject.key.metric.better != Better::Neither);
    let [of_base, of_candidate] = comparison.rounding.means;
    let largest = match comparison.relative {
        true => 1.0,
        false => {
            let ends = [&comparison.base, &comparison.candidate].map(|side| [side.min, side.max]);
            ends.into_iter()
                .flatten()
                .fold(0.0, |most: f64, end| most.max(end.abs()))
        }
    };
    // Of figures of this size, sums and differences leave so much where nothing ought to be left.
    let least = 4.0 * f64::EPSILON * largest;
    let row = Row {
        key: subject.key.clone(),
        variant: group.variant.clone(),
        base: side(&comparison.base, base, of_base, selection),
        candidate: side(&comparison.candidate, group, of_candidate, selection),
        relative: comparison.relative,
        typical: answer(&comparison.typical, least),
        mean: answer(&comparison.mean, least),
        slow: slow.map(|slow| Slow {
            base: slow.base,
            candidate: slow.candidate,
            difference: slow.difference,
            low: slow.low,
            high: slow.high,
            p: slow.p,
            p_adjusted: None,
            verdict: Verdict::NotProven,
            main: slow.main.map(|main| MainMode {
                difference: main.difference,
                low: Some(main.low).filter(|end| end.is_finite()),
                high: Some(main.high).filter(|end| end.is_finite()),
            }),
        }),
        mde: None,
        deciles: Vec::new(),
        levels: Vec::new(),
        limits: None,
        drift: None,
        latencies: Vec::new(),
        is_cause_unknown: false,
        grids: match comparison.rounding.is_any() {
            true => subject.grids(base, group),
            false => [None; 2],
        },
        rounding: comparison.rounding,
        warnings: Vec::new(),
    };
    let mut draft = Draft {
        row,
        least: comparison.least,
        stopped: None,
    };
    for found in &comparison.warnings {
        let warning = match *found {
            verdict::Warning::TooFew { blocks } => RowWarning::TooFew { blocks },
            verdict::Warning::SlowMode => RowWarning::SlowMode {
                has_mean: !selection.anytime,
            },
            verdict::Warning::FastMode => RowWarning::FastMode,
            verdict::Warning::RatioUnbounded => RowWarning::RatioUnbounded,
            verdict::Warning::Absolute => RowWarning::Absolute,
            verdict::Warning::Exact => RowWarning::Exact,
            verdict::Warning::NotConfirmed { first } => {
                draft.stopped = Some((first, RowWarning::NotConfirmed));
                continue;
            }
            verdict::Warning::SlowRunsAlone { first } => {
                draft.stopped = Some((first, RowWarning::SlowRunsAlone));
                continue;
            }
        };
        draft.row.warnings.push(warning);
    }
    draft
}

/// The runs of a side, whose mean may be off by so much as its values lie in steps.
fn side(summary: &perflab_stats::Summary, group: &Group, off: f64, selection: &Selection) -> Side {
    let sd = summary.sd;
    // It holds for a number of runs that was fixed before.
    let interval = sd
        .filter(|_| !selection.anytime)
        .and_then(|sd| mean_interval(summary.n, summary.mean, sd, selection.confidence))
        .map(|(low, high)| (low - off, high + off))
        .map(|(low, high)| {
            // Values that are all above zero have a mean above zero.
            let least = if summary.min > 0.0 { 0.0 } else { low };
            (low.max(least), high)
        });
    let is_finite = |end: &f64| end.is_finite();
    Side {
        n: summary.n,
        min: summary.min,
        median: summary.median,
        mean: summary.mean,
        max: summary.max,
        sd,
        mean_low: interval.map(|(low, _)| low).filter(is_finite),
        mean_high: interval.map(|(_, high)| high).filter(is_finite),
        values: group
            .observations
            .iter()
            .map(|observation| observation.value)
            .collect(),
    }
}

/// Figures below `least` are 0.
fn answer(answer: &verdict::Answer, least: f64) -> Answer {
    let rounded = |figure: f64| if figure.abs() < least { 0.0 } else { figure };
    Answer {
        difference: rounded(answer.difference),
        low: Some(rounded(answer.low)).filter(|end| end.is_finite()),
        high: Some(rounded(answer.high)).filter(|end| end.is_finite()),
        p: answer.p,
        p_adjusted: None,
        same: answer.p_same.map(|p| Sameness {
            p,
            p_adjusted: None,
            beside: None,
        }),
        verdict: Verdict::NotProven,
    }
}
