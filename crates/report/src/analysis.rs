//! From runs to a report: compares every variant with the baseline on every subject.

use indexmap::IndexMap;
use perflab_experiment::{Better, Metric};
use perflab_stats::Observation;
use perflab_stats::anytime::compare_anytime;
use perflab_stats::verdict::{self, Cache, Comparison, Terms, Warning, compare};

use crate::drift::measured;
use crate::judge::{Draft, judge};
use crate::model::{Answer, Design, Report, Row, SCHEMA, Side, Slow, Verdict};
use crate::pool::pool;
use crate::selection::Selection;

/// Runs of one variant on one metric.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The variant.
    pub variant: String,
    /// Its runs.
    pub observations: Vec<Observation>,
}

/// What may be compared: the same metric of the same part under the same workload and parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Subject {
    /// The workload.
    pub workload: String,
    /// Parameter values.
    pub parameters: IndexMap<String, String>,
    /// The part, where the workload has parts.
    pub part: Option<String>,
    /// What was measured.
    pub metric: Metric,
    /// Runs by variant, the baseline among them.
    pub groups: Vec<Group>,
}

/// Why there is nothing to report.
#[derive(Debug, thiserror::Error)]
pub enum AnalysisError {
    /// There are no samples at all.
    #[error("there are no samples to compare: no run that passed is recorded")]
    Empty,
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
    /// There is but one variant.
    #[error("there is only the variant `{0}`, and nothing to compare it with")]
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
) -> Result<Report, AnalysisError> {
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
    let mut cache = Cache::default();
    let mut rows = Vec::new();
    for subject in subjects {
        rows.extend(compare_subject(subject, &baseline, selection, &mut cache)?);
    }
    let mut pooled = Vec::new();
    for subject in pool(subjects) {
        pooled.extend(compare_subject(&subject, &baseline, selection, &mut cache)?);
    }
    let claims = judge(&mut rows, &mut pooled, selection)?;
    Ok(Report {
        schema: SCHEMA,
        name: name.to_owned(),
        question,
        baseline,
        control: selection.control.clone(),
        confidence: selection.confidence,
        margin: selection.margin,
        design,
        rows: rows.into_iter().map(|draft| draft.row).collect(),
        pooled: pooled.into_iter().map(|draft| draft.row).collect(),
        claims,
        warnings: Vec::new(),
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

fn compare_subject(
    subject: &Subject,
    baseline: &str,
    selection: &Selection,
    cache: &mut Cache,
) -> Result<Vec<Draft>, AnalysisError> {
    let Some(base) = subject
        .groups
        .iter()
        .find(|group| group.variant == baseline)
    else {
        return Ok(Vec::new());
    };
    let terms = Terms {
        better: match subject.metric.better {
            Better::Higher => perflab_stats::Better::Higher,
            Better::Lower => perflab_stats::Better::Lower,
        },
        confidence: selection.confidence,
        margin: selection.margin,
    };
    subject
        .groups
        .iter()
        .filter(|group| group.variant != baseline && !group.observations.is_empty())
        .filter(|_| !base.observations.is_empty())
        .map(|group| {
            let (a, b) = (&base.observations, &group.observations);
            let comparison = if selection.anytime {
                compare_anytime(a, b, &terms, &mut cache.null)
            } else {
                compare(a, b, &terms, cache)
            };
            let comparison = comparison.map_err(|source| AnalysisError::Statistics {
                what: format!("{} of {}", subject.metric.name, group.variant),
                source,
            })?;
            let mut draft = draft(subject, group, base, &comparison);
            draft.row.drift = measured(base, group, comparison.relative, selection);
            Ok(draft)
        })
        .collect()
}

fn draft(subject: &Subject, group: &Group, base: &Group, comparison: &Comparison) -> Draft {
    let row = Row {
        workload: subject.workload.clone(),
        parameters: subject.parameters.clone(),
        part: subject.part.clone(),
        metric: subject.metric.clone(),
        variant: group.variant.clone(),
        base: side(&comparison.base, base),
        candidate: side(&comparison.candidate, group),
        relative: comparison.relative,
        typical: answer(&comparison.typical),
        mean: answer(&comparison.mean),
        slow: comparison.slow.map(|slow| Slow {
            base: slow.base,
            candidate: slow.candidate,
            difference: slow.difference,
            low: slow.low,
            high: slow.high,
            p: slow.p,
        }),
        detectable: comparison
            .detectable
            .filter(|smallest| smallest.is_finite()),
        deciles: Vec::new(),
        levels: Vec::new(),
        drift: None,
        latencies: Vec::new(),
        headline: String::new(),
        warnings: comparison
            .warnings
            .iter()
            .map(|warning| in_words(*warning))
            .collect(),
    };
    Draft {
        row,
        same: [comparison.typical.p_same, comparison.mean.p_same],
    }
}

fn side(summary: &perflab_stats::Summary, group: &Group) -> Side {
    Side {
        n: summary.n,
        min: summary.min,
        median: summary.median,
        mean: summary.mean,
        max: summary.max,
        sd: summary.sd,
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
        verdict: Verdict::NotProven,
    }
}

fn in_words(warning: Warning) -> String {
    match warning {
        Warning::TooFew { blocks } => {
            format!("too few runs to prove anything; {blocks} blocks of this size are the least")
        }
        Warning::SlowMode => "some runs fall into a slow mode".to_owned(),
        Warning::FastMode => "a few runs are far better than the others".to_owned(),
        Warning::Guarded => {
            "the guard stopped a verdict: the two sides scatter differently".to_owned()
        }
        Warning::RatioUnbounded => {
            "the baseline's mean is too uncertain for an interval of the ratio".to_owned()
        }
        Warning::Absolute => "values that are not positive: differences are absolute".to_owned(),
        Warning::Exact => "the values do not vary at all".to_owned(),
    }
}
