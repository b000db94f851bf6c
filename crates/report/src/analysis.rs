//! From runs to a report: groups samples, compares variants, shares the error among the claims.

use indexmap::IndexMap;
use perflab_experiment::{Better, Metric};
use perflab_stats::Observation;
use perflab_stats::anytime::compare_anytime;
use perflab_stats::multiplicity::holm_weighted;
use perflab_stats::verdict::{
    self, Cache, Comparison, MEAN_WEIGHT, TYPICAL_WEIGHT, Terms, Warning, compare,
};

use crate::headline::headline;
use crate::model::{Answer, Design, Report, Row, SCHEMA, Side, Slow, Verdict};

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

/// Which claims a report makes. Each takes its share of the error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claims {
    /// About the typical run.
    pub typical: bool,
    /// About the mean.
    pub mean: bool,
}

impl Default for Claims {
    fn default() -> Self {
        Self {
            typical: true,
            mean: true,
        }
    }
}

/// How to compare.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// The variant that the others are compared with; the first where absent.
    pub baseline: Option<String>,
    /// A variant that is the baseline once more.
    pub control: Option<String>,
    /// Largest relative difference that does not matter.
    pub margin: Option<f64>,
    /// Confidence level.
    pub confidence: f64,
    /// Which claims are made.
    pub claims: Claims,
    /// Whether the runs may have been stopped by their own results. Then only what holds whenever
    /// one stops is claimed, and nothing about the mean.
    pub anytime: bool,
}

impl Default for Selection {
    fn default() -> Self {
        Self {
            baseline: None,
            control: None,
            margin: None,
            confidence: 0.95,
            claims: Claims::default(),
            anytime: false,
        }
    }
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

/// A row, with what is needed until all claims are known.
struct Draft {
    row: Row,
    same: [Option<f64>; 2],
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
            Ok(draft(subject, group, base, &comparison))
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

/// The subjects over which a verdict can be pooled, as one subject per metric.
///
/// The run is the unit: its value is the geometric mean over subjects, that is, its effect is the
/// mean of logarithms. So what subjects have in common within a run counts once, not once each.
/// Where subjects are measured by separate executions, the first of each in a block make one.
pub(crate) fn pool(subjects: &[Subject]) -> Vec<Subject> {
    let mut by_metric: IndexMap<&Metric, Vec<&Subject>> = IndexMap::new();
    for subject in subjects {
        by_metric.entry(&subject.metric).or_default().push(subject);
    }
    by_metric
        .into_iter()
        .filter(|(_, members)| members.len() > 1)
        .filter_map(|(metric, members)| {
            let first = members.first()?;
            let groups: Vec<Group> = first
                .groups
                .iter()
                .map(|group| Group {
                    variant: group.variant.clone(),
                    observations: composites(&members, &group.variant),
                })
                .collect();
            let positive = members
                .iter()
                .flat_map(|member| &member.groups)
                .flat_map(|group| &group.observations)
                .all(|observation| observation.value > 0.0);
            // Leaving out the runs that have no logarithm would leave out the fastest.
            let complete = positive && groups.iter().all(|group| !group.observations.is_empty());
            let mut workloads: Vec<&str> = members.iter().map(|m| m.workload.as_str()).collect();
            workloads.dedup();
            complete.then(|| Subject {
                workload: workloads.join("+"),
                parameters: IndexMap::new(),
                part: Some(format!("all {} parts", members.len())),
                metric: metric.clone(),
                groups,
            })
        })
        .collect()
}

/// For each block the runs of a variant over all subjects together, as far as all have them.
fn composites(members: &[&Subject], variant: &str) -> Vec<Observation> {
    let mut by_block: IndexMap<u32, Vec<Vec<Observation>>> = IndexMap::new();
    for member in members {
        let mut own: IndexMap<u32, Vec<Observation>> = IndexMap::new();
        let group = member.groups.iter().find(|group| group.variant == variant);
        for observation in group.iter().flat_map(|group| &group.observations) {
            own.entry(observation.block).or_default().push(*observation);
        }
        for (block, observations) in own {
            by_block.entry(block).or_default().push(observations);
        }
    }
    let mut composites = Vec::new();
    for (block, columns) in by_block {
        let complete = columns.iter().map(Vec::len).min().unwrap_or(0);
        if columns.len() != members.len() {
            continue;
        }
        for run in 0..complete {
            let values = columns.iter().filter_map(|column| column.get(run));
            let logs: f64 = values.map(|observation| observation.value.ln()).sum();
            let value = (logs / columns.len() as f64).exp();
            let unit = columns
                .first()
                .and_then(|c| c.get(run))
                .map_or(0, |o| o.unit);
            composites.push(Observation { block, unit, value });
        }
    }
    composites
}

/// Shares the error among all claims, and gives every row its verdicts; how many claims there are.
fn judge(
    rows: &mut [Draft],
    pooled: &mut [Draft],
    selection: &Selection,
) -> Result<usize, AnalysisError> {
    let alpha = 1.0 - selection.confidence;
    let mut drafts: Vec<&mut Draft> = rows.iter_mut().chain(pooled).collect();
    let asked = [
        selection.claims.typical,
        selection.claims.mean && !selection.anytime,
    ];
    let weights = [TYPICAL_WEIGHT, MEAN_WEIGHT];
    let questions: Vec<usize> = (0..asked.len())
        .filter(|question| asked[*question])
        .collect();
    let mut differences = Vec::new();
    let mut sames = Vec::new();
    for draft in &drafts {
        for &question in &questions {
            let p = [draft.row.typical.p, draft.row.mean.p][question];
            differences.push((p, weights[question]));
            sames.push((draft.same[question].unwrap_or(1.0), weights[question]));
        }
    }
    let holm = |claims: &[(f64, f64)]| {
        holm_weighted(claims).map_err(|source| AnalysisError::Statistics {
            what: "all claims".to_owned(),
            source,
        })
    };
    let adjusted = holm(&differences)?;
    let same = holm(&sames)?;
    for (index, draft) in drafts.iter_mut().enumerate() {
        for (place, &question) in questions.iter().enumerate() {
            let claim = index * questions.len() + place;
            let better = draft.row.metric.better;
            let answer = match question {
                0 => &mut draft.row.typical,
                _ => &mut draft.row.mean,
            };
            answer.p_adjusted = Some(adjusted[claim]);
            answer.verdict = if selection.margin.is_some() && same[claim] <= alpha {
                Verdict::Same
            } else if adjusted[claim] <= alpha {
                match (answer.difference > 0.0, better) {
                    (true, Better::Higher) | (false, Better::Lower) => Verdict::Better,
                    _ => Verdict::Worse,
                }
            } else {
                Verdict::NotProven
            };
        }
        draft.row.headline = headline(&draft.row);
    }
    Ok(differences.len())
}
