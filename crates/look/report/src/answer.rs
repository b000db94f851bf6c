//! The answer in a sentence: for each metric and candidate what is proven, of how many rows, and how much.

use perflab_compare::{Answer, AskedQuestion, Comparison, Outcome, Row, Verdict};

use crate::difference::{Differences, Estimate, mde, percent};
use crate::headline::{headline, unqualified};
use crate::named::first_of;
use crate::sections::{Section, distinct, pooled_label, sections, short_label};
use crate::verdict::{InWords as _, phrase};

/// What is proven about one candidate on one metric.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// In words.
    pub text: String,
    /// The worst that is proven of any row; else the best; else what holds for all.
    pub outcome: Outcome,
}

/// A sentence for each metric and candidate, in the report's order; none for the control, which is no question.
pub fn answers(report: &Comparison) -> Vec<Sentence> {
    sections(report)
        .iter()
        .filter(|section| !section.is_control)
        .map(sentence)
        .collect()
}

fn sentence(section: &Section<'_>) -> Sentence {
    let outcome = Outcome::of_all(&section.all().map(Row::outcome));
    let subject = format!("{} against {}", section.variant, section.baseline);
    let metric = &section.metric.name;
    let text = match section.rows.as_slice() {
        [row] => format!("{subject}, {metric}: {}", single(row)),
        rows => format!("{subject}, {metric}: {}{}", several(rows), pooled(section)),
    };
    Sentence { text, outcome }
}

fn single(row: &Row) -> String {
    let Some(word) = unqualified(row) else {
        let mut asked: Vec<_> = row.asked().collect();
        asked.sort_by_key(|asked| !asked.is_proven());
        let clauses: Vec<String> = asked.into_iter().map(|asked| clause(row, asked)).collect();
        return match clauses.is_empty() {
            true => headline(row),
            false => clauses.join("; "),
        };
    };
    match row.typical.verdict {
        Verdict::NotProven => clause(row, AskedQuestion::Typical(&row.typical)),
        Verdict::Same if word == Verdict::Same.word(&row.key.metric) => {
            let difference = written(row, &row.typical);
            format!("{word} within the margin, the typical run differs by {difference}")
        }
        _ => format!("{word}, the typical run by {}", written(row, &row.typical)),
    }
}

/// What is proven about one question.
fn clause(row: &Row, asked: AskedQuestion<'_>) -> String {
    let (name, answer) = match asked {
        AskedQuestion::Typical(answer) => ("typical run", answer),
        AskedQuestion::Mean(answer) => ("mean", answer),
        AskedQuestion::SlowRuns(slow) => {
            let (base, candidate) = (row.base.n, row.candidate.n);
            let shares = format!(
                "{} of {candidate}, baseline {} of {base}",
                slow.candidate, slow.base
            );
            return format!("{} ({shares})", phrase(asked, &row.key.metric));
        }
    };
    let difference = written(row, answer);
    let word = answer.word(&row.key.metric);
    match answer.verdict {
        Verdict::Better | Verdict::Worse | Verdict::Differs => {
            format!("{name} {word} by {difference}")
        }
        Verdict::Same if word == Verdict::Same.word(&row.key.metric) => {
            format!("{name} {word} within the margin ({difference})")
        }
        Verdict::Same => format!("{name} {word} ({difference})"),
        Verdict::NotProven => {
            let shown = least_shown(row).filter(|_| std::ptr::eq(answer, &row.typical));
            let shown = shown.map(|smallest| format!("; minimum detectable effect: {smallest}"));
            format!(
                "no difference of the {name} is proven ({difference}){}",
                shown.unwrap_or_default()
            )
        }
    }
}

/// A difference with its interval.
fn written(row: &Row, answer: &Answer) -> String {
    Estimate::from(answer).text(row)
}

fn least_shown(row: &Row) -> Option<String> {
    let smallest = row.mde?;
    Some(mde(smallest, row, std::iter::once(row)))
}

