//! The error shared among all claims of a report.

use std::cmp::Ordering;

use perflab_experiment::Better;
use perflab_stats::multiplicity::holm_weighted;
use perflab_stats::verdict::{MEAN_WEIGHT, TYPICAL_WEIGHT};

use crate::analysis::AnalysisError;
use crate::headline::headline;
use crate::model::{Row, Verdict};
use crate::selection::Selection;

/// A row, with what is needed until all claims are known.
pub(crate) struct Draft {
    pub(crate) row: Row,
    pub(crate) same: [Option<f64>; 2],
}

/// Shares the error among all claims, and gives every row its verdicts; how many claims there are.
pub(crate) fn judge(
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
                match (answer.difference.partial_cmp(&0.0), better) {
                    (Some(Ordering::Greater), Better::Higher)
                    | (Some(Ordering::Less), Better::Lower) => Verdict::Better,
                    (Some(Ordering::Greater), Better::Lower)
                    | (Some(Ordering::Less), Better::Higher) => Verdict::Worse,
                    // They differ, but not in what is asked: of coarse values the typical difference may be
                    // none at all.
                    _ => Verdict::NotProven,
                }
            } else {
                Verdict::NotProven
            };
        }
        draft.row.headline = headline(&draft.row);
    }
    Ok(differences.len())
}
