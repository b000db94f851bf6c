//! What a report says in sentences: how the runs were made, what verdicts mean, what to beware of.

use std::time::Duration;

use indexmap::IndexMap;
use perflab_compare::Questions;
use perflab_compare::{Answer, Comparison, Row, RowWarning, Share, Verdict};
use perflab_experiment::{counted, format_duration};

use crate::difference;
use crate::named::first_of;
use crate::number;
use crate::row_warning::row_warnings;
use crate::sections::{distinct, short_label};
use crate::stopping::{caveat, ending};
use crate::warning::report_warnings;

/// The name and the question.
pub fn heading(report: &Comparison) -> String {
    match &report.question {
        Some(question) => format!("{}: {question}", report.name),
        None => report.name.clone(),
    }
}

/// How the runs were made.
pub fn design(report: &Comparison) -> String {
    let mut sentence = Vec::new();
    if !report.rows.is_empty() {
        sentence.push(format!("{}, {}", subjects(report), runs(report)));
    }
    let design = &report.design;
    let order = match (design.blocks, design.randomised) {
        (0 | 1, true) => "order random".to_owned(),
        (0 | 1, false) => "order not known to be random".to_owned(),
        (blocks, true) => format!("{blocks} blocks in random order"),
        (blocks, false) => format!("{blocks} blocks, their order not known to be random"),
    };
    let turns = design.turn_s.map(|turn_s| {
        let length = Duration::try_from_secs_f64(turn_s).unwrap_or_default();
        format!("the runs of each in turns of {}", format_duration(length))
    });
    let seed = design.seed.map(|seed| format!("seed {seed}"));
    let slices = design.slices.map(|slices| {
        let count = match slices.least == slices.most {
            true => counted(slices.most, "slice"),
            false => format!("{} to {} slices", slices.least, slices.most),
        };
        let how = if slices.together {
            "at once"
        } else {
            "in turns"
        };
        format!("the runs of each {how}, in {count}")
    });
    let order = [Some(order), turns, slices, seed];
    sentence.push(order.into_iter().flatten().collect::<Vec<_>>().join(", "));
    sentence.push(format!("baseline {}", report.baseline));
    sentence.join("; ")
}

fn subjects(report: &Comparison) -> String {
    let rows = &report.rows;
    let mut product = vec![counted(various(rows, |row| &row.variant) + 1, "variant")];
    let factors = [
        (various(rows, |row| &row.key.workload), "workload"),
        (various(rows, |row| &row.key.parameters), "configuration"),
        (various(rows, |row| &row.key.benchmark), "benchmark"),
        (various(rows, |row| &row.key.metric), "metric"),
    ];
    let several = factors.iter().filter(|(count, _)| *count > 1);
    product.extend(several.map(|(count, noun)| counted(*count, noun)));
    product.join(" x ")
}

/// How many different ones the rows have.
fn various<T: PartialEq>(rows: &[Row], of: fn(&Row) -> &T) -> usize {
    distinct(rows.iter().map(of)).len()
}

/// How many runs each side has; units where runs share one.
fn runs(report: &Comparison) -> String {
    let sides = || {
        report
            .rows
            .iter()
            .flat_map(|row| [&row.base, &row.candidate])
    };
    let fewest = sides().map(|side| side.n).min().unwrap_or(0);
    let most = sides().map(|side| side.n).max().unwrap_or(0);
    let noun = if sides().all(|side| side.values.len() == side.n) {
        "run"
    } else {
        "unit"
    };
    if fewest == most {
        format!("{} each", counted(most, noun))
    } else {
        format!("{fewest} to {} each", counted(most, noun))
    }
}

