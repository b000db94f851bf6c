//! The report as Markdown for a pull request: tables in GitHub's dialect.

use perflab_compare::{Comparison, Row, Verdict};

use crate::headline::headline;
use crate::latency_cells::{TITLE, blocks, latency_legend};
use crate::markup::{escape, line};
use crate::sections::{Section, sections, slow_runs};
use crate::sentences;

/// The report as Markdown. Names are escaped, so that none of them is taken for markup.
pub fn markdown(report: &Comparison) -> String {
    let mut text = format!("### {}\n\n", escape(&report.name));
    let mut paragraph = |sentence: &str| text += &format!("{}\n\n", escape(sentence));
    if let Some(question) = &report.question {
        paragraph(question);
    }
    paragraph(&sentences::design(report));
    if let Some(failures) = sentences::failures(report) {
        paragraph(&failures);
    }
    if let Some(nothing) = sentences::nothing(report) {
        paragraph(&nothing);
    }
    for section in sections(report) {
        text += &format!("#### {}\n\n", escape(&section.title()));
        text += &table(&section);
        text.push('\n');
        text += &latencies(&section);
    }
    if let Some((sentence, alarm)) = sentences::control(report) {
        text += &format!(
            "{}{}\n\n",
            if alarm { WARNING } else { "" },
            escape(&sentence)
        );
    }
    let latencies = latency_legend(report, true);
    for sentence in sentences::legend(report, true).into_iter().chain(latencies) {
        text += &format!("- {}\n", escape(&sentence));
    }
    for warning in sentences::warnings(report) {
        text += &format!("- {WARNING}{}\n", escape(&warning));
    }
    text
}

const WARNING: &str = "**warning:** ";

fn table(section: &Section<'_>) -> String {
    let labels = section.labels();
    let medians = section.medians();
    let (typical, mean) = (
        section.style(|row| &row.typical),
        section.style(|row| &row.mean),
    );
    let has_slow = section.has_slow_runs();
    let mut headers: Vec<(String, bool)> = labels
        .iter()
        .map(|label| (escape(&label.header), false))
        .collect();
    headers.extend([section.baseline, section.variant].map(|name| (escape(name), true)));
    headers.push(("typical run".to_owned(), true));
    headers.push(("verdict".to_owned(), false));
    headers.push(("mean".to_owned(), true));
    headers.extend(has_slow.then(|| ("slow runs".to_owned(), true)));
    let names = headers.iter().map(|(name, _)| name.clone());
    let rules = headers
        .iter()
        .map(|(_, right)| if *right { "---:" } else { ":---" }.to_owned());
    let mut text = line(names) + &line(rules);
    for (index, row) in section.all().enumerate() {
        let mut cells: Vec<String> = labels
            .iter()
            .map(|label| {
                label
                    .cells
                    .get(index)
                    .map_or_else(String::new, |cell| escape(cell))
            })
            .collect();
        let (base, candidate) = medians.get(index).cloned().unwrap_or_default();
        cells.extend([base, candidate]);
        cells.push(typical(row).answer(&row.typical));
        cells.push(verdict(row));
        cells.push(mean(row).answer(&row.mean));
        if has_slow {
            let counts = slow_runs(row).map(|(base, candidate)| format!("{base}, {candidate}"));
            cells.push(counts.unwrap_or_default());
        }
        text += &line(cells.into_iter());
    }
    text
}

/// A table of the latencies, where there are any.
fn latencies(section: &Section<'_>) -> String {
    let mut text = String::new();
    for block in blocks(section) {
        let labels = section.labels();
        let mut headers: Vec<String> = labels.iter().map(|label| escape(&label.header)).collect();
        let mut rules = vec![":---".to_owned(); headers.len()];
        for name in &block.names {
            let of = |variant: &str| escape(&format!("{name} of {variant}"));
            headers.extend([of(section.baseline), of(section.variant)]);
            headers.push("change".to_owned());
            rules.extend(std::iter::repeat_n("---:".to_owned(), 3));
        }
        text += &format!("{TITLE}\n\n");
        text += &(line(headers.into_iter()) + &line(rules.into_iter()));
        for (index, place) in block.rows.iter().enumerate() {
            let labels = labels.iter().map(|label| label.cells.get(*place));
            let mut cells: Vec<String> = labels
                .map(|cell| cell.map_or_else(String::new, |cell| escape(cell)))
                .collect();
            for cell in block.columns.iter().filter_map(|column| column.get(index)) {
                cells.extend([cell.base.clone(), cell.candidate.clone(), cell.answer()]);
            }
            text += &line(cells.into_iter());
        }
        text.push('\n');
    }
    text
}

/// What is proven stands out.
fn verdict(row: &Row) -> String {
    let proven = [row.typical.verdict, row.mean.verdict]
        .iter()
        .any(|verdict| *verdict != Verdict::NotProven);
    let word = escape(&headline(row));
    if proven && !word.is_empty() {
        format!("**{word}**")
    } else {
        word
    }
}
