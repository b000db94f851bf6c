//! From runs to a report: compares every variant with the baseline on every subject.

use std::borrow::Cow;
use std::collections::HashSet;
use std::panic::resume_unwind;
use std::thread;

use perflab_experiment::{Better, counted};
use perflab_stats::Observation;
use perflab_stats::anytime::compare_anytime;
use perflab_stats::mean::mean_interval;
use perflab_stats::verdict::{self, Cache, Sides, Terms, compare};

use crate::comparison::{
    Answer, Comparison, Design, MainMode, Row, Sameness, Side, Slow, SubjectKey, Verdict,
};
use crate::configuration::Configuration;
use crate::drift::{Drift, measured};
use crate::family::{Draft, judge};
use crate::pool::{Pool, pool, warn_outside};
use crate::selection::Selection;
use crate::warning::{RowWarning, Warning};
use crate::workers::Workers;

/// Runs of one variant on one metric.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The variant.
    pub variant: String,
    /// Its runs.
    pub observations: Vec<Observation>,
}

/// What may be compared: the same metric of the same benchmark under the same workload and parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Subject {
    /// What identifies it.
    pub key: SubjectKey,
    /// Runs by variant, the baseline among them.
    pub groups: Vec<Group>,
}

/// Why there is nothing to report.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AnalysisError {
    /// There are no samples at all.
    #[error("there are no samples to compare: no run that passed is recorded")]
    Empty,
    /// All runs that passed are in a block under way, which does not count until it is complete.
    #[error(
        "{}, and what is measured until it is decided is compared by complete blocks only; in the one under way: {} \
         that passed; `perflab run EXP.toml --resume --out RESULT` makes the rest",
        match *.complete {
            0 => "no block is complete yet",
            _ => "no run that passed is in a complete block",
        },
        counted(*.passed, "run")
    )]
    UnderWay {
        /// How many blocks are complete.
        complete: u32,
        /// How many runs of the block under way passed.
        passed: usize,
    },
    /// The baseline is not among the variants.
    #[error("there is no variant `{wanted}` to compare with; there are: {known}")]
    NoBaseline {
        /// What was asked for.
        wanted: String,
        /// What there is.
        known: String,
    },
    /// A variant has nothing to compare, or to compare with.
    #[error(
        "no run of `{variant}` passed, so there is nothing to compare: {failed} of its runs failed{detail}"
    )]
    NeverPassed {
        /// The variant.
        variant: String,
        /// How many runs of it are recorded.
        failed: usize,
        /// What the first of them died of, behind a semicolon; empty where nothing is known.
        detail: String,
    },
    /// Two results that measure different things.
    #[error(
        "the two have nothing in common: no variant, or no metric that the first one asks about that was measured in \
         the second under the same workload and parameters, in the same unit"
    )]
    NothingShared,
    /// A benchmark or a subset is asked for, and there is none.
    #[error(
        "there is no benchmark or subset `{wanted}`: the result has no benchmarks; leave --benchmark out"
    )]
    NoParts {
        /// What was asked for.
        wanted: String,
    },
    /// A filter names what there is not.
    #[error("there is no {what} `{wanted}`; there are: {known}")]
    Unknown {
        /// Kind of thing.
        what: &'static str,
        /// What was asked for.
        wanted: String,
        /// What there is.
        known: String,
    },
    /// A value of an old result, of a time when it was not refused.
    #[error(
        "run {run} of `{variant}`: expected 0 or a size from 1e-75 to 1e75 for {metric}, found {value:e}"
    )]
    Size {
        /// The run.
        run: u32,
        /// Its variant.
        variant: String,
        /// What was measured.
        metric: String,
        /// The value.
        value: f64,
    },
    /// There is but one variant.
    #[error("only the variant `{0}` has such runs, so there is nothing to compare it with")]
    OnlyBaseline(String),
    /// The numbers do not allow it.
    #[error("{what}: {source}")]
    Statistics {
        /// Which comparison.
        what: String,
        /// Why.
        source: perflab_stats::Error,
    },
}

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
    analyse_with(name, question, subjects, design, selection, measured)
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
    let warnings = one_sided(subjects, &baseline, &variants);
    let mut rows = compare_all(subjects, &baseline, selection, drift)?;
    let mut pooled = compare_all(&pools(subjects)?, &baseline, selection, drift)?;
    for draft in &mut pooled {
        warn_outside(&mut draft.row, rows.iter().map(|draft| &draft.row));
    }
    let claims = judge(&mut rows, &mut pooled, selection)?;
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
        claims,
        calibration: None,
        directory: None,
        warnings,
    })
}

pub(crate) fn variants(subjects: &[Subject]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for group in subjects.iter().flat_map(|subject| &subject.groups) {
        if !names.contains(&group.variant) {
            names.push(group.variant.clone());
        }
    }
    names
}

