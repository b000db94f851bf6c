//! The error shared among all tests of a report.
//!
//! The tests about the question are one family: at a confidence of 95 % there is at most a chance
//! of 5 % that any of them is false, be it of a difference or of sameness. Those about the control
//! are a family of their own: it is a check of the laboratory, and takes no power from the question.

use std::cmp::Ordering;

use perflab_experiment::Better;
use perflab_stats::detectable::from_half_width;
use perflab_stats::multiplicity::{Adjusted, Test, holm_tests};
use perflab_stats::verdict::{Least, MDE_POWER, TYPICAL_WEIGHT};

use crate::error::AnalysisError;
use crate::row::{Answer, Row, Slow};
use crate::row_warning::RowWarning;
use crate::selection::{Question, Questions, Selection};
use crate::verdict::Verdict;

/// Runs of a side that may all fall into one of two modes: 3 in one of 4 experiments, 5 in one of 16.
const FEW: usize = 6;

/// A row, with what is needed until all tests are known.
pub(crate) struct Draft {
    pub(crate) row: Row,
    /// The most that the design could prove of the typical run.
    pub(crate) least: Least,
    /// What to say if a robustness check stopped a verdict, and the p-value without it, which alone would have to be
    /// enough among all tests.
    pub(crate) stopped: Option<(f64, RowWarning)>,
}

/// Shares the error among all tests of each family, and gives every row its verdicts; how many tests the family of
/// the question has.
pub(crate) fn decide_tests(
    rows: &mut [Draft],
    pooled: &mut [Draft],
    selection: &Selection,
) -> Result<usize, AnalysisError> {
    let all: Vec<&mut Draft> = rows.iter_mut().chain(pooled).collect();
    let is_control = |draft: &&mut Draft| Some(&draft.row.variant) == selection.control.as_ref();
    let (control, question): (Vec<_>, Vec<_>) = all.into_iter().partition(is_control);
    decide_family(control, selection)?;
    decide_family(question, selection)
}

fn decide_family(family: Vec<&mut Draft>, selection: &Selection) -> Result<usize, AnalysisError> {
    let alpha = 1.0 - selection.confidence;
    let questions = Questions {
        mean: selection.questions.mean && !selection.anytime,
        ..selection.questions
    }
    .asked();
    let tests: Vec<Test> = family
        .iter()
        .flat_map(|draft| {
            let row = &draft.row;
            questions.iter().map(move |&(question, weight)| {
                let (difference, same) = match question {
                    Question::Typical => (row.typical.p, row.typical.same.as_ref()),
                    Question::Mean => (row.mean.p, row.mean.same.as_ref()),
                    Question::SlowRuns => (row.slow.as_ref().map_or(1.0, |slow| slow.p), None),
                };
                Test {
                    difference,
                    same: same.map(|same| same.p),
                    weight,
                }
            })
        })
        .collect();
    let adjusted = holm_tests(&tests).map_err(|source| AnalysisError::Statistics {
        what: "all tests".to_owned(),
        source,
    })?;
    let weights: f64 = tests.iter().map(|test| test.weight).sum();
    let is_open = |(_, adjusted): &(&Test, &Adjusted)| {
        adjusted.difference > alpha && adjusted.same.is_none_or(|p| p > alpha)
    };
    let open = tests.iter().zip(&adjusted).filter(is_open);
    let open_weights: f64 = open.map(|(test, _)| test.weight).sum();
    let mut adjusted = adjusted.into_iter();
    for draft in family {
        let better = draft.row.key.metric.better;
        for ((question, _), adjusted) in questions.iter().zip(&mut adjusted) {
            match (question, &mut draft.row.slow) {
                (Question::Typical, _) => decide(&mut draft.row.typical, adjusted, better, alpha),
                (Question::Mean, _) => decide(&mut draft.row.mean, adjusted, better, alpha),
                (Question::SlowRuns, Some(slow)) => decide_shares(slow, adjusted.difference, alpha),
                (Question::SlowRuns, None) => {}
            }
        }
        // Holm's level for a further test of the typical run, once those that are proven are taken out.
        let level = alpha * TYPICAL_WEIGHT / open_weights;
        if let Some((first, warning)) = draft.stopped.take()
            && selection.questions.typical
            && draft.row.typical.verdict == Verdict::NotProven
            && first <= level
        {
            draft.row.warnings.push(warning);
        }
        let fewer = draft.row.base.n.min(draft.row.candidate.n);
        let is_verdict = |answer: &Answer| answer.verdict != Verdict::NotProven;
        if fewer < FEW && (is_verdict(&draft.row.typical) || is_verdict(&draft.row.mean)) {
            draft.row.warnings.push(RowWarning::FewRuns { least: FEW });
        }
        let typical = &draft.row.typical;
        let is_difference = typical.verdict.is_difference();
        let ends = (
            typical.low.unwrap_or(f64::NEG_INFINITY),
            typical.high.unwrap_or(f64::INFINITY),
        );
        if is_difference && ends.0 <= 0.0 && ends.1 >= 0.0 {
            draft.row.warnings.push(RowWarning::TiedEnd);
        }
        if selection.questions.typical && !selection.anytime {
            // What is left for it when no other test proves anything.
            let level = alpha * TYPICAL_WEIGHT / weights;
            limit(draft, level, tests.len(), selection);
        }
    }
    Ok(tests.len())
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
        (Some(Ordering::Greater | Ordering::Less), Better::Neither) => Some(Verdict::Differs),
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

fn decide_shares(slow: &mut Slow, p: f64, alpha: f64) {
    slow.p_adjusted = Some(p);
    slow.verdict = match slow.difference.partial_cmp(&0.0) {
        Some(Ordering::Greater) if p <= alpha => Verdict::Worse,
        Some(Ordering::Less) if p <= alpha => Verdict::Better,
        _ => Verdict::NotProven,
    };
}

/// What such runs show of the typical run at the level that the report leaves for it.
fn limit(draft: &mut Draft, level: f64, tests: usize, selection: &Selection) {
    let row = &mut draft.row;
    if draft.least.p > level {
        // Where even a lone test could not prove anything, the comparison says so.
        let needed = draft
            .least
            .blocks_for(level)
            .filter(|_| draft.least.p <= 1.0 - selection.confidence);
        row.warnings
            .extend(needed.map(|blocks| RowWarning::TooFewAmong { tests, blocks }));
        return;
    }
    let ends = row.typical.low.zip(row.typical.high);
    let (off, [hidden, _]) = (row.rounding.typical, row.rounding.hidden());
    let half_width = ends.map(|(low, high)| {
        let (low, high) = if row.relative {
            (low.ln_1p(), high.ln_1p())
        } else {
            (low, high)
        };
        // What steps hide is not made smaller by what is left of the noise.
        (0.5 * (high - low) - off).max(0.0)
    });
    row.mde = half_width
        .and_then(|half| {
            let fewer = row.base.n.min(row.candidate.n);
            let power = MDE_POWER;
            from_half_width(half, selection.confidence, 1.0 - level, power, fewer).ok()
        })
        .map(|smallest| smallest + hidden)
        .map(|smallest| {
            if row.relative {
                smallest.exp_m1()
            } else {
                smallest
            }
        })
        .filter(|smallest| smallest.is_finite());
}
