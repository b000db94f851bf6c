//! The error shared among all claims of a report.
//!
//! The claims about the question are one family: at a confidence of 95 % there is at most a chance
//! of 5 % that any of them is false, be it of a difference or of sameness. Those about the control
//! are a family of their own: it is a check of the laboratory, and takes no power from the question.

use std::cmp::Ordering;

use perflab_experiment::Better;
use perflab_stats::detectable::from_half_width;
use perflab_stats::multiplicity::{Adjusted, Claim, holm_claims};
use perflab_stats::verdict::{DETECTABLE_POWER, Least, MEAN_WEIGHT, TYPICAL_WEIGHT};

use crate::analysis::AnalysisError;
use crate::headline::headline;
use crate::model::{Answer, Row, Verdict};
use crate::selection::Selection;

/// A row, with what is needed until all claims are known.
pub(crate) struct Draft {
    pub(crate) row: Row,
    /// The most that the design could prove of the typical run.
    pub(crate) least: Least,
}

/// Shares the error among all claims of each family, and gives every row its verdicts; how many claims the family of
/// the question has.
pub(crate) fn judge(
    rows: &mut [Draft],
    pooled: &mut [Draft],
    selection: &Selection,
) -> Result<usize, AnalysisError> {
    let all: Vec<&mut Draft> = rows.iter_mut().chain(pooled).collect();
    let is_control = |draft: &&mut Draft| Some(&draft.row.variant) == selection.control.as_ref();
    let (control, question): (Vec<_>, Vec<_>) = all.into_iter().partition(is_control);
    judge_family(control, selection)?;
    judge_family(question, selection)
}

/// What is asked of each row, and the share of the error that it gets.
fn questions(selection: &Selection) -> Vec<(usize, f64)> {
    let typical = selection.claims.typical.then_some((0, TYPICAL_WEIGHT));
    let mean = (selection.claims.mean && !selection.anytime).then_some((1, MEAN_WEIGHT));
    typical.into_iter().chain(mean).collect()
}

fn judge_family(family: Vec<&mut Draft>, selection: &Selection) -> Result<usize, AnalysisError> {
    let alpha = 1.0 - selection.confidence;
    let questions = questions(selection);
    let claims: Vec<Claim> = family
        .iter()
        .flat_map(|draft| {
            let answers = [&draft.row.typical, &draft.row.mean];
            questions.iter().map(move |&(question, weight)| Claim {
                difference: answers[question].p,
                same: answers[question].same.as_ref().map(|same| same.p),
                weight,
            })
        })
        .collect();
    let adjusted = holm_claims(&claims).map_err(|source| AnalysisError::Statistics {
        what: "all claims".to_owned(),
        source,
    })?;
    let weights: f64 = claims.iter().map(|claim| claim.weight).sum();
    let mut adjusted = adjusted.into_iter();
    for draft in family {
        let better = draft.row.metric.better;
        for ((question, _), adjusted) in questions.iter().zip(&mut adjusted) {
            let answer = match question {
                0 => &mut draft.row.typical,
                _ => &mut draft.row.mean,
            };
            decide(answer, adjusted, better, alpha);
        }
        if selection.claims.typical && !selection.anytime {
            // What is left for it when no other claim is proven.
            let level = alpha * TYPICAL_WEIGHT / weights;
            limit(draft, level, claims.len(), selection);
        }
        draft.row.headline = headline(&draft.row);
    }
    Ok(claims.len())
}

fn decide(answer: &mut Answer, adjusted: Adjusted, better: Better, alpha: f64) {
    let difference = match (answer.difference.partial_cmp(&0.0), better) {
        _ if adjusted.difference > alpha => None,
        (Some(Ordering::Greater), Better::Higher) | (Some(Ordering::Less), Better::Lower) => {
            Some(Verdict::Better)
        }
        (Some(Ordering::Greater), Better::Lower) | (Some(Ordering::Less), Better::Higher) => {
            Some(Verdict::Worse)
        }
        // They differ, but not in what is asked: of coarse values the typical difference may be none at all.
        _ => None,
    };
    answer.p_adjusted = Some(adjusted.difference);
    if let Some(same) = &mut answer.same {
        same.p_adjusted = adjusted.same;
    }
    if adjusted.same.is_some_and(|p| p <= alpha) {
        answer.verdict = Verdict::Same;
        if let Some(same) = &mut answer.same {
            same.beside = difference;
        }
    } else {
        answer.verdict = difference.unwrap_or(Verdict::NotProven);
    }
}

/// What such runs show of the typical run at the level that the report leaves for it.
fn limit(draft: &mut Draft, level: f64, claims: usize, selection: &Selection) {
    let row = &mut draft.row;
    if draft.least.p > level {
        // Where even a lone claim could not be proven, the comparison says so.
        let needed = draft
            .least
            .blocks_for(level)
            .filter(|_| draft.least.p <= 1.0 - selection.confidence);
        row.warnings.extend(needed.map(|blocks| {
            format!(
                "too few runs to prove anything about the typical run among {claims} claims; {blocks} blocks of this \
                 size are the least"
            )
        }));
        return;
    }
    let ends = row.typical.low.zip(row.typical.high);
    let half_width = ends.map(|(low, high)| {
        let (low, high) = if row.relative {
            (low.ln_1p(), high.ln_1p())
        } else {
            (low, high)
        };
        0.5 * (high - low)
    });
    row.detectable = half_width
        .and_then(|half| {
            from_half_width(half, selection.confidence, 1.0 - level, DETECTABLE_POWER).ok()
        })
        .map(|smallest| {
            if row.relative {
                smallest.exp_m1()
            } else {
                smallest
            }
        })
        .filter(|smallest| smallest.is_finite());
}
