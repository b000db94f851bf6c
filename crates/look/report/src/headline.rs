//! The verdicts on one pair of variants, in a word or two.
//!
//! A word without more (`faster`) needs both questions to be answered that way, and no slow mode on
//! either side. A typical run that is faster while the mean is not proven to be so may hide more
//! slow runs; so it is said what was proven, and no more.

use perflab_compare::AskedQuestion;
use perflab_compare::{Row, Verdict};

use crate::verdict::{InWords as _, phrase};

/// The headline of a row whose verdicts are known.
pub fn headline(row: &Row) -> String {
    let asked: Vec<_> = row.asked().collect();
    match asked.as_slice() {
        [] if row.is_cause_unknown => change(row).to_owned(),
        [] => "not asked".to_owned(),
        [asked] => phrase(*asked, &row.key.metric),
        all => {
            if let Some(word) = unqualified(row) {
                return word;
            }
            let proven = all.iter().filter(|asked| asked.is_proven());
            let phrases: Vec<String> = proven
                .map(|asked| phrase(*asked, &row.key.metric))
                .collect();
            phrases.join(", ")
        }
    }
}

/// The word for all that was asked together, where one does not say too much.
pub(crate) fn unqualified(row: &Row) -> Option<String> {
    let answers: Option<Vec<_>> = row
        .asked()
        .map(|asked| match asked {
            AskedQuestion::Typical(answer) | AskedQuestion::Mean(answer) => Some(answer),
            AskedQuestion::SlowRuns(_) => None,
        })
        .collect();
    let answers = answers?;
    let (first, others) = answers.split_first()?;
    let is_alike = |other: &&perflab_compare::Answer| {
        other.verdict == first.verdict && other.word(&row.key.metric) == first.word(&row.key.metric)
    };
    let alike = !others.is_empty() && others.iter().all(is_alike);
    let is_open = first.verdict == Verdict::NotProven;
    (alike && (is_open || row.slow.is_none())).then(|| first.word(&row.key.metric).into_owned())
}

/// What the figures say of a change whose cause is not known.
fn change(row: &Row) -> &'static str {
    match (row.typical.low, row.typical.high) {
        (Some(low), Some(high)) if low > 0.0 || high < 0.0 => "changed, cause unknown",
        _ => "no change seen",
    }
}
