//! The report for people: the worst first, one finding in a few lines.

use perflab_experiment::counted;
use perflab_machine::doctor::{Finding, Report, Severity};
use perflab_plot::TextOptions;

use super::noise_text::noise_text;
use crate::terminal;

/// Width where there is no terminal.
const WIDTH: usize = 100;

/// Columns that severity and name of the check take.
const INDENT: usize = 10;

/// The report as text, in colour where that is wanted.
pub fn text(report: &Report, verbose: bool) -> String {
    let width = terminal::columns().unwrap_or(WIDTH).max(INDENT + 20);
    render(report, verbose, width, terminal::colour())
}

fn render(report: &Report, verbose: bool, width: usize, colour: bool) -> String {
    let mut out = String::new();
    let shown = |finding: &&Finding| verbose || finding.severity > Severity::Fine;
    for finding in report.findings.iter().filter(shown) {
        out.push_str(&one(finding, width, colour));
    }
    if !verbose {
        let mut fine: Vec<&str> = Vec::new();
        for finding in &report.findings {
            let name = finding.check.as_str();
            if finding.severity == Severity::Fine && !fine.contains(&name) {
                fine.push(name);
            }
        }
        if !fine.is_empty() {
            out.push_str(&paragraph(
                "fine",
                Severity::Fine,
                &fine.join(", "),
                width,
                colour,
            ));
        }
    }
    let options = TextOptions {
        width,
        colour,
        ascii: false,
    };
    for seen in &report.measured {
        if let Some(noise) = &seen.noise {
            out.push_str(&noise_text(seen.cpu, noise, &options));
        }
    }
    out.push_str(&verdict(report));
    out
}

fn one(finding: &Finding, width: usize, colour: bool) -> String {
    let severity = finding.severity;
    let head = format!("{}: {}", finding.check, terminal::escape(&finding.found));
    let mut out = paragraph(severity.word(), severity, &head, width, colour);
    let parts = [
        ("where", &finding.file),
        ("cost", &finding.cost),
        ("do", &finding.advice),
    ];
    for (name, part) in parts {
        if let Some(part) = part {
            let line = format!("{name}: {}", terminal::escape(part));
            out.push_str(&paragraph("", severity, &line, width, false));
        }
    }
    out
}

/// Words behind a label, broken into lines that begin below the first word.
fn paragraph(label: &str, severity: Severity, words: &str, width: usize, colour: bool) -> String {
    let padding = " ".repeat(INDENT.saturating_sub(label.len()));
    let label = match (colour, severity) {
        (true, Severity::Alarm) => format!("\x1b[1;31m{label}\x1b[0m"),
        (true, Severity::Warning) => format!("\x1b[33m{label}\x1b[0m"),
        (true, Severity::Fine) => format!("\x1b[32m{label}\x1b[0m"),
        _ => label.to_owned(),
    };
    let mut out = format!("{label}{padding}");
    let mut column = INDENT;
    // A percent sign stays with its number.
    let words = words.replace(" %", "\u{a0}%");
    for (index, word) in words.split(' ').enumerate() {
        let word = word.replace('\u{a0}', " ");
        let length = word.chars().count();
        if index > 0 {
            if column + 1 + length > width {
                out.push('\n');
                out.push_str(&" ".repeat(INDENT));
                column = INDENT;
            } else {
                out.push(' ');
                column += 1;
            }
        }
        out.push_str(&word);
        column += length;
    }
    out.push('\n');
    out
}

fn verdict(report: &Report) -> String {
    let count = |severity, one: &str| counted(report.count(severity), one);
    let counts = format!(
        "{}, {}, {}",
        count(Severity::Alarm, "alarm"),
        count(Severity::Warning, "warning"),
        count(Severity::Note, "note")
    );
    let advice = match report.worst {
        Severity::Alarm => "do not measure like this",
        Severity::Warning => "measure, but expect more scatter than need be",
        Severity::Note | Severity::Fine => "fit for measuring",
    };
    let cpus = if report.cpus.parse::<u32>().is_ok() {
        "CPU"
    } else {
        "CPUs"
    };
    format!("{cpus} {}: {counts}: {advice}\n", report.cpus)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let findings = vec![
            Finding::new("swap", Severity::Fine, "there is no swap"),
            Finding::new(
                "steal",
                Severity::Alarm,
                "the hypervisor took 20 % of the time",
            )
            .at("proc/stat")
            .advice("another machine"),
        ];
        Report::new(&[0, 1], findings, Vec::new())
    }

    #[test]
    fn the_worst_comes_first_and_what_is_fine_in_one_line() {
        assert_eq!(
            render(&report(), false, 40, false),
            "ALARM     steal: the hypervisor took\n          \
             20 % of the time\n          where: /proc/stat\n          do: another machine\n\
             fine      swap\nCPUs 0-1: 1 alarm, 0 warnings, 0 notes: do not measure like this\n"
        );
    }

    #[test]
    fn colour_is_only_where_it_was_asked_for() {
        assert!(render(&report(), true, 80, true).contains("\x1b[1;31mALARM\x1b[0m"));
        assert!(!render(&report(), true, 80, false).contains('\x1b'));
    }
}