/// What the baseline was measured on and another variant was not, or the other way round, although both have runs beside
/// it, of the same workload with the same parameters: a benchmark that was dropped, or whose unit is another one.
pub(crate) fn one_sided(subjects: &[Subject], baseline: &str, variants: &[String]) -> Vec<Warning> {
    let has = |subject: &Subject, variant: &str| {
        let mut groups = subject.groups.iter();
        groups.any(|group| group.variant == variant && !group.observations.is_empty())
    };
    fn configuration(subject: &Subject) -> Configuration<'_> {
        Configuration(Cow::Borrowed(&subject.key.parameters))
    }
    let mut beside: HashSet<(&str, &str, Configuration<'_>)> = HashSet::new();
    for subject in subjects {
        for group in &subject.groups {
            beside.insert((
                &group.variant,
                &subject.key.workload,
                configuration(subject),
            ));
        }
    }
    let mut warnings = Vec::new();
    for variant in variants.iter().filter(|variant| *variant != baseline) {
        for (measured, missing) in [(baseline, variant.as_str()), (variant, baseline)] {
            let own = subjects.iter().filter(|subject| {
                let cell = (
                    missing,
                    subject.key.workload.as_str(),
                    configuration(subject),
                );
                has(subject, measured) && !has(subject, missing) && beside.contains(&cell)
            });
            let subjects: Vec<SubjectKey> = own.map(|subject| subject.key.clone()).collect();
            if !subjects.is_empty() {
                warnings.push(Warning::OneSided {
                    measured: measured.to_owned(),
                    missing: missing.to_owned(),
                    subjects,
                });
            }
        }
    }
    warnings
}

/// Subjects that are worth a thread.
const ENOUGH: usize = 8;

/// What has rows: a subject, or several as one.
pub(crate) trait Comparable: Sync {
    /// As a subject.
    fn subject(&self) -> &Subject;

    /// The runs of two groups of it; nothing where they cannot be compared.
    fn sides(&self, base: &Group, candidate: &Group)
    -> Result<Option<Sides>, perflab_stats::Error>;
}

impl Comparable for Subject {
    fn subject(&self) -> &Subject {
        self
    }

    fn sides(
        &self,
        base: &Group,
        candidate: &Group,
    ) -> Result<Option<Sides>, perflab_stats::Error> {
        let has_runs = |group: &Group| !group.observations.is_empty();
        if !has_runs(base) || !has_runs(candidate) {
            return Ok(None);
        }
        Sides::of(&base.observations, &candidate.observations).map(Some)
    }
}

impl Comparable for Pool<'_> {
    fn subject(&self) -> &Subject {
        &self.subject
    }

    fn sides(
        &self,
        base: &Group,
        candidate: &Group,
    ) -> Result<Option<Sides>, perflab_stats::Error> {
        self.sides(&base.variant, &candidate.variant)
    }
}

/// The pools of subjects.
pub(crate) fn pools(subjects: &[Subject]) -> Result<Vec<Pool<'_>>, AnalysisError> {
    pool(subjects).map_err(|source| AnalysisError::Statistics {
        what: "all subjects together".to_owned(),
        source,
    })
}

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

/// The baseline with each of the others.
pub(crate) fn pairs<'s>(
    subject: &'s Subject,
    baseline: &str,
) -> impl Iterator<Item = (&'s Group, &'s Group)> {
    let is_baseline = |group: &&Group| group.variant == baseline;
    let base = subject.groups.iter().find(is_baseline);
    base.into_iter().flat_map(|base| {
        let groups = subject.groups.iter();
        let others = groups.filter(|group| group.variant != base.variant);
        others.map(move |group| (base, group))
    })
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
    let row = Row {
        key: subject.key.clone(),
        variant: group.variant.clone(),
        base: side(&comparison.base, base, selection),
        candidate: side(&comparison.candidate, group, selection),
        relative: comparison.relative,
        typical: answer(&comparison.typical),
        mean: answer(&comparison.mean),
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
        detectable: None,
        deciles: Vec::new(),
        levels: Vec::new(),
        drift: None,
        latencies: Vec::new(),
        is_cause_unknown: false,
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
            verdict::Warning::Guarded { first } => {
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

fn side(summary: &perflab_stats::Summary, group: &Group, selection: &Selection) -> Side {
    let sd = summary.sd;
    // It holds for a number of runs that was fixed before.
    let interval = sd
        .filter(|_| !selection.anytime)
        .and_then(|sd| mean_interval(summary.n, summary.mean, sd, selection.confidence))
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

fn answer(answer: &verdict::Answer) -> Answer {
    Answer {
        difference: answer.difference,
        low: Some(answer.low).filter(|end| end.is_finite()),
        high: Some(answer.high).filter(|end| end.is_finite()),
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
