//! Trends in words.

use std::borrow::Cow;

use perflab_compare::{Row, Trend, Verdict};
use perflab_experiment::{Better, Metric};

use crate::difference::{Differences, Estimate};
use crate::verdict::InWords as _;

/// A difference on its own, as exact as the change.
pub(super) fn difference(trend: &Trend, value: f64, row: &Row) -> String {
    let own = [estimate(trend)].into_iter();
    Differences::of(own, row.relative, &row.key.metric.unit).estimate(value)
}

/// The change with its interval, as differences of the row are written.
pub(super) fn change(trend: &Trend, row: &Row) -> String {
    estimate(trend).text(row)
}

/// The same without sign, for a sentence that says which way it went.
pub(super) fn size(trend: &Trend, relative: bool, unit: &str) -> String {
    let minus = |end: f64| -end;
    let estimate = match trend.change < 0.0 {
        true => Estimate::new(-trend.change, trend.high.map(minus), trend.low.map(minus)),
        false => estimate(trend),
    };
    let style = Differences::of([estimate].into_iter(), relative, unit);
    style.answer(estimate).replace('+', "")
}

/// Which way a level went, as a word about the metric.
pub(super) fn direction(trend: &Trend, metric: &Metric) -> Cow<'static, str> {
    let verdict = match (trend.change > 0.0, metric.better) {
        (true, Better::Neither) => return "higher".into(),
        (false, Better::Neither) => return "lower".into(),
        (true, Better::Higher) | (false, Better::Lower) => Verdict::Better,
        _ => Verdict::Worse,
    };
    verdict.word(metric)
}

fn estimate(trend: &Trend) -> Estimate {
    Estimate::new(trend.change, trend.low, trend.high)
}
