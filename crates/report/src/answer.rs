//! The answer in a sentence: for each metric and candidate what is proven, of how many rows, and how much.

use crate::difference::Differences;
use crate::model::{Report, Row, Verdict};
use crate::number;
use crate::sections::{Section, distinct, label_within_workload, row_label, sections};

/// Rows that a sentence names before it counts the rest.
const NAMED: usize = 3;

/// What is proven about one candidate on one metric.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// In words.
    pub text: String,
    /// The worst that is proven of any row; else the best; else what holds for all.
    pub verdict: Verdict,
}

/// A sentence for each metric and candidate, in the report's order; none for the control, which is no question.
pub fn answers(report: &Report) -> Vec<Sentence> {
    sections(report)
        .iter()
        .filter(|section| !section.is_control)
        .map(sentence)
        .collect()
}

fn sentence(section: &Section<'_>) -> Sentence {
    let verdict = overall(&section.rows);
    let subject = format!("{} against {}", section.variant, section.baseline);
    let metric = &section.metric.name;
    let text = match section.rows.as_slice() {
        [row] => format!("{subject}, {metric}: {}", single(row)),
        rows => format!("{subject}, {metric}: {}{}", several(rows), pooled(section)),
    };
    Sentence { text, verdict }
}

fn overall(rows: &[&Row]) -> Verdict {
    let any = |verdict: Verdict| rows.iter().any(|row| row.typical.verdict == verdict);
    if any(Verdict::Worse) {
        Verdict::Worse
    } else if any(Verdict::Better) {
        Verdict::Better
    } else if any(Verdict::NotProven) || rows.is_empty() {
        Verdict::NotProven
    } else {
        Verdict::Same
    }
}

fn single(row: &Row) -> String {
    let style = Differences::of([&row.typical].into_iter(), row.relative, &row.metric.unit);
    let difference = style.answer(&row.typical);
    let word = row.typical.verdict.word(&row.metric);
    match row.typical.verdict {
        Verdict::Better | Verdict::Worse => format!("{word}, the typical run by {difference}"),
        Verdict::Same => {
            format!("{word} within the margin, the typical run differs by {difference}")
        }
        Verdict::NotProven => match could_show(row) {
            Some(smallest) => format!(
                "no difference of the typical run is proven ({difference}); these runs would have shown {smallest}"
            ),
            None => format!("no difference of the typical run is proven ({difference})"),
        },
    }
}

fn could_show(row: &Row) -> Option<String> {
    let smallest = row.detectable?;
    Some(if row.relative {
        number::share(smallest)
    } else {
        number::value_with_unit(smallest, &row.metric.unit)
    })
}

fn several(rows: &[&Row]) -> String {
    let order = [
        Verdict::Worse,
        Verdict::Better,
        Verdict::Same,
        Verdict::NotProven,
    ];
    let one_workload = distinct(rows.iter().map(|row| &row.workload)).len() <= 1;
    let parts = order.iter().filter_map(|verdict| {
        let own: Vec<&Row> = rows
            .iter()
            .copied()
            .filter(|row| row.typical.verdict == *verdict)
            .collect();
        let first = own.first()?;
        let word = verdict.word(&first.metric);
        let count = if own.len() == rows.len() {
            format!("all {}", rows.len())
        } else {
            format!("{} of {}", own.len(), rows.len())
        };
        Some(match verdict {
            Verdict::Better | Verdict::Worse => {
                format!(
                    "{word} in {count} ({}: {})",
                    names(&own, one_workload),
                    range(&own)
                )
            }
            Verdict::Same => format!("{word} within the margin in {count}"),
            Verdict::NotProven => format!("{word} in {count}"),
        })
    });
    parts.collect::<Vec<_>>().join("; ")
}

fn names(rows: &[&Row], one_workload: bool) -> String {
    let name = |row: &&Row| {
        let within = label_within_workload(row);
        if one_workload && !within.is_empty() {
            within
        } else {
            row_label(row)
        }
    };
    let named: Vec<String> = rows.iter().take(NAMED).map(name).collect();
    match rows.len().saturating_sub(NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// The smallest and the largest difference; of relative ones only, where there are both.
fn range(rows: &[&Row]) -> String {
    let relative = rows.iter().any(|row| row.relative);
    let mut own: Vec<&&Row> = rows.iter().filter(|row| row.relative == relative).collect();
    own.sort_by(|a, b| {
        let size = |row: &Row| row.typical.difference.abs();
        size(a).total_cmp(&size(b))
    });
    let (Some(first), Some(last)) = (own.first(), own.last()) else {
        return String::new();
    };
    let answers = own.iter().map(|row| &row.typical);
    let style = Differences::of(answers, relative, &first.metric.unit);
    let (low, high) = (
        style.estimate(first.typical.difference),
        style.estimate(last.typical.difference),
    );
    if low == high {
        low
    } else {
        format!("{low} to {high}")
    }
}

fn pooled(section: &Section<'_>) -> String {
    let [row] = section.pooled.as_slice() else {
        return String::new();
    };
    let style = Differences::of([&row.typical].into_iter(), row.relative, &row.metric.unit);
    let shown = match (row.typical.verdict, could_show(row)) {
        (Verdict::NotProven, Some(smallest)) => format!("; these runs would have shown {smallest}"),
        _ => String::new(),
    };
    let all = if section.rows.iter().any(|row| row.part.is_some()) {
        "all parts together"
    } else {
        "all settings together"
    };
    format!(
        "; {all}: {}, {}{shown}",
        row.typical.verdict.word(&row.metric),
        style.answer(&row.typical)
    )
}
