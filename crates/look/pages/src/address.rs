//! Addresses of pages, relative to the folder that all of them are in.

use std::fmt::{self, Write as _};

use crate::documents;

/// A page, or a file beside the pages.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Address {
    First,
    /// A metric, from 0.
    Metric(usize),
    /// A comparison of a metric, both from 0.
    Comparison(usize, usize),
    /// A page of the list of runs, from 0.
    Runs(usize),
    /// A run, by its number.
    Run(u32),
    Method,
    Charts,
    /// A document on the methods, by its name.
    Document(&'static str),
    /// The values of a comparison as CSV.
    ComparisonCsv(usize, usize),
    /// The main report as JSON.
    ReportJson,
    /// The main report as CSV.
    ReportCsv,
    /// Every sample of every run as CSV.
    SamplesCsv,
    /// The report that has a metric as JSON.
    MetricJson(usize),
    /// A file that a run left: the run, and its place among them, from 0, with its name.
    Raw(u32, usize, String),
    Style,
    Script,
    /// The script for plots.
    PlotScript,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::First => f.write_str("index.html"),
            Self::Metric(metric) => write!(f, "metric-{}.html", metric + 1),
            Self::Comparison(metric, row) => {
                write!(f, "comparison-{}-{}.html", metric + 1, row + 1)
            }
            Self::Runs(0) => f.write_str("runs.html"),
            Self::Runs(page) => write!(f, "runs-{}.html", page + 1),
            Self::Run(run) => write!(f, "run-{run}.html"),
            Self::Method => f.write_str("method.html"),
            Self::Charts => f.write_str("charts.html"),
            Self::Document(name) => write!(f, "method-{name}.html"),
            Self::ComparisonCsv(metric, row) => {
                write!(f, "data/comparison-{}-{}.csv", metric + 1, row + 1)
            }
            Self::ReportJson => f.write_str("data/report.json"),
            Self::ReportCsv => f.write_str("data/report.csv"),
            Self::SamplesCsv => f.write_str("data/samples.csv"),
            Self::MetricJson(metric) => write!(f, "data/metric-{}.json", metric + 1),
            Self::Raw(run, place, name) => write!(f, "raw/{run}/{}-{name}.txt", place + 1),
            Self::Style => f.write_str("style.css"),
            Self::Script => f.write_str("script.js"),
            Self::PlotScript => f.write_str("plots.js"),
        }
    }
}

impl Address {
    /// The page of a run, as a text that never grows: a plot has thousands.
    pub(crate) fn of_run(run: u32) -> String {
        let mut address = String::with_capacity(20);
        // Writing into memory cannot fail.
        let _ = write!(address, "{}", Self::Run(run));
        address
    }

    /// The address that a text is, if it is one. Of the file that a run left, the name is not looked at.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let address = match text {
            "index.html" => Self::First,
            "method.html" => Self::Method,
            "charts.html" => Self::Charts,
            "runs.html" => Self::Runs(0),
            "data/report.json" => Self::ReportJson,
            "data/report.csv" => Self::ReportCsv,
            "data/samples.csv" => Self::SamplesCsv,
            "style.css" => Self::Style,
            "script.js" => Self::Script,
            "plots.js" => Self::PlotScript,
            _ => Self::numbered(text)?,
        };
        Some(address)
    }

    fn numbered(text: &str) -> Option<Self> {
        let between = |before: &str, after: &str| text.strip_prefix(before)?.strip_suffix(after);
        if let Some(number) = between("run-", ".html") {
            return Some(Self::Run(number_of(number)?));
        }
        if let Some(number) = between("metric-", ".html") {
            return Some(Self::Metric(place_of(number)?));
        }
        if let Some(number) = between("runs-", ".html") {
            return place_of(number).filter(|page| *page > 0).map(Self::Runs);
        }
        if let Some(numbers) = between("comparison-", ".html") {
            let (metric, row) = numbers.split_once('-')?;
            return Some(Self::Comparison(place_of(metric)?, place_of(row)?));
        }
        if let Some(name) = between("method-", ".html") {
            return documents::known(name).map(Self::Document);
        }
        if let Some(numbers) = between("data/comparison-", ".csv") {
            let (metric, row) = numbers.split_once('-')?;
            return Some(Self::ComparisonCsv(place_of(metric)?, place_of(row)?));
        }
        if let Some(number) = between("data/metric-", ".json") {
            return Some(Self::MetricJson(place_of(number)?));
        }
        let (run, file) = between("raw/", ".txt")?.split_once('/')?;
        let (place, name) = file.split_once('-')?;
        Some(Self::Raw(
            number_of(run)?,
            place_of(place)?,
            name.to_owned(),
        ))
    }
}

/// A number as it is written: without sign, blanks or zeros before it.
fn number_of(text: &str) -> Option<u32> {
    let number: u32 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

/// A place, written from 1.
fn place_of(text: &str) -> Option<usize> {
    number_of(text)?.checked_sub(1).map(|place| place as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_they_are_written() {
        let all = [
            Address::First,
            Address::Metric(0),
            Address::Comparison(3, 41),
            Address::Runs(0),
            Address::Runs(2),
            Address::Run(17),
            Address::Method,
            Address::Charts,
            Address::ReportJson,
            Address::ReportCsv,
            Address::SamplesCsv,
            Address::Document("mean"),
            Address::ComparisonCsv(2, 0),
            Address::MetricJson(9),
            Address::Raw(3, 0, "stdout".to_owned()),
            Address::Style,
            Address::Script,
            Address::PlotScript,
        ];
        for address in all {
            assert_eq!(Address::parse(&address.to_string()), Some(address));
        }
    }

    #[test]
    fn nothing_else_is_an_address() {
        let others = [
            "",
            "/",
            "index.htm",
            "../index.html",
            "run-.html",
            "run-01.html",
            "run-+1.html",
            "run-0x1.html",
            "metric-0.html",
            "runs-1.html",
            "comparison-1.html",
            "comparison-1-0.html",
            "figures/../x.js",
            "raw/1/../../x.txt",
            "raw/1/0-x.txt",
            "raw/1",
            "data/",
            "run-99999999999.html",
        ];
        for text in others {
            let address = Address::parse(text);
            assert_eq!(address, None, "{text}");
        }
    }
}
