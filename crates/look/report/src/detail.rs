//! One row in full: both sides drawn in ministat's manner, every question and its answer.

use perflab_compare::{Answer, AskedQuestion, Comparison, Row, Side, Slow, Verdict};
use perflab_experiment::{Better, Metric};
use perflab_ministat::{Confidence, Dataset, compare_sentence, render_plot};
use perflab_stats::summary::median;

use crate::deciles::decile_table;
use crate::difference::{self, Estimate, points_within};
use crate::headline::headline;
use crate::latency_cells::latency_in_words;
use crate::levels::{levels_in_words, limits_in_words};
use crate::number;
use crate::row_warning::row_warnings;
use crate::sections::{metric_in_words, row_label};
use crate::terminal::{Layout, TextOptions};
use crate::verdict::{InWords as _, phrase};

/// Least and greatest width of a plot, in columns.
const PLOT: std::ops::RangeInclusive<usize> = 20..=200;

/// Values of a side from which ministat compares.
const MINISTAT_LEAST: usize = 3;

/// A row with its plot, the typical run, the mean, slow runs, and the minimum detectable effect.
///
/// Where the results may have ended the measurement, tests for a fixed number of runs are left out.
pub fn detail(row: &Row, report: &Comparison, options: &TextOptions) -> String {
    let baseline = report.baseline.as_str();
    let anytime = report.design.until_decided.is_some();
    let mut text = options.paragraph(&format!(
        "{}: {} against {baseline}: {}",
        row_label(row),
        row.variant,
        metric_in_words(&row.key.metric)
    ));
    text += &plot(row, baseline, options);
    let old = if anytime {
        "ministat is not asked: it is for a fixed number of runs".to_owned()
    } else {
        ministat(row)
    };
    for line in old.lines() {
        text += &options.show(line);
        text.push('\n');
    }
    for (name, fact) in facts(row, report) {
        let name = options.show(&name);
        text += &format!("{name:<14}  {}\n", options.show(&fact));
    }
    text += &decile_table(row, baseline, options);
    for warning in row_warnings(row, report) {
        text += &options.paragraph(&format!("warning: {warning}"));
    }
    text
}

/// All that is known of a row, as names and what there is to say of each.
pub fn facts(row: &Row, report: &Comparison) -> Vec<(String, String)> {
    let anytime = report.design.until_decided.is_some();
    let mut facts = vec![
        ("verdict".to_owned(), headline(row)),
        ("typical run".to_owned(), answer(&row.typical, row)),
        ("mean".to_owned(), answer(&row.mean, row)),
    ];
    let mut add = |name: &str, fact: String| facts.push((name.to_owned(), fact));
    if let Some(slow) = &row.slow {
        add("slow runs", slow_runs(slow, row, anytime));
        if let Some(modes) = main_modes(slow, row) {
            add("main modes", modes);
        }
    }
    if let Some(smallest) = mde(row) {
        add("MDE", smallest);
    }
    for side in &row.levels {
        add("levels", levels_in_words(side));
    }
    if let Some(limits) = &row.limits {
        add("limits", limits_in_words(limits));
    }
    for latency in &row.latencies {
        add(&latency.metric.name, latency_in_words(latency));
    }
    facts
}

fn plot(row: &Row, baseline: &str, options: &TextOptions) -> String {
    let sides = [&row.base.values, &row.candidate.values];
    if sides.iter().any(|values| values.is_empty()) {
        return "no plot: a side has no values\n".to_owned();
    }
    let names = [options.show(baseline), options.show(&row.variant)];
    let width = options
        .width
        .saturating_sub(2)
        .clamp(*PLOT.start(), *PLOT.end());
    let finite = sides
        .iter()
        .all(|values| values.iter().all(|value| value.is_finite()));
    let datasets = [
        (names[0].as_str(), sides[0].as_slice()),
        (names[1].as_str(), sides[1].as_slice()),
    ];
    match render_plot(&datasets, width, true) {
        Ok(plot) if finite => plot,
        _ => "no plot: the values have no common axis\n".to_owned(),
    }
}

/// What the old tool makes of the same values, at its own 95 %.
fn ministat(row: &Row) -> String {
    let dataset = |side: &Side| {
        let enough = side.values.len() >= MINISTAT_LEAST;
        Dataset::new(side.values.clone()).filter(|_| enough)
    };
    match (dataset(&row.base), dataset(&row.candidate)) {
        (Some(base), Some(candidate)) => {
            let comparison =
                perflab_ministat::Comparison::of(&base, &candidate, Confidence::default());
            let sentence = compare_sentence(&comparison).replace('\t', "    ");
            format!("ministat would say: {sentence}")
        }
        _ => format!("ministat would say nothing: it wants {MINISTAT_LEAST} values of each"),
    }
}

fn answer(answer: &Answer, row: &Row) -> String {
    let difference = Estimate::from(answer).text(row);
    let (p, p_adjusted) = match (&answer.same, answer.verdict) {
        (Some(same), Verdict::Same) => (same.p, same.p_adjusted),
        _ => (answer.p, answer.p_adjusted),
    };
    let adjusted = match p_adjusted {
        Some(p) => format!("{} among all tests", number::probability(p)),
        None => "not tested".to_owned(),
    };
    if answer.p_adjusted.is_none() && answer.p >= 1.0 {
        return format!("{difference}; not tested");
    }
    format!(
        "{difference}  {}; {} alone, {adjusted}",
        answer.word(&row.key.metric),
        number::probability(p)
    )
}

fn slow_runs(slow: &Slow, row: &Row, anytime: bool) -> String {
    let counts = format!(
        "{} of {} and {} of {}",
        slow.base, row.base.n, slow.candidate, row.candidate.n
    );
    if anytime {
        return format!("{counts}; not tested");
    }
    let shares = format!(
        "{counts}; difference of the shares {}",
        points_within(slow.difference, slow.low, slow.high)
    );
    let alone = number::probability(slow.p);
    match slow.p_adjusted {
        Some(p) => {
            let verdict = match slow.verdict {
                Verdict::NotProven => slow.verdict.word(&row.key.metric).into_owned(),
                _ => phrase(AskedQuestion::SlowRuns(slow), &row.key.metric),
            };
            let all = number::probability(p);
            format!("{shares}; {verdict}; {alone} alone, {all} among all tests")
        }
        None => format!("{shares}; {alone} alone, not tested"),
    }
}

/// The medians without slow runs, which are the worst ones; unknown where several runs make a unit.
fn main_modes(slow: &Slow, row: &Row) -> Option<String> {
    let base = main_median(&row.base, slow.base, &row.key.metric)?;
    let candidate = main_median(&row.candidate, slow.candidate, &row.key.metric)?;
    let (base, candidate) = number::pair(base, candidate, &row.key.metric.unit);
    let medians = format!("medians {base} and {candidate}, without the slow runs");
    Some(match &slow.main {
        Some(main) => format!("{medians}; {} between them", Estimate::from(main).text(row)),
        None => medians,
    })
}

fn main_median(side: &Side, slow: usize, metric: &Metric) -> Option<f64> {
    if side.values.len() != side.n {
        return None;
    }
    let mut values = side.values.clone();
    values.sort_by(|a, b| match metric.better {
        Better::Lower | Better::Neither => a.total_cmp(b),
        Better::Higher => b.total_cmp(a),
    });
    values.truncate(values.len().saturating_sub(slow));
    median(&values).ok()
}

fn mde(row: &Row) -> Option<String> {
    let smallest = row.mde?;
    let size = difference::mde(smallest, row, std::iter::once(row));
    Some(format!("typical run: {size}, found 4 times in 5"))
}
