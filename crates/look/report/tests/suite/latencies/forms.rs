//! How latencies are written.

use perflab_report::{TextOptions, csv, detail, json, markdown, text};
use serde_json::Value;

use super::runs::{WIDE, redis_report};

#[test]
fn coarse_values_do_not_pretend_digits() {
    let text = text(&redis_report(2.0), &WIDE);
    let line = text
        .lines()
        .find(|line| line.starts_with("GET ") && line.contains("µs"));
    let line = line.unwrap_or_else(|| panic!("{text}"));
    // A step is 2 % of the median and 1 % of the tail: neither `407.0 µs` nor a change of `+0.13%`.
    let words: Vec<&str> = line.split_whitespace().collect();
    assert!(
        words[1].parse::<u32>().is_ok() && words[2] == "µs",
        "{line}"
    );
    for word in words.iter().filter(|word| word.contains('%')) {
        assert!(!word.contains('.'), "{line}");
    }
}

#[test]
fn every_form_has_the_latencies() {
    let report = redis_report(2.0);
    let wide = text(&report, &WIDE);
    for words in [
        "latencies of the same runs, without verdicts:",
        "estimates, not tested",
    ] {
        assert!(wide.contains(words), "{wide}");
        assert!(markdown(&report).contains(words));
    }
    assert!(markdown(&report).contains("| latency\\_p99 of old |"));
    let parsed: Value = serde_json::from_str(&json(&report)).unwrap();
    assert_eq!(
        parsed["rows"][0]["latencies"][1]["metric"]["name"],
        "latency_p99"
    );
    let csv = csv(&report);
    // In front there are commas within fields.
    let field = |line: &str, name: &str| {
        let header = csv.lines().next().unwrap();
        let place = header.rsplit(',').position(|known| known == name).unwrap();
        line.rsplit(',').nth(place).unwrap().to_owned()
    };
    let first = csv.lines().nth(1).unwrap();
    assert_eq!(field(first, "latency.metric"), "latency_p50");
    assert_eq!(field(first, "tail.metric"), "latency_p99");
    let candidate: f64 = field(first, "tail.candidate").parse().unwrap();
    assert_eq!(candidate, report.rows[0].latencies[1].candidate.median);
    let row = detail(&report.rows[0], &report, &WIDE);
    assert!(row.contains("\nlatency_p99     medians "), "{row}");
}

#[test]
fn a_narrow_page_loses_intervals_first_and_medians_last() {
    let report = redis_report(2.0);
    let at = |width| text(&report, &TextOptions { width, ..WIDE });
    let line = |text: &str, start: &str| {
        let below = text.split("without verdicts:").nth(1).unwrap().to_owned();
        below
            .lines()
            .find(|line| line.starts_with(start))
            .unwrap()
            .to_owned()
    };
    let (wide, narrow, tiny) = (
        line(&at(120), "GET"),
        line(&at(70), "GET"),
        line(&at(40), "GET"),
    );
    assert!(wide.contains('[') && wide.contains(" µs "), "{wide}");
    assert!(!narrow.contains('[') && narrow.contains(" µs "), "{narrow}");
    assert!(narrow.contains("% *"), "{narrow}");
    assert!(!tiny.contains("µs") && tiny.contains("% *"), "{tiny}");
    assert!(at(70).contains("too narrow: intervals of latencies"));
    assert!(at(40).contains("intervals of latencies, "), "{}", at(40));
    for width in [40, 70, 80, 120] {
        let text = at(width);
        let table = text.split("without verdicts:").nth(1).unwrap();
        let table = table.split("\n\nvalues").next().unwrap();
        for line in table.lines().take(5) {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
    }
}