fn several(rows: &[&Row]) -> String {
    let one_workload = distinct(rows.iter().map(|row| &row.key.workload)).len() <= 1;
    let groups = Outcome::ALL.into_iter().flat_map(|outcome| {
        let own = rows.iter().filter(move |row| row.outcome() == outcome);
        distinct(own.map(|row| headline(row)))
            .into_iter()
            .map(move |word| (outcome, word))
    });
    let parts = groups.map(|(outcome, word)| {
        let own: Vec<&Row> = rows
            .iter()
            .copied()
            .filter(|row| row.outcome() == outcome && headline(row) == word)
            .collect();
        let count = if own.len() == rows.len() {
            format!("all {}", rows.len())
        } else {
            format!("{} of {}", own.len(), rows.len())
        };
        match outcome {
            Outcome::Mixed | Outcome::Worse | Outcome::Better | Outcome::Differs => {
                format!(
                    "{word} in {count} ({}: {})",
                    names(&own, one_workload),
                    range(&own)
                )
            }
            Outcome::Same if own.iter().all(|row| is_plainly_same(row)) => {
                format!("{word} within the margin in {count}")
            }
            Outcome::Same | Outcome::NotProven => format!("{word} in {count}"),
        }
    });
    parts.collect::<Vec<_>>().join("; ")
}

/// Whether no word about a row says yet that it is about the margin.
fn is_plainly_same(row: &Row) -> bool {
    let is_plain = |asked: AskedQuestion<'_>| match asked {
        AskedQuestion::Typical(answer) | AskedQuestion::Mean(answer) => {
            answer.word(&row.key.metric) == Verdict::Same.word(&row.key.metric)
        }
        AskedQuestion::SlowRuns(_) => true,
    };
    row.asked().all(is_plain)
}

/// The answer that a row is told by: about the typical run, unless something is proven of the mean alone.
fn told(row: &Row) -> &Answer {
    match is_open(&row.typical) && !is_open(&row.mean) {
        true => &row.mean,
        false => &row.typical,
    }
}

fn is_open(answer: &Answer) -> bool {
    matches!(answer.verdict, Verdict::NotProven | Verdict::Same)
}

/// By how much the share of slow runs differs, where nothing else does.
fn told_by_slow_runs(row: &Row) -> Option<f64> {
    let slow = row
        .slow
        .as_ref()
        .filter(|slow| slow.verdict != Verdict::NotProven)?;
    (is_open(&row.typical) && is_open(&row.mean)).then_some(slow.difference)
}

fn names(rows: &[&Row], one_workload: bool) -> String {
    first_of(rows.iter().map(|row| short_label(row, one_workload)))
}

/// The smallest and the largest difference; of relative ones only, where there are both.
fn range(rows: &[&Row]) -> String {
    let shares: Option<Vec<f64>> = rows.iter().map(|row| told_by_slow_runs(row)).collect();
    if let Some(mut shares) = shares {
        shares.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
        let points = |share: f64| percent(share).replacen('%', " points", 1);
        let ends = [shares.first(), shares.last()].map(|end| points(*end.unwrap_or(&0.0)));
        return match ends[0] == ends[1] {
            true => format!("share {}", ends[0]),
            false => format!("share {} to {}", ends[0], ends[1]),
        };
    }
    let relative = rows.iter().any(|row| row.relative);
    let mut own: Vec<&&Row> = rows.iter().filter(|row| row.relative == relative).collect();
    own.sort_by(|a, b| {
        let size = |row: &Row| told(row).difference.abs();
        size(a).total_cmp(&size(b))
    });
    let (Some(first), Some(last)) = (own.first(), own.last()) else {
        return String::new();
    };
    let answers = own.iter().map(|row| told(row));
    let style = Differences::of(answers, relative, &first.key.metric.unit);
    let (low, high) = (
        style.estimate(told(first).difference),
        style.estimate(told(last).difference),
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
    let shown = match (row.outcome(), least_shown(row)) {
        (Outcome::NotProven, Some(smallest)) => {
            format!("; minimum detectable effect: {smallest}")
        }
        _ => String::new(),
    };
    format!(
        "; {} together: {}, {}{shown}",
        pooled_label(row, false),
        headline(row),
        written(row, told(row))
    )
}
