//! Warnings of one row, in words.

use perflab_compare::{Comparison, NoDeciles, Row, RowWarning, Verdict};

use crate::difference::Differences;
use crate::drift;

/// The warnings of one of its rows.
pub fn row_warnings(row: &Row, report: &Comparison) -> Vec<String> {
    let all = row.warnings.iter();
    all.filter_map(|warning| of_row(warning, row, report))
        .collect()
}

/// Nothing where the figures do not show what it would explain.
fn of_row(warning: &RowWarning, row: &Row, report: &Comparison) -> Option<String> {
    Some(match warning {
        RowWarning::TooFew { blocks } => format!(
            "too few runs to prove anything about the typical run; {blocks} blocks of this size are the least"
        ),
        RowWarning::TooFewAmong { tests, blocks } => format!(
            "too few runs to prove anything about the typical run among {tests} tests; {blocks} blocks of this \
             size are the least"
        ),
        RowWarning::FewRuns { least } => format!(
            "fewer than {least} runs on a side: the verdict is wrong if these runs do not show all modes of the program; \
             measure more runs"
        ),
        RowWarning::SlowMode { has_mean: false } => "some runs are in a slow mode".to_owned(),
        RowWarning::SlowMode { has_mean: true } => {
            "some runs are in a slow mode: the interval of the mean may miss the true value more often \
             than stated; measure more runs or read the typical run"
                .to_owned()
        }
        RowWarning::FastMode => "a few runs are far better than the others".to_owned(),
        RowWarning::NotConfirmed => {
            "the robustness check does not confirm the difference: the sides scatter differently or have too few runs; \
             measure more runs"
                .to_owned()
        }
        RowWarning::SlowRunsAlone => {
            "the main mode alone does not confirm the difference of the typical run: one side may only have more slow \
             runs, so no difference is reported"
                .to_owned()
        }
        RowWarning::RatioUnbounded => {
            "the baseline's mean is too uncertain for an interval of the ratio".to_owned()
        }
        RowWarning::Absolute => "values that are not positive: differences are absolute".to_owned(),
        RowWarning::Exact => "the values do not vary at all".to_owned(),
        RowWarning::TiedEnd => {
            "many values are equal, so that the interval of the typical run ends at no difference although one is \
             proven: the interval is the more careful one with equal values"
                .to_owned()
        }
        RowWarning::PooledOutside { low, high } => return pooled_outside(row, (*low, *high), report),
        RowWarning::Autocorrelated => {
            "the runs are autocorrelated: the machine was not the same all the time; random \
             order within blocks keeps the verdicts right, but the intervals are wider than on \
             a quiet machine"
                .to_owned()
        }
        RowWarning::NoDeciles(reason) => format!("no deciles: {}", no_deciles(reason)),
        RowWarning::LatencyContradicts {
            verdict,
            found,
            latency,
        } => {
            let (name, word) = (&row.key.metric.name, |verdict| match verdict {
                Verdict::Better => "better",
                Verdict::Worse => "worse",
                Verdict::Same | Verdict::NotProven | Verdict::Differs => "the same",
            });
            let (said, found) = (word(*verdict), word(*found));
            format!(
                "{said} by {name}, yet {found} by {latency}, if its own interval is believed; \
                 --metric {name} --metric {latency} asks for a verdict on both"
            )
        }
        RowWarning::DifferenceDrifted => return drift::changed(row, report),
        RowWarning::Remark(text) => text.clone(),
    })
}

/// Why a row has no deciles.
pub fn no_deciles(reason: &NoDeciles) -> String {
    match reason {
        NoDeciles::UntilDecided => "results may have ended the measurement".to_owned(),
        NoDeciles::SharedUnits => "several values make one replicate".to_owned(),
        NoDeciles::Statistics(error) => error.to_string(),
    }
}

/// Why the typical run of a pooled row is outside of those of its rows; nothing where the figures do not show it.
fn pooled_outside(pooled: &Row, (low, high): (f64, f64), report: &Comparison) -> Option<String> {
    let unit = &pooled.key.metric.unit;
    let difference = pooled.typical.difference;
    let style = Differences::of(std::iter::once(&pooled.typical), pooled.relative, unit);
    let nearest = difference.max(low).min(high);
    if style.estimate(difference) == style.estimate(nearest) {
        return None;
    }
    let own = report.rows.iter().filter(|row| {
        row.key.metric == pooled.key.metric
            && row.variant == pooled.variant
            && row.relative == pooled.relative
    });
    let style = Differences::of(own.map(|row| &row.typical), pooled.relative, unit)
        .telling_apart(low, high);
    Some(format!(
        "the pooled typical run is outside the range of its rows ({} to {}): it is the typical value of whole \
         runs, not an average of the rows; read the rows",
        style.estimate(low),
        style.estimate(high)
    ))
}
