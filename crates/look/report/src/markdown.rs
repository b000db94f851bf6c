//! The report as Markdown for a pull request: tables in GitHub's dialect.

use perflab_compare::{Comparison, Row, Verdict};

use crate::headline::headline;
use crate::latency_cells::{TITLE, blocks, latency_legend};
use crate::sections::{Section, sections, slow_runs};
use crate::terminal::{clean, one_line};
use crate::words;

/// The report as Markdown. Names are escaped, so that none of them is taken for markup.
pub fn markdown(report: &Comparison) -> String {
    let mut text = format!("### {}\n\n", escape(&report.name));
    let mut paragraph = |sentence: &str| text += &format!("{}\n\n", escape(sentence));
    if let Some(question) = &report.question {
        paragraph(question);
    }
    paragraph(&words::design(report));
    if let Some(failures) = words::failures(report) {
        paragraph(&failures);
    }
    if let Some(nothing) = words::nothing(report) {
        paragraph(&nothing);
    }
    for section in sections(report) {
        text += &format!("#### {}\n\n", escape(&section.title()));
        text += &table(&section);
        text.push('\n');
        text += &latencies(&section);
    }
    if let Some((sentence, alarm)) = words::control(report) {
        text += &format!(
            "{}{}\n\n",
            if alarm { WARNING } else { "" },
            escape(&sentence)
        );
    }
    let latencies = latency_legend(report, true);
    for sentence in words::legend(report, true).into_iter().chain(latencies) {
        text += &format!("- {}\n", escape(&sentence));
    }
    for warning in words::warnings(report) {
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

/// A line of a table.
pub(crate) fn line(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
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

/// The text on one line, free of markup: Markdown's own, HTML's, and the separator of cells.
pub(crate) fn escape(text: &str) -> String {
    let text = clean(&one_line(text));
    let mut escaped = String::with_capacity(text.len());
    let marker = list_marker(&text);
    for (at, character) in text.char_indices() {
        let (before, behind) = (&text[..at], &text[at + character.len_utf8()..]);
        match character {
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '&' => escaped += "&amp;",
            // A zero-width joiner keeps a name from notifying its namesake.
            '@' => escaped += "@\u{200d}",
            // The same keeps addresses from becoming links: GFM, "autolinks (extension)".
            ':' if behind.starts_with("//") => escaped += ":\u{200d}",
            '.' if ends_with_www(before) => escaped += "\u{200d}.",
            _ if marker == Some(at) => {
                escaped.push('\\');
                escaped.push(character);
            }
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '$' => {
                escaped.push('\\');
                escaped.push(character);
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

fn ends_with_www(text: &str) -> bool {
    let start = text.len().saturating_sub(3);
    text.get(start..)
        .is_some_and(|end| end.eq_ignore_ascii_case("www"))
}

/// Where the character is that makes the text an item of a list, or a line across the page.
fn list_marker(text: &str) -> Option<usize> {
    let number = text.bytes().take_while(u8::is_ascii_digit).count();
    let mut rest = text[number..].chars();
    let is_marker = match rest.next()? {
        '-' | '+' => number == 0,
        '.' | ')' => number > 0,
        _ => false,
    };
    let rest = rest.as_str();
    let is_line = text.chars().all(|character| matches!(character, '-' | ' '));
    (is_marker && (rest.is_empty() || rest.starts_with(' ') || is_line)).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_markup() {
        assert_eq!(escape("a|b"), "a\\|b");
        assert_eq!(escape("`x` *y* _z_"), "\\`x\\` \\*y\\* \\_z\\_");
        assert_eq!(escape("<script>&"), "&lt;script&gt;&amp;");
        assert_eq!(escape("[a](b)"), "\\[a\\](b)");
        assert_eq!(escape("a\nb\u{1b}[2J"), "a b\\\\u{1b}\\[2J");
        assert_eq!(escape("@root"), "@\u{200d}root");
    }

    #[test]
    fn addresses_are_no_links() {
        for (text, expected) in [
            ("https://evil.example", "https:\u{200d}//evil.example"),
            ("see HTTP://evil", "see HTTP:\u{200d}//evil"),
            ("(www.evil.example)", "(www\u{200d}.evil.example)"),
            ("WWW.evil.example", "WWW\u{200d}.evil.example"),
        ] {
            assert_eq!(escape(text), expected);
        }
        for ordinary in ["rps: 5", "a: /b", "1.5 w.w ww.x äww.x", "src/main.rs:7"] {
            assert_eq!(escape(ordinary), ordinary);
        }
    }

    #[test]
    fn texts_are_no_lists() {
        for (text, expected) in [
            ("- a", "\\- a"),
            ("+ a", "\\+ a"),
            ("1. a", "1\\. a"),
            ("12) a", "12\\) a"),
            (" -", "\\-"),
            ("3.", "3\\."),
            ("---", "\\---"),
            ("-- -", "\\-- -"),
        ] {
            assert_eq!(escape(text), expected);
        }
        for ordinary in [
            "-5% a",
            "+1.2",
            "--flag",
            "1.5 s",
            "10 blocks",
            "a - b",
            "-O2 - b",
        ] {
            assert_eq!(escape(ordinary), ordinary);
        }
    }
}
