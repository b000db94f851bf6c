//! What `perflab compare` prints.

use perflab_compare::{Comparison, Row, Side};
use perflab_experiment::counted;
use unicode_width::UnicodeWidthStr;

use crate::difference::Estimate;
use crate::headline::headline;
use crate::latency_cells::{TITLE, blocks, latency_legend};
use crate::latency_table::{INTERVALS, latency_table};
use crate::number;
use crate::sections::{Section, colour, sections};
use crate::sentences;
use crate::table::table;
use crate::terminal::{Colour, Layout, TextOptions, pad};

/// The report for a terminal: a table for each metric and candidate, what verdicts mean, and warnings.
///
/// Of what names contain, only what is harmless to a terminal is printed as it is.
pub fn text(report: &Comparison, options: &TextOptions) -> String {
    let mut text = options.paragraph(&sentences::heading(report));
    text += &options.paragraph(&sentences::design(report));
    let failures = sentences::failures(report).map(|failures| options.paragraph(&failures));
    text += &failures.unwrap_or_default();
    let mut omitted = Vec::new();
    let mut medians = false;
    for section in sections(report) {
        text.push('\n');
        if let ([row], []) = (section.rows.as_slice(), section.pooled.as_slice()) {
            text += &single(&section, row, options);
        } else {
            text += &options.paragraph(&section.title());
            let table = table(&section, options);
            text += &table.text;
            medians |= table.has_medians;
            omitted.extend(table.omitted);
            let (latencies, narrow) = latency_table(&section, options);
            text += &latencies;
            omitted.extend(narrow);
        }
    }
    if let Some((sentence, alarm)) = sentences::control(report) {
        text += &alarmed(&sentence, alarm, options);
    }
    text.push('\n');
    text += &sentences::nothing(report)
        .map(|nothing| options.paragraph(&nothing))
        .unwrap_or_default();
    omitted.sort_unstable();
    omitted.dedup();
    if !omitted.is_empty() {
        let columns = omitted.join(", ");
        text += &options.paragraph(&format!("not shown, as the page is too narrow: {columns}"));
    }
    let latencies = latency_legend(report, !omitted.contains(&INTERVALS));
    for sentence in sentences::legend(report, medians)
        .into_iter()
        .chain(latencies)
    {
        text += &options.paragraph(&sentence);
    }
    for warning in sentences::warnings(report) {
        text += &alarmed(&warning, true, options);
    }
    text
}

/// A sentence as a paragraph, behind `warning:` where it is one.
fn alarmed(sentence: &str, alarm: bool, options: &TextOptions) -> String {
    const WARNING: &str = "warning:";
    if !alarm {
        return options.paragraph(sentence);
    }
    // Colour has no width, so that it comes after the lines are broken.
    let text = options.paragraph(&format!("{WARNING} {sentence}"));
    let rest = text.strip_prefix(WARNING).unwrap_or_default();
    options.paint(WARNING, Colour::Bad) + rest
}

/// A section of one row, the answer first.
fn single(section: &Section<'_>, row: &Row, options: &TextOptions) -> String {
    let typical = section.style(|row| &row.typical)(row).answer(&row.typical);
    let mean = section.style(|row| &row.mean)(row).answer(&row.mean);
    let verdict = options.paint(&options.show(&headline(row)), colour(row));
    let answer = options.show(&format!(": typical run {typical}, mean {mean}"));
    let mut text = options.paragraph(&section.title());
    text += &format!("  {verdict}{answer}\n");
    let slow = row.slow.as_ref();
    let sides = [
        (section.baseline, &row.base, slow.map(|slow| slow.base)),
        (
            section.variant,
            &row.candidate,
            slow.map(|slow| slow.candidate),
        ),
    ];
    let names = sides.map(|(name, ..)| options.show(name));
    let width = names.iter().map(|name| name.width()).max().unwrap_or(0);
    let medians = number::pair(row.base.median, row.candidate.median, &row.key.metric.unit);
    let means = number::pair(row.base.mean, row.candidate.mean, &row.key.metric.unit);
    let figures = [(medians.0, means.0), (medians.1, means.1)];
    for ((name, (_, side, slow)), (median, mean)) in names.iter().zip(sides).zip(figures) {
        let runs = runs(side, slow);
        let line = options.show(&format!("median {median}, mean {mean}, {runs}"));
        text += &format!("  {}  {line}\n", pad(name, width, false));
    }
    if let Some(main) = slow.and_then(|slow| slow.main.as_ref()) {
        let line = options.show(&format!(
            "without slow runs: {}",
            Estimate::from(main).text(row)
        ));
        text += &format!("  {line}\n");
    }
    text + &single_latencies(section, options)
}

/// The latencies of a single row, each on a line.
fn single_latencies(section: &Section<'_>, options: &TextOptions) -> String {
    let mut text = String::new();
    for block in blocks(section) {
        text += &format!("  {TITLE}\n");
        let names: Vec<String> = block.names.iter().map(|name| options.show(name)).collect();
        let width = names.iter().map(|name| name.width()).max().unwrap_or(0);
        for (name, cell) in names.iter().zip(block.columns.iter().flatten()) {
            let line = format!(
                "{} {}, {} {}, change {}",
                section.baseline,
                cell.base,
                section.variant,
                cell.candidate,
                cell.answer()
            );
            text += &format!("  {}  {}\n", pad(name, width, false), options.show(&line));
        }
    }
    text
}

fn runs(side: &Side, slow: Option<usize>) -> String {
    let runs = if side.values.len() == side.n {
        counted(side.n, "run")
    } else {
        let values = counted(side.values.len(), "value");
        format!("{} with {values}", counted(side.n, "unit"))
    };
    match slow {
        Some(slow) => format!("{runs}, {slow} slow"),
        None => runs,
    }
}
