//! Verdicts in words.

use std::borrow::Cow;

use perflab_compare::{Answer, AskedQuestion, Verdict};
use perflab_experiment::{Better, Metric};

/// What a verdict is called, which depends on what was measured.
pub trait InWords {
    /// The word for people: about speed where the metric is one of time or rate.
    fn word(&self, metric: &Metric) -> Cow<'static, str>;
}

impl InWords for Verdict {
    fn word(&self, metric: &Metric) -> Cow<'static, str> {
        let word = match (self, is_speed(metric)) {
            (Self::Better, true) => "faster",
            (Self::Worse, true) => "slower",
            (Self::Better, false) => "better",
            (Self::Worse, false) => "worse",
            (Self::Differs, _) => "differs",
            (Self::Same, _) => "same",
            (Self::NotProven, _) => "not proven",
        };
        word.into()
    }
}

impl InWords for Answer {
    fn word(&self, metric: &Metric) -> Cow<'static, str> {
        let beside = self.same.as_ref().and_then(|same| same.beside);
        match (self.verdict, beside) {
            (Verdict::Same, Some(beside)) => {
                format!("{}, but by less than the margin", beside.word(metric)).into()
            }
            (verdict, _) => verdict.word(metric),
        }
    }
}

/// What a question is about, with its verdict: `typical run faster`.
pub(crate) fn phrase(asked: AskedQuestion<'_>, metric: &Metric) -> String {
    match asked {
        AskedQuestion::Typical(answer) => format!("typical run {}", answer.word(metric)),
        AskedQuestion::Mean(answer) => format!("mean {}", answer.word(metric)),
        AskedQuestion::SlowRuns(slow) => match slow.verdict {
            Verdict::Better => "fewer slow runs".to_owned(),
            Verdict::Worse => "more slow runs".to_owned(),
            verdict => format!("slow runs {}", verdict.word(metric)),
        },
    }
}

/// Whether a metric is about speed: a time that is better short, be it the time per something, or a rate that is
/// better high.
fn is_speed(metric: &Metric) -> bool {
    let unit = metric.unit.as_str();
    match metric.better {
        Better::Lower => is_time(unit.split_once('/').map_or(unit, |(time, _)| time)),
        Better::Higher => unit.rsplit_once('/').is_some_and(|(_, time)| is_time(time)),
        Better::Neither => false,
    }
}

fn is_time(unit: &str) -> bool {
    // Two letters look like µ: the micro sign and the Greek one.
    matches!(
        unit,
        "s" | "sec" | "ms" | "us" | "\u{b5}s" | "\u{3bc}s" | "ns" | "min" | "h" | "hr"
    )
}