/// Runs that are missing; nothing if none is.
pub fn failures(report: &Comparison) -> Option<String> {
    let design = &report.design;
    let mut parts = Vec::new();
    if let Some(ending) = ending(report) {
        parts.push(ending);
    } else if design.recorded != design.planned {
        parts.push(format!(
            "{} of {} recorded",
            design.recorded,
            counted(design.planned, "planned run")
        ));
    }
    let failed = design.failed.iter().filter(|(_, count)| **count > 0);
    let failed: Vec<String> = failed
        .map(|(status, count)| format!("{count} {status}"))
        .collect();
    if !failed.is_empty() {
        parts.push(format!("runs that did not pass: {}", failed.join(", ")));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// What the control found, and whether that is cause for alarm.
pub fn control(report: &Comparison) -> Option<(String, bool)> {
    let control = report.control.as_ref()?;
    let rows: Vec<&Row> = report
        .all_rows()
        .filter(|row| &row.variant == control)
        .collect();
    let questions = |row: &Row| {
        let questions = Questions {
            typical: row.typical.p_adjusted.is_some(),
            mean: row.mean.p_adjusted.is_some(),
        };
        questions.count()
    };
    let verdicts = |row: &Row| row.asked().filter(|asked| asked.is_difference()).count();
    let asked: usize = rows.iter().copied().map(questions).sum();
    let unprovable: usize = rows.iter().copied().map(unprovable).sum();
    let found: usize = rows.iter().copied().map(verdicts).sum();
    let sentence = match (asked, found) {
        (_, 1..) => format!(
            "control: {control} is the baseline once more, yet proven different in {found} of {}: \
             distrust the verdicts above",
            counted(asked.max(found), "test")
        ),
        (0, 0) => format!("control: {control} is not in this comparison"),
        (_, 0) if unprovable == asked => format!(
            "control: too few runs to find anything in its own {}",
            counted(asked, "test")
        ),
        (_, 0) => {
            let all = counted(asked, "test");
            let few = match unprovable {
                0 => String::new(),
                few => format!("; {few} of them have too few runs to find anything"),
            };
            format!("control: nothing found in its own {all}, as it should be{few}")
        }
    };
    Some((sentence, found > 0))
}

/// How many tests of a row could not prove anything, whatever its runs had shown.
fn unprovable(row: &Row) -> usize {
    let has_few = row.warnings.iter().any(|warning| {
        matches!(
            warning,
            RowWarning::TooFew { .. } | RowWarning::TooFewAmong { .. }
        )
    });
    if !has_few {
        return 0;
    }
    let asked = [&row.typical, &row.mean].map(|answer| answer.p_adjusted.is_some());
    let [typical, mean] = asked;
    // A mean has its own test, which few runs can pass, but not a single one.
    let has_interval = row.mean.low.is_some() || row.mean.high.is_some();
    let slow_runs = typical && mean;
    [typical, mean && !has_interval, slow_runs]
        .into_iter()
        .map(usize::from)
        .sum()
}

/// What the columns and the verdicts mean: at most five sentences. `medians`: whether there is a column of them.
pub fn legend(report: &Comparison, medians: bool) -> Vec<String> {
    if report.all_rows().next().is_none() {
        return Vec::new();
    }
    let legend = [
        Some(columns(report, medians)),
        Some(family(report)),
        report.design.until_decided.map(|_| caveat(report)),
        mde(report),
        unproven(report),
        calibration(report),
    ];
    legend.into_iter().flatten().collect()
}

/// How often such reports are false.
fn calibration(report: &Comparison) -> Option<String> {
    let found = report.calibration.as_ref()?;
    let written = |share: &Share| {
        let [share, low, high] = [share.share, share.low, share.high].map(|share| 100.0 * share);
        format!("{share:.1}% [{low:.1}, {high:.1}]")
    };
    let control = found
        .control
        .as_ref()
        .map(|control| format!("; {} of the control", written(control)))
        .unwrap_or_default();
    Some(format!(
        "calibration: after the labels of these runs were shuffled within blocks, {} of {} found a difference{control}",
        written(&found.candidates),
        counted(found.reports as usize, "report")
    ))
}

fn columns(report: &Comparison, medians: bool) -> String {
    let values = if medians { "values: medians; " } else { "" };
    let within = if report.design.blocks > 1 {
        " within blocks"
    } else {
        ""
    };
    let open = |end: Option<f64>| !end.is_some_and(f64::is_finite);
    let anytime = report.design.until_decided.is_some();
    // The mean has no interval then, which the caveat says.
    let shown = report.all_rows().flat_map(|row| {
        let mean = Some(&row.mean).filter(|_| !anytime);
        std::iter::once(&row.typical).chain(mean)
    });
    let lacks_end = shown
        .into_iter()
        .any(|answer| open(answer.low) || open(answer.high));
    let ends = if lacks_end {
        format!(
            "; {}: no end, as the runs are too few or too uneven",
            number::NONE
        )
    } else {
        String::new()
    };
    format!(
        "{values}typical run: Hodges-Lehmann{within}; intervals: {} each{ends}",
        number::share(report.confidence)
    )
}

fn family(report: &Comparison) -> String {
    let risk = number::share(1.0 - report.confidence);
    // Absolute differences are never within a relative margin.
    let margin = report
        .margin
        .filter(|_| report.all_rows().any(|row| row.relative));
    let same = margin
        .map(|margin| format!("; same: within {}", number::share(margin)))
        .unwrap_or_default();
    if report.tests == 0 {
        "no verdicts: nothing is tested".to_owned()
    } else if report.tests > 1 {
        // The control has a family of its own.
        let subject = match report.control {
            Some(_) => "verdicts on the candidates",
            None => "verdicts",
        };
        format!(
            "{subject} hold for all {} tests together (Holm): at most {risk} chance that any is false, if the runs show all modes and tails{same}",
            report.tests
        )
    } else {
        format!(
            "verdict: at most {risk} chance that it is false, if the runs show all modes and tails{same}"
        )
    }
}

/// The minimum detectable effect; relative ones, as far as there are any.
fn mde(report: &Comparison) -> Option<String> {
    let is_candidate = |row: &&Row| !report.is_control(row);
    let relative = report
        .rows
        .iter()
        .filter(is_candidate)
        .any(|row| row.relative);
    let is_shown = |row: &&Row| is_candidate(row) && row.relative == relative;
    let mut smallest: Vec<(f64, &Row)> = report
        .rows
        .iter()
        .filter(is_shown)
        .filter_map(with_mde)
        .collect();
    smallest.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let write = |(smallest, row): (f64, &Row)| {
        difference::mde(smallest, row, report.rows.iter().filter(is_shown))
    };
    let (first, last) = (*smallest.first()?, *smallest.last()?);
    let one_unit = smallest
        .iter()
        .all(|(_, row)| row.key.metric.unit == first.1.key.metric.unit);
    if !relative && !one_unit {
        return None;
    }
    let middle = write(smallest[smallest.len() / 2]);
    let mut context = Vec::new();
    if write(first) != write(last) {
        context.push(format!("median; rows {} to {}", write(first), write(last)));
    }
    let mut pooled = report.pooled.iter().filter(is_shown).filter_map(with_mde);
    if let (Some(only), None) = (pooled.next(), pooled.next()) {
        context.push(format!("pooled {}", write(only)));
    }
    let context = if context.is_empty() {
        String::new()
    } else {
        format!(" ({})", context.join("; "))
    };
    Some(format!(
        "minimum detectable effect (MDE) on the typical run, found 4 times in 5: {middle}{context}"
    ))
}

fn with_mde(row: &Row) -> Option<(f64, &Row)> {
    let smallest = row.mde.filter(|smallest| smallest.is_finite())?;
    Some((smallest, row))
}

/// Why an interval without zero may prove nothing.
fn unproven(report: &Comparison) -> Option<String> {
    let excludes_zero = |answer: &&Answer| {
        answer.low.is_some_and(|low| low > 0.0) || answer.high.is_some_and(|high| high < 0.0)
    };
    let unproven: Vec<&Answer> = answers(report)
        .filter(excludes_zero)
        .filter(|answer| answer.verdict == Verdict::NotProven && answer.p_adjusted.is_some())
        .collect();
    let alone = 1.0 - report.confidence;
    let unconfirmed = unproven.iter().filter(|answer| answer.p > alone).count();
    let shared = unproven.len() - unconfirmed;
    let mut reasons = Vec::new();
    if shared > 0 {
        reasons.push(format!(
            "{shared} ({} share the {}: Holm)",
            counted(report.tests, "test"),
            number::share(alone)
        ));
    }
    if unconfirmed > 0 {
        reasons.push(format!("{unconfirmed} (a robustness check disagrees)"));
    }
    let reasons = reasons.join(", ");
    (!reasons.is_empty()).then(|| format!("intervals without 0, yet not proven: {reasons}"))
}

/// All warnings, each once, with the rows that it is about.
pub fn warnings(report: &Comparison) -> Vec<String> {
    let whole = distinct(report_warnings(report).into_iter());
    let mut of_rows: IndexMap<String, Vec<String>> = IndexMap::new();
    let one_workload = various(&report.rows, |row| &row.key.workload) <= 1;
    for row in report.all_rows() {
        let label = short_label(row, one_workload);
        for warning in row_warnings(row, report) {
            let about = format!("{label} of {}", row.variant);
            of_rows.entry(warning).or_default().push(about);
        }
    }
    let named = of_rows
        .into_iter()
        .map(|(text, rows)| format!("{text} ({})", first_of(rows.into_iter())));
    whole.into_iter().chain(named).collect()
}

/// What is said where there is no row at all.
pub fn nothing(report: &Comparison) -> Option<String> {
    report.all_rows().next().is_none().then(|| {
        format!(
            "nothing to compare: no variant has runs on what {} was measured on",
            report.baseline
        )
    })
}

fn answers(report: &Comparison) -> impl Iterator<Item = &Answer> {
    report.all_rows().flat_map(|row| [&row.typical, &row.mean])
}
