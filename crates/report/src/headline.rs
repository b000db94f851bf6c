//! The verdicts on one pair of variants, in a word or two.
//!
//! A word without more (`faster`) needs both questions to be answered that way, and no slow mode on
//! either side. A typical run that is faster while the mean is not proven to be so may hide more
//! slow runs; so it is said what was proven, and no more.

use crate::model::{Row, Verdict};

/// The headline of a row whose verdicts are known.
pub fn headline(row: &Row) -> String {
    let word = |verdict: Verdict| verdict.word(&row.metric);
    let asked = |answer: &crate::model::Answer| answer.p_adjusted.is_some();
    match (asked(&row.typical), asked(&row.mean)) {
        (true, false) => format!("typical run {}", word(row.typical.verdict)),
        (false, true) => format!("mean {}", word(row.mean.verdict)),
        (false, false) => "not asked".to_owned(),
        (true, true) => match (row.typical.verdict, row.mean.verdict) {
            (Verdict::NotProven, Verdict::NotProven) => word(Verdict::NotProven).to_owned(),
            (typical, mean) if typical == mean && row.slow.is_none() => word(typical).to_owned(),
            (typical, Verdict::NotProven) => format!("typical run {}", word(typical)),
            (Verdict::NotProven, mean) => format!("mean {}", word(mean)),
            (typical, mean) => format!("typical run {}, mean {}", word(typical), word(mean)),
        },
    }
}
